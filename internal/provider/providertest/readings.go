package providertest

import (
	"math"
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readingShare is by how much a reading may differ from the truth, of its value: vendors
// round. A unit that is mistaken for another is further off.
const readingShare = 0.01

// checkReadings checks that what comes with positions is declared and true, and that live
// positions have the kinds that the fake serves.
func (r *rig) checkReadings(t *testing.T, got []provider.Position, live bool) {
	t.Helper()
	truth, complaints := r.index(got), 0
	seen := map[drover.ReadingKind]bool{}
	for _, p := range got {
		_, s, found := truth.find(p.SystemDeviceID, p.Time)
		if !found || len(p.Readings) == 0 {
			continue
		}
		gauges := s.Gauges()
		for _, said := range p.Readings {
			seen[said.Kind] = true
			if complaints >= maxComplaints {
				return
			}
			if !slices.Contains(r.h.Info.Readings, said.ReadingSeries) {
				complaints++
				t.Errorf("a reading that is not declared: %+v", said.ReadingSeries)
			}
			want, known := gauges[said.Kind]
			if slices.Contains(r.h.OtherReadings, said.NativeName) {
				known = false
			}
			if known && math.Abs(said.Value-want) > max(math.Abs(want)*readingShare, 1) {
				complaints++
				t.Errorf("device %s at %s: %s is %g, want %g", p.SystemDeviceID, p.Time, said.NativeName, said.Value, want)
			}
			if at := said.Time; !at.IsZero() && at.Before(p.Time.Add(-r.h.Tolerance.Time)) {
				complaints++
				t.Errorf("device %s: a reading of %s came with the position of %s", p.SystemDeviceID, at, p.Time)
			}
		}
	}
	for _, kind := range r.h.Readings {
		if live && len(got) > 0 && !seen[kind] {
			t.Errorf("no position has a reading of %s", kind)
		}
	}
}
