// Command agent claims a submission, goes on where its predecessor stopped, settles it.
//
// Every step is a call that may be repeated; what was already done is not done again. Prints one line for each step.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/agent/journal"
	pb "example.com/agent/stubs/agentjournal/v1"
)

const deadline = 20 * time.Second // of every call that does not last

type agent struct {
	segments    pb.SegmentServiceClient
	submissions pb.SubmissionServiceClient
	turns       pb.TurnJournalServiceClient
	attempt     *pb.AttemptRef // the write token, new for every claim
	owner       string
	lease       time.Duration
	model       model
}

func main() {
	target := flag.String("target", "127.0.0.1:7400", "")
	submission := flag.String("submission", "", "")
	owner := flag.String("owner", "", "")
	response := flag.String("response", "", "a file of recorded events, one for each line: the model")
	lease := flag.Float64("lease", 30, "seconds")
	pause := flag.Float64("pause", 0.025, "seconds between tokens")
	flag.Parse()
	connection, err := journal.Connect(*target)
	if err != nil {
		log.Fatal(err)
	}
	a := &agent{
		segments:    pb.NewSegmentServiceClient(connection),
		submissions: pb.NewSubmissionServiceClient(connection),
		turns:       pb.NewTurnJournalServiceClient(connection),
		attempt:     &pb.AttemptRef{SubmissionId: *submission, AttemptId: rand.Text()},
		owner:       *owner,
		lease:       seconds(*lease),
		model:       model{file: *response, pause: seconds(*pause)},
	}
	if err := a.run(context.Background()); err != nil {
		reason, facts := journal.Refusal(err)
		if reason == "" {
			log.Fatal(err)
		}
		// A zombie ends here: STALE_ATTEMPT, and who has the work now.
		journal.Say("refused", journal.Fields{"code": status.Code(err).String(), "reason": reason, "facts": facts})
		os.Exit(3)
	}
}

