package reading_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
)

// line makes points of pairs of minutes and values, in one segment; a negative value begins
// another, at its absolute.
func line(pairs ...float64) []reading.Point {
	var points []reading.Point
	segment := 0
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] < 0 {
			segment++
		}
		points = append(points, reading.Point{
			Value: reading.Value{At: int64(pairs[i] * minute), Value: math.Abs(pairs[i+1])}, Segment: segment,
		})
	}
	return points
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	const day = 24 * 60
	never := int64(math.MaxInt64)
	for name, test := range map[string]struct {
		points           []reading.Point
		from, to         float64 // minutes
		next             int64
		trip             bool
		start, end, grew *float64
	}{
		"Nothing":                   {nil, 0, 60, never, false, nil, nil, nil},
		"AtBothEnds":                {line(0, 100, 30, 130, 60, 160), 0, 60, never, false, new(100.0), new(160.0), new(60.0)},
		"LastBefore":                {line(0, 100, 50, 150), 10, 60, never, false, new(100.0), new(150.0), new(50.0)},
		"ParkedOverNight":           {line(0, 100, day, 100, day+30, 130), day, day + 30, never, false, new(100.0), new(130.0), new(30.0)},
		"TooLongAgo":                {line(0, 100), day + 1, day + 60, never, false, nil, nil, nil},
		"JustWithin":                {line(0, 100), day, day + 60, never, false, new(100.0), nil, nil},
		"FirstSoonAfter":            {line(10, 100, 60, 150), 0, 60, never, false, new(100.0), new(150.0), new(50.0)},
		"FirstTooLate":              {line(16, 100, 60, 150), 0, 60, never, false, nil, new(150.0), nil},
		"FirstJustInTime":           {line(15, 100, 60, 150), 0, 60, never, false, new(100.0), new(150.0), new(50.0)},
		"ClocksDiffer":              {line(0.5, 100, 60, 150), 0, 60, never, false, new(100.0), new(150.0), new(50.0)},
		"Reset":                     {line(0, 100, 30, 130, 40, -5, 60, 25), 0, 60, never, false, new(100.0), new(25.0), new(50.0)},
		"TripEndsBeforeIsKept":      {line(0, 100, 30, 130, 38, 135), 0, 35, never, true, new(100.0), new(135.0), new(35.0)},
		"NextTripIsNotTaken":        {line(0, 100, 30, 130, 44, 139), 0, 35, 40 * minute, true, new(100.0), new(130.0), new(30.0)},
		"NothingAfterTheTrip":       {line(0, 100, 30, 130), 0, 35, never, true, new(100.0), new(130.0), new(30.0)},
		"NothingNearTheTripsEnd":    {line(0, 100, 30, 130), 0, 90, never, true, new(100.0), nil, nil},
		"JustAfterTheTrip":          {line(0, 100, 30, 130, 50, 140), 0, 35, never, true, new(100.0), new(140.0), new(40.0)},
		"JustBeforeTheTripsEnd":     {line(0, 100, 20, 120), 0, 35, never, true, new(100.0), new(120.0), new(20.0)},
		"OnlyOneBeforeTheTrip":      {line(0, 100), 0, 35, never, true, new(100.0), nil, nil},
		"OneValueIsNoDifference":    {line(30, 130), 20, 40, never, false, new(130.0), new(130.0), new(0.0)},
		"StartBehindEnd":            {line(10, 100), 0, 9, never, false, new(100.0), new(100.0), new(0.0)},
		"ResetWithinNothingElse":    {line(0, 100, 60, -5), 0, 60, never, false, new(100.0), new(5.0), new(0.0)},
		"TwoResetsAddUpTheirParts":  {line(0, 100, 10, 110, 20, -5, 30, 15, 40, -2, 60, 22), 0, 60, never, false, new(100.0), new(22.0), new(40.0)},
		"TripsEndIsTheFirstOfAfter": {line(0, 100, 36, 135, 40, 135, 50, 135), 0, 35, never, true, new(100.0), new(135.0), new(35.0)},
	} {
		got := reading.Of(test.points, int64(test.from*minute), int64(test.to*minute), test.next, test.trip)
		if diff := cmp.Diff(reading.Growth{Start: test.start, End: test.end, Grown: test.grew}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPoints keeps what is believed, and the segment of each value: those that confirmed a
// reset are of the new one.
func TestPoints(t *testing.T) {
	t.Parallel()
	kinds := map[int64]drover.ReadingKind{1: drover.ReadingOdometer}
	var rows []reading.Row
	for i, v := range []float64{50_000, 0, 50_500, 100, 200, 300, 400} {
		at := int64(i) * (5 * time.Minute).Milliseconds()
		rows = append(rows, reading.Row{Series: 1, ReadingValue: reading.Value{At: at, Value: v}})
	}
	var got []float64
	segments := map[int]int{}
	for _, p := range reading.Points(rows, kinds)[1] {
		got = append(got, p.Value.Value)
		segments[p.Segment]++
	}
	if diff := cmp.Diff([]float64{50_000, 50_500, 100, 200, 300, 400}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]int{0: 2, 1: 4}, segments); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
}
