package trip_test

import (
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// minute is a time some minutes after the epoch.
func minute(m float64) drover.Time {
	return drover.At(epoch.Add(time.Duration(math.Round(m*60_000)) * time.Millisecond))
}

// span is a time from one minute to another.
func span(from, to float64) trip.Span { return trip.Span{From: minute(from), To: minute(to)} }

// after is the end of a span that ends with a position.
func after(m float64) float64 { return m + 1.0/60_000 }

// twoDrives is a vehicle that drives until minute 20 and from minute 1000 to 1020, with a
// position each minute, and stops after both, with one every ten minutes, until minute
// 1630. The rule starts from nothing at minute 0, and at the stops at 90, 150 and so on, and
// at 1090, 1150 and so on.
func twoDrives() []drover.Position {
	var positions []drover.Position
	for i := range 1631 {
		m := float64(i)
		switch {
		case i <= 20:
			positions = append(positions, seen(60*m, 800*m, 48, true))
		case i > 1000 && i <= 1020:
			positions = append(positions, seen(60*m, 16_000+800*(m-1000), 48, true))
		case i%10 == 0 && i <= 1000:
			positions = append(positions, seen(60*m, 16_000, 0, false))
		case i%10 == 0:
			positions = append(positions, seen(60*m, 32_000, 0, false))
		}
	}
	return positions
}

// neverAtRest is a vehicle that is seen to move every two hours for 500 days.
func neverAtRest() []drover.Position {
	var positions []drover.Position
	for m := 0.0; m < 500*24*60; m += 120 {
		positions = append(positions, seen(60*m, m*10, 50, true))
	}
	return positions
}

// TestDerivedAgain holds from which cut to which one late positions make the trips be
// derived again, and what is read for that.
func TestDerivedAgain(t *testing.T) {
	t.Parallel()
	drives, silent := twoDrives(), []drover.Position{
		seen(0, 0, 0, false), seen(60*180, 0, 0, false), seen(60*360, 0, 0, false),
		seen(60*720, 0, 0, false),
	}
	still := func(m float64) drover.Position { return seen(60*m, 16_000, 0, false) }
	moving := func(m float64) drover.Position { return seen(60*m, 800*m, 48, true) }
	for _, tc := range []struct {
		name      string
		positions []drover.Position
		late      []drover.Position
		revised   []trip.Span
		read      []trip.Span
	}{
		{
			"AtRest", drives,
			[]drover.Position{still(700.5)},
			[]trip.Span{span(690, 1090)},
			// Six hours before it the vehicle rests, and since when is not known.
			[]trip.Span{span(340.5, after(700.5)), span(700.5-24*60, after(700.5)), span(690, 1050), span(1050, 1770)},
		},
		{
			"OnTheWay", drives,
			[]drover.Position{moving(10.5)},
			[]trip.Span{span(0, 90)},
			[]trip.Span{span(10.5-360, after(10.5)), span(0, 360)},
		},
		{
			"TheLastOnTheWay", drives,
			[]drover.Position{moving(20)},
			[]trip.Span{span(0, 1090)},
			[]trip.Span{span(20-360, after(20)), span(0, 360), span(360, 1080), span(1080, 2520)},
		},
		{
			"TwoOnOneWay", drives,
			[]drover.Position{moving(11.5), moving(10.5)},
			[]trip.Span{span(0, 90)},
			[]trip.Span{span(10.5-360, after(10.5)), span(0, 360)},
		},
		{
			"TwoWays", drives,
			[]drover.Position{moving(10.5), seen(60*1010.5, 16_000+800*10.5, 48, true)},
			[]trip.Span{span(0, 90), span(990, 1090)},
			[]trip.Span{
				span(10.5-360, after(10.5)), span(0, 360),
				span(650.5, after(1010.5)), span(1010.5-24*60, after(1010.5)), span(990, 1350),
			},
		},
		{
			"ItselfACut", drives,
			[]drover.Position{moving(10.5), still(90)},
			[]trip.Span{span(0, 1090)},
			[]trip.Span{span(10.5-360, after(10.5)), span(0, 360), span(360, 1080), span(1080, 2520)},
		},
		{
			"ACutAlone", drives,
			[]drover.Position{still(90)},
			[]trip.Span{span(0, 1090)},
			[]trip.Span{span(90-360, after(90)), span(0, 360), span(360, 1080), span(1080, 2520)},
		},
		{
			"AfterASilence", silent,
			[]drover.Position{seen(60*540, 0, 0, false)},
			[]trip.Span{span(540, 720)},
			[]trip.Span{span(180, after(540)), span(540, 900)},
		},
		{
			"ExactlyThreeHoursAreKnown", silent,
			[]drover.Position{seen(60*361, 0, 0, false)},
			[]trip.Span{span(360, 720)},
			[]trip.Span{span(1, after(361)), span(360, 720), span(720, 1440)},
		},
		{
			"NeverAtRest", neverAtRest(),
			[]drover.Position{seen(60*450*24*60, 450*24*600, 50, true)},
			[]trip.Span{{From: minute(0), To: minute(after(500*24*60 - 120))}},
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			at := func(p drover.Position) bool {
				return slices.ContainsFunc(tc.late, func(l drover.Position) bool { return l.Time == p.Time })
			}
			known := slices.DeleteFunc(slices.Clone(tc.positions), at)
			d := newDevice(t)
			d.receive(known, epoch)
			for _, p := range tc.late {
				i, _ := d.find(p.Time)
				d.positions = slices.Insert(d.positions, i, trip.Known{Position: p})
			}
			var s trip.State
			if err := s.UnmarshalBinary(d.state); err != nil {
				t.Fatal(err)
			}
			var read []trip.Span
			out, err := s.Absorb(tc.late, func(span trip.Span) ([]trip.Known, error) {
				read = append(read, span)
				return d.load(span)
			})
			if err != nil {
				t.Fatal(err)
			}
			var revised []trip.Span
			for _, r := range out.Revised {
				revised = append(revised, r.Span)
			}
			if diff := gocmp.Diff(tc.revised, revised); diff != "" {
				t.Errorf("derived again (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(tc.read, read); tc.read != nil && diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			if whole := (trip.Span{From: drover.Milli(0), To: minute(after(450 * 24 * 60))}); tc.read == nil && read[6] != whole {
				t.Errorf("the last look for a cut is at %v, want all", read[6])
			}
		})
	}
}

// TestReadToTheNewest holds that the newest position is part of what is derived again,
// though it is the first of a further piece that is read.
func TestReadToTheNewest(t *testing.T) {
	t.Parallel()
	var positions []drover.Position
	for m := 0.0; m <= 360; m += 10 {
		positions = append(positions, seen(60*m, 8000*m/10, 48, true))
	}
	d := newDevice(t)
	d.receive(slices.Delete(slices.Clone(positions), 3, 4), epoch)
	d.receive(positions[3:4], epoch)
	for name, newest := range map[string]float64{"one position": 0, "six hours": 360} {
		s, r, err := trip.Rebuild(trip.DefaultRules(), minute(0), minute(newest), d.load)
		if err != nil {
			t.Fatal(err)
		}
		if at, _ := s.Seen(); newest > 0 && (at != minute(newest) || !r.Unfinished || len(r.Trips) != 1 || r.Trips[0].EndTime != at) {
			t.Errorf("of %s the newest is that of %v: %+v", name, at, r)
		}
	}
	var s trip.State
	if err := s.UnmarshalBinary(d.state); err != nil {
		t.Fatal(err)
	}
	if at, _ := s.Seen(); at != minute(360) {
		t.Errorf("after a late position the newest is that of %v", at)
	}
}

// TestRecomputesToTheWindow holds that a window which ends where the rule starts from
// nothing is derived again up to there and no further.
func TestRecomputesToTheWindow(t *testing.T) {
	t.Parallel()
	d := newDevice(t)
	d.receive([]drover.Position{seen(0, 0, 0, false), seen(60*180, 0, 0, false), seen(60*360, 0, 0, false)}, epoch)
	r, _, atEnd, err := trip.Recompute(trip.DefaultRules(), span(0, 180), trip.Past{Newest: minute(360), Load: d.load, Within: d.within})
	if err != nil || atEnd || r.Span != span(0, 180) {
		t.Errorf("derived again: %v, at the end %v, %v", r.Span, atEnd, err)
	}
}

// TestUnfinishedIsNotAdded holds that a trip under way revises the one that it goes on
// with, and is otherwise left alone; it is the last.
func TestUnfinishedIsNotAdded(t *testing.T) {
	t.Parallel()
	first, second := trip.Derived{SystemTripID: "1", StartTime: minute(0), EndTime: minute(10)},
		trip.Derived{SystemTripID: "2", StartTime: minute(20), EndTime: minute(30)}
	longer := second
	longer.EndTime = minute(25)
	for _, tc := range []struct {
		name       string
		unfinished bool
		stored     []trip.Derived
		want       trip.Changes
	}{
		{"AllOver", false, nil, trip.Changes{Add: []int{0, 1}}},
		{"UnderWay", true, nil, trip.Changes{Add: []int{0}}},
		{"GoesOn", true, []trip.Derived{first, longer}, trip.Changes{Revise: []trip.Pair{{Old: 1, New: 1}}}},
	} {
		got := trip.Revision{Trips: []trip.Derived{first, second}, Unfinished: tc.unfinished}.Diff(tc.stored)
		if diff := gocmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
