// Command follow shows a response while it is written, each segment once. Comes back by itself when it is cut off.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/agent/journal"
	pb "example.com/agent/stubs/agentjournal/v1"
)

func main() {
	target := flag.String("target", "127.0.0.1:7400", "")
	stream := flag.String("stream", "", "the stream's key")
	flag.Parse()
	connection, err := journal.Connect(*target)
	if err != nil {
		log.Fatal(err)
	}
	segments := pb.NewSegmentServiceClient(connection)
	var next int64
	for {
		end, err := follow(segments, *stream, &next)
		if err == nil {
			journal.Say("end", journal.Fields{"reason": end.GetReason().String(), "next_index": end.GetNextIndex()})
			return
		}
		if status.Code(err) != codes.Unavailable {
			log.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond) // cut: again, from the next index
	}
}

func follow(segments pb.SegmentServiceClient, stream string, next *int64) (*pb.ReadEnd, error) {
	call, err := segments.ReadSegments(context.Background(), &pb.ReadSegmentsRequest{
		StreamKey:     stream,
		Start:         &pb.ReadSegmentsRequest_StartIndex{StartIndex: *next},
		Follow:        true,
		WaitForStream: true,
	})
	if err != nil {
		return nil, err
	}
	for {
		message, err := call.Recv()
		if err != nil {
			return nil, err
		}
		for _, segment := range message.GetRun().GetSegments() {
			journal.Say("segment", journal.Fields{"index": *next, "text": segment.GetText()})
			*next++
		}
		if end := message.GetEnd(); end != nil {
			return end, nil
		}
	}
}
