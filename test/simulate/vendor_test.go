package simulate

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/provider/vendors/geotab/geotabtest"
	"github.com/drover-fleet/drover/internal/sim"
)

// vendor is one account of a fleet at a vendor whose service is not always well.
type vendor struct {
	http.Handler
	world    *world
	provider drover.ProviderName
	host     string
	account  *sim.Account
	fleet    *sim.Fleet
	id       func(number string) string
	random   *rand.Rand

	mu      sync.Mutex
	emptied int // lists of devices that were served empty
	calls   int
}

// fleets are the three, one for each tenant: a feed with an exact cursor and trips
// of its own, and two that are asked by time and whose trips are derived. One is
// large enough for devices that vanish together to be held back.
var fleets = []struct {
	provider    drover.ProviderName
	vehicles    int
	credentials map[string]string
}{
	{drover.Geotab, 2, map[string]string{"database": "d", "username": "u", "password": "p"}},
	{drover.Flespi, 2, map[string]string{"token": "t"}},
	{drover.Flespi, 8, map[string]string{"token": "t"}},
}

func newVendor(w *world, i int) *vendor {
	f := fleets[i]
	opts := sim.Options{
		Seed: w.seed%16*100 + uint64(i), Vehicles: f.vehicles, Interval: 20 * time.Second, Heartbeat: 2 * time.Minute,
		Late: 2 * time.Minute,
	}
	v := &vendor{
		world: w, provider: f.provider, host: vendorHost(i), random: stream(w.seed, "vendor "+vendorHost(i)),
		fleet: underWay(opts, stream(w.seed, "day "+vendorHost(i)), f.provider == drover.Geotab),
		id:    func(number string) string { return number },
	}
	v.account = sim.NewAccount(v.fleet, v.now, f.credentials)
	v.Handler = flespitest.New(v.account)
	if f.provider == drover.Geotab {
		v.Handler, v.id = geotabtest.New(v.account), geotabtest.ID
	}
	return v
}

// underWay is a fleet whose day is moved so that a vehicle is on the road when the world
// begins: one that stands makes no trip, and nothing to sum up. A vendor's own trips are
// collected from their start, so where it has them one sets out then, the shortest, which
// has the best chance to be over before the world is.
func underWay(opts sim.Options, r *rand.Rand, own bool) *sim.Fleet {
	for ; ; opts.Seed += 10_000 { // the vehicles of some rest on that day
		if f := setOut(opts, r, own); f != nil {
			return f
		}
	}
}

func setOut(opts sim.Options, r *rand.Rand, own bool) *sim.Fleet {
	type journey struct {
		vehicle int
		sim.Trip
	}
	length := func(j journey) time.Duration { return j.EndTime.Sub(j.StartTime) }
	var all []journey
	usual := sim.New(opts)
	for i, v := range usual.Vehicles() {
		for _, t := range usual.Trips(v, begin.Add(-48*time.Hour), begin.Add(48*time.Hour)) {
			all = append(all, journey{i, t})
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if own {
		slices.SortStableFunc(all, func(a, b journey) int { return cmp.Compare(length(a), length(b)) })
	}
	for _, j := range all {
		start := begin.Add(time.Duration(20+r.IntN(40)) * time.Second)
		if !own {
			start = begin.Add(-time.Duration(r.Int64N(int64(length(j)))).Truncate(time.Second))
		}
		const day = 24 * time.Hour
		opts.Shift = (start.Sub(j.StartTime)%day + day) % day
		moved := sim.New(opts)
		// Where the move passes midnight, the vehicle has another day's plan.
		if slices.ContainsFunc(moved.Trips(moved.Vehicles()[j.vehicle], start, start.Add(day)),
			func(t sim.Trip) bool { return t.StartTime.Equal(start) }) {
			return moved
		}
	}
	return nil
}

func vendorHost(i int) string { return "10.1.0." + string(rune('1'+i)) }

// now is the vendor's present. It stands still at the end, so that all falls silent
// and every trip ends.
func (v *vendor) now() time.Time {
	if now := time.Now(); now.Before(v.world.horizon) {
		return now
	}
	return v.world.horizon
}

// fault implements host.
func (v *vendor) fault(*http.Request, time.Time) fault {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.calls++
	if !v.world.faults.Load() || !v.world.plan.has(badVendor) || v.random.Float64() > v.world.plan.vendors {
		return noFault
	}
	return []fault{refused, lost, halved, hanging, slow}[v.random.IntN(5)]
}

// ServeHTTP answers, at times with a fault of the vendor's own: an error, a rate
// limit, or a list without its devices.
func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if v.world.faults.Load() && v.world.plan.has(badVendor) {
		switch v.draw() {
		case 0:
			w.WriteHeader(http.StatusInternalServerError)
			return
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
	}
	if v.provider == drover.Flespi && strings.HasSuffix(r.URL.Path, "/gw/devices/all") && v.empties() {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"result":[]}`)) // a recorder takes everything
		return
	}
	v.Handler.ServeHTTP(w, r)
}

func (v *vendor) draw() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.random.IntN(int(4 / v.world.plan.vendors))
}

// empties reports whether the list of devices is empty this time. It is twice at the
// most: a third one, which could follow without a list between them that was stored,
// would be believed.
func (v *vendor) empties() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.world.faults.Load() || !v.world.plan.has(emptyLists) || len(v.fleet.Vehicles()) < 8 || v.emptied >= 2 || v.random.IntN(3) > 0 {
		return false
	}
	v.emptied++
	return true
}
