package quality

import (
	"fmt"
	"maps"
	"math"
	"slices"
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
	places int64  // and their positions: those of one drive are alike
}

var distanceWords = map[string]string{"m": "metres", "km": "kilometres", "miles": "miles"}

func speeds(unit string) measure {
	return measure{
		name: drover.CheckSpeed, about: "The speeds", unit: unit, units: []string{"kmh", "mph", "knots", "ms"}, factor: drover.SpeedFactor,
		words: map[string]string{"kmh": "km/h", "mph": "miles per hour", "knots": "knots", "ms": "metres per second"}, field: "speed", least: 14, places: 50,
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
	// A ratio may be below 1 by more than above it, as logarithms: a road bends between
	// positions, so that a way is measured too short, hardly too long.
	below = 0.3
	above = 0.15
	// surely is by how many values, times the root of how many there are, the middle of many may lie beside the
	// middle of these: where the values are scattered to one side, so are the bounds.
	surely = 1.2
	// unitOff is how far speeds and distances may be off by themselves when a unit is
	// named, and unitNear how far from it at all.
	unitOff  = 0.03
	unitNear = 0.3
	// mostly, and seldom, are shares of the samples.
	mostly = 0.5
	seldom = 0.2
	never  = 0.1
)

// judgeRatio judges the ratios of what was measured to what was reported: near 1,
// near the ratio of two units, or neither. The middle of many is sure where those beside
// it are alike or there are enough of them.
func (f *Facts) judgeRatio(m measure, h Histogram) drover.QualityCheck {
	n := h.total()
	c := plausible(m.name, n)
	if n == 0 {
		return c
	}
	middle, spread := h.middle()
	ratio := math.Exp(middle)
	c.Measured, c.Unit = new(math.Round(ratio*100)/100), new("ratio")
	beside := min(0.5, surely/math.Sqrt(max(1, float64(n-m.least/2))))
	low, high := ratioStep*h.between(0.5-beside)-ratioStep/2, ratioStep*h.between(0.5+beside)+ratioStep/2
	switch {
	case n < m.least, m.places > f.Places:
		return c
	case h.quantile(never) == lastRatio, h.quantile(mostly) == lastRatio && n >= 3*m.least:
		c.Measured = nil
		return doubt(c, "%s stand still while the vehicles drive.", m.about)
	case h.quantile(mostly) == lastRatio, middle < 0 && share(f.Turned, f.Stretches) >= seldom:
		// Fixes that are wrong, or ways that no one knows.
		return c
	case low <= above && high >= -below:
		return verifiedIf(c, high <= above && low >= -below)
	}
	if unit := m.unitOf(middle, max(high-middle, middle-low)+spread/2+unitOff); unit != "" {
		c.Suggestion = new(fmt.Sprintf("%s=%s", m.field, unit))
		return doubt(c, "%s seem to be in %s but are read as %s: what is driven is %s times what they say.", m.about, m.words[unit],
			m.words[m.unit], digits(ratio))
	}
	return doubt(c, "%s do not agree with the distances between the positions: what is driven is mostly %s times what they say.", m.about,
		digits(ratio))
}

// middle returns the median of ratios and the distance of their quartiles, as logarithms.
func (h Histogram) middle() (median, spread float64) {
	return ratioStep * h.between(0.5), ratioStep * (h.between(0.75) - h.between(0.25))
}

// between returns the value below which a share q of the values lies, as if those of a
// bin were spread evenly over it.
func (h Histogram) between(q float64) float64 {
	need := q * float64(h.total())
	var seen float64
	for _, bin := range slices.Sorted(maps.Keys(h)) {
		n := float64(h[bin])
		if seen+n >= need {
			return float64(bin) - 0.5 + (need-seen)/n
		}
		seen += n
	}
	return 0
}

// digits prints a ratio with three digits that count, and never as a power of ten.
func digits(ratio float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(ratio, 'g', 3, 64), 64) // it was a number
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// unitOf names the unit that explains a ratio, where that is near enough and no other
// unit is possible.
func (m measure) unitOf(middle, unsure float64) (only string) {
	for _, unit := range m.units {
		off := math.Abs(math.Log(m.factor(unit)/m.factor(m.unit)) - middle)
		switch {
		case off > unsure:
		case only != "", unit == m.unit, off > unitNear:
			return ""
		default:
			only = unit
		}
	}
	return only
}
