package drover

import (
	"math"
	"strconv"
	"strings"
)

// Box is a part of the map. West is greater than East where it crosses the 180th
// meridian.
type Box struct{ West, South, East, North float64 }

// UnmarshalText reads west, south, east and north, separated by commas.
func (b *Box) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) != 4 {
		return InvalidValue("bbox must be west,south,east,north")
	}
	for i, to := range []*float64{&b.West, &b.South, &b.East, &b.North} {
		n, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || math.IsNaN(n) {
			return InvalidValue("bbox must be four numbers")
		}
		*to = n
	}
	if math.Abs(b.West) > 180 || math.Abs(b.East) > 180 || math.Abs(b.South) > 90 || math.Abs(b.North) > 90 || b.South > b.North {
		return InvalidValue("bbox must lie within -180,-90,180,90, with south below north")
	}
	return nil
}

// Contains reports whether a place lies in the box or on its edge.
func (b Box) Contains(c Coordinate) bool {
	if c.Latitude < b.South || c.Latitude > b.North {
		return false
	}
	if b.West > b.East {
		return c.Longitude >= b.West || c.Longitude <= b.East
	}
	return c.Longitude >= b.West && c.Longitude <= b.East
}
