package quality

import "math"

// Mirror is how well speeds agree with the ways on the map as it is, and on the one with latitude and
// longitude exchanged: how many ways were compared; of both maps the sum of how far they are off, as
// logarithms, and that of the squares; and how much likelier the exchanged map is, way by way.
type Mirror [6]float64

const (
	// leastPairs are those before anything is said: neighbouring stretches have much in common.
	leastPairs = 40
	// alike is added to how far the better map is off, in the mean of the squares.
	alike = 0.02
	// A fix may be wrong, so bounds are set to what a single way may say: to how far off it is on the better map, and
	// to how much farther on the other.
	farthest  = 0.8
	mostApart = 0.5
	// near is how far off a way commonly is: the farther off it is on both maps, the less it says.
	near = 0.3
)

func (m *Mirror) add(off, exchanged float64) {
	apart := bounded(exchanged-off, mostApart)
	if math.Abs(off) < math.Abs(exchanged) {
		off = bounded(off, farthest)
		exchanged = off + apart
	} else {
		exchanged = bounded(exchanged, farthest)
		off = exchanged - apart
	}
	likelier := math.Log((near*near + off*off) / (near*near + exchanged*exchanged))
	m.merge(Mirror{1, off, off * off, exchanged, exchanged * exchanged, likelier})
}

func bounded(v, most float64) float64 { return max(-most, min(v, most)) }

func (m *Mirror) merge(o Mirror) {
	for i := range m {
		m[i] += o[i]
	}
}

func (m *Mirror) halve() {
	for i := range m {
		m[i] /= 2
	}
}

// evidence says how much likelier, as a logarithm, the exchanged map is: by how far the speeds are off at all, and by how
// far from their own mean, for their unit may be wrong. It returns the lesser of both first.
func (m *Mirror) evidence() (least, most float64) {
	if m[0] < leastPairs {
		return 0, 0
	}
	likelier, mean := m[5], m.byMean()
	return min(likelier, mean), max(likelier, mean)
}

func (m *Mirror) byMean() float64 {
	n := m[0]
	is, exchanged := m[2]-m[1]*m[1]/n, m[4]-m[3]*m[3]/n
	return (is - exchanged) / 2 / (min(is, exchanged)/n + alike)
}
