package collect_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

func (r *rig) stops(f drover.StopFilter) []drover.Stop {
	r.t.Helper()
	list, err := r.store.Trips.Stops(r.t.Context(), r.principal.TenantID, f, nil, 100_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// over leaves the stops out that no stored trip has ended.
func (r *rig) over(stops []drover.Stop) []drover.Stop {
	r.t.Helper()
	devices := make([]string, len(stops))
	for i, s := range stops {
		devices[i] = s.DeviceID
	}
	open, err := r.store.Trips.OpenStops(r.t.Context(), r.principal.TenantID, devices)
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(stops), func(s drover.Stop) bool { return s.ID == open[s.DeviceID].ID })
}

// checkStops holds the stops of a device against its trips and the positions that
// are believed. The last one goes on, or the trip under way has ended it.
func (r *rig) checkStops(device string, positions []drover.Position, trips []drover.Trip) {
	r.t.Helper()
	believed, _ := judge(positions)
	var want []drover.Stop
	var last drover.Stop
	for i := 0; i <= len(trips); i++ {
		from, until := believed[0].Time, believed[len(believed)-1].Time
		if i > 0 {
			from = trips[i-1].EndTime
		}
		if i < len(trips) {
			until = trips[i].StartTime
		}
		var seen trip.Standing
		for _, p := range believed {
			if !p.Time.Before(from.Time) && !p.Time.After(until.Time) {
				seen.Add(p)
			}
		}
		for k, stop := range seen.Stops {
			s := drover.Stop{
				DeviceID: device, StartTime: stop.From, EndTime: new(stop.To), Latitude: &stop.Place.Latitude, Longitude: &stop.Place.Longitude,
				EngineOnSeconds: stop.EngineOn, AuxiliarySeconds: stop.Auxiliary, Unseen: stop.Unseen,
			}
			if k == 0 {
				s.StartTime = from
			}
			switch {
			case k < len(seen.Stops)-1:
			case i == len(trips):
				s.EndTime, s.EngineOnSeconds, s.AuxiliarySeconds = nil, nil, nil
				last = s
				continue
			default:
				s.EndTime = &until
			}
			if s.DurationSeconds = s.EndTime.Sub(s.StartTime.Time).Seconds(); s.DurationSeconds > 0 || s.Unseen != nil {
				want = append(want, s)
			}
		}
	}
	got := r.stops(drover.StopFilter{DeviceID: device})
	if diff := cmp.Diff(want, r.over(got), cmpopts.IgnoreFields(drover.Stop{}, "ID")); diff != "" {
		r.t.Errorf("the stops (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]drover.Stop{last}, got[len(want):], cmpopts.IgnoreFields(drover.Stop{}, "ID", "DurationSeconds")); diff != "" {
		r.t.Errorf("the open stop (-want +got):\n%s", diff)
	}
}

// checkStopSums holds the roll-ups of stops against the stops.
func (r *rig) checkStopSums(got drover.StopActivity) {
	r.t.Helper()
	var total drover.StopSums
	byDay := map[string]drover.StopSums{}
	for _, s := range r.over(r.stops(drover.StopFilter{})) {
		sums := drover.StopSums{
			Stops: 1, DurationSeconds: s.DurationSeconds, EngineOnSeconds: number(s.EngineOnSeconds),
			AuxiliarySeconds: number(s.AuxiliarySeconds),
		}
		total.Add(sums)
		day := byDay[s.StartTime.Format(time.DateOnly)]
		day.Add(sums)
		byDay[s.StartTime.Format(time.DateOnly)] = day
	}
	approx := cmpopts.EquateApprox(0, 0.01)
	if diff := cmp.Diff(total, got.StopSums, approx); diff != "" {
		r.t.Errorf("the sums of stops (-want +got):\n%s", diff)
	}
	for _, d := range got.ByDay {
		if diff := cmp.Diff(byDay[d.Day], d.StopSums, approx); diff != "" {
			r.t.Errorf("the sums of stops of %s (-want +got):\n%s", d.Day, diff)
		}
	}
}

// idled is a vehicle that stands where it came to in half an hour, minute by minute.
func idled(begin time.Time, from, to int, engine bool) (out []provider.Position) {
	for m := from; m < to; m++ {
		p := at("a", begin.Add(time.Duration(m)*time.Minute), -37+30*0.008, 145)
		p.SpeedKPH, p.Ignition = new(0.0), &engine
		out = append(out, p)
	}
	return out
}

// TestLongIdlingIsAStop holds that a vehicle which stands for hours with its engine
// on is seen to do so, no matter who reports its trips.
func TestLongIdlingIsAStop(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-10 * time.Hour)
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		all := append(driven(begin, 0, 30), idled(begin, 30, 330, true)...)
		all = append(append(all, idled(begin, 330, 360, false)...), driven(begin, 360, 390)...)
		for name, with := range map[string][]func(*drover.ConnectionInput){"derived": nil, "native": {native}} {
			s, conn := r.stub("idling "+name, begin.Add(-time.Hour), []string{"a"}, with...)
			s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
				page := provider.Page[provider.Trip]{Cursor: "x"}
				if q.Live() {
					page.Records = []provider.Trip{
						{SystemDeviceID: "a", SystemTripID: "2", StartTime: minute(360), EndTime: minute(389)},
						{SystemDeviceID: "a", SystemTripID: "1", StartTime: minute(0), EndTime: minute(30)},
					}
				}
				return page, nil
			}
			s.next(all...)
			r.run()
			r.pass(20 * time.Minute)
			stops := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(false)})
			if len(stops) != 1 {
				t.Fatalf("%s: the stops are %+v, want one", name, stops)
			}
			got := stops[0]
			if got.EndTime.Sub(got.StartTime.Time) < 325*time.Minute || got.EngineOnSeconds == nil || *got.EngineOnSeconds < 299*60 ||
				*got.EngineOnSeconds > 301*60 {
				t.Errorf("%s: the stop from %v to %v has the engine on for %v", name, got.StartTime, got.EndTime, got.EngineOnSeconds)
			}
			if got.Latitude == nil && name == "derived" {
				t.Errorf("%s: the place is not known", name)
			}
		}
	})
}

