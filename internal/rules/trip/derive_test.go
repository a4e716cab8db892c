package trip_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
)

// exact is a vehicle that reports every 30 seconds and everything.
func exact() *vehicle {
	v := newVehicle(rand.New(rand.NewPCG(1, 1)))
	v.interval, v.speed, v.ignition, v.auxiliary, v.odo = 30*time.Second, true, true, true, true
	return v
}

func one(t *testing.T, positions []drover.Position) trip.Derived {
	t.Helper()
	trips, _ := foldAll(positions)
	if len(trips) != 1 {
		t.Fatalf("%d trips, want 1: %+v", len(trips), trips)
	}
	return trips[0]
}

func TestOneTrip(t *testing.T) {
	t.Parallel()
	v := exact()
	v.stop(10*time.Minute, false, false)
	on := v.at
	v.stop(2*time.Minute, true, false)
	v.drive(20 * time.Minute)
	v.stop(3*time.Minute, true, true)
	off := v.at
	v.stop(20*time.Minute, false, false)

	d := one(t, v.positions)
	if !d.StartTime.Equal(on) || !d.EndTime.Equal(off) {
		t.Errorf("from %v to %v, want ignition on %v to ignition off %v", d.StartTime, d.EndTime, on, off)
	}
	if d.SystemTripID != "derived-2026-03-02T05:10:00Z" {
		t.Errorf("id %q", d.SystemTripID)
	}
	if d.DrivingSeconds != 20*60 || *d.IdlingSeconds != 90+30 || *d.AuxiliarySeconds != 3*60 {
		t.Errorf("driving %v, idling %v, auxiliary %v", d.DrivingSeconds, *d.IdlingSeconds, *d.AuxiliarySeconds)
	}
	if math.Abs(d.DistanceMetres-v.odometer) > 0.1 {
		t.Errorf("distance %v, want the odometer's %v", d.DistanceMetres, v.odometer)
	}
	if faults := trip.Check(d.Facts(), v.at, nil); faults != nil {
		t.Errorf("not valid: %v", faults)
	}
}

func TestWhatProvidersCannotTell(t *testing.T) {
	t.Parallel()
	v := exact()
	v.speed, v.ignition, v.auxiliary, v.odo = false, false, false, false
	v.interval = time.Second
	v.stop(10*time.Minute, false, false)
	from := v.at
	v.drive(10 * time.Minute)
	to := v.at
	v.stop(10*time.Minute, false, false)

	d := one(t, v.positions)
	if d.IdlingSeconds != nil || d.AuxiliarySeconds != nil {
		t.Errorf("idling %v and auxiliary %v are reported by no one", d.IdlingSeconds, d.AuxiliarySeconds)
	}
	near := func(got, want drover.Time) bool { return got.Sub(want.Time).Abs() < 10*time.Second }
	if !near(d.StartTime, drover.At(from)) || !near(d.EndTime, drover.At(to)) || math.Abs(d.DrivingSeconds-600) > 15 {
		t.Errorf("from %v to %v, driving %v", d.StartTime, d.EndTime, d.DrivingSeconds)
	}
	if d.DistanceMetres < 0.9*v.odometer/1.05 || d.DistanceMetres > 1.02*v.odometer/1.05 {
		t.Errorf("distance %v, driven %v", d.DistanceMetres, v.odometer/1.05)
	}
}

