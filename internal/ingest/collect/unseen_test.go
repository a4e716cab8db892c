package collect_test

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// TestUnseenWay holds that a stop does not span a way that no position shows: it ends with
// the last position in its place, and says how far the device got; the stop that goes on is where the
// device was seen next. The day counts the way beside the distance of its trips.
func TestUnseenWay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-10 * time.Hour)
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		s, conn := r.stub("unseen", begin.Add(-time.Hour), []string{"a"})
		parked := idled(begin, 30, 41, false)
		s.next(append(driven(begin, 0, 30), parked...)...)
		r.run()
		r.pass(20 * time.Minute)
		before := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(true)})

		var away []provider.Position
		for m := 340; m <= 350; m++ {
			p := at("a", minute(m).Time, -36.2, 145)
			p.SpeedKPH, p.Ignition = new(0.0), new(false)
			away = append(away, p)
		}
		s.next(away...)
		r.pass(2 * time.Minute)
		metres := geo.DistanceMetres(parked[0].Point(), away[0].Point())
		look := func(what string, open int) []drover.Stop {
			t.Helper()
			got := r.stops(drover.StopFilter{ConnectionID: conn.ID})
			if len(got) != 2 || len(r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(true)})) != open {
				t.Fatalf("%s: the stops are %+v", what, got)
			}
			first, second := got[0], got[1]
			u := first.Unseen
			if !first.EndTime.Equal(minute(40).Time) || u == nil || !u.StartTime.Equal(minute(40).Time) || !u.EndTime.Equal(minute(340).Time) ||
				math.Abs(u.DistanceMetres-metres) > 1 || u.KnownBy != drover.ByStraightLine {
				t.Errorf("%s: the first stop is %+v with %+v unseen", what, first, u)
			}
			if !second.StartTime.Equal(minute(340).Time) || *second.Latitude != -36.2 || second.Unseen != nil {
				t.Errorf("%s: the second stop is %+v", what, second)
			}
			if before[0].ID != first.ID {
				t.Errorf("%s: the first stop has another id than before", what)
			}
			return got
		}
		moved := look("after the silence", 1)

		var on []provider.Position
		for m := 351; m < 381; m++ {
			p := at("a", minute(m).Time, -36.2+float64(m-350)*0.008, 145)
			p.SpeedKPH, p.Ignition = new(53.0), new(true)
			on = append(on, p)
		}
		s.next(on...)
		r.pass(20 * time.Minute)
		got := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(false)})
		if len(got) != 2 || got[0].ID != moved[0].ID || got[1].ID != moved[1].ID || got[0].Unseen == nil {
			t.Errorf("after the next trip the stops are %+v, want those before", got)
		}
		days, err := r.store.Trips.DeviceDays(t.Context(), r.principal.TenantID, got[0].DeviceID, minute(0).Day(), minute(0).Day())
		if err != nil || len(days) != 1 || math.Abs(float64(days[0].Unseen)/1000-metres) > 1 {
			t.Errorf("the day is %+v, %v, want %.0f m unseen", days, err, metres)
		}
	})
}
