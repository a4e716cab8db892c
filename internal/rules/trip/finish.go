package trip

import (
	"math"

	"github.com/drover-fleet/drover"
)

// finish ends the trip under way at the anchor. It completes no trip where there
// was none, or where all there was is scatter of the receiver. Decided is the time of
// the position that shows the end; zero where its absence does.
func (f *fold) finish(step *Step, why Cause, decided int64) {
	j, open := f.Trip, f.Open
	f.Trip, f.Open, f.Closed = journey{}, false, false
	switch {
	case !open:
	case j.travelled(&f.Anchor, f.under().minTrip):
		step.Trip, step.Completed = j.derived(&f.Anchor), true
		step.Trip.Why.Ended = why
		step.Trip.Why.note(f.under())
		if decided != 0 {
			step.Trip.Why.DecidedAt = new(drover.Milli(decided))
		}
	case j.Closed:
		step.Dissolved = drover.Milli(j.Start.At)
	default:
		step.Moved = step.Moved || j.Far > StopMetres
	}
}

// travelled tells a journey and scatter apart: it got away from where it started, and
// where it came back it is more than one stray position. Where nothing but places shows
// it, they must show more: no speed among several, and it is none; with few of them, or on a
// way back to where it began, it got far away.
func (j *journey) travelled(end *point, metres float64) bool {
	home := j.Start.metresTo(end) < metres
	switch {
	case end.At == j.Start.At, j.Far < metres, home && j.Moves < minRoundTripMoves:
		return false
	case j.witnessed(end, metres):
		return true
	case j.Has&hasSpeed != 0:
		return j.Rows < ConfirmPositions && j.Far >= unwitnessed*metres
	}
	return !home || j.Far >= unwitnessed*metres
}

// unwitnessed is how many times as far a trip gets that nothing but places shows.
const unwitnessed = 6

// witnessed reports whether more than the places says that the vehicle drove: a speed,
// slow work for half of the time, or an odometer.
func (j *journey) witnessed(end *point, metres float64) bool {
	return j.Fast || 2*j.Working >= end.At-j.Start.At ||
		j.Start.has(hasOdometer) && end.has(hasOdometer) && end.Odo-j.Start.Odo >= metres
}

// DerivedPrefix begins the SystemTripID of every derived trip.
const DerivedPrefix = "derived-"

func (j *journey) derived(end *point) Derived {
	start := drover.Milli(j.Start.At)
	d := Derived{
		SystemTripID:   DerivedPrefix + start.String(),
		Start:          j.Start.place(),
		End:            end.place(),
		StartTime:      start,
		EndTime:        drover.Milli(end.At),
		DistanceMetres: math.Round(j.distance(end)*10) / 10,
		DrivingSeconds: seconds(j.Driving),
		Why: Why{
			Began:        j.Why,
			UnseenMetres: math.Round(j.Unseen.Metres*10) / 10, OdometerMetres: math.Round(j.Unseen.Odometer*10) / 10,
			UnseenSeconds: seconds(j.Unseen.Millis), WorkingSeconds: seconds(j.Working),
		},
	}
	d.HasDriver = j.Has&hasDriver != 0
	if j.Has&hasIgnition != 0 {
		idling := seconds(j.Parts.Idling)
		d.IdlingSeconds = &idling
	}
	if j.Has&hasAuxiliary != 0 {
		auxiliary := seconds(j.Parts.Auxiliary)
		d.AuxiliarySeconds = &auxiliary
	}
	return d
}

// An odometer is trusted up to this many times the length of the legs, and some
// more: legs cut corners, but not that many.
const (
	maxOdometerFactor = 2.0
	maxOdometerSlack  = 1000.0
)

// distance is the odometer's where both ends have it and it is plausible, else
// the length of the legs between anchors.
func (j *journey) distance(end *point) float64 {
	driven, counted := way(&j.Start, end)
	if counted && driven <= maxOdometerFactor*j.Metres+maxOdometerSlack {
		return driven
	}
	return j.Metres
}
