package providertest

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/quality"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	// judgedFor is how long a fleet is followed until it is judged.
	judgedFor = 3 * time.Hour
	// judgedMoving is after how many moving positions speeds must be verified.
	judgedMoving = 200
)

// testQuality follows a fleet as the collector does and judges its data: they are
// right, so that no check may doubt them, and units that the adapter reads right
// agree with the path.
func testQuality(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	p := r.adapter(t)
	var facts quality.Facts
	var o quality.Observer
	q := provider.Query{From: r.clock.Now().Add(-backlog), Devices: r.ids()}
	for end := r.clock.Now().Add(judgedFor); r.clock.Now().Before(end); r.clock.Advance(max(h.Info.Poll.Positions, time.Minute)) {
		var records []provider.Position
		records, q.Cursor = drain(t, p.Positions, q)
		o.Observe(fixes(records), r.clock.Now(), true)
		facts.Add(o.Take())
	}
	if h.Info.Features.Backfill {
		past, _ := drain(t, p.Positions, provider.Query{From: began.Add(-8 * time.Hour), To: began, Devices: r.ids()})
		o.ObservePast(fixes(past), r.clock.Now())
		facts.Add(o.Take())
	}
	judged := quality.Judge(facts, h.Info.Reading(nil))
	if judged.Verdict == drover.VerdictDoubtful {
		t.Errorf("right data are doubted: %s", *judged.Reason)
	}
	for _, c := range judged.Checks {
		if c.Name == drover.CheckSpeed && c.Samples >= judgedMoving && c.Verdict != drover.VerdictVerified {
			t.Errorf("speeds are %s after %d samples", c.Verdict, c.Samples)
		}
	}
	t.Logf("%s: %s after %d positions, %d of them moving", h.Info.Name, judged.Verdict, judged.Positions, judged.Moving)
}

func fixes(records []provider.Position) []quality.Fix {
	out := make([]quality.Fix, len(records))
	for i := range records {
		out[i] = quality.Fix{Device: records[i].SystemDeviceID, Position: &records[i].Position}
	}
	return out
}
