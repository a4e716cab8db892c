package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover/bench/load"
)

const (
	// readsArgument makes this program read instead: it starts itself again with it.
	readsArgument = "reads-of"

	readers      = 16
	readInterval = 40 * time.Millisecond // of each of them: 400 reads a second
)

// readMeanwhile reads at an even rate while work runs, and returns what work does and how
// long the reads took. The readers are a process of their own: users of a service do not
// wait for its processors before they ask. They do not wait for answers either, so that a
// read is as late as it is since the moment it was due.
func readMeanwhile(
	ctx context.Context,
	address string,
	reads []load.Request,
	work func(context.Context) (float64, error),
) (done float64, took []time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, nil, fmt.Errorf("find this program: %w", err)
	}
	command := exec.CommandContext(ctx, self, readsArgument, address)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return 0, nil, fmt.Errorf("start the readers: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, nil, fmt.Errorf("start the readers: %w", err)
	}
	if err := command.Start(); err != nil {
		return 0, nil, fmt.Errorf("start the readers: %w", err)
	}
	err = json.NewEncoder(in).Encode(reads)
	if err == nil {
		done, err = work(ctx)
	}
	err = errors.Join(err, in.Close(), json.NewDecoder(out).Decode(&took), command.Wait())
	if err == nil && len(took) == 0 {
		err = errors.New("nothing was read")
	}
	return done, took, err
}

// serveReads is the other process. It reads until its input ends, and prints how long each
// answer took.
func serveReads(address string) error {
	var requests []load.Request
	input := json.NewDecoder(os.Stdin)
	if err := input.Decode(&requests); err != nil {
		return fmt.Errorf("read what to ask for: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	took, failures := make([][]time.Duration, readers), make([]error, readers)
	begin := time.Now()
	var all sync.WaitGroup
	for n := range readers {
		all.Go(func() {
			r := reader{requests: requests, place: n * len(requests) / readers, due: begin.Add(readInterval * time.Duration(n) / readers)}
			took[n], failures[n] = r.until(ctx, address)
		})
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	stop()
	all.Wait()
	if err := errors.Join(append(failures, err)...); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(slices.Concat(took...))
}

// reader sends requests over one connection.
type reader struct {
	requests []load.Request
	place    int
	due      time.Time // of the next
}

func (r *reader) until(ctx context.Context, address string) (took []time.Duration, err error) {
	c, err := load.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for ; ; r.place, r.due = r.place+1, r.due.Add(readInterval) {
		select {
		case <-time.After(time.Until(r.due)):
		case <-ctx.Done():
			return took, nil
		}
		request := r.requests[r.place%len(r.requests)]
		status, err := c.Send(request)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("%s: %d, %w", load.FirstLine(request), status, err)
		}
		took = append(took, time.Since(r.due))
	}
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[int(math.Ceil(0.99*float64(len(took))))-1]
}