func TestHowManyTrips(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		drive func(v *vehicle)
		want  int
	}{
		{"ShortStop", func(v *vehicle) { v.stop(4*time.Minute, false, false) }, 1},
		{"Stop", func(v *vehicle) { v.stop(6*time.Minute, false, false) }, 2},
		{"TrafficJam", func(v *vehicle) { v.stop(25*time.Minute, true, false) }, 1},
		{"LongIdling", func(v *vehicle) { v.stop(35*time.Minute, true, false) }, 2},
		{"ShortSilence", func(v *vehicle) { v.at = v.at.Add(10 * time.Minute) }, 1},
		{"Silence", func(v *vehicle) { v.at = v.at.Add(15 * time.Minute) }, 2},
		{"OneJump", func(v *vehicle) {
			home := v.place
			v.place = geo.Destination(home, 10, 200_000)
			v.report(50, true, false)
			v.place = home
		}, 1},
		{"NewPlace", func(v *vehicle) { v.place = geo.Destination(v.place, 10, 200_000) }, 2},
		{"Nowhere", func(v *vehicle) {
			v.positions = append(v.positions, drover.Position{Time: drover.At(v.at.Add(time.Second))})
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := exact()
			v.drive(10 * time.Minute)
			tc.drive(v)
			v.drive(10 * time.Minute)
			if got, _ := foldAll(v.positions); len(got) != tc.want {
				t.Errorf("%d trips, want %d: %+v", len(got), tc.want, got)
			}
		})
	}
}

func TestScatterIsNoTrip(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(v *vehicle){
		"Idling":  func(v *vehicle) { v.stop(10*time.Minute, true, false) },
		"Parking": func(v *vehicle) { v.stop(3*time.Hour, false, false) },
		"Stray": func(v *vehicle) {
			home := v.place
			v.place = geo.Destination(home, 90, 300)
			v.report(0, false, false)
			v.place = home
		},
		"Shunting": func(v *vehicle) {
			v.place = geo.Destination(v.place, 90, 70)
			v.report(8, true, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := exact()
			v.stop(10*time.Minute, false, false)
			act(v)
			v.stop(10*time.Minute, false, false)
			if got, _ := foldAll(v.positions); len(got) != 0 {
				t.Errorf("derived %+v", got)
			}
		})
	}
}

