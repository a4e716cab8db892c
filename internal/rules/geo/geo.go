// Package geo computes on a spherical earth: distances, bearings and circles
// around a point. Its functions are pure. The sphere has the earth's mean radius,
// which keeps every distance within half a percent of the ellipsoid's.
package geo

import (
	"math"

	"github.com/drover-fleet/drover"
)

// EarthRadiusMetres is the mean radius of the earth as the IUGG defines it.
const EarthRadiusMetres = 6371008.8

const radians = math.Pi / 180

// MovingKPH is the speed from which on a device moves, unless a trip rule says another:
// the one place of it, for trips, states, milestones and arrivals.
const MovingKPH = 5.0

// CrawlKPH is the speed from which on a device may work slowly, and WorkKPH how fast it gets
// on then at the least, for wheels slip.
const (
	CrawlKPH = 1.0
	WorkKPH  = 0.25
)

// DistanceMetres returns the length of the great circle between a and b. It uses
// the haversine, which stays exact for points that are metres apart.
func DistanceMetres(a, b drover.Coordinate) float64 {
	sinLat := math.Sin((b.Latitude - a.Latitude) * radians / 2)
	sinLon := math.Sin((b.Longitude - a.Longitude) * radians / 2)
	h := sinLat*sinLat + math.Cos(a.Latitude*radians)*math.Cos(b.Latitude*radians)*sinLon*sinLon
	return 2 * EarthRadiusMetres * math.Asin(math.Sqrt(min(h, 1)))
}

// AtMostMetres returns a length that the great circle between a and b does not exceed, without
// trigonometry: that along a meridian and then along the equator.
func AtMostMetres(a, b drover.Coordinate) float64 {
	const rounding = 1 + 1e-9
	return EarthRadiusMetres * radians * rounding * (math.Abs(b.Latitude-a.Latitude) + math.Abs(b.Longitude-a.Longitude))
}

// BearingDegrees returns the direction in which the great circle from a to b
// leaves a: 0 is north, 90 is east, always below 360.
func BearingDegrees(a, b drover.Coordinate) float64 {
	latA, latB := a.Latitude*radians, b.Latitude*radians
	dLon := (b.Longitude - a.Longitude) * radians
	y := math.Sin(dLon) * math.Cos(latB)
	x := math.Cos(latA)*math.Sin(latB) - math.Sin(latA)*math.Cos(latB)*math.Cos(dLon)
	return math.Mod(math.Atan2(y, x)/radians+360, 360)
}

// Destination returns the point that lies metres away from a in the direction of
// bearing. Its longitude is within -180 to 180.
func Destination(a drover.Coordinate, bearingDegrees, metres float64) drover.Coordinate {
	angle := metres / EarthRadiusMetres
	lat, bearing := a.Latitude*radians, bearingDegrees*radians
	sinTo := math.Sin(lat)*math.Cos(angle) + math.Cos(lat)*math.Sin(angle)*math.Cos(bearing)
	sinTo = max(-1, min(sinTo, 1))
	dLon := math.Atan2(math.Sin(bearing)*math.Sin(angle)*math.Cos(lat), math.Cos(angle)-math.Sin(lat)*sinTo)
	return drover.Coordinate{
		Latitude:  math.Asin(sinTo) / radians,
		Longitude: WrapLongitude(a.Longitude + dLon/radians),
	}
}

// Inside reports whether p lies in the circle around center, its edge included.
func Inside(center drover.Coordinate, radiusMetres float64, p drover.Coordinate) bool {
	return DistanceMetres(center, p) <= radiusMetres
}

// LengthMetres returns the length of the line through points in their order.
func LengthMetres(points []drover.Coordinate) float64 {
	var sum float64
	for i := 1; i < len(points); i++ {
		sum += DistanceMetres(points[i-1], points[i])
	}
	return sum
}

// WrapLongitude brings a longitude, or a difference of two, into -180 to 180,
// so that neighbours on both sides of the date line are near each other.
func WrapLongitude(degrees float64) float64 {
	if math.Abs(degrees) <= 180 {
		return degrees
	}
	wrapped := math.Mod(degrees+180, 360)
	if wrapped < 0 {
		wrapped += 360
	}
	return wrapped - 180
}

// nullIslandDegrees is how near to 0/0 a point counts as being there: about
// eleven metres, enough for receivers that round.
const nullIslandDegrees = 1e-4

// NullIsland reports whether p is at latitude 0 and longitude 0, which is what
// receivers without a fix report. No road leads there.
func NullIsland(p drover.Coordinate) bool {
	return math.Abs(p.Latitude) < nullIslandDegrees && math.Abs(p.Longitude) < nullIslandDegrees
}

// Plausible reports whether p can be the place of a vehicle: within bounds and
// not at 0/0.
func Plausible(p drover.Coordinate) bool { return p.Valid() && !NullIsland(p) }

// SpeedKPH returns the speed that covers metres in the given seconds. No time
// for some distance is infinitely fast; no distance is standing still.
func SpeedKPH(metres, seconds float64) float64 {
	if metres <= 0 {
		return 0
	}
	return metres / max(seconds, 0) * 3.6
}

// Offset is how many degrees a place lies north and east of a center.
func Offset(center, p drover.Coordinate) (north, east float64) {
	return p.Latitude - center.Latitude, WrapLongitude(p.Longitude - center.Longitude)
}
