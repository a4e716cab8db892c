package trip

import (
	"time"

	"github.com/drover-fleet/drover"
)

// Effective are the default rules in the form in which they are narrowed down and
// shown.
func Effective() drover.EffectiveTripRules {
	seconds := func(d time.Duration) drover.ChosenSeconds {
		return drover.ChosenSeconds{Value: int(d.Seconds()), Source: drover.FromDefault}
	}
	metres := func(m float64) drover.ChosenMetres { return drover.ChosenMetres{Value: m, Source: drover.FromDefault} }
	return drover.EffectiveTripRules{
		StopSeconds: seconds(stopAfter), IdleSeconds: seconds(idleAfter), GapSeconds: seconds(Gap),
		RadiusMetres: metres(PlaceMetres), MinDistanceMetres: metres(MinTripMetres),
		MovingKPH: drover.ChosenSpeed{Value: MovingKPH, Source: drover.FromDefault},
	}
}

// RulesOf are chosen rules in the form of the derivation.
func RulesOf(e drover.EffectiveTripRules) Rules {
	return Rules{
		StopAfter:     time.Duration(e.StopSeconds.Value) * time.Second,
		IdleAfter:     time.Duration(e.IdleSeconds.Value) * time.Second,
		Gap:           time.Duration(e.GapSeconds.Value) * time.Second,
		PlaceMetres:   e.RadiusMetres.Value,
		MinTripMetres: e.MinDistanceMetres.Value,
		MovingKPH:     e.MovingKPH.Value,
	}
}
