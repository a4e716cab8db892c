package region_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/region"
)

var began = time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)

// drive passes positions minutes apart along the latitude of Reno, from one longitude to another.
func drive(t *region.Tally, minutes int, from, to, step float64) {
	n := int(math.Round((to - from) / step))
	for i := range n + 1 {
		t.Pass(drover.Position{
			Time: drover.At(began.Add(time.Duration(i*minutes) * time.Minute)), Latitude: 39.5, Longitude: from + float64(i)*step,
		})
	}
}

func kilometres(rows []drover.RegionDistance) map[string][2]float64 {
	km := map[string][2]float64{}
	for _, r := range rows {
		code := ""
		if r.Region != nil {
			code = *r.Region
		}
		km[code] = [2]float64{math.Round(r.DistanceMetres / 1000), math.Round(r.UnseenMetres / 1000)}
	}
	return km
}

func TestTally(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		trips func(t *region.Tally)
		want  map[string][2]float64 // distance and unseen part, in km
	}{
		"Nothing":         {func(*region.Tally) {}, map[string][2]float64{}},
		"AcrossTheBorder": {func(t *region.Tally) { drive(t, 1, -115, -113, 0.01); t.End(nil) }, map[string][2]float64{"US-NV": {82, 0}, "US-UT": {89, 0}}},
		// The odometer says twice as much as the positions.
		"ByTheOdometer": {
			func(t *region.Tally) { drive(t, 1, -115, -113, 0.01); t.End(new(343_000.0)) },
			map[string][2]float64{"US-NV": {164, 0}, "US-UT": {179, 0}},
		},
		"Unseen": {func(t *region.Tally) { drive(t, 15, -115, -113, 2); t.End(nil) }, map[string][2]float64{"US-NV": {82, 82}, "US-UT": {89, 89}}},
		"UnseenByTheOdometer": {
			func(t *region.Tally) { drive(t, 15, -115, -113, 2); t.End(new(343_000.0)) },
			map[string][2]float64{"US-NV": {164, 164}, "US-UT": {179, 179}},
		},
		"Stood": {func(t *region.Tally) { drive(t, 1, -115, -115, 1); t.End(new(0.0)) }, map[string][2]float64{}},
		"JustSeen": {
			func(t *region.Tally) { drive(t, 14, -115, -113, 2); t.End(nil) },
			map[string][2]float64{"US-NV": {82, 0}, "US-UT": {89, 0}},
		},
		"NoPositions": {func(t *region.Tally) { t.End(new(5000.0)) }, map[string][2]float64{"": {5, 0}}},
		"OnePosition": {func(t *region.Tally) { drive(t, 1, -115, -115, 1); t.End(new(5000.0)) }, map[string][2]float64{"US-NV": {5, 0}}},
		"NoDistance":  {func(t *region.Tally) { drive(t, 1, -115, -115, 1); t.End(nil) }, map[string][2]float64{}},
		"TwoTrips": { // the way between them is of neither
			func(t *region.Tally) {
				drive(t, 1, -115, -114.5, 0.01)
				t.End(nil)
				drive(t, 1, -113.5, -113, 0.01)
				t.End(nil)
				t.End(new(1000.0))
			},
			map[string][2]float64{"US-NV": {43, 0}, "US-UT": {43, 0}, "": {1, 0}},
		},
	} {
		var tally region.Tally
		test.trips(&tally)
		rows := tally.Rows()
		if diff := cmp.Diff(test.want, kilometres(rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for i, r := range rows {
			if (r.Region == nil) != (r.Country == nil) || (r.Region == nil) != (r.Name == nil) || r.Region == nil && i < len(rows)-1 {
				t.Errorf("%s: row %d is %+v", name, i, r)
			}
			if i > 0 && r.Region != nil && *r.Region <= *rows[i-1].Region {
				t.Errorf("%s: %s comes after %s", name, *r.Region, *rows[i-1].Region)
			}
		}
	}
}
