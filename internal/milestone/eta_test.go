package milestone_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/sim"
)

func tripOf(straight, road, kph float64) drover.Trip {
	to := geo.Destination(depot, 45, straight)
	return drover.Trip{
		StartLatitude: &depot.Latitude, StartLongitude: &depot.Longitude,
		EndLatitude: &to.Latitude, EndLongitude: &to.Longitude,
		DistanceMetres: &road, DurationSeconds: road / kph * 3.6, IsValid: true,
	}
}

func TestEstimateWithoutHistory(t *testing.T) {
	t.Parallel()
	eta, km := milestone.Estimate(milestone.Input{Now: epoch, From: epoch, StraightMetres: 100_000})
	if want := epoch.Add(156 * time.Minute); !eta.Equal(want) || km != 130 {
		t.Errorf("100 km away: %v and %v km, want %v and 130 km", eta, km, want)
	}
}

func TestEstimateWithRoute(t *testing.T) {
	t.Parallel()
	eta, km := milestone.Estimate(milestone.Input{
		Now: epoch, From: epoch, StraightMetres: 100_000,
		Route: &milestone.Route{Metres: 117_004, Duration: 90 * time.Minute},
	})
	if want := epoch.Add(90 * time.Minute); !eta.Equal(want) || km != 117 {
		t.Errorf("with a route: %v and %v km, want %v and 117 km", eta, km, want)
	}
}

func TestEstimateIsNeverInThePast(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for range 5000 {
		kph := r.Float64() * 200
		in := milestone.Input{
			Now: epoch.Add(time.Duration(r.IntN(1e9))), From: epoch.Add(-time.Duration(r.IntN(14)) * time.Minute),
			StraightMetres: r.Float64() * 3000, RecentKPH: &kph,
			CoveredMetres: r.Float64()*5000 - 1000, Elapsed: time.Duration(r.IntN(100)) * time.Minute,
		}
		if eta, km := milestone.Estimate(in); eta.Before(in.Now.Truncate(time.Millisecond)) || km < 0 || math.IsNaN(km) {
			t.Fatalf("%+v: %v, %v km", in, eta, km)
		}
	}
}

func TestLearn(t *testing.T) {
	t.Parallel()
	var p milestone.Profile
	for range 60 {
		p = p.Learn(tripOf(30_000, 36_000, 72))
	}
	if math.Abs(p.Detour-1.2) > 0.01 || math.Abs(p.SpeedKPH-72) > 0.5 || p.Trips != 60 {
		t.Errorf("after many like trips: %+v", p)
	}
	invalid := tripOf(30_000, 90_000, 20)
	invalid.IsValid = false
	unknown := tripOf(30_000, 90_000, 20)
	unknown.DistanceMetres = nil
	for name, trip := range map[string]drover.Trip{
		"short": tripOf(500, 800, 20), "round trip": tripOf(3000, 60_000, 50), "invalid": invalid, "unknown distance": unknown,
	} {
		if diff := cmp.Diff(p, p.Learn(trip)); diff != "" {
			t.Errorf("learned from a trip that is %s:\n%s", name, diff)
		}
	}
}

// On the simulated fleet half of all estimates must be within an eighth of the time
// that remains, given what earlier trips taught: its drivers change speed at
// random halfway and stop for minutes, which no estimate can foresee.
func TestEstimateError(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 7, Vehicles: 12})
	var errors []float64
	for _, v := range fleet.Vehicles() {
		var profile milestone.Profile
		for i, trip := range fleet.Trips(v, epoch, epoch.AddDate(0, 0, 8)) {
			if i >= 5 {
				errors = append(errors, estimateErrors(fleet, v, trip, profile)...)
			}
			profile = profile.Learn(drover.Trip{
				StartLatitude: &trip.Start.Latitude, StartLongitude: &trip.Start.Longitude,
				EndLatitude: &trip.End.Latitude, EndLongitude: &trip.End.Longitude,
				DistanceMetres: &trip.DistanceMetres, DurationSeconds: trip.EndTime.Sub(trip.StartTime).Seconds(),
				AuxiliarySeconds: &trip.AuxiliarySeconds, IsValid: true,
			})
		}
	}
	if len(errors) < 1000 {
		t.Fatalf("only %d estimates", len(errors))
	}
	slices.Sort(errors)
	median := errors[len(errors)/2]
	t.Logf("median error %.1f %% of the remaining time, 90th percentile %.1f %%", median*100, errors[len(errors)*9/10]*100)
	if median > 0.125 {
		t.Errorf("median error is %.1f %% of the remaining time", median*100)
	}
}

// estimateErrors follows a trip as a milestone and returns, for each position on
// the way, the error of its estimate as a share of the time until the arrival.
func estimateErrors(fleet *sim.Fleet, v sim.Vehicle, trip sim.Trip, profile milestone.Profile) []float64 {
	m := drover.Milestone{StartPoint: trip.Start, EndPoint: trip.End, StartTime: drover.At(trip.StartTime)}
	cfg := milestone.DefaultConfig()
	var positions []drover.Position
	for _, s := range fleet.Positions(v, trip.StartTime, trip.EndTime.Add(time.Second)) {
		positions = append(positions, s.Position)
	}
	end, _ := milestone.Judge(m, cfg, milestone.Fresh(), positions)
	if end.Status != drover.TripEnded {
		return nil
	}
	var errors []float64
	st := milestone.Fresh()
	for i := range positions {
		st, _ = milestone.Judge(m, cfg, st, positions[i:i+1])
		remaining := end.EndedAt.Sub(positions[i].Time.Time)
		if st.Status != drover.TripInProgress || remaining < 2*time.Minute {
			continue
		}
		p := milestone.Progress(milestone.View{
			Milestone: m, State: st, Latest: &positions[i], Profile: profile,
			Now: positions[i].Time.Time, Config: cfg,
		})
		errors = append(errors, math.Abs(p.ETA.Sub(end.EndedAt.Time).Seconds())/remaining.Seconds())
	}
	return errors
}
