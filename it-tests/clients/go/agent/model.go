package main

import (
	"context"
	"os"
	"strings"
	"time"

	"example.com/agent/journal"
)

// model answers at token speed with a recorded response, and can go on after a prefix of it. In its place stands the
// streaming call of a provider. Every token that is asked of it is told: what is told twice is bought twice.
type model struct {
	file  string // one event in each line
	pause time.Duration
}

// stream calls the function with each event, from the given index on.
func (m model) stream(ctx context.Context, start int64, event func(index int64, text string) error) error {
	recorded, err := os.ReadFile(m.file)
	if err != nil {
		return err
	}
	events := strings.Split(strings.TrimSuffix(string(recorded), "\n"), "\n")
	for index := start; index < int64(len(events)); index++ {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(m.pause):
		}
		journal.Say("asked", journal.Fields{"index": index})
		if err := event(index, events[index]); err != nil {
			return err
		}
	}
	return nil
}
