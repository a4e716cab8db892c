package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

const (
	openMilestones  = 10_000
	arrivalVehicles = 500
	arrivalTarget   = 1.0 // seconds
)

// arrivals is how long it takes to predict the arrivals of ten thousand milestones of
// five hundred devices, each with as long a history as is ever read.
func (b *bench) arrivals(ctx context.Context) error {
	b.progress("predict arrivals")
	random := rand.New(rand.NewPCG(7, 7))
	var fleet []arrival.Journey
	for range arrival.MaxFleet {
		fleet = append(fleet, randomJourney(random))
	}
	histories := make([]arrival.History, arrivalVehicles)
	for i := range histories {
		histories[i].Fleet = fleet
		for range arrival.MaxOwn {
			histories[i].Own = append(histories[i].Own, randomJourney(random))
		}
	}
	begun := time.Now()
	for _, h := range histories {
		model := arrival.NewModel(h)
		for range openMilestones / arrivalVehicles {
			model.Predict(randomQuestion(random, begun))
		}
	}
	b.table.AtMost("10,000 arrivals predicted", time.Since(begun).Seconds(), arrivalTarget, table.Seconds)
	return ctx.Err()
}

// region is where the journeys are, within some 100 km.
func region(random *rand.Rand) drover.Coordinate {
	return drover.Coordinate{Latitude: 48 + random.Float64(), Longitude: 11 + random.Float64()}
}

func randomJourney(random *rand.Rand) arrival.Journey {
	from, to := region(random), region(random)
	var positions []drover.Position
	const steps = 60
	for i := range steps + 1 {
		done := float64(i) / steps
		positions = append(positions, drover.Position{
			Time:     drover.At(time.Unix(0, 0).Add(time.Duration(i) * time.Minute)),
			Latitude: from.Latitude + done*(to.Latitude-from.Latitude), Longitude: from.Longitude + done*(to.Longitude-from.Longitude),
		})
	}
	j, _ := arrival.NewJourney(positions, positions[steps].Time.Time)
	return j
}

func randomQuestion(random *rand.Rand, now time.Time) arrival.Input {
	from, to := region(random), region(random)
	straight := geo.DistanceMetres(from, to)
	return arrival.Input{Now: now, From: now, Place: from, End: to, StraightMetres: straight, WholeMetres: straight, RadiusMetres: 200}
}
