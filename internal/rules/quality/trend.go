package quality

// Trend is how one number goes with another, by the sums that a straight line through
// them takes: their count, and those of x, y, x², xy and y².
type Trend [6]float64

// leastPairs are those before anything is said: of fewer, how far they lie beside a line is not known.
const leastPairs = 24

// alike is added to what is left beside the line: neighbouring stretches have much in
// common.
const alike = 0.02

// farthest bounds what a single pair may say.
const farthest = 1.0

func (t *Trend) add(x, y float64) {
	y = max(-farthest, min(y, farthest))
	t.merge(Trend{1, x, y, x * x, x * y, y * y})
}

func (t *Trend) merge(u Trend) {
	for i := range t {
		t[i] += u[i]
	}
}

func (t *Trend) halve() {
	for i := range t {
		t[i] /= 2
	}
}

// evidence says how much likelier, as a logarithm, it is that y grows as x does than
// that it does not at all.
func (t *Trend) evidence() float64 {
	n := t[0]
	if n < leastPairs {
		return 0
	}
	xx, xy, yy := t[3]-t[1]*t[1]/n, t[4]-t[1]*t[2]/n, t[5]-t[2]*t[2]/n
	if xx <= 0 {
		return 0
	}
	slope := xy / xx
	return (slope - 0.5) * xx / ((yy-slope*xy)/(n-2) + alike)
}
