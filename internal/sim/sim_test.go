package sim_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/sim"
)

var monday = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

const week = 7 * 24 * time.Hour

// TestKeptPlansChangeNothing asks for days there and back, of a fleet that keeps
// plans, one that is too large for that, and a new one for each question.
func TestKeptPlansChangeNothing(t *testing.T) {
	t.Parallel()
	small, large := sim.New(sim.Options{Seed: 1, Vehicles: 3}), sim.New(sim.Options{Seed: 1, Vehicles: 1001})
	for _, v := range small.Vehicles() {
		for _, day := range []int{0, 1, 2, 1, 0, 4, 0, 0, -2, 0} {
			from := monday.AddDate(0, 0, day)
			to := from.Add(30 * time.Hour)
			fresh := sim.New(sim.Options{Seed: 1, Vehicles: 3})
			for name, fleet := range map[string]*sim.Fleet{"kept": small, "large": large} {
				if diff := cmp.Diff(fresh.Positions(v, from, to), fleet.Positions(v, from, to)); diff != "" {
					t.Fatalf("vehicle %s, day %d, %s: positions (-fresh +got):\n%s", v.ID, day, name, diff)
				}
				if diff := cmp.Diff(fresh.Trips(v, from, to), fleet.Trips(v, from, to)); diff != "" {
					t.Fatalf("vehicle %s, day %d, %s: trips (-fresh +got):\n%s", v.ID, day, name, diff)
				}
			}
		}
	}
}

func TestPositionsDoNotDependOnTheWindow(t *testing.T) {
	t.Parallel()
	end := monday.AddDate(0, 0, 3)
	fleet := sim.New(sim.Options{Seed: 1, Vehicles: 7, Late: 10 * time.Minute})
	for _, v := range fleet.Vehicles() {
		whole := fleet.Positions(v, monday, end)
		var parts []sim.Sample
		for from := monday; from.Before(end); from = from.Add(4001 * time.Second) {
			to := from.Add(4001 * time.Second)
			if to.After(end) {
				to = end
			}
			parts = append(parts, sim.New(sim.Options{Seed: 1, Vehicles: 7, Late: 10 * time.Minute}).Positions(v, from, to)...)
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Fatalf("vehicle %s: three days in one window against many (-whole +parts):\n%s", v.ID, diff)
		}
		if v.Active != (len(whole) > 300) {
			t.Errorf("vehicle %s: active %t has %d samples in three days", v.ID, v.Active, len(whole))
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	t.Parallel()
	a, b := sim.New(sim.Options{Seed: 1}), sim.New(sim.Options{Seed: 2})
	if cmp.Equal(a.Positions(a.Vehicles()[0], monday, monday.Add(week)), b.Positions(b.Vehicles()[0], monday, monday.Add(week))) {
		t.Error("two seeds give the same week")
	}
}

func TestSamplesArePlausible(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 7, Vehicles: 12})
	for _, v := range fleet.Vehicles() {
		samples := fleet.Positions(v, monday, monday.Add(week))
		for i := 1; i < len(samples); i++ {
			a, b := samples[i-1], samples[i]
			seconds := b.Time.Sub(a.Time.Time).Seconds()
			if seconds <= 0 || a.ID >= b.ID {
				t.Fatalf("vehicle %s: sample %v follows %v", v.ID, b.Time, a.Time)
			}
			driven := *b.OdometerMetres - *a.OdometerMetres
			if driven < 0 || driven/seconds > 32 {
				t.Fatalf("vehicle %s at %v: %v m in %v s", v.ID, b.Time, driven, seconds)
			}
			if line := metres(a.Point(), b.Point()); line > driven*1.01+2 {
				t.Fatalf("vehicle %s at %v: moved %v m, odometer says %v", v.ID, b.Time, line, driven)
			}
			if *b.SpeedKPH < 0 || *b.SpeedKPH > 110 || *b.Heading < 0 || *b.Heading >= 360 {
				t.Fatalf("vehicle %s at %v: speed %v heading %v", v.ID, b.Time, *b.SpeedKPH, *b.Heading)
			}
		}
	}
}

