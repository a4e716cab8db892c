// Package quality judges the data of a connection by themselves: the speed that a
// vendor reports against the distance driven in the time, the odometer against
// the path, the heading against the course. A wrong unit, a wrong time zone or
// exchanged coordinates show as a factor, an offset or a mirrored course, without
// anything to compare with outside of the data.
//
// It is pure. Observer makes Facts of positions, Facts of several stretches of
// time are added, and Judge finds the verdict. Facts are counts in few bins, so
// that they stay small whatever the number of positions.
package quality

import (
	"maps"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
)

// Histogram counts values in numbered bins.
type Histogram map[int]int64

func (h Histogram) total() (n int64) {
	for _, c := range h {
		n += c
	}
	return n
}

// within counts the bins from lo to hi, both included.
func (h Histogram) within(lo, hi int) (n int64) {
	for bin, c := range h {
		if bin >= lo && bin <= hi {
			n += c
		}
	}
	return n
}

// quantile returns the bin below which a share q of the values lies.
func (h Histogram) quantile(q float64) int {
	need := int64(math.Ceil(q * float64(h.total())))
	var seen int64
	bins := slices.Sorted(maps.Keys(h))
	for _, bin := range bins {
		if seen += h[bin]; seen >= need {
			return bin
		}
	}
	return 0
}

// peak returns the middle of the three neighbouring bins with the most values. It
// does not move with a tail on one side, as a mean or a median does: between two
// fixes a road bends, so that distances are measured too short, never too long.
func (h Histogram) peak() int {
	best, most := 0, int64(-1)
	for _, bin := range slices.Sorted(maps.Keys(h)) {
		if n := h[bin-1] + h[bin] + h[bin+1]; n > most {
			best, most = bin, n
		}
	}
	return best
}

// Facts are what was measured of a connection's data.
type Facts struct {
	Since     drover.Time `json:"since,omitzero"`
	Positions int64       `json:"positions,omitempty"`
	Moving    int64       `json:"moving,omitempty"`
	Repeated  int64       `json:"repeated,omitempty"`
	Late      int64       `json:"late,omitempty"`
	// Outside are positions whose latitude is none, but would be a longitude.
	Outside int64 `json:"outside,omitempty"`
	// Shared are moving positions that another device has at the same second.
	Shared int64 `json:"shared,omitempty"`

	// Ratios in steps of 5 %: measured by the path to what the vendor reports.
	Speed    Histogram `json:"speed,omitempty"`
	Odometer Histogram `json:"odometer,omitempty"`
	Trips    Histogram `json:"trips,omitempty"`
	// Angles from the course to the heading, in steps of 10 degrees.
	Heading Histogram `json:"heading,omitempty"`
	// North are those whose heading is exactly 0 at both ends.
	North int64 `json:"north,omitempty"`
	// The same with latitude and longitude exchanged.
	HeadingExchanged Histogram `json:"heading_exchanged,omitempty"`
	Mirror           Mirror    `json:"mirror,omitzero"`
	// Stretches are what was measured, and Turned those within which the vehicle turned.
	Stretches int64 `json:"stretches,omitempty"`
	Turned    int64 `json:"turned,omitempty"`
	// Places are the positions of stretches that have a place of their own.
	Places int64 `json:"places,omitempty"`
	// Age of moving positions at their arrival, in steps of five minutes.
	Age Histogram `json:"age,omitempty"`
	// Latency of all new ones, and how far the vendor's clock is ahead, by size.
	Latency Histogram `json:"latency,omitempty"`
	Clock   Histogram `json:"clock,omitempty"`

	// Legs that were driven, and seconds that were stood, by the ignition.
	DrivenOn  int64 `json:"driven_on,omitempty"`
	DrivenOff int64 `json:"driven_off,omitempty"`
	StoodOn   int64 `json:"stood_on,omitempty"`
	StoodOff  int64 `json:"stood_off,omitempty"`

	// Fields are the positions that have a field, by its name.
	Fields map[string]int64 `json:"fields,omitempty"`
}

// enough is how many moving positions are remembered: past that, what is old
// counts half, so that a vendor who changes is noticed. Of ages and clocks recent are:
// a clock can change from one minute to the next, and few of them show it.
const (
	enough = 5000
	recent = 100
)

// Add merges what was measured later into f.
func (f *Facts) Add(g Facts) {
	if f.Since.IsZero() {
		f.Since = g.Since
	}
	for i, n := range g.numbers() {
		*f.numbers()[i] += *n
	}
	for i, h := range g.histograms() {
		merge(f.histograms()[i], *h)
	}
	merge(&f.Fields, g.Fields)
	f.Mirror.merge(g.Mirror)
	if f.Moving > enough || f.Positions > 20*enough {
		f.fade()
	}
	for _, h := range []Histogram{f.Age, f.Clock} {
		for h.total() > recent {
			halve(h)
		}
	}
}

// Clone returns facts that share nothing with f.
func (f *Facts) Clone() Facts {
	c := *f
	for _, h := range c.histograms() {
		*h = maps.Clone(*h)
	}
	c.Fields = maps.Clone(c.Fields)
	return c
}

// fade halves everything.
func (f *Facts) fade() {
	for _, n := range f.numbers() {
		*n /= 2
	}
	for _, h := range f.histograms() {
		halve(*h)
	}
	halve(f.Fields)
	f.Mirror.halve()
}

func halve[K comparable](m map[K]int64) {
	for k, n := range m {
		if n < 2 {
			delete(m, k)
			continue
		}
		m[k] = n / 2
	}
}

func merge[K comparable, M ~map[K]int64](to *M, from M) {
	if *to == nil && len(from) > 0 {
		*to = M{}
	}
	for k, n := range from {
		(*to)[k] += n
	}
}

func (f *Facts) numbers() []*int64 {
	return []*int64{
		&f.Positions, &f.Moving, &f.Repeated, &f.Late, &f.Outside, &f.Shared, &f.North, &f.Stretches, &f.Turned, &f.Places,
		&f.DrivenOn, &f.DrivenOff, &f.StoodOn, &f.StoodOff,
	}
}

func (f *Facts) histograms() []*Histogram {
	return []*Histogram{&f.Speed, &f.Odometer, &f.Trips, &f.Heading, &f.HeadingExchanged, &f.Age, &f.Latency, &f.Clock}
}

func count(h *Histogram, bin int) {
	if *h == nil {
		*h = Histogram{}
	}
	(*h)[bin]++
}

const (
	ratioStep = 0.05 // of the logarithm
	// lastRatio is a factor of 3,000 and more.
	lastRatio = 160
	sizeStep  = 0.1
	angleStep = 10
	ageStep   = 5 * 60 // seconds
	lastAge   = 14 * 12
)

// ratioBin is the bin of a ratio of two numbers that are not negative.
func ratioBin(measured, reported float64) int {
	if reported <= 0 {
		return lastRatio
	}
	bin := math.Round(math.Log(max(0, measured)/reported) / ratioStep)
	return int(max(-lastRatio, min(bin, lastRatio)))
}

// sizeBin is the bin of a number of seconds, finer where it is small.
func sizeBin(seconds float64) int {
	return int(math.Copysign(math.Round(math.Log1p(math.Abs(seconds))/sizeStep), seconds))
}

func sizeOf(bin int) float64 {
	size := math.Expm1(math.Abs(float64(bin)) * sizeStep)
	return math.Copysign(math.Round(size*10)/10, float64(bin))
}

func ageBin(seconds float64) int {
	return int(max(-lastAge, min(math.Round(seconds/ageStep), lastAge)))
}
