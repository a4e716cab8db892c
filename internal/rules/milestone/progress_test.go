package milestone_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

func view(latest *drover.Position, now time.Time) milestone.View {
	return milestone.View{
		Milestone: journey(), State: milestone.Fresh(), ConnectionID: "c", SystemDeviceID: "s",
		Latest: latest, Config: milestone.DefaultConfig(), Now: now,
	}
}

func TestProgressWithoutPosition(t *testing.T) {
	t.Parallel()
	want := drover.MilestoneProgress{MilestoneID: "m", ConnectionID: "c", DeviceID: "d", SystemDeviceID: "s"}
	got := milestone.Progress(view(nil, epoch))
	if diff := cmp.Diff(want, got); diff != "" || got.Variant() != drover.MilestoneTimeoutState {
		t.Errorf("%s: %s", got.Variant(), diff)
	}
}

func TestProgressTimeout(t *testing.T) {
	t.Parallel()
	latest := withSpeed(seen(10, 5000), 60)
	valid := milestone.Progress(view(&latest, latest.Time.Add(15*time.Minute-time.Millisecond)))
	if valid.Variant() != drover.MilestoneValidState || valid.ETA == nil || valid.DistanceToDestinationKM == nil ||
		valid.CurrentPosition == nil || valid.LastUpdatedAt == nil {
		t.Errorf("a young position: %+v", valid)
	}
	v := view(&latest, latest.Time.Add(15*time.Minute))
	v.State.EndedAt = &latest.Time
	old := milestone.Progress(v)
	if old.Variant() != drover.MilestoneTimeoutState || old.ETA != nil || old.DistanceToDestinationKM != nil {
		t.Errorf("an old position: %+v", old)
	}
	if diff := cmp.Diff(latest.View(), old.CurrentPosition); diff != "" || !old.LastUpdatedAt.Equal(latest.Time.Time) {
		t.Errorf("the last position known is lost: %s", diff)
	}
}

func TestProgressETA(t *testing.T) {
	t.Parallel()
	latest := seen(-40, 0)
	early := view(&latest, latest.Time.Time)
	p := milestone.Progress(early)
	if want := epoch.Add(31 * time.Minute); !p.ETA.Equal(want) || *p.DistanceToDestinationKM != 26 {
		t.Errorf("before the start time: %v and %v km, want %v and 26 km", p.ETA, *p.DistanceToDestinationKM, want)
	}

	latest = seen(50, 20_000)
	ended := view(&latest, latest.Time.Add(time.Minute))
	arrival := seen(45, 20_000).Time
	ended.State.Status, ended.State.EndedAt = drover.TripEnded, &arrival
	p = milestone.Progress(ended)
	if !p.ETA.Equal(arrival.Time) || *p.DistanceToDestinationKM != 0 {
		t.Errorf("after the end: %v and %v km, want the arrival %v and 0 km", p.ETA, *p.DistanceToDestinationKM, arrival)
	}
}

// A journey that is slower than usual arrives later than the history alone says.
func TestProgressFollowsThePace(t *testing.T) {
	t.Parallel()
	latest := seen(40, 10_000)
	started := seen(0, 0).Time
	v := view(&latest, latest.Time.Time)
	v.State.Status, v.State.StartedAt = drover.TripInProgress, &started
	usual := milestone.Progress(v)
	for minutes := 0.0; minutes <= 40; minutes++ {
		v.Recent = append(v.Recent, seen(minutes, 250*minutes))
	}
	slow := milestone.Progress(v)
	if !slow.ETA.After(usual.ETA.Add(10*time.Minute)) || slow.ETA.After(latest.Time.Add(45*time.Minute)) {
		t.Errorf("10 km in 40 minutes: 10 km more take until %v, by history until %v", slow.ETA, usual.ETA)
	}
}

// TestRangeOfAVehicleWithoutSpeeds holds that one position tells whether a vehicle reports its
// speed: before the journey, and at its start. Of one that does not less is known.
func TestRangeOfAVehicleWithoutSpeeds(t *testing.T) {
	t.Parallel()
	for name, started := range map[string]bool{"BeforeTheStart": false, "AtTheStart": true} {
		width := func(latest drover.Position, recent ...drover.Position) time.Duration {
			v := view(&latest, latest.Time.Time)
			v.Recent = recent
			if started {
				v.State.Status, v.State.StartedAt = drover.TripInProgress, &latest.Time
			}
			r := v.Predict()
			return r.P90.Sub(r.P10.Time)
		}
		without := seen(0, 0)
		with := withSpeed(without, 0)
		if a, b := width(with), width(without); b <= a {
			t.Errorf("%s: without a speed the range has %s, with one %s", name, b, a)
		}
		if a, b := width(with), width(without, withSpeed(seen(-1, 0), 0), without); a != b {
			t.Errorf("%s: a speed a minute ago gives %s, one now %s", name, b, a)
		}
	}
}

