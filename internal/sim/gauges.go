package sim

import (
	"math"

	"github.com/drover-fleet/drover"
)

// Gauges are what the instruments of a vehicle show at a sample.
type Gauges map[drover.ReadingKind]float64

// The vehicles burn 30 litres over 100 km, and are refuelled about every 600: at the stop
// after the journey in which it was time.
const (
	litresPerMetre = 30.0 / 100_000
	metresPerTank  = 600_000
	robbedLeaves   = 0.5 // of what was in a tank
	enginePace     = 30  // metres of a second with the engine on: no faster than they go

	// Of the time with the engine on, a part is idling and a part is with the power take-off.
	idleShare = 5
	ptoShare  = 20

	metresPerCharge = 300_000
)

// Gauges returns what the instruments show. All follows from the sample, so that a fake
// shows the same whenever it is asked.
func (s Sample) Gauges() Gauges {
	driven := *s.OdometerMetres
	level := func(full, use, metres float64) float64 {
		return full - use*(driven-tank(s.Started, metres)*metres)/metres
	}
	fuel := level(95, 55, metresPerTank)
	if s.Robbed {
		fuel *= robbedLeaves
	}
	g := Gauges{
		drover.ReadingOdometer:    driven,
		drover.ReadingEngine:      math.Floor(driven / enginePace),
		drover.ReadingFuelUsed:    round(driven*litresPerMetre, 1000),
		drover.ReadingFuelPercent: round(fuel, 10),
		drover.ReadingDEF:         round(level(95, 30, metresPerTank), 10),
		drover.ReadingFuelLitres:  round(4*fuel, 10),
		drover.ReadingSupply:      24.8,
		drover.ReadingCoolant:     35,
		drover.ReadingAmbient:     18.5,
		drover.ReadingProbe:       -18,
		drover.ReadingDoor:        0,
		drover.ReadingIdle:        math.Floor(driven / enginePace / idleShare),
		drover.ReadingPTO:         math.Floor(driven / enginePace / ptoShare),
		drover.ReadingCharge:      round(level(95, 30, metresPerCharge), 10),
		drover.ReadingPTOActive:   0,
	}
	if *s.Auxiliary {
		g[drover.ReadingPTOActive] = 1
	}
	if *s.Ignition {
		g[drover.ReadingSupply], g[drover.ReadingCoolant] = 27.6, 84
	}
	return g
}

// tank numbers what a vehicle was filled with when its odometer was at the beginning of a journey.
func tank(started, metres float64) float64 { return math.Floor(started / metres) }