func TestImplausibleOdometer(t *testing.T) {
	t.Parallel()
	v := exact()
	v.drive(5 * time.Minute)
	driven := v.odometer
	v.odometer += 4_000_000
	v.drive(5 * time.Minute)
	if d := one(t, v.positions); d.DistanceMetres > 3*driven {
		t.Errorf("distance %v follows an odometer that was replaced", d.DistanceMetres)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	v := exact()
	v.drive(10 * time.Minute)
	var s trip.State
	for _, p := range v.positions {
		s.Add(p)
	}
	deadline, ok := s.Deadline()
	if !ok || !s.Open() {
		t.Fatal("no trip is under way")
	}
	if early := s.Close(deadline.Add(-time.Millisecond)); len(early.Completed) > 0 {
		t.Error("closed before the deadline")
	}
	later := s
	completed := s.Close(deadline.Time).Completed
	if len(completed) != 1 {
		t.Fatal("not closed at the deadline")
	}
	closed := completed[0]
	step := later.Add(drover.Position{Time: deadline, Latitude: 48, Longitude: 11})
	if !step.Completed || !step.Trip.Equal(closed) {
		t.Errorf("closing gives %+v, a later position %+v", closed, step.Trip)
	}
	if again := s.Close(deadline.Add(time.Hour)); len(again.Completed) > 0 {
		t.Error("closed twice")
	}
}

func TestStateVersion(t *testing.T) {
	t.Parallel()
	var s trip.State
	if err := json.Unmarshal([]byte(`{"version":99}`), &s); !errors.Is(err, trip.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	if err := s.UnmarshalBinary([]byte{99}); !errors.Is(err, trip.ErrVersion) {
		t.Errorf("another version of the short form: %v", err)
	}
	b, err := json.Marshal(s)
	if err != nil || !strings.HasPrefix(string(b), `{"version":6`) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestStateSurvives(t *testing.T) {
	t.Parallel()
	var s trip.State
	for _, p := range randomHistory(rand.New(rand.NewPCG(2, 3)), 30) {
		var fromJSON, fromBytes trip.State
		s.Add(p)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &fromJSON); err != nil || fromJSON != s {
			t.Fatalf("%s reads as %+v, %v", text, fromJSON, err)
		}
		short, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := fromBytes.UnmarshalBinary(short); err != nil || fromBytes != s {
			t.Fatalf("%x reads as %+v, %v", short, fromBytes, err)
		}
		for _, wrong := range [][]byte{short[:len(short)-1], append(short, 0)} {
			if err := fromBytes.UnmarshalBinary(wrong); err == nil {
				t.Fatalf("read %d bytes instead of %d", len(wrong), len(short))
			}
		}
	}
	var empty trip.State
	if err := empty.UnmarshalBinary(nil); err != nil || empty != (trip.State{}) {
		t.Errorf("nothing reads as %+v, %v", empty, err)
	}
}

func TestAbsorbKeepsTheStateOnError(t *testing.T) {
	t.Parallel()
	v := exact()
	v.drive(10 * time.Minute)
	var s trip.State
	s.Add(v.positions[10])
	before := s
	broken := errors.New("broken")
	_, err := s.Absorb(v.positions, func(trip.Span) ([]trip.Known, error) { return nil, broken })
	if !errors.Is(err, broken) || s != before {
		t.Errorf("error %v, state changed: %v", err, s != before)
	}
}

// What a late position loads must not grow with the history.
func TestLatePositionLoadsLittle(t *testing.T) {
	t.Parallel()
	v := exact()
	v.interval = time.Minute
	for range 30 {
		v.drive(8 * time.Hour)
		v.stop(16*time.Hour, false, false)
	}
	d := newDevice(t)
	late := v.positions[len(v.positions)/2]
	rest := append(append([]drover.Position{}, v.positions[:len(v.positions)/2]...), v.positions[len(v.positions)/2+1:]...)
	d.receive(rest, epoch)
	d.loaded = 0
	d.receive([]drover.Position{late}, epoch)
	if d.loaded == 0 || d.loaded > 3*24*60 {
		t.Errorf("one late position loaded %d of %d", d.loaded, len(v.positions))
	}
}

// The rule must find the journeys that the simulated vehicles really make.
func TestSimulatedFleet(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 8, Vehicles: 6})
	for _, v := range fleet.Vehicles() {
		from, to := epoch, epoch.AddDate(0, 0, 10)
		truth := fleet.Trips(v, from, to)
		if len(truth) > 0 {
			from = truth[0].StartTime
		}
		var positions []drover.Position
		for _, s := range fleet.Positions(v, from, to) {
			positions = append(positions, s.Position)
		}
		got, _ := foldAll(positions)
		if len(got) != len(truth) {
			t.Errorf("%s: %d trips of %d", v.Name, len(got), len(truth))
			continue
		}
		for i, want := range truth {
			d := got[i]
			if !d.StartTime.Equal(want.StartTime) || !d.EndTime.Equal(want.EndTime) || math.Abs(d.DistanceMetres-want.DistanceMetres) > 1 ||
				math.Abs(d.DrivingSeconds-want.DrivingSeconds) > 90 || math.Abs(*d.IdlingSeconds-want.IdlingSeconds) > 90 ||
				math.Abs(*d.AuxiliarySeconds-want.AuxiliarySeconds) > 30 {
				t.Errorf("%s: got %+v (idling %v, auxiliary %v), want %+v", v.Name, d, *d.IdlingSeconds, *d.AuxiliarySeconds, want)
			}
		}
	}
}

func TestAddDoesNotAllocate(t *testing.T) {
	v := exact()
	v.drive(2 * time.Hour)
	var s trip.State
	i := 0
	if n := testing.AllocsPerRun(len(v.positions)-2, func() {
		s.Add(v.positions[i])
		i++
	}); n != 0 {
		t.Errorf("%v allocations for a position", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	v := exact()
	for range 20 {
		v.drive(time.Hour)
		v.stop(time.Hour, false, false)
	}
	var s trip.State
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if i == len(v.positions) {
			i, s = 0, trip.State{}
		}
		s.Add(v.positions[i])
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}

func BenchmarkStateBinary(b *testing.B) {
	v := exact()
	v.drive(time.Hour)
	var s trip.State
	for _, p := range v.positions {
		s.Add(p)
	}
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buffer, err = s.AppendBinary(buffer[:0]); err != nil {
			b.Fatal(err)
		}
		if err := s.UnmarshalBinary(buffer); err != nil {
			b.Fatal(err)
		}
	}
}
