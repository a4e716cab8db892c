package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

const (
	collectRounds    = 20
	collectCustomers = 3
)

// collecting are the settings for a hasty collector.
var collecting = []string{"--poll-interval", "250ms", "--collection-lease", "1s", "--log-level", "info"}

// TestCollectThroughKills ends the service at random moments while it collects.
// Afterwards everything that the vendor reported is there, once.
func TestCollectThroughKills(t *testing.T) {
	t.Parallel()
	for name, processes := range map[string]int{"sqlite": 1, "postgres": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, name)
			f := newFeed(t, collectCustomers)
			running := make([]*process, processes)
			for i := range running {
				running[i] = serve(t, s, collecting...)
			}
			f.connect(t, logIn(t, running[0], "demo"))
			random := rand.New(rand.NewPCG(uint64(processes), 1)) // the same moments each time
			for range collectRounds {
				i := random.IntN(processes)
				awaitMoment(t, f, random)
				running[i].kill()
				running[i] = serve(t, s, collecting...)
			}
			f.finish()
			awaitCollected(t, f, logIn(t, running[0], "demo"), patience)
			for _, p := range running {
				p.kill()
			}
			checkCollected(t, s, f)
		})
	}
}

// awaitMoment returns some calls of the vendor later, and then at any point of
// what is done with an answer.
func awaitMoment(t *testing.T, f *feed, random *rand.Rand) {
	t.Helper()
	select {
	case <-f.after(1 + random.IntN(40)):
	case <-time.After(patience):
		t.Fatalf("the vendor is no longer asked")
	}
	<-time.After(time.Duration(random.Int64N(int64(30 * time.Millisecond))))
}

// awaitCollected waits until all jobs are done, and each live stream has been read
// since.
func awaitCollected(t *testing.T, f *feed, c *client, limit time.Duration) {
	t.Helper()
	finished := drover.At(time.Now())
	for _, customer := range f.customers {
		within(t, limit, func() error {
			var h drover.ConnectionHealth
			c.must(t, &h, http.MethodGet, "/connection/"+customer.conn.ID+"/health", "")
			if h.State != drover.ConnectionHealthy {
				return fmt.Errorf("the connection is %s", h.State)
			}
			if len(h.Jobs) < 3 {
				return errors.New("there are no streams")
			}
			for _, s := range h.Jobs {
				switch {
				case s.Backfill != nil && s.State != "done":
					return fmt.Errorf("history of %s: %v %% are done", s.Kind, s.Backfill.DonePercent)
				case s.Backfill == nil && s.Kind != "devices" && (s.LastSuccessAt == nil || !s.LastSuccessAt.After(finished.Add(2*time.Second))):
					return fmt.Errorf("%s were read at %v, want after %v", s.Kind, s.LastSuccessAt, finished)
				}
			}
			return nil
		})
	}
}
