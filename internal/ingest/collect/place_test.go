package collect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// placed is a tenant at a place, with a connection to a vendor that repeats what was not stored.
type placed struct {
	*rig
	principal drover.Principal
	conn      drover.Connection
	give      func(records []provider.Position)
	given     int
}

func (r *rig) placed(places *storetest.Places, place string) *placed {
	r.t.Helper()
	places.Put(r.store, r.principal.TenantID, place)
	s, conn := r.stub(place, noon, []string{"a"})
	return &placed{rig: r, principal: r.principal, conn: conn, give: s.feed()}
}

// reports has the vehicle report once more, a minute later.
func (p *placed) reports() {
	p.given++
	p.give([]provider.Position{at("a", p.clock.Now(), 52+float64(p.given)/100, 13)})
}

// stored are the positions that are there.
func (p *placed) stored() (int, error) {
	devices, err := p.store.Fleet.Devices(p.t.Context(), p.principal.TenantID, drover.DeviceFilter{ConnectionID: p.conn.ID}, "", 10)
	if err != nil || len(devices) == 0 {
		return 0, err
	}
	list, err := p.store.History.Positions(p.t.Context(), history.Range{
		TenantID: p.principal.TenantID, DeviceID: devices[0].ID, From: drover.Milli(0), To: drover.At(noon.AddDate(100, 0, 0)), WithSuspect: true,
	})
	return len(list), err
}

// TestPlaceFails has one of two places stop, and then hang: the tenant of the other is collected
// each minute, its own afterwards, and each position is there once.
func TestPlaceFails(t *testing.T) {
	t.Parallel()
	s, places := storetest.OpenApart(t)
	r := newRig(t, s)
	near := r.placed(places, storetest.Near)
	r.anotherTenant()
	far := r.placed(places, storetest.Far)
	c := r.another("live", func(o *collect.Options) { o.Workers = 16 })
	c.Start(t.Context())
	defer c.Stop()
	awaits := func(what string, p *placed) {
		t.Helper()
		last := -1
		storetest.Until(t, what, func() bool {
			n, err := p.stored()
			if n != last && err == nil {
				t.Logf("%s: %d of %d", what, n, p.given)
				last = n
			}
			return err == nil && n == p.given
		})
	}
	minute := func() {
		near.reports()
		far.reports()
		r.clock.Advance(time.Minute)
		c.Wake()
	}
	for name, fail := range map[string]func(place string){"stopped": places.Stop, "hung": places.Hang} {
		minute()
		awaits("both are well", near)
		awaits("both are well", far)
		fail(storetest.Far)
		for i := range 3 {
			minute()
			awaits(fmt.Sprintf("minute %d, the other place %s", i+1, name), near)
		}
		places.Resume(storetest.Far)
		r.clock.Advance(10 * time.Minute) // what was under way is waited for as long as its lease
		awaits("there again", far)
	}
}
