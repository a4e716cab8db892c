package traces

import (
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
)

// TestGoals holds that a trip which no reported speed supports is called wrong, and
// explained, and that one which moves is not.
func TestGoals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kph  float64
		said int
	}{"Moves": {30, 0}, "ReportsNoMovement": {0, 1}} {
		trace := Trace{name: "truck-01"}
		for i, metres := range []float64{0, 3000, 6000} {
			trace.Positions = append(trace.Positions, drover.Position{
				Time: drover.At(time.Unix(1_700_000_000+int64(i)*300, 0)), Latitude: 1 + metres/111_195, Longitude: 1,
				SpeedKPH: new(tc.kph * float64(i%2)), Ignition: new(true),
			})
		}
		for i := range 8 {
			p := trace.Positions[2]
			p.Time, p.Ignition = drover.At(time.Unix(1_700_000_900+int64(i)*300, 0)), new(false)
			trace.Positions = append(trace.Positions, p)
		}
		var figures table.Table
		var said []string
		r := &report{table: &figures, progress: func(doing string) { said = append(said, doing) }}
		r.goals([]Trace{trace})
		if len(said) != tc.said || tc.said == 1 && !strings.Contains(said[0], "none of its") {
			t.Errorf("%s: it says %q", name, said)
		}
		if missed := figures.Missed() != nil; missed != (tc.said == 1) {
			t.Errorf("%s: a goal is missed: %v", name, missed)
		}
	}
}
