package milestone

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Box is the smallest rectangle around some positions, in degrees from a center.
// It only ever grows with further positions, whatever their order, which a
// distance from the first or the previous position would not.
type Box struct {
	South float64 `json:"south"`
	North float64 `json:"north"`
	West  float64 `json:"west"`
	East  float64 `json:"east"`
}

// including returns b grown to hold p; nil is the box around nothing.
func (b *Box) including(center, p drover.Coordinate) Box {
	north, east := geo.Offset(center, p)
	if b == nil {
		return Box{South: north, North: north, West: east, East: east}
	}
	return Box{
		South: min(b.South, north), North: max(b.North, north),
		West: min(b.West, east), East: max(b.East, east),
	}
}

// extent is the longer side of the box in metres. East and west are measured at the
// center's latitude, so that a larger box never has a smaller one.
func (b *Box) extent(center drover.Coordinate) float64 {
	up := geo.DistanceMetres(drover.Coordinate{}, drover.Coordinate{Latitude: b.North - b.South})
	across := geo.DistanceMetres(drover.Coordinate{Latitude: center.Latitude},
		drover.Coordinate{Latitude: center.Latitude, Longitude: min(b.East-b.West, 180)})
	return max(up, across)
}