func (a *agent) run(ctx context.Context) error {
	claimed, err := a.claim(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go a.keepLease(ctx)
	turnID, events, err := a.response(ctx, claimed)
	if err != nil {
		return err
	}
	return a.commit(ctx, turnID, events)
}

// claim waits for a predecessor's lease to end, when there is one.
func (a *agent) claim(ctx context.Context) (*pb.ClaimSubmissionResponse, error) {
	for {
		call, cancel := context.WithTimeout(ctx, deadline)
		claimed, err := a.submissions.ClaimSubmission(call, &pb.ClaimSubmissionRequest{
			Attempt: a.attempt,
			Lease:   &pb.LeaseRequest{Owner: a.owner, Duration: durationpb.New(a.lease)},
		})
		cancel()
		if err == nil {
			plan := claimed.GetPlan()
			journal.Say("claimed", journal.Fields{"attempt": a.attempt.AttemptId, "action": plan.GetAction().String(),
				"because": plan.GetBecause(), "next_index": plan.GetStream().GetNextIndex()})
			return claimed, nil
		}
		reason, facts := journal.Refusal(err)
		if reason != "LEASE_HELD" {
			return nil, err
		}
		remaining, err := strconv.ParseInt(facts["remaining_ms"], 10, 64)
		if err != nil {
			return nil, err
		}
		journal.Say("lease_held", journal.Fields{"remaining_ms": remaining})
		time.Sleep(time.Duration(min(500, max(20, remaining))) * time.Millisecond)
	}
}

// keepLease repeats a call that renews, waits, and answers early when the lease is lost or somebody asks to stop.
func (a *agent) keepLease(ctx context.Context) {
	for ctx.Err() == nil {
		call, cancel := context.WithTimeout(ctx, a.lease)
		answer, err := a.submissions.RenewLeases(call, &pb.RenewLeasesRequest{
			Attempts: []*pb.AttemptRef{a.attempt},
			Duration: durationpb.New(a.lease),
			Wait:     durationpb.New(a.lease / 3),
		})
		cancel()
		if err != nil {
			time.Sleep(200 * time.Millisecond)
		} else if answer.GetRenewals()[0].GetState() != pb.RenewalState_RENEWAL_STATE_RENEWED {
			return // whatever this agent writes next is refused, and says why
		}
	}
}

// response is the model's whole response, of which only that is bought which is not stored yet.
func (a *agent) response(ctx context.Context, claimed *pb.ClaimSubmissionResponse) (string, []string, error) {
	plan, turnID := claimed.GetPlan(), claimed.GetJournal().GetTurnId()
	switch plan.GetAction() {
	case pb.RecoveryAction_RECOVERY_ACTION_REPLAY_STREAM: // it is stored whole
		events, err := a.stored(ctx, plan.GetStream().GetStreamKey())
		return turnID, events, err
	case pb.RecoveryAction_RECOVERY_ACTION_CONTINUE_STREAM, pb.RecoveryAction_RECOVERY_ACTION_CALL_MODEL_AGAIN:
		if !plan.GetStream().GetOpen() {
			return a.newTurn(ctx)
		}
		events, err := a.askModel(ctx, plan.GetStream().GetStreamKey())
		return turnID, events, err
	case pb.RecoveryAction_RECOVERY_ACTION_APPLY_INPUT:
		call, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		_, err := a.submissions.MarkInputApplied(call, &pb.MarkInputAppliedRequest{
			Attempt: a.attempt,
			Entries: []*pb.NewEntry{{
				EntryId: a.attempt.SubmissionId + ":input",
				Kind:    "user",
				Payload: claimed.GetSubmission().GetInput().GetPayload(),
			}},
		})
		if err != nil {
			return "", nil, err
		}
		return a.newTurn(ctx)
	case pb.RecoveryAction_RECOVERY_ACTION_BEGIN_TURN:
		return a.newTurn(ctx)
	default:
		return "", nil, fmt.Errorf("nothing to do for %s: %s", plan.GetAction(), plan.GetBecause())
	}
}

func (a *agent) newTurn(ctx context.Context) (string, []string, error) {
	call, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	begun, err := a.turns.BeginTurnJournal(call, &pb.BeginTurnJournalRequest{
		Attempt: a.attempt,
		TurnId:  rand.Text(),
		Start:   &pb.ProviderStart{ContentType: "application/json"},
	})
	if err != nil {
		return "", nil, err
	}
	events, err := a.askModel(ctx, begun.GetJournal().GetStreamKey())
	return begun.GetJournal().GetTurnId(), events, err
}

// askModel asks the model for what is not stored yet, and stores each token as it comes: one call for all of them.
func (a *agent) askModel(ctx context.Context, stream string) ([]string, error) {
	call, err := a.segments.AppendSession(ctx)
	if err != nil {
		return nil, err
	}
	// A failed Send says only that the call is over; why, says Recv.
	if err := call.Send(&pb.AppendSessionRequest{
		Open: &pb.StreamOpen{StreamKey: stream, Writer: &pb.StreamOpen_Attempt{Attempt: a.attempt}},
	}); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	first, err := call.Recv() // at once: what is stored already
	if err != nil {
		return nil, err
	}
	journal.Say("streams", journal.Fields{"stream_key": stream, "start": first.GetNextIndex()})

	modelCtx, cancel := context.WithCancelCause(ctx)
	refused := make(chan error, 1)
	go func() {
		for {
			answer, err := call.Recv()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					cancel(err) // nobody pays for tokens that cannot be stored
					refused <- err
				}
				close(refused)
				return
			}
			journal.Say("durable", journal.Fields{"next_index": answer.GetNextIndex()})
		}
	}()
	next := first.GetNextIndex()
	failed := a.model.stream(modelCtx, next, func(index int64, text string) error {
		next = index + 1
		return call.Send(&pb.AppendSessionRequest{
			FirstIndex: &index,
			Segments:   []*pb.Segment{{Payload: &pb.Segment_Text{Text: text}}},
		})
	})
	if failed == nil {
		failed = call.Send(&pb.AppendSessionRequest{End: &pb.StreamEnd{
			Result:            &pb.StreamEnd_FinishReason{FinishReason: "stop"},
			ExpectedNextIndex: proto.Int64(next),
		}})
	}
	if err := call.CloseSend(); err != nil {
		return nil, err
	}
	if err := <-refused; err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	return a.stored(ctx, stream)
}

// stored reads every segment. A call that ends without `end` was cut: again from the next index.
func (a *agent) stored(ctx context.Context, stream string) ([]string, error) {
	var events []string
	for {
		call, err := a.segments.ReadSegments(ctx, &pb.ReadSegmentsRequest{
			StreamKey: stream,
			Start:     &pb.ReadSegmentsRequest_StartIndex{StartIndex: int64(len(events))},
		})
		for err == nil {
			var message *pb.ReadSegmentsResponse
			if message, err = call.Recv(); err == nil {
				for _, segment := range message.GetRun().GetSegments() {
					events = append(events, segment.GetText())
				}
				if message.GetEnd() != nil {
					return events, nil
				}
			}
		}
		if status.Code(err) != codes.Unavailable {
			return nil, err
		}
	}
}

func (a *agent) commit(ctx context.Context, turnID string, events []string) error {
	call, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	answer := &pb.Payload{Body: &pb.Payload_Json{Json: "[" + strings.Join(events, ",") + "]"}}
	_, err := a.turns.CommitTurnJournal(call, &pb.CommitTurnJournalRequest{
		Attempt:           a.attempt,
		TurnId:            turnID,
		ExpectedNextIndex: proto.Int64(int64(len(events))),
		Entries:           []*pb.NewEntry{{EntryId: turnID + ":assistant", Kind: "assistant", Payload: answer}},
		Then: &pb.CommitTurnJournalRequest_Settle{Settle: &pb.Settlement{
			Outcome: pb.Outcome_OUTCOME_COMPLETED,
			Result:  answer,
		}},
	})
	if err == nil {
		journal.Say("settled", nil)
	}
	return err
}

func seconds(n float64) time.Duration {
	return time.Duration(n * float64(time.Second))
}
