package wire

import (
	"math"
	"strconv"
	"strings"
)

// Gauge is what an instrument says: a number, or a number written as text, or a state.
// Whatever else there is, such as NOT_AVAILABLE, is not known, and never an error: an
// instrument that cannot say is no reason to lose the position that it comes with.
type Gauge string

// UnmarshalJSON reads anything.
func (g *Gauge) UnmarshalJSON(b []byte) error {
	text, err := scalar(b)
	if err != nil {
		text = ""
	}
	*g = Gauge(strings.TrimSpace(text))
	return nil
}

// Ptr returns the number, nil where it is none.
func (g Gauge) Ptr() *float64 {
	v, err := strconv.ParseFloat(string(g), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// State returns 1 or 0, nil where it is neither.
func (g Gauge) State() *float64 {
	switch strings.ToLower(string(g)) {
	case "true", "1", "on", "open":
		return new(1.0)
	case "false", "0", "off", "closed", "close":
		return new(0.0)
	}
	return nil
}