func TestTripsAreWhatTheSamplesShow(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 3, Vehicles: 24})
	midnight := 0
	for _, v := range fleet.Vehicles() {
		for _, trip := range fleet.Trips(v, monday, monday.Add(week)) {
			samples := fleet.Positions(v, trip.StartTime, trip.EndTime.Add(time.Second))
			first, last := samples[0], samples[len(samples)-1]
			if first.ID != trip.StartID || last.ID != trip.EndID || first.Point() != trip.Start || last.Point() != trip.End {
				t.Fatalf("vehicle %s: trip %+v does not start and end with its samples", v.ID, trip)
			}
			if d := *last.OdometerMetres - *first.OdometerMetres; d != trip.DistanceMetres || d < metres(trip.Start, trip.End) {
				t.Errorf("vehicle %s: trip of %v m, odometer %v, straight line %v", v.ID, trip.DistanceMetres, d, metres(trip.Start, trip.End))
			}
			parts := trip.DrivingSeconds + trip.IdlingSeconds + trip.AuxiliarySeconds
			if parts != trip.EndTime.Sub(trip.StartTime).Seconds() {
				t.Errorf("vehicle %s: parts of %v s in a trip from %v to %v", v.ID, parts, trip.StartTime, trip.EndTime)
			}
			off := slices.IndexFunc(samples, func(s sim.Sample) bool { return !*s.Ignition })
			if off != len(samples)-1 {
				t.Errorf("vehicle %s: ignition goes off at sample %d of %d", v.ID, off, len(samples))
			}
			if trip.StartTime.Day() != trip.EndTime.Day() {
				midnight++
			}
		}
	}
	if midnight == 0 {
		t.Error("no trip goes through midnight UTC")
	}
}

func TestTripsAreSelectedByTheirEnd(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 3})
	v := fleet.Vehicles()[0]
	trip := fleet.Trips(v, monday, monday.Add(week))[2]
	if got := fleet.Trips(v, trip.EndTime, trip.EndTime.Add(time.Second)); len(got) != 1 {
		t.Errorf("window that starts with the end has %d trips, want 1", len(got))
	}
	if got := fleet.Trips(v, trip.StartTime, trip.EndTime); len(got) != 0 {
		t.Errorf("window up to the end has %d trips, want 0", len(got))
	}
}

func TestAtIsTheNewestSample(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 3, Heartbeat: -1})
	v := fleet.Vehicles()[1]
	samples := fleet.Positions(v, monday, monday.AddDate(0, 0, 2))
	for i, s := range samples[:len(samples)-1] {
		got, ok := fleet.At(v, samples[i+1].Time.Add(-time.Millisecond))
		if !ok || got.ID != s.ID {
			t.Fatalf("At just before %v = %v, want %v", samples[i+1].Time, got.Time, s.Time)
		}
	}
	if _, ok := fleet.At(fleet.Vehicles()[6], monday); ok {
		t.Error("a laid-up vehicle has a position")
	}
}

func TestLateRecordsArriveAfterNewerOnes(t *testing.T) {
	t.Parallel()
	const late = 5 * time.Minute
	fleet := sim.New(sim.Options{Seed: 3, Late: late})
	v := fleet.Vehicles()[0]
	arrived := fleet.Arrived(v, monday, monday.Add(week))
	overtaken := 0
	for i, s := range arrived {
		if delay := s.Received.Sub(s.Time.Time); delay <= 0 || delay > late+2*time.Second {
			t.Fatalf("record of %v is received at %v", s.Time, s.Received)
		}
		if i > 0 && s.Received.Before(arrived[i-1].Received) {
			t.Fatal("not in the order of arrival")
		}
		if i > 0 && s.Time.Before(arrived[i-1].Time.Time) {
			overtaken++
		}
	}
	if overtaken == 0 {
		t.Error("no record was overtaken by a newer one")
	}
	inTime := fleet.Positions(v, monday.Add(time.Hour), monday.Add(week-time.Hour))
	if len(arrived) < len(inTime) {
		t.Errorf("%d records arrived of at least %d", len(arrived), len(inTime))
	}
}

func TestNothingHappenedBeforeTheEpoch(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Heartbeat: time.Hour})
	epoch := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	v := fleet.Vehicles()[0]
	got := fleet.Positions(v, time.Time{}, epoch.AddDate(0, 0, 2))
	if len(got) == 0 || got[0].Time.Before(epoch) {
		t.Errorf("%d samples, the first not at or after %v", len(got), epoch)
	}
}

func TestClockRunsFaster(t *testing.T) {
	t.Parallel()
	now := monday
	clock := sim.NewClock(func() time.Time { return now }, monday.Add(-week), 60)
	now = now.Add(time.Minute)
	if got, want := clock.Now(), monday.Add(-week+time.Hour); !got.Equal(want) {
		t.Errorf("Now = %v, want %v", got, want)
	}
}

func BenchmarkPositions(b *testing.B) {
	fleet := sim.New(sim.Options{Seed: 1, Vehicles: 100})
	day, n := 0, 0
	for b.Loop() {
		from := monday.AddDate(0, 0, day/100)
		n += len(fleet.Positions(fleet.Vehicles()[day%100], from, from.AddDate(0, 0, 1)))
		day++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "samples/s")
}

// metres is the great-circle distance.
func metres(a, b drover.Coordinate) float64 {
	const rad = math.Pi / 180
	dLat, dLon := (b.Latitude-a.Latitude)*rad, (b.Longitude-a.Longitude)*rad
	h := math.Pow(math.Sin(dLat/2), 2) + math.Cos(a.Latitude*rad)*math.Cos(b.Latitude*rad)*math.Pow(math.Sin(dLon/2), 2)
	return 2 * 6_371_000 * math.Asin(math.Sqrt(h))
}
