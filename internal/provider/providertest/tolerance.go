package providertest

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// Tolerance is the largest difference that is no fault, in the unit of each value.
type Tolerance struct {
	Time         time.Duration
	Degrees      float64
	Heading      float64
	SpeedKPH     float64
	Metres       float64 // of the odometer
	TripMetres   float64
	TripSeconds  float64
	TripEndpoint float64 // degrees
}

func (tol Tolerance) samePosition(a, b provider.Position) bool {
	return a.SystemDeviceID == b.SystemDeviceID &&
		tol.sameTime(a.Time, b.Time) &&
		near(a.Latitude, b.Latitude, tol.Degrees) &&
		near(a.Longitude, b.Longitude, tol.Degrees) &&
		both(a.Heading, b.Heading, func(a, b float64) bool {
			return near(a, b, tol.Heading) || near(math.Abs(a-b), 360, tol.Heading)
		}) &&
		bothNear(a.SpeedKPH, b.SpeedKPH, tol.SpeedKPH) &&
		bothEqual(a.DriverID, b.DriverID) &&
		bothEqual(a.Ignition, b.Ignition) &&
		bothEqual(a.Auxiliary, b.Auxiliary) &&
		bothNear(a.OdometerMetres, b.OdometerMetres, tol.Metres)
}

func (tol Tolerance) sameTrip(a, b provider.Trip) bool {
	samePoint := func(a, b drover.Coordinate) bool {
		return near(a.Latitude, b.Latitude, tol.TripEndpoint) && near(a.Longitude, b.Longitude, tol.TripEndpoint)
	}
	return a.SystemDeviceID == b.SystemDeviceID &&
		a.SystemTripID == b.SystemTripID &&
		both(a.Start, b.Start, samePoint) &&
		both(a.End, b.End, samePoint) &&
		tol.sameTime(a.StartTime, b.StartTime) &&
		tol.sameTime(a.EndTime, b.EndTime) &&
		bothNear(a.DistanceMetres, b.DistanceMetres, tol.TripMetres) &&
		bothNear(a.DrivingSeconds, b.DrivingSeconds, tol.TripSeconds) &&
		bothNear(a.IdlingSeconds, b.IdlingSeconds, tol.TripSeconds) &&
		bothNear(a.AuxiliarySeconds, b.AuxiliarySeconds, tol.TripSeconds) &&
		bothEqual(a.DriverID, b.DriverID)
}

// sameTime wants UTC too: a record in another zone prints another text.
func (tol Tolerance) sameTime(a, b drover.Time) bool {
	return a.Sub(b.Time).Abs() <= tol.Time && a.Location() == time.UTC && b.Location() == time.UTC
}

// noise is what binary numbers may be off by without anyone's fault.
const noise = 1e-9

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance+noise }

// both reports whether two optional values are both unknown, or both known and
// the same.
func both[T any](a, b *T, same func(a, b T) bool) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return same(*a, *b)
}

func bothNear(a, b *float64, tolerance float64) bool {
	return both(a, b, func(a, b float64) bool { return near(a, b, tolerance) })
}

func bothEqual[T comparable](a, b *T) bool {
	return both(a, b, func(a, b T) bool { return a == b })
}
