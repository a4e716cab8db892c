package quality

import (
	"fmt"
	"math"
	"strconv"

	"github.com/drover-fleet/drover"
)

// measure is a number that is held against the path.
type measure struct {
	name   string
	about  string // what it is, in words
	unit   string // what it is read as
	units  []string
	factor func(unit string) float64
	words  map[string]string
	field  string // of configuration.units
	least  int64  // samples before a verdict
}

var distanceWords = map[string]string{"m": "metres", "km": "kilometres", "miles": "miles"}

func speeds(unit string) measure {
	return measure{
		name: drover.CheckSpeed, about: "The speeds", unit: unit, units: []string{"kmh", "mph", "knots", "ms"}, factor: drover.SpeedFactor,
		words: map[string]string{"kmh": "km/h", "mph": "miles per hour", "knots": "knots", "ms": "metres per second"}, field: "speed", least: 20,
	}
}

func odometers(unit string) measure {
	return measure{
		name: drover.CheckOdometer, about: "The odometers", unit: unit, units: []string{"m", "km", "miles"}, factor: drover.DistanceFactor,
		words: distanceWords, field: "odometer", least: 5,
	}
}

func tripDistances(unit string) measure {
	m := odometers(unit)
	m.name, m.about, m.field = drover.CheckTrips, "The distances of trips", "trip_distance"
	return m
}

const (
	// agreeing is how far a ratio may be from 1, in steps of 5 %.
	agreeing = 4
	// mostly, and seldom, are shares of the samples.
	mostly = 0.5
	seldom = 0.2
	never  = 0.1
)

// judgeRatio judges the ratios of what was measured to what was reported: near 1,
// near the ratio of two units, or neither.
func (f *Facts) judgeRatio(m measure, h Histogram) drover.QualityCheck {
	n := h.total()
	c := plausible(m.name, n)
	if n == 0 {
		return c
	}
	peak := h.peak()
	ratio := ratioOf(peak)
	c.Measured, c.Unit = new(math.Round(ratio*100)/100), new("ratio")
	right := share(h.within(-agreeing, agreeing), n)
	around := share(h.within(peak-agreeing, peak+agreeing), n)
	switch {
	case n < m.least:
		return c
	case right >= seldom:
		return verifiedIf(c, right >= mostly)
	case peak == lastRatio && around >= mostly:
		c.Measured = nil
		return doubt(c, "%s stand still while the vehicles drive.", m.about)
	case around >= mostly && m.unitOf(ratio) != "":
		unit := m.unitOf(ratio)
		c.Suggestion = new(fmt.Sprintf("%s=%s", m.field, unit))
		return doubt(c, "%s seem to be in %s but are read as %s: what is driven is %s times what they say.", m.about, m.words[unit], m.words[m.unit], digits(ratio))
	case around >= mostly || n >= 3*m.least && right < never:
		return doubt(c, "%s do not agree with the distances between the positions: what is driven is mostly %s times what they say.", m.about, digits(ratio))
	}
	return c
}

// digits prints a ratio with three digits that count, and never as a power of ten.
func digits(ratio float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ratio, 'g', 3, 64), 64) // it was a number
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// unitNear is how far, as a logarithm, a ratio may be from that of two units.
const unitNear = 0.12

// unitOf names the unit that explains a ratio, the nearest where there are two.
func (m measure) unitOf(ratio float64) (best string) {
	nearest := unitNear
	for _, unit := range m.units {
		if d := math.Abs(math.Log(m.factor(unit) / m.factor(m.unit) / ratio)); unit != m.unit && d < nearest {
			best, nearest = unit, d
		}
	}
	return best
}
