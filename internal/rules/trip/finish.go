package trip

import (
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
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
	}
}

// travelled tells a journey and scatter apart: it got away from where it started, and
// where it came back it is more than one stray position.
func (j *journey) travelled(end *point, metres float64) bool {
	return end.At > j.Start.At && j.Far >= metres &&
		(j.Moves >= minRoundTripMoves || j.Start.metresTo(end) >= metres)
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
		Why:            Why{Began: j.Why, EstimatedMetres: math.Round(j.Holes.Metres*10) / 10, EstimatedSeconds: seconds(j.Holes.Millis)},
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
	if !j.Start.has(hasOdometer) || !end.has(hasOdometer) {
		return j.Metres
	}
	driven := end.Odo - j.Start.Odo
	tooShort := driven < j.Start.metresTo(end)*(1-ShortfallShare)-ShortfallMetres || driven <= 0
	tooLong := driven > maxOdometerFactor*j.Metres+maxOdometerSlack ||
		geo.SpeedKPH(driven, seconds(end.At-j.Start.At)) > MaxTripKPH
	if tooShort || tooLong {
		return j.Metres
	}
	return driven
}
