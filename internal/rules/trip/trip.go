// Package trip holds the rules for trips, as pure functions: which faults make
// a trip invalid, which positions cannot be accepted, and how trips are derived
// from positions where a provider has none.
//
// The derivation is a fold over a device's positions in the order of their
// times. Positions are unique by device and time, so they form a set, and the
// trips are a function of that set: in which order, how often and in which
// batches positions arrive does not matter. docs/motion.md has the rule.
package trip

import (
	"github.com/drover-fleet/drover"
)

// Facts are what a trip is judged by, whether a provider reported it or it was
// derived. What is not known is nil.
type Facts struct {
	Start            *drover.Coordinate
	End              *drover.Coordinate
	StartTime        drover.Time
	EndTime          drover.Time
	DistanceMetres   *float64
	DrivingSeconds   *float64
	IdlingSeconds    *float64
	AuxiliarySeconds *float64
}

// Span is a stretch of time. The end is not part of it.
type Span struct {
	From drover.Time
	To   drover.Time
}

// overlaps reports whether the spans share any time. Spans that only touch do not.
func (s Span) overlaps(o Span) bool {
	return s.From.Before(o.To.Time) && o.From.Before(s.To.Time)
}

// Derived is a finished trip that was derived from positions.
type Derived struct {
	// SystemTripID takes the place of a provider's id. It follows from the start
	// time alone, so it is unique for a device.
	SystemTripID     string
	Start            drover.Coordinate
	End              drover.Coordinate
	StartTime        drover.Time
	EndTime          drover.Time
	DistanceMetres   float64
	DrivingSeconds   float64
	IdlingSeconds    *float64 // nil where no position reported the ignition
	AuxiliarySeconds *float64 // nil where no position reported the auxiliary
	Why              Why
	// HasDriver says that positions name a driver. Who drove is not part of the fold,
	// which has no texts: anyone who has the positions sets DriverID by Driver.
	HasDriver bool
	DriverID  *string
}

// Facts returns what the catalogue judges.
func (d Derived) Facts() Facts {
	return Facts{
		Start: &d.Start, End: &d.End, StartTime: d.StartTime, EndTime: d.EndTime,
		DistanceMetres: &d.DistanceMetres, DrivingSeconds: &d.DrivingSeconds,
		IdlingSeconds: d.IdlingSeconds, AuxiliarySeconds: d.AuxiliarySeconds,
	}
}

// Span returns the time from the trip's start to its end.
func (d Derived) Span() Span { return Span{From: d.StartTime, To: d.EndTime} }

// Equal reports whether both trips are the same.
func (d Derived) Equal(o Derived) bool {
	return d.SystemTripID == o.SystemTripID && d.Start == o.Start && d.End == o.End &&
		d.StartTime.Equal(o.StartTime.Time) && d.EndTime.Equal(o.EndTime.Time) &&
		d.DistanceMetres == o.DistanceMetres && d.DrivingSeconds == o.DrivingSeconds &&
		sameValue(d.IdlingSeconds, o.IdlingSeconds) && sameValue(d.AuxiliarySeconds, o.AuxiliarySeconds) && d.Why.Equal(o.Why) &&
		sameValue(d.DriverID, o.DriverID)
}

func sameValue[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
