package simulate

import (
	"math/rand/v2"
	"net/http"
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
	v := &vendor{
		world: w, provider: f.provider, host: vendorHost(i), random: stream(w.seed, "vendor "+vendorHost(i)),
		fleet: sim.New(sim.Options{Seed: w.seed%16*100 + uint64(i), Vehicles: f.vehicles, Interval: 20 * time.Second, Heartbeat: 2 * time.Minute, Late: 2 * time.Minute}),
		id:    func(number string) string { return number },
	}
	v.account = sim.NewAccount(v.fleet, v.now, f.credentials)
	v.Handler = flespitest.New(v.account)
	if f.provider == drover.Geotab {
		v.Handler, v.id = geotabtest.New(v.account), geotabtest.ID
	}
	return v
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
