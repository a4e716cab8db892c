package trip_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// valid is a trip of an hour and about 55 km.
func valid() trip.Facts {
	return trip.Facts{
		Start: &drover.Coordinate{Latitude: 52.5, Longitude: 13.4}, End: &drover.Coordinate{Latitude: 52.9, Longitude: 13.0},
		StartTime: drover.At(epoch), EndTime: drover.At(epoch.Add(time.Hour)),
		DistanceMetres: new(60_000.0), DrivingSeconds: new(3000.0), IdlingSeconds: new(500.0), AuxiliarySeconds: new(100.0),
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	after := func(d time.Duration) drover.Time { return drover.At(epoch.Add(d)) }
	for _, tc := range []struct {
		name       string
		change     func(f *trip.Facts)
		neighbours []trip.Span
		want       string
	}{
		{"Valid", func(*trip.Facts) {}, []trip.Span{{after(-time.Hour), after(0)}, {after(time.Hour), after(2 * time.Hour)}}, ""},
		{"NothingKnown", func(f *trip.Facts) { *f = trip.Facts{StartTime: f.StartTime, EndTime: f.EndTime} }, nil, ""},
		{"EndBeforeStart", func(f *trip.Facts) {
			*f = trip.Facts{StartTime: f.EndTime, EndTime: f.StartTime}
		}, nil, "the trip ends at 2026-03-02T05:00:00Z, before it starts at 2026-03-02T06:00:00Z"},
		{
			"NoDuration", func(f *trip.Facts) { *f = trip.Facts{StartTime: f.EndTime, EndTime: f.EndTime} }, nil,
			"the trip has no duration: it starts and ends at 2026-03-02T06:00:00Z",
		},
		{"SpeedLimit", func(f *trip.Facts) { f.DistanceMetres = new(250_000.0) }, nil, ""},
		{
			"ImpossibleSpeed", func(f *trip.Facts) { f.DistanceMetres = new(251_000.0) }, nil,
			"impossible speed: a distance of 251000 m in 1h0m0s is 251 km/h on average, more than 250 km/h",
		},
		{"ImpossibleStraightLine", func(f *trip.Facts) {
			f.DistanceMetres, f.EndTime = nil, after(10*time.Minute)
			f.DrivingSeconds, f.IdlingSeconds = nil, nil
		}, nil, "impossible speed: a straight line of 52007 m in 10m0s is 312 km/h on average, more than 250 km/h"},
		{"ShortfallWithinTolerance", func(f *trip.Facts) { f.DistanceMetres = new(49_400.0) }, nil, ""},
		{
			"DistanceTooShort", func(f *trip.Facts) { f.DistanceMetres = new(49_300.0) }, nil,
			"the distance of 49300 m is shorter than the straight line of 52007 m between start and end",
		},
		{"NegativeDistance", func(f *trip.Facts) { f.DistanceMetres = new(-1.0) }, nil, "the distance of -1 m is negative"},
		{"PartsWithinTolerance", func(f *trip.Facts) { f.DrivingSeconds = new(3001.0) }, nil, ""},
		{
			"PartsTooLong", func(f *trip.Facts) { f.DrivingSeconds = new(3002.0) }, nil,
			"the parts of the trip (driving 3002 s, idling 500 s, auxiliary 100 s) are longer than the whole of 3600 s",
		},
		{"NegativePart", func(f *trip.Facts) { f.IdlingSeconds = new(-5.0) }, nil, "the idling time of -5 s is negative"},
		{
			"OutOfRange", func(f *trip.Facts) { f.End = &drover.Coordinate{Latitude: 91, Longitude: 13} }, nil,
			"the end coordinates 91, 13 are out of range",
		},
		{
			"NullIsland", func(f *trip.Facts) { f.Start = &drover.Coordinate{} }, nil,
			"the start coordinates are 0, 0, which means that there was no fix",
		},
		{"AlmostNow", func(f *trip.Facts) { f.EndTime = after(24*time.Hour + 5*time.Minute) }, nil, ""},
		{
			"Future", func(f *trip.Facts) { f.EndTime = after(24*time.Hour + 6*time.Minute) }, nil,
			"the trip lies in the future: it reaches until 2026-03-03T05:06:00Z",
		},
		{
			"Overlap",
			func(*trip.Facts) {},
			[]trip.Span{{after(50 * time.Minute), after(2 * time.Hour)}, {after(-time.Minute), after(time.Minute)}},
			"the trip overlaps with another trip of the device, from 2026-03-02T04:59:00Z to 2026-03-02T05:01:00Z",
		},
		{"Several", func(f *trip.Facts) {
			f.Start, f.DistanceMetres = &drover.Coordinate{}, new(900_000.0)
		}, nil, "impossible speed: a distance of 900000 m in 1h0m0s is 900 km/h on average, more than 250 km/h; the start coordinates are 0, 0, which means that there was no fix"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			facts := valid()
			tc.change(&facts)
			got := trip.Comments(trip.Check(facts, epoch.Add(24*time.Hour), tc.neighbours))
			var want *string
			if tc.want != "" {
				want = &tc.want
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSuspect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(p *drover.Position)
		want   trip.Reason
	}{
		{"Good", func(*drover.Position) {}, ""},
		{"FastClock", func(p *drover.Position) { p.Time = drover.At(epoch.Add(5 * time.Minute)) }, ""},
		{"Future", func(p *drover.Position) { p.Time = drover.At(epoch.Add(5*time.Minute + time.Second)) }, trip.Future},
		{"NoClock", func(p *drover.Position) { p.Time = drover.Milli(0) }, trip.Invalid},
		{"NoNumber", func(p *drover.Position) { p.SpeedKPH = new(math.NaN()) }, trip.Invalid},
		{"NoFix", func(p *drover.Position) { p.Latitude, p.Longitude = 0, 0 }, trip.NoFix},
		{"OutOfRange", func(p *drover.Position) { p.Longitude = 190 }, trip.OutOfRange},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := drover.Position{Time: drover.At(epoch), Latitude: 52, Longitude: 13}
			tc.change(&p)
			got, suspect := trip.Suspect(p, epoch)
			if got != tc.want || suspect != (tc.want != "") {
				t.Errorf("%q, %v, want %q", got, suspect, tc.want)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	during := func(from, to int) trip.Derived {
		start := drover.At(epoch.Add(time.Duration(from) * time.Minute))
		return trip.Derived{SystemTripID: start.String(), StartTime: start, EndTime: drover.At(epoch.Add(time.Duration(to) * time.Minute))}
	}
	for _, tc := range []struct {
		name        string
		stored, new []trip.Derived
		want        trip.Changes
	}{
		{"Same", []trip.Derived{during(0, 10)}, []trip.Derived{during(0, 10)}, trip.Changes{}},
		{"Longer", []trip.Derived{during(0, 10)}, []trip.Derived{during(0, 12)}, trip.Changes{Revise: []trip.Pair{{Old: 0, New: 0}}}},
		{"New", nil, []trip.Derived{during(0, 12)}, trip.Changes{Add: []int{0}}},
		{"Gone", []trip.Derived{during(0, 10)}, nil, trip.Changes{Remove: []int{0}}},
		{"Elsewhere", []trip.Derived{during(0, 10)}, []trip.Derived{during(10, 20)}, trip.Changes{Remove: []int{0}, Add: []int{0}}},
		{
			"SplitKeepsTheLonger",
			[]trip.Derived{during(0, 20)},
			[]trip.Derived{during(0, 6), during(8, 20)},
			trip.Changes{Revise: []trip.Pair{{Old: 0, New: 1}}, Add: []int{0}},
		},
		{
			"MergeKeepsTheLonger",
			[]trip.Derived{during(0, 5), during(10, 20)},
			[]trip.Derived{during(0, 20)},
			trip.Changes{Revise: []trip.Pair{{Old: 1, New: 0}}, Remove: []int{0}},
		},
		{
			"EqualSharesKeepTheEarlier",
			[]trip.Derived{during(0, 5), during(10, 15)},
			[]trip.Derived{during(0, 15)},
			trip.Changes{Revise: []trip.Pair{{Old: 0, New: 0}}, Remove: []int{1}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, trip.Diff(tc.stored, tc.new)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
