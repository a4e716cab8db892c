package trip

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
)

// Cause is why a derived trip began or ended.
type Cause uint8

// The causes.
const (
	causeNone     Cause = iota
	causeIgnition       // the ignition went on, or an auxiliary started
	causeMovement       // the vehicle was seen to have moved
	causeStop           // it stood with nothing running
	causeIdle           // it stood with something running
	causeSilence        // it reported nothing, and was not under way at both ends of that
	causeJump           // it was seen elsewhere, and how it came there is not known
)

func causeNames() []string {
	return []string{"", "ignition", "movement", "stop", "idle", "hole", "jump"}
}

// String returns the name by which a cause is known.
func (c Cause) String() string { return causeNames()[c] }

// MarshalText writes the name.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name.
func (c *Cause) UnmarshalText(text []byte) error {
	i := slices.Index(causeNames(), string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a cause of a trip's start or end", text)
	}
	*c = Cause(i) //nolint:gosec // there are seven
	return nil
}

// Why says why a derived trip is as it is.
type Why struct {
	Began Cause `json:"began"`
	Ended Cause `json:"ended"`
	// DecidedAt is the time of the position that showed the end; nil where it was
	// that there was none.
	DecidedAt *drover.Time `json:"decided_at"`
	// UnseenMetres and UnseenSeconds were driven through holes in the reports, of which
	// the ends alone are known. OdometerMetres of them an odometer counted; the others
	// are straight lines.
	UnseenMetres   float64 `json:"estimated_metres"`
	UnseenSeconds  float64 `json:"estimated_seconds"`
	OdometerMetres float64 `json:"odometer_metres,omitzero"`
	// WorkingSeconds of the driving were slow work.
	WorkingSeconds float64 `json:"working_seconds,omitzero"`
	// StopMinutes, IdleMinutes, GapMinutes and MovingKPH are the rules that the trip was
	// derived by; zero for those of DefaultRules.
	StopMinutes float64 `json:"stop_minutes,omitzero"`
	IdleMinutes float64 `json:"idle_minutes,omitzero"`
	GapMinutes  float64 `json:"gap_minutes,omitzero"`
	MovingKPH   float64 `json:"moving_kph,omitzero"`
}

// note keeps the rules that are not the default ones.
func (w *Why) note(l *limits) {
	if l == usual {
		return
	}
	w.StopMinutes, w.IdleMinutes, w.GapMinutes = minutes(l.stopAfter), minutes(l.idleAfter), minutes(l.gap)
	w.MovingKPH = l.moving
}

func minutes(milli int64) float64 { return seconds(milli) / 60 }

// Gap is the silence that ended the trip, or would have.
func (w Why) Gap() time.Duration {
	return time.Duration(cmp.Or(w.GapMinutes, Gap.Minutes()) * float64(time.Minute))
}

// Equal reports whether both are the same.
func (w Why) Equal(o Why) bool {
	if (w.DecidedAt == nil) != (o.DecidedAt == nil) || w.DecidedAt != nil && !w.DecidedAt.Equal(o.DecidedAt.Time) {
		return false
	}
	w.DecidedAt, o.DecidedAt = nil, nil
	return w == o
}

// Decision is a rule that begins or ends trips, in words and with its threshold.
type Decision struct {
	Cause string
	Words string
	Value float64
	Unit  string // empty where the rule has no threshold
}

// Start is the rule by which the trip began.
func (w Why) Start() Decision {
	switch w.Began {
	case causeIgnition:
		return Decision{Cause: w.Began.String(), Words: "the ignition went on, or an auxiliary started, in a vehicle that stood"}
	case causeMovement:
		return Decision{w.Began.String(), "the vehicle was seen to move at this speed, or outside of its place; the trip begins at the last position before", cmp.Or(w.MovingKPH, MovingKPH), "km/h"}
	case causeSilence:
		return Decision{
			w.Began.String(), "it is the first position after a silence of this length that the vehicle did not drive through",
			w.Gap().Minutes(), "minutes",
		}
	case causeJump:
		return Decision{w.Began.String(), "it is the position at which so many in a row agreed on another place", ConfirmPositions, "positions"}
	case causeNone, causeStop, causeIdle:
	}
	return unknown()
}

// End is the rule by which the trip ended.
func (w Why) End() Decision {
	switch w.Ended {
	case causeStop:
		return Decision{w.Ended.String(), "the vehicle stood in one place for this time with nothing running; the trip ends at the first position of the stop", cmp.Or(w.StopMinutes, stopAfter.Minutes()), "minutes"}
	case causeIdle:
		return Decision{w.Ended.String(), "the vehicle stood in one place for this time with the engine or an auxiliary on; the trip ends at the first position of the stop", cmp.Or(w.IdleMinutes, idleAfter.Minutes()), "minutes"}
	case causeSilence:
		return Decision{
			w.Ended.String(), "nothing was reported for this time, and the vehicle was not under way at both ends of it",
			w.Gap().Minutes(), "minutes",
		}
	case causeJump:
		return Decision{
			w.Ended.String(), "so many positions in a row agreed on another place that the vehicle cannot have driven to",
			ConfirmPositions, "positions",
		}
	case causeNone, causeIgnition, causeMovement:
	}
	return unknown()
}

func unknown() Decision {
	return Decision{Cause: "unknown", Words: "the trip was derived by an earlier version of the rules, and its positions are no longer kept"}
}

// Vendor is the decision of a trip that the provider reported.
func Vendor() Decision {
	return Decision{Cause: "vendor", Words: "the provider reported the trip"}
}
