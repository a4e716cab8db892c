// Package geotest finds places for tests of bounds.
package geotest

import (
	"math"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// NorthOf finds a place north of another, on the same meridian, of which a measured
// number is a bound to the last bit: at an ordinary place a distance never is.
func NorthOf(tb testing.TB, from drover.Coordinate, bound float64, measure func(drover.Coordinate) float64) drover.Coordinate {
	tb.Helper()
	low, high := from.Latitude, from.Latitude+1
	for range 200 {
		middle := (low + high) / 2
		if measure(drover.Coordinate{Latitude: middle, Longitude: from.Longitude}) < bound {
			low = middle
		} else {
			high = middle
		}
	}
	for _, towards := range []float64{math.Inf(-1), math.Inf(1)} {
		at := high
		for range 100_000 {
			if p := (drover.Coordinate{Latitude: at, Longitude: from.Longitude}); measure(p) == bound {
				return p
			}
			at = math.Nextafter(at, towards)
		}
	}
	tb.Fatalf("there is no place north of %v at exactly %v", from, bound)
	return drover.Coordinate{}
}

// MetresNorthOf finds a place at an exact distance.
func MetresNorthOf(tb testing.TB, from drover.Coordinate, metres float64) drover.Coordinate {
	tb.Helper()
	return NorthOf(tb, from, metres, func(p drover.Coordinate) float64 { return geo.DistanceMetres(from, p) })
}
