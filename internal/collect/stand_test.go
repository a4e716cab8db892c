package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/trip"
)

func (r *rig) stands(f drover.StandFilter) []drover.Stand {
	r.t.Helper()
	list, err := r.store.Stands(r.t.Context(), r.principal.TenantID, f, nil, 100_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// checkStands holds the stands of a device against its trips and the positions that
// are believed.
func (r *rig) checkStands(device string, positions []drover.Position, trips []drover.Trip) {
	r.t.Helper()
	believed, _ := judge(positions)
	var want []drover.Stand
	for i, next := range trips {
		s := drover.Stand{DeviceID: device, StartTime: believed[0].Time, EndTime: next.StartTime, Latitude: &believed[0].Latitude, Longitude: &believed[0].Longitude}
		if i > 0 {
			s.StartTime, s.Latitude, s.Longitude = trips[i-1].EndTime, trips[i-1].EndLatitude, trips[i-1].EndLongitude
		}
		var seen trip.Standing
		for _, p := range believed {
			if !p.Time.Before(s.StartTime.Time) && !p.Time.After(s.EndTime.Time) {
				seen.Add(p)
			}
		}
		s.EngineOnSeconds, s.AuxiliarySeconds = seen.EngineOn, seen.Auxiliary
		if s.DurationSeconds = s.EndTime.Sub(s.StartTime.Time).Seconds(); s.DurationSeconds > 0 {
			want = append(want, s)
		}
	}
	if diff := cmp.Diff(want, r.stands(drover.StandFilter{DeviceID: device}), cmpopts.IgnoreFields(drover.Stand{}, "ID")); diff != "" {
		r.t.Errorf("the stands (-want +got):\n%s", diff)
	}
}

// checkStandSums holds the roll-ups of stands against the stands.
func (r *rig) checkStandSums(got drover.StandActivity) {
	r.t.Helper()
	var total drover.StandSums
	byDay := map[string]drover.StandSums{}
	for _, s := range r.stands(drover.StandFilter{}) {
		sums := drover.StandSums{Stands: 1, DurationSeconds: s.DurationSeconds, EngineOnSeconds: number(s.EngineOnSeconds), AuxiliarySeconds: number(s.AuxiliarySeconds)}
		total.Add(sums)
		day := byDay[s.StartTime.Format(time.DateOnly)]
		day.Add(sums)
		byDay[s.StartTime.Format(time.DateOnly)] = day
	}
	approx := cmpopts.EquateApprox(0, 0.01)
	if diff := cmp.Diff(total, got.StandSums, approx); diff != "" {
		r.t.Errorf("the sums of stands (-want +got):\n%s", diff)
	}
	for _, d := range got.ByDay {
		if diff := cmp.Diff(byDay[d.Day], d.StandSums, approx); diff != "" {
			r.t.Errorf("the sums of stands of %s (-want +got):\n%s", d.Day, diff)
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

// TestLongIdlingIsAStand holds that a vehicle which stands for hours with its engine
// on is seen to do so, whoever tells its trips.
func TestLongIdlingIsAStand(t *testing.T) {
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
			stands := r.stands(drover.StandFilter{ConnectionID: conn.ID})
			if len(stands) != 1 {
				t.Fatalf("%s: the stands are %+v, want one", name, stands)
			}
			got := stands[0]
			if got.EndTime.Sub(got.StartTime.Time) < 325*time.Minute || got.EngineOnSeconds == nil || *got.EngineOnSeconds < 299*60 || *got.EngineOnSeconds > 301*60 {
				t.Errorf("%s: the stand from %v to %v has the engine on for %v", name, got.StartTime, got.EndTime, got.EngineOnSeconds)
			}
			if got.Latitude == nil && name == "derived" {
				t.Errorf("%s: the place is not known", name)
			}
		}
	})
}

// TestStandKeepsItsID holds that late positions change a stand under its id.
func TestStandKeepsItsID(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-6 * time.Hour)
		s, conn := r.stub("late", begin.Add(-time.Hour), []string{"a"})
		s.next(append(append(driven(begin, 0, 30), idled(begin, 30, 40, false)...), driven(begin, 100, 130)...)...)
		r.run()
		r.pass(20 * time.Minute)
		before := r.stands(drover.StandFilter{ConnectionID: conn.ID})
		s.next(idled(begin, 41, 61, true)...)
		r.pass(2 * time.Minute)
		after := r.stands(drover.StandFilter{ConnectionID: conn.ID})
		if len(before) != 1 || len(after) != 1 || before[0].ID != after[0].ID {
			t.Fatalf("the stand %+v became %+v", before, after)
		}
		if *before[0].EngineOnSeconds != 0 || *after[0].EngineOnSeconds < 19*60 {
			t.Errorf("the engine was on for %v and then %v", *before[0].EngineOnSeconds, *after[0].EngineOnSeconds)
		}
	})
}
