package trip

import "time"

// Rules are the thresholds that a tenant may choose for its vehicles. The others are
// constants, for they say what a receiver does and not what a trip is.
type Rules struct {
	StopAfter time.Duration // a stop with nothing running that ends a trip
	IdleAfter time.Duration // a stop with the ignition on or an auxiliary running that does
	Gap       time.Duration // silence that ends a trip, unless the vehicle drove through it
	// PlaceMetres is how far from its place a vehicle may be seen and still be in it:
	// twice as far where no speed is known, which would tell movement and scatter apart, and
	// four times while the ignition is known to be off, for receivers drift indoors.
	PlaceMetres float64
	// MinTripMetres is how far a trip gets away from its start at the least.
	MinTripMetres float64
	// MovingKPH is the speed from which on a vehicle moves.
	MovingKPH float64
}

// DefaultRules are the rules where no one has chosen others.
func DefaultRules() Rules {
	return Rules{stopAfter, idleAfter, Gap, PlaceMetres, MinTripMetres, MovingKPH}
}

// limits are rules in the form of the fold. They are no part of the state: what was
// folded goes on under the rules of the day.
type limits struct {
	stopAfter, idleAfter, gap, quietFor int64
	place, blind, drift, minTrip        float64
	moving                              float64
}

// usual are the limits of DefaultRules.
var usual = DefaultRules().compute()

func (r Rules) limits() *limits {
	if r == DefaultRules() {
		return usual
	}
	return r.compute()
}

func (r Rules) compute() *limits {
	return &limits{
		stopAfter: r.StopAfter.Milliseconds(), idleAfter: r.IdleAfter.Milliseconds(), gap: r.Gap.Milliseconds(),
		// A vehicle is at rest only after it has idled for so long that no trip goes on.
		quietFor: max(quietFor, quietFactor*r.IdleAfter, quietFactor*r.StopAfter).Milliseconds(),
		place:    r.PlaceMetres, blind: blindFactor * r.PlaceMetres, drift: driftFactor * r.PlaceMetres, minTrip: r.MinTripMetres,
		moving: r.MovingKPH,
	}
}

// under returns the rules that a fold goes by.
func (f *fold) under() *limits {
	if f.rules == nil {
		return usual
	}
	return f.rules
}

// Use sets the rules of all that is folded from here on.
func (s *State) Use(r Rules) { s.f.rules = r.limits() }
