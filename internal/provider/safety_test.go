package provider_test

import (
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestNamedSafety finds the type in names that fleets have given to their events.
func TestNamedSafety(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]drover.SafetyType{
		"Harsh braking":              drover.SafetyBraking,
		"HARSH  Brake XL":            drover.SafetyBraking,
		"Hard acceleration (trucks)": drover.SafetyAcceleration,
		"Harsh cornering left":       drover.SafetyCornering,
		"Over speeding":              drover.SafetySpeeding,
		"Overspeed 90":               drover.SafetySpeeding,
		"Speeding in town":           drover.SafetySpeeding,
		"Forward collision warning":  drover.SafetyCollision,
		"Lane departure left":        drover.SafetyLane,
		"Tailgating":                 drover.SafetyTailgating,
		"Seatbelt not fastened":      drover.SafetySeatBelt,
		"Driver fatigue":             drover.SafetyDrowsiness,
		"Drowsy":                     drover.SafetyDrowsiness,
		"Driver distracted":          drover.SafetyDistraction,
		"Mobile phone use":           drover.SafetyPhone,
		"Accident":                   drover.SafetyCrash,
		"Ignition on":                drover.SafetyOther,
		"Frenado brusco":             drover.SafetyOther,
		"Harsh":                      drover.SafetyOther,
		"":                           drover.SafetyOther,
	} {
		got := provider.NamedSafety(name)
		if got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
		if got != drover.SafetyOther && !slices.Contains(provider.NamedTypes(), got) {
			t.Errorf("%s is not declared", got)
		}
	}
}
