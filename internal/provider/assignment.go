package provider

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
)

// Assignment is what a vendor states of who drove one of its devices.
type Assignment struct {
	SystemDeviceID string
	// ID is what the vendor knows it by, among those of the device. One that the vendor gives
	// no id has what tells it from others; the driver is no part of that, and may be erased.
	ID string
	// DriverID is the DriverID of positions and trips; nil for a change after which no one drives.
	DriverID *string
	Method   drover.AssignmentMethod
	From     drover.Time
	To       *drover.Time // nil while it goes on, and where the next change ends it
}

// Assignments says how a vendor states who drove.
type Assignments struct {
	Besides
	// Changes says that each statement is a change of drivers, which ends with the next one of
	// the device.
	Changes bool
}

// Asked is how they take calls of their own; nil where there is none.
func (a *Assignments) Asked() *Besides {
	if a == nil {
		return nil
	}
	return &a.Besides
}

// AssignmentReader is a Provider whose vendor states who drove. It goes with Info.Assignments.
type AssignmentReader interface {
	Provider

	// Assignments returns one page of what is stated, with the rules of live positions. What the
	// vendor changes later comes again. What it takes back is known by Page.Whole. Where the
	// account may not read them, it returns the vendor's refusal.
	Assignments(ctx context.Context, q Query) (Page[Assignment], error)
}

// Span is the time from From to To, which is not part of it.
type Span struct{ From, To time.Time }
