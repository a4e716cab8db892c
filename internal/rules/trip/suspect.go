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
	Invalid    Reason = "invalid"      // no usable time, or a value that is not a number
	Jump       Reason = "jump"         // farther than any vehicle gets in the time
)

// A jump is faster than MaxJumpKPH and farther than a receiver drifts, MinJumpMetres:
// scatter over a short time looks as fast. From DoubtKPH on, a leg that no reported speed supports is
// believed once it does not come back.
const (
	MinJumpMetres = driftFactor * PlaceMetres
	maxJumpKPH    = 300.0
	doubtKPH      = 130.0
	// supportFactor is how many times the reported speed a leg may take.
	supportFactor = 1.5
	// witnesses are how many of speed, ignition and odometer must say that the vehicle
	// stood, and odometerStood the share of a leg up to which an odometer says so.
	witnesses     = 2
	odometerStood = 0.1
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

// belief is what the evidence says of a leg.
type belief uint8

const (
	believed belief = iota
	doubted         // as fast as few vehicles: the next position decides
	refuted         // no vehicle makes it in the time, or what it reports says that it stood
)

// judge weighs the evidence of a leg from one point to another. No leg is less to be believed
// for being shorter, so most of them need no more than a bound of their length.
func (l *limits) judge(from, to *point) belief {
	if l.judgeLength(from, to, geo.AtMostMetres(from.place(), to.place())) == believed {
		return believed
	}
	return l.judgeLength(from, to, from.metresTo(to))
}

func (l *limits) judgeLength(from, to *point, metres float64) belief {
	if metres <= MinJumpMetres {
		return believed
	}
	leg := to.At - from.At
	kph := geo.SpeedKPH(metres, seconds(leg))
	switch {
	case kph > maxJumpKPH:
		return refuted
	case leg >= l.gap:
		return believed // what happened in a hole, neither end knows
	case stood(from, to, metres):
		return refuted
	case kph > doubtKPH && kph > supportFactor*max(from.KPH, to.KPH):
		return doubted
	}
	return believed
}

func (l *limits) jumps(from, to *point) bool { return l.judge(from, to) == refuted }

// stood reports whether the vehicle says at both ends of a leg that it stands, by two of
// speed, ignition and odometer, and by none that it moves.
func stood(from, to *point, metres float64) bool {
	n := 0
	if from.has(hasSpeed) && to.has(hasSpeed) {
		if from.Mode == moving || to.Mode == moving {
			return false
		}
		n++
	}
	if from.has(hasIgnition) && to.has(hasIgnition) {
		if from.has(ignitionOn) || to.has(ignitionOn) {
			return false
		}
		n++
	}
	// One that was reset between them says nothing.
	if counted := to.Odo - from.Odo; from.has(hasOdometer) && to.has(hasOdometer) && counted >= 0 {
		if counted > odometerStood*metres {
			return false
		}
		n++
	}
	return n >= witnesses
}
