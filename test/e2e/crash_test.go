package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/test/e2e/world"
)

var errNotYet = errors.New("not yet")

const (
	crashRounds  = 4
	crashWriters = 4
	// crashAfter is the number of answered writes after which a round ends.
	crashAfter = 150
)

// TestKill ends the service in the middle of a storm of writes, several times.
// Every write that was answered is there afterwards.
func TestKill(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s site) {
		t.Helper()
		made := []string{}
		for round := range crashRounds {
			p := serve(t, s)
			st := newStorm(logIn(t, p, "demo"), s.world, round)
			st.run(t, p.kill)
			made = append(made, st.connections...)

			p = serve(t, s)
			st.check(t, logIn(t, p, "demo"), made)
			p.kill()
		}
	})
}

// storm is a number of writers that change records of their own.
type storm struct {
	client   *client
	world    *world.World
	round    int
	answered atomic.Int64

	mu          sync.Mutex
	connections []string          // made and answered
	values      map[string]string // the value that was answered last, by path
	unanswered  map[string]string // the value that was under way at the end
}

func newStorm(c *client, w *world.World, round int) *storm {
	return &storm{client: c, world: w, round: round, values: map[string]string{}, unanswered: map[string]string{}}
}

// run writes until enough was answered, then calls end, and returns when no
// writer is left.
func (s *storm) run(t *testing.T, end func()) {
	t.Helper()
	var writers sync.WaitGroup
	enough := make(chan struct{})
	var once sync.Once
	writer := func(write func(n int) error) {
		writers.Go(func() {
			for n := 0; write(n) == nil; n++ {
				if s.answered.Add(1) >= crashAfter {
					once.Do(func() { close(enough) })
				}
			}
		})
	}
	for i := range crashWriters {
		device := "/device/" + s.world.Devices[i].ID
		writer(func(n int) error {
			value := fmt.Sprintf("round %d, write %d", s.round, n)
			return s.set(t, device, fmt.Sprintf(`{"description":%q}`, value), value)
		})
		milestone := "/milestone/" + s.world.Milestones[i%len(s.world.Milestones)].ID
		writer(func(n int) error {
			value := drover.At(time.Now().Add(time.Duration(n+48) * time.Hour)).String()
			return s.set(t, milestone, fmt.Sprintf(`{"end_time":%q}`, value), value)
		})
		writer(func(n int) error { return s.create(t, fmt.Sprintf("round %d, writer %d, write %d", s.round, i, n)) })
	}
	select {
	case <-enough:
	case <-time.After(patience):
		t.Errorf("%d writes answered within %s, want %d", s.answered.Load(), patience, crashAfter)
	}
	end()
	writers.Wait()
}

var errRefused = errors.New("refused")

// set writes a value. Its error means that the service is gone.
func (s *storm) set(t *testing.T, path, body, value string) error {
	t.Helper()
	s.note(s.unanswered, path, value)
	a, err := s.client.do(t.Context(), http.MethodPatch, path, body)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		t.Errorf("PATCH %s: %d %s", path, a.status, a.body)
		return errRefused
	}
	s.note(s.values, path, value)
	return nil
}

func (s *storm) note(values map[string]string, path, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	values[path] = value
}

func (s *storm) create(t *testing.T, business string) error {
	t.Helper()
	a, err := s.client.do(t.Context(), http.MethodPost, "/connection", connectionBody(business, "token"))
	if err != nil {
		return err
	}
	var made struct{ Data drover.Connection }
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != http.StatusOK {
		t.Errorf("POST /connection: %d %s", a.status, a.body)
		return errRefused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections = append(s.connections, made.Data.ID)
	return nil
}

// check looks for everything that was answered, in this round and before. A
// write that was under way may be there or not.
func (s *storm) check(t *testing.T, c *client, made []string) {
	t.Helper()
	var all []drover.Connection
	c.must(t, &all, http.MethodGet, "/connection", "")
	there := map[string]bool{}
	for _, connection := range all {
		there[connection.ID] = true
	}
	missing := slices.DeleteFunc(slices.Clone(made), func(id string) bool { return there[id] })
	if len(missing) > 0 {
		t.Errorf("round %d: %d of %d connections are gone", s.round, len(missing), len(made))
	}
	if len(s.connections) == 0 || len(s.values) == 0 {
		t.Errorf("round %d proves nothing: %d connections and %d values were answered", s.round, len(s.connections), len(s.values))
	}
	for path, want := range s.values {
		var got struct {
			Description string `json:"description"`
			EndTime     string `json:"end_time"`
		}
		c.must(t, &got, http.MethodGet, path, "")
		if v := got.Description + got.EndTime; !s.accepts(path, v, want) {
			t.Errorf("round %d: %s is %q, was answered with %q", s.round, path, v, want)
		}
	}
}

// accepts reports whether a value is what was answered last, or what was under
// way.
func (s *storm) accepts(path, value, answered string) bool {
	return value == answered || value == s.unanswered[path]
}
