package milestone

import (
	"time"

	"github.com/drover-fleet/drover"
)

const (
	// lateAfter and lateShare are by how much an arrival is later than the deadline
	// until the milestone is late: so many minutes, or this share of the time that
	// remains where that is more. Predictions are off by more than a tenth of it, and
	// positions come a few minutes after their time.
	lateAfter = 5 * time.Minute
	lateShare = 0.1
	// lookAgain is how soon a milestone that has not started is looked at again, at
	// the earliest.
	lookAgain = 5 * time.Minute
)

// Lateness is an arrival against the deadline of a milestone, which is its end_time.
type Lateness struct {
	// ETA, P10 and P90 are predicted; nil where nothing is. After the arrival ETA is
	// the real one, and alone.
	ETA, P10, P90 *drover.Time
	// By is by how much it is later than the deadline; below zero where it is earlier.
	By time.Duration
	// Late is what is to be reported. It changes where the arrival is clearly later, and
	// back where it is no longer later at all, so that predictions that waver around
	// either bound report nothing.
	Late bool
}

// Lateness judges the arrival of a milestone. It is false for one without a deadline,
// and for one that ended without an arrival.
func (v View) Lateness() (Lateness, bool) {
	end := v.Milestone.EndTime
	ended := v.State.Status == drover.TripEnded
	if end == nil || ended && v.ArrivedAt == nil {
		return Lateness{}, false
	}
	out := Lateness{Late: v.State.Late}
	at := v.Now
	switch {
	case ended:
		out.ETA = v.ArrivedAt
	case !TimedOut(v.Latest, v.Now, v.Config.Timeout):
		p := v.Predict()
		out.ETA, out.P10, out.P90 = &p.P50, &p.P10, &p.P90
	}
	if out.ETA != nil {
		at = out.ETA.Time
	}
	out.By = at.Sub(end.Time)
	margin := max(lateAfter, time.Duration(lateShare*float64(at.Sub(v.Now))))
	switch {
	case out.By >= margin:
		out.Late = true
	case out.By <= 0 && out.ETA != nil:
		out.Late = false
	}
	return out, true
}

// Again says when lateness is to be looked at again, for a milestone that is not looked
// at for another reason: when half of the time that it has to spare is over, and at the
// latest when it is late whatever comes. It is false once that has been.
func (l Lateness) Again(v View) (drover.Time, bool) {
	certain := v.Milestone.EndTime.Add(lateAfter)
	if !v.Now.Before(certain) {
		return drover.Time{}, false
	}
	next := v.Now.Add(max(lookAgain, -l.By/2))
	if next.After(certain) {
		next = certain
	}
	return drover.At(next), true
}