// TestStopKeepsItsID holds that late positions change a stop under its id.
func TestStopKeepsItsID(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-6 * time.Hour)
		s, conn := r.stub("late", begin.Add(-time.Hour), []string{"a"})
		s.next(append(append(driven(begin, 0, 30), idled(begin, 30, 40, false)...), driven(begin.Add(70*time.Minute), 30, 60)...)...)
		r.run()
		r.pass(20 * time.Minute)
		before := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(false)})
		s.next(idled(begin, 41, 61, true)...)
		r.pass(2 * time.Minute)
		after := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: new(false)})
		if len(before) != 1 || len(after) != 1 || before[0].ID != after[0].ID {
			t.Fatalf("the stop %+v became %+v", before, after)
		}
		if *before[0].EngineOnSeconds != 0 || *after[0].EngineOnSeconds < 19*60 {
			t.Errorf("the engine was on for %v and then %v", *before[0].EngineOnSeconds, *after[0].EngineOnSeconds)
		}
	})
}

// TestOpenStop holds that a stop is listed from its begin, and is one stop from then
// on: while it goes on, while the trip under way has ended it, and once that is stored.
func TestOpenStop(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		s, conn := r.stub("open", begin.Add(-time.Hour), []string{"a"})
		look := func(what string, want ...*drover.Time) []drover.Stop {
			t.Helper()
			r.pass(2 * time.Minute)
			got := r.stops(drover.StopFilter{ConnectionID: conn.ID})
			var ends []*drover.Time
			for _, s := range got {
				ends = append(ends, s.EndTime)
			}
			if diff := cmp.Diff(want, ends); diff != "" {
				t.Fatalf("%s, the stops end (-want +got):\n%s", what, diff)
			}
			return got
		}
		r.clock.Set(begin.Add(11 * time.Minute))
		s.next(atRest(begin, 0, 10)...)
		r.run()
		first := look("parked", nil)[0]
		if !first.StartTime.Equal(minute(0).Time) || first.Latitude == nil || first.EngineOnSeconds != nil {
			t.Errorf("the first stop is %+v", first)
		}
		if first.DurationSeconds < r.clock.Now().Sub(begin).Seconds() {
			t.Errorf("it has lasted for %v s only", first.DurationSeconds)
		}

		s.next(driven(begin, 12, 30)...)
		r.clock.Set(begin.Add(31 * time.Minute))
		ended := look("on its way", new(minute(9)))[0]
		if ended.ID != first.ID {
			t.Errorf("the stop %s became %s", first.ID, ended.ID)
		}

		s.next(idled(begin, 30, 40, false)...)
		r.clock.Set(begin.Add(41 * time.Minute))
		after := look("arrived", new(minute(9)), nil)
		if after[0].ID != first.ID || after[1].ID == first.ID {
			t.Errorf("the stop %s became %s and %s", first.ID, after[0].ID, after[1].ID)
		}
		if after[0].EngineOnSeconds == nil {
			t.Error("the engine of the stop that is over is not counted")
		}
		for open, want := range map[bool]string{true: after[1].ID, false: after[0].ID} {
			if got := r.stops(drover.StopFilter{ConnectionID: conn.ID, Open: &open}); len(got) != 1 || got[0].ID != want {
				t.Errorf("open %v lists %+v, want %s", open, got, want)
			}
		}
		r.checkRollups()

		s.next(at("a", begin.Add(42*time.Minute), -37+30*0.008+0.01, 145)) // one stray position
		r.clock.Set(begin.Add(43 * time.Minute))
		stray := look("scattered", new(minute(9)), new(minute(39)))
		s.next(idled(begin, 43, 55, false)...)
		r.clock.Set(begin.Add(56 * time.Minute))
		again := look("in its place again", new(minute(9)), nil)
		if stray[1].ID != after[1].ID || again[1].ID != after[1].ID {
			t.Errorf("the open stop %s became %s and %s", after[1].ID, stray[1].ID, again[1].ID)
		}
		r.checkRollups()
	})
}