func TestNewTrack(t *testing.T) {
	t.Parallel()
	var positions []drover.Position
	for minutes := range 10 { // a town, slowly
		positions = append(positions, seen(float64(minutes), 300*float64(minutes)))
	}
	positions = append(positions, seen(12, 2700)) // a stop
	for minutes := 1; minutes <= 5; minutes++ {   // a fast road
		positions = append(positions, seen(12+float64(minutes), 2700+1200*float64(minutes)))
	}
	got := arrival.NewTrack(site, positions)
	want := arrival.Track{ // the first minute after the stop began with it
		MovingMetres: 4800, MovingSeconds: 240, PathMetres: 8700, CoveredMetres: 8700,
		AheadMetres: 1200, AheadCovered: 1200, IntervalSeconds: 68, Blind: true,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0.001, 0)); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
	if got := arrival.NewTrack(site, positions[:1]); got != (arrival.Track{}) {
		t.Errorf("one position gives %+v", got)
	}
}

// TestEntry holds what a list shows beside the progress: the share of the way that is done, to a thousandth, and by how much
// the arrival is later than the window's end.
func TestEntry(t *testing.T) {
	t.Parallel()
	there := drover.Coordinate{Latitude: 0.1, Longitude: 10}
	window := drover.At(epoch.Add(time.Hour))
	for name, tt := range map[string]struct {
		change   func(v *milestone.View)
		progress *float64
		late     *float64
	}{
		"NotStarted":   {func(v *milestone.View) { v.Milestone.Status, v.Milestone.EndTime = drover.TripNotStarted, nil }, new(0.0), nil},
		"Quarter":      {func(v *milestone.View) { v.Latest.Latitude = 0.025 }, new(0.25), new(0.0)},
		"Third":        {func(v *milestone.View) { v.Latest.Latitude = 0.1 / 3 }, new(0.333), new(0.0)},
		"Beyond":       {func(v *milestone.View) { v.Latest.Latitude = -1 }, new(0.0), new(0.0)},
		"NoWay":        {func(v *milestone.View) { v.Milestone.StartPoint = there }, new(0.0), new(0.0)},
		"NoPosition":   {func(v *milestone.View) { v.Latest = nil }, nil, new(0.0)},
		"InTime":       {func(v *milestone.View) { v.Latest, v.Now = nil, window.Time }, nil, nil},
		"Arrived":      {func(v *milestone.View) { v.Milestone.Status, v.ArrivedAt = drover.TripEnded, &window }, new(1.0), new(0.0)},
		"NeverArrived": {func(v *milestone.View) { v.Milestone.Status = drover.TripEnded }, new(0.5), nil},
	} {
		v := view(&drover.Position{Time: drover.At(epoch), Latitude: 0.05, Longitude: 10}, window.Add(time.Minute))
		v.Milestone.StartPoint, v.Milestone.EndPoint = drover.Coordinate{Latitude: 0, Longitude: 10}, there
		v.Milestone.Status, v.Milestone.EndTime = drover.TripInProgress, &window
		tt.change(&v)
		if tt.late != nil && v.ArrivedAt == nil {
			*tt.late = 60 // there is no estimate of so old a position: it is late as of now
		}
		got := milestone.Entry(v)
		if diff := cmp.Diff(tt.progress, got.Progress); diff != "" {
			t.Errorf("%s: progress (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.late, got.LateBySeconds); diff != "" {
			t.Errorf("%s: late (-want +got):\n%s", name, diff)
		}
	}
	fresh := view(new(withSpeed(seen(10, 5000), 60)), epoch.Add(10*time.Minute))
	fresh.Milestone.Status, fresh.Milestone.EndTime = drover.TripInProgress, &window
	if got := milestone.Entry(fresh); got.ETA == nil || got.LateBySeconds == nil || *got.LateBySeconds != got.ETA.Sub(window.Time).Seconds() {
		t.Errorf("with an estimate: %+v", got)
	}
}
