package trip

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// Reason says why a position is not accepted.
type Reason string

// The reasons.
const (
	OutOfRange Reason = "out_of_range" // no place on earth
	NoFix      Reason = "no_fix"       // at 0/0
	Future     Reason = "future"       // more than five minutes ahead of the present
	Invalid    Reason = "invalid"      // no usable time, or a number that is none
	Jump       Reason = "jump"         // farther than any vehicle gets in the time
)

// A jump is faster than MaxJumpKPH over more than MinJumpMetres. Below that
// distance scatter of the receiver over a short time looks as fast.
const (
	MaxJumpKPH    = 300.0
	MinJumpMetres = 150.0
)

// earliestMilli is 2000-01-01: receivers that lost their clock report the
// beginning of their own calendar, which is 1970 or 1980.
const earliestMilli = 946_684_800_000

// Suspect judges a position by itself when it arrives; one that is suspect takes
// no part in the fold. Jumps depend on the neighbours, and neighbours on what has
// arrived, so they are found by the fold over the sorted positions instead, and
// their marks change with what arrives: Absorb says which.
func Suspect(p drover.Position, now time.Time) (Reason, bool) {
	switch {
	case p.Time.UnixMilli() < earliestMilli || notNumber(p.SpeedKPH) || notNumber(p.Heading) || notNumber(p.OdometerMetres):
		return Invalid, true
	case !p.Point().Valid():
		return OutOfRange, true
	case geo.NullIsland(p.Point()):
		return NoFix, true
	case p.Time.After(now.Add(FutureTolerance)):
		return Future, true
	}
	return "", false
}

func notNumber(v *float64) bool {
	return v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0))
}

// jumpDegrees is a difference in both degrees below which two points are surely
// less than MinJumpMetres apart, which spares most positions the trigonometry.
const jumpDegrees = 0.0009

// jumps reports whether no vehicle gets from one point to the other in the time
// between them.
func jumps(from, to *point) bool {
	if math.Abs(to.Lat-from.Lat) < jumpDegrees && math.Abs(to.Lon-from.Lon) < jumpDegrees {
		return false
	}
	metres := geo.DistanceMetres(from.place(), to.place())
	return metres > MinJumpMetres && geo.SpeedKPH(metres, seconds(to.At-from.At)) > MaxJumpKPH
}
