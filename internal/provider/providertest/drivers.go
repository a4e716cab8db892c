package providertest

import (
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// testDrivers reads the list of drivers: all who drive are in it, once, active and with their
// names, under the ids that positions and trips have, and no one who is no person.
func testDrivers(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Vehicles: fleetSize})
	p, listed, cursor := r.adapter(t), map[string]provider.Driver{}, ""
	for pages := 0; ; pages++ {
		page, err := p.Drivers(t.Context(), cursor)
		if err != nil || pages > maxPages {
			t.Fatalf("page %d of the drivers: %v", pages, err)
		}
		for _, d := range page.Records {
			if _, twice := listed[d.SystemDriverID]; twice || !d.Named() {
				t.Errorf("driver %q is listed twice, or is no one", d.SystemDriverID)
			}
			listed[d.SystemDriverID] = d
		}
		if !page.More {
			break
		}
		cursor = page.Cursor
	}
	drivers := r.account.Drivers()
	if len(drivers) == 0 {
		t.Error("no one drives: the test checks nothing")
	}
	for _, id := range drivers {
		d, known := listed[h.DriverID(id)]
		if !known || !d.Active || d.FullName() == nil || !strings.Contains(*d.FullName(), id) {
			t.Errorf("driver %s is listed as %+v", h.DriverID(id), d)
		}
	}
}
