package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/drover-fleet/drover"
)

const (
	deliverRounds  = 20
	deliverWriters = 4
	// deliverAfter is the number of answered writes after which a round may end.
	deliverAfter = 20
	// deliverInFlight is what a process has under way to one origin at most.
	deliverInFlight = 32
	// leasePatience is how long it may take until another process serves a target
	// whose process was killed: the lease, and then the work.
	leasePatience = patience
)

// TestKillMidDelivery ends the embedded service while deliveries are under way,
// again and again. In the end every committed event was delivered, and only what
// was under way at a kill was sent again.
func TestKillMidDelivery(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite")
	p := serve(t, s)
	c := logIn(t, p, "demo")
	rc := newDeliveryReceiver(t)
	hook := rc.subscribe(t, c)
	l := newLedger(rc, 1)
	for round := range deliverRounds {
		writeUntil(t, c.at(p), s, round, rc, p.kill)
		log := l.note(t, func() []drover.DeliveryAttempt { return storedLog(t, s, hook) })
		before := rc.count()
		p = serve(t, s)
		if !slices.ContainsFunc(log, pending) {
			continue
		}
		// What was under way at the kill comes again.
		eventually(t, func() error {
			if rc.count() == before {
				return errNotYet
			}
			return nil
		})
	}
	awaitDelivered(t, c.at(p), rc)
	l.close(t, c.at(p), hook)
	if l.again != l.underWay {
		t.Errorf("%d deliveries came again, %d were under way at kills", l.again, l.underWay)
	}
}

// TestKillOneOfTwo does the same to two processes on one PostgreSQL, in turns.
// The other one goes on, and takes over what the killed one held.
func TestKillOneOfTwo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	processes := []*process{serve(t, s), serve(t, s)}
	c := logIn(t, processes[0], "demo")
	rc := newDeliveryReceiver(t)
	hook := rc.subscribe(t, c)
	l := newLedger(rc, len(processes))
	for round := range deliverRounds {
		i := round % 2
		writeUntil(t, c.at(processes[1-i]), s, round, rc, processes[i].kill)
		l.note(t, func() []drover.DeliveryAttempt { return storedLog(t, s, hook) })
		processes[i] = serve(t, s)
	}
	awaitDelivered(t, c.at(processes[0]), rc)
	// What was under way from the process that went on did not come again.
	l.close(t, c.at(processes[0]), hook)
}

// writeUntil changes devices, each change an event, until enough was answered
// and a delivery is under way; then it calls end.
func writeUntil(t *testing.T, c *client, s site, round int, rc *deliveryReceiver, end func()) {
	t.Helper()
	var writers sync.WaitGroup
	var answered atomic.Int64
	stop := make(chan struct{})
	for i := range deliverWriters {
		path := "/device/" + s.world.Devices[i].ID
		writers.Go(func() {
			for n := 0; ; n++ { // until something is seen to be under way
				select {
				case <-stop:
					return
				default:
				}
				a, err := c.do(t.Context(), http.MethodPatch, path, fmt.Sprintf(`{"description":"round %d, write %d"}`, round, n))
				if err != nil {
					return // the service is gone
				}
				if a.status != http.StatusOK {
					t.Errorf("PATCH %s: %d %s", path, a.status, a.body)
					return
				}
				answered.Add(1)
			}
		})
	}
	eventually(t, func() error {
		if n := answered.Load(); n < deliverAfter || rc.underWay.Load() == 0 {
			return fmt.Errorf("%d answered, %d under way: %w", n, rc.underWay.Load(), errNotYet)
		}
		return nil
	})
	end()
	close(stop)
	writers.Wait()
}