// TestOpenStopOfNativeTrips holds that what is seen of a vehicle ends its stop, and
// that the vendor's trip, which comes later, puts it right.
func TestOpenStopOfNativeTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-6 * time.Hour)
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		s, conn := r.stub("native", begin.Add(-time.Hour), []string{"a"}, native)
		var reported []provider.Trip
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			page := provider.Page[provider.Trip]{Cursor: "x"}
			if q.Live() {
				page.Records = reported
			}
			return page, nil
		}
		s.next(append(append(atRest(begin, 0, 10), driven(begin, 12, 30)...), idled(begin, 30, 40, false)...)...)
		r.run()
		r.pass(2 * time.Minute)
		before := r.stops(drover.StopFilter{ConnectionID: conn.ID})
		if len(before) != 1 || before[0].EndTime == nil || !before[0].EndTime.Equal(minute(9).Time) {
			t.Fatalf("before the vendor reports the trip the stops are %+v", before)
		}
		reported = []provider.Trip{{SystemDeviceID: "a", SystemTripID: "1", StartTime: minute(10), EndTime: minute(31)}}
		r.pass(2 * time.Minute)
		after := r.stops(drover.StopFilter{ConnectionID: conn.ID})
		if len(after) != 2 || after[0].ID != before[0].ID || !after[0].EndTime.Equal(minute(10).Time) || after[1].EndTime != nil ||
			!after[1].StartTime.Equal(minute(31).Time) {
			t.Errorf("afterwards the stops are %+v", after)
		}
	})
}

// atRest is a vehicle that stands where driven begins, minute by minute.
func atRest(begin time.Time, from, to int) (out []provider.Position) {
	for m := from; m < to; m++ {
		p := at("a", begin.Add(time.Duration(m)*time.Minute), -37+11*0.008, 145)
		p.SpeedKPH, p.Ignition = new(0.0), new(false)
		out = append(out, p)
	}
	return out
}
