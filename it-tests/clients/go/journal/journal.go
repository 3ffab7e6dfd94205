// Package journal has what every Go program says to an agent-journal server: grpc-go and generated stubs, nothing of ours.
package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// Repeating any call with the same ids and indexes is safe, so the channel may do it by itself.
const retries = `{"methodConfig": [{"name": [{}], "retryPolicy": {
	"maxAttempts": 5, "initialBackoff": "0.1s", "maxBackoff": "2s", "backoffMultiplier": 3,
	"retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"]}}]}`

// Connect makes a channel to one server.
func Connect(target string) (*grpc.ClientConn, error) {
	return grpc.NewClient(target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(retries))
}

// Refusal tells why a call was refused, and its facts. The reason is empty when the server did not say (cut, deadline).
func Refusal(err error) (reason string, facts map[string]string) {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.GetReason(), info.GetMetadata()
		}
	}
	return "", nil
}

// Fields of a step.
type Fields map[string]any

var saying sync.Mutex

// Say prints one line for whoever watches.
func Say(step string, fields Fields) {
	line := Fields{"step": step}
	for name, value := range fields {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	saying.Lock()
	defer saying.Unlock()
	fmt.Fprintf(os.Stdout, "%s\n", text)
}
