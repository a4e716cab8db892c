// Package wire parses what vendors send: numbers as text, times in many formats, and other units.
// Adapters use its types in their wire types, so that each oddity is handled and tested once. It
// also builds the requests.
package wire

import "math"

// Exact lengths, in metres.
const (
	mile  = 1609.344
	knot  = 1852 // of one hour
	thous = 1000
)

// KPHFromKnots converts a speed.
func KPHFromKnots(v float64) float64 { return tidy(v * knot / thous) }

// KPHFromMPH converts a speed in miles an hour.
func KPHFromMPH(v float64) float64 { return tidy(v * mile / thous) }

// MetresFromKM converts a distance in kilometres.
func MetresFromKM(v float64) float64 { return tidy(v * thous) }

// MetresFromMiles converts a distance in miles.
func MetresFromMiles(v float64) float64 { return tidy(v * mile) }

// Degrees converts microdegrees.
func Degrees(micro float64) float64 { return micro / 1e6 }

// tidy keeps three decimals: what a conversion adds beyond is binary noise, which
// would otherwise be stored and shown.
func tidy(v float64) float64 { return math.Round(v*1000) / 1000 }

// Map applies f where there is a value.
func Map[T, U any](v *T, f func(T) U) *U {
	if v == nil {
		return nil
	}
	return new(f(*v))
}

// NonZero returns a pointer to v, nil for the zero value: vendors write "" and 0
// for what they do not know.
func NonZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// First returns the first of the values that is known, nil where none is.
func First[T any](values ...*T) *T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}
