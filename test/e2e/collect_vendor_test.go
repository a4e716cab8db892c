package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/sim"
)

// feed is a vendor with a few customers, whose vehicles drive as long as someone
// asks for them: the vendor's time moves on with each call, from fifty minutes ago
// until twenty minutes ago. After that all are silent, so that every trip ends.
type feed struct {
	url       string
	start     time.Time // of the test
	customers []*customer

	mu    sync.Mutex
	now   time.Time
	stop  time.Time
	calls int
	watch map[int]chan struct{} // closed at a number of calls
}

// customer is one account at the vendor.
type customer struct {
	native  bool // has a calculator of trips
	fleet   *sim.Fleet
	account *sim.Account
	conn    drover.Connection
}

const (
	feedVehicles = 3
	feedHistory  = 12 * time.Hour
	// feedStep is how much of the vendor's time each call takes.
	feedStep = 3 * time.Second
)

func newFeed(t *testing.T, customers int) *feed {
	t.Helper()
	start := time.Now().UTC().Truncate(time.Second)
	f := &feed{start: start, now: start.Add(-50 * time.Minute), stop: start.Add(-20 * time.Minute), watch: map[int]chan struct{}{}}
	mux := http.NewServeMux()
	for i := range customers {
		c := &customer{native: i%2 == 0, fleet: busiest(uint64(1000*(i+1)), f.now, f.stop)}
		c.account = sim.NewAccount(c.fleet, f.present, map[string]string{"token": "t", "trips_calc_id": "8"})
		prefix := fmt.Sprintf("/%d", i)
		mux.Handle(prefix+"/", http.StripPrefix(prefix, flespitest.New(c.account)))
		f.customers = append(f.customers, c)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.count()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// busiest looks for a fleet that drives in a window, whatever the hour of the day is: at
// some hours most are parked. At the end of it all are parked, with nothing under way to the vendor: a
// vendor whose time stands still would never tell how their trips end.
func busiest(seed uint64, from, to time.Time) *sim.Fleet {
	var best *sim.Fleet
	most := -1
	for i := range uint64(500) {
		f := sim.New(sim.Options{
			Seed: seed + i, Vehicles: feedVehicles, Interval: 5 * time.Second, Heartbeat: 5 * time.Minute,
			Late: 4 * time.Minute, Shift: time.Duration(i%24) * time.Hour,
		})
		if n := busy(f, from, to); n > most {
			best, most = f, n
		}
	}
	return best
}

func busy(f *sim.Fleet, from, to time.Time) (samples int) {
	for _, v := range f.Vehicles() {
		for _, s := range f.Positions(v, from, to) {
			if samples++; *s.Ignition && s.Time.After(to.Add(-5*time.Minute)) {
				return -1
			}
		}
	}
	return samples
}

func (f *feed) present() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// count notes a call and lets the vendor's time go on.
func (f *feed) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.now = f.now.Add(feedStep); f.now.After(f.stop) {
		f.now = f.stop
	}
	if reached := f.watch[f.calls]; reached != nil {
		close(reached)
	}
}

// after returns a channel that is closed when n more calls have come.
func (f *feed) after(n int) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	reached := make(chan struct{})
	f.watch[f.calls+n] = reached
	return reached
}

// finish moves the vendor's time to its end.
func (f *feed) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.stop
}

// connect makes a connection for each customer.
func (f *feed) connect(t *testing.T, c *client) {
	t.Helper()
	for i, customer := range f.customers {
		calculator := ""
		if customer.native {
			calculator = `,"trips_calc_id":"8","counter_driving":"drive_time","counter_auxiliary":"pto_time"`
		}
		c.must(t, &customer.conn, http.MethodPost, "/connection", fmt.Sprintf(
			`{"integration_name":%q,"business_name":"Customer %d","collection_start_time":%q,"credentials":{"base_url":"%s/%d","token":"t"%s}}`,
			drover.Flespi, i, f.start.Add(-feedHistory).Format(time.RFC3339), f.url, i, calculator))
	}
}
