package trip

import (
	"fmt"
	"slices"

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
	causeJump           // it was seen elsewhere, and there is no telling how it came
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
		return fmt.Errorf("%q is no cause of a trip's start or end", text)
	}
	*c = Cause(i) //nolint:gosec // there are seven
	return nil
}

// Why tells why a derived trip is as it is.
type Why struct {
	Began Cause `json:"began"`
	Ended Cause `json:"ended"`
	// DecidedAt is the time of the position that showed the end; nil where it was
	// that there was none.
	DecidedAt *drover.Time `json:"decided_at"`
	// EstimatedMetres and EstimatedSeconds were driven through holes in the
	// reports, of which the ends alone are known.
	EstimatedMetres  float64 `json:"estimated_metres"`
	EstimatedSeconds float64 `json:"estimated_seconds"`
}
