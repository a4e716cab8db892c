package arrival

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/drover-fleet/drover"
)

// codecVersion is the form in which journeys are stored.
const codecVersion = 1

// errVersion says that a stored journey has a form that this program does not
// know. It teaches nothing, and the next journeys take its place.
var errVersion = errors.New("a journey is stored in an unknown format")

// stored is a journey as it is stored. Numbers are whole, and those of a waypoint
// say by how much they differ from the one before.
type stored struct {
	Version int     `json:"v"`
	Way     []int32 `json:"way"` // latitude, longitude (1e-5 degrees), seconds left
	// Off are the outcomes: metres, thousandths of the two logarithms, the second
	// only where a router was asked.
	Off [][]int32 `json:"off,omitempty"`
}

const (
	degreeUnits = 1e5
	logUnits    = 1e3
)

// MarshalJSON writes a journey in some hundred bytes.
func (j Journey) MarshalJSON() ([]byte, error) {
	s := stored{Version: codecVersion}
	var last [3]int32
	for _, w := range j.Way {
		at := [3]int32{whole(w.Place.Latitude * degreeUnits), whole(w.Place.Longitude * degreeUnits), whole(w.Left)}
		s.Way = append(s.Way, at[0]-last[0], at[1]-last[1], at[2]-last[2])
		last = at
	}
	for _, o := range j.Outcomes {
		off := []int32{whole(o.Metres), whole(o.LogRatio * logUnits)}
		if o.LogRoute != nil {
			off = append(off, whole(*o.LogRoute*logUnits))
		}
		s.Off = append(s.Off, off)
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads a journey that MarshalJSON wrote.
func (j *Journey) UnmarshalJSON(text []byte) error {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("read a journey: %w", err)
	}
	if s.Version != codecVersion || len(s.Way)%3 != 0 {
		return errVersion
	}
	*j = Journey{}
	var at [3]int32
	for i := 0; i < len(s.Way); i += 3 {
		at = [3]int32{at[0] + s.Way[i], at[1] + s.Way[i+1], at[2] + s.Way[i+2]}
		j.Way = append(j.Way, Waypoint{
			Place: drover.Coordinate{Latitude: float64(at[0]) / degreeUnits, Longitude: float64(at[1]) / degreeUnits}, Left: float64(at[2]),
		})
	}
	for _, off := range s.Off {
		if len(off) < 2 {
			return errVersion
		}
		o := Outcome{Metres: float64(off[0]), LogRatio: float64(off[1]) / logUnits}
		if len(off) > 2 {
			o.LogRoute = new(float64(off[2]) / logUnits)
		}
		j.Outcomes = append(j.Outcomes, o)
	}
	return nil
}

func whole(v float64) int32 { return int32(math.Round(clamp(v, math.MinInt32, math.MaxInt32))) }
