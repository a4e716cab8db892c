// Package reading has the rules for readings: which values are plausible, where a counter
// restarts, which values are stored, and which of several series a device shows. Its functions are
// pure.
package reading

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
)

// Reasons for which a value is not believed.
const (
	// Range is a value that the thing measured cannot have.
	Range = "range"
	// Zero is a counter at zero that was not: trackers send it after they have started.
	Zero = "zero"
	// Backwards is a counter that has fallen, and Jump one that has grown by more than the
	// time allows. Two further values that go on from there confirm it.
	Backwards = "backwards"
	Jump      = "jump"
)

// confirming is how many values on one line begin a new segment of a counter: the first
// that left the old line, and two that follow it.
const confirming = 3

// Reach is how far apart values may be that are compared with each other. A counter that says
// something after a longer silence begins a line there: what it said before is no longer known
// where its history is judged.
const Reach = 31 * 24 * time.Hour

// kind is what is known of the values of a kind.
type kind struct {
	low, high float64 // what the thing measured can have
	// A counter grows by at most perSecond, and slack at any time.
	counter          bool
	perSecond, slack float64
	// resolution is the least change of a level that is kept at once.
	resolution float64
}

const (
	longLife = 100 * 365 * 24 * 3600 // seconds
	// A truck goes at most 200 km/h, and counters round to a kilometre.
	metresPerSecond, metresSlack = 200 / 3.6, 1000
	// A machine burns at most 200 litres an hour.
	litresPerSecond, litresSlack = 200.0 / 3600, 10
)

func kindOf(k drover.ReadingKind) kind {
	hours := kind{high: longLife, counter: true, perSecond: 1, slack: 60}
	percent := kind{high: 102, resolution: 1} // engine buses send up to 102
	switch k {
	case drover.ReadingOdometer:
		return kind{high: 1e10, counter: true, perSecond: metresPerSecond, slack: metresSlack}
	case drover.ReadingEngine, drover.ReadingIdle, drover.ReadingPTO:
		return hours
	case drover.ReadingFuelUsed:
		return kind{high: 1e8, counter: true, perSecond: litresPerSecond, slack: litresSlack}
	case drover.ReadingFuelPercent, drover.ReadingDEF, drover.ReadingCharge:
		return percent
	case drover.ReadingFuelLitres:
		return kind{high: 10_000, resolution: 1}
	case drover.ReadingSupply:
		return kind{low: 6, high: 36, resolution: 0.5}
	case drover.ReadingCoolant:
		return kind{low: -50, high: 200, resolution: 2}
	case drover.ReadingAmbient:
		return kind{low: -60, high: 70, resolution: 1}
	case drover.ReadingProbe:
		return kind{low: -60, high: 100, resolution: 0.5}
	case drover.ReadingDoor, drover.ReadingPTOActive:
		return kind{high: 1, resolution: 1}
	}
	return kind{low: math.Inf(-1), high: math.Inf(1)}
}

// Counter reports whether a kind is a counter, whose values are compared with each other.
func Counter(k drover.ReadingKind) bool { return kindOf(k).counter }

// Value is one value of a series.
type Value = drover.ReadingValue

// follows reports whether b can come after a on one line of a counter.
func (k kind) follows(a, b Value) bool {
	elapsed := float64(b.At-a.At) / 1000
	return b.Value >= a.Value && b.Value-a.Value <= k.perSecond*elapsed+k.slack
}

func (k kind) impossible(v float64) bool {
	return math.IsNaN(v) || v < k.low || v > k.high
}

// Fold is what is known of a series after its values up to now, oldest first.
type Fold struct {
	// Last is the newest value that is believed.
	Last *Value
	// Doubt are the values of a counter after it that left its line and lie on one of
	// their own.
	Doubt []Value
	// Segment numbers the lines of a counter: differences are taken within one alone.
	Segment int
}

// Judge says of a value whether it is believed: an empty reason. Where it confirms a new
// line of a counter, confirmed is how many values before it are believed with it, of
// which the first begins the segment.
func (f *Fold) Judge(of drover.ReadingKind, v Value) (suspect string, confirmed int) {
	k := kindOf(of)
	switch {
	case k.impossible(v.Value):
		return Range, 0
	case !k.counter, f.Last == nil:
		f.Last = &v
		return "", 0
	case v.Value == 0 && f.Last.Value > 0:
		return Zero, 0
	case k.follows(*f.Last, v):
		f.Last, f.Doubt = &v, nil
		return "", 0
	case v.At-f.Last.At > Reach.Milliseconds():
		f.Last, f.Doubt = &v, nil
		f.Segment++
		return "", 0
	}
	if n := len(f.Doubt); n == 0 || !k.follows(f.Doubt[n-1], v) {
		f.Doubt = nil
	}
	if f.Doubt = append(f.Doubt, v); len(f.Doubt) == confirming {
		f.Last, f.Doubt = &v, nil
		f.Segment++
		return "", confirming - 1
	}
	if v.Value < f.Last.Value {
		return Backwards, 0
	}
	return Jump, 0
}

// How often a value is kept that says nothing new.
const (
	counterMoving = 5 * time.Minute
	counterStill  = time.Hour
	levelSteady   = 15 * time.Minute
)

// Keep reports whether a value is worth a place in the history after the one that was
// kept last, which is no younger: a vendor may send a value a second, which nothing
// needs. A counter that leaves its line is kept in any case.
func Keep(of drover.ReadingKind, last, v Value) bool {
	k, elapsed := kindOf(of), time.Duration(v.At-last.At)*time.Millisecond
	if k.counter {
		return elapsed >= counterStill || v.Value != last.Value && (elapsed >= counterMoving || !k.follows(last, v))
	}
	return elapsed >= levelSteady || math.Abs(v.Value-last.Value) >= k.resolution && v.Value != last.Value
}

// Shown is a value as the interface shows it: engine buses send up to 102 percent.
func Shown(of drover.ReadingKind, v float64) float64 {
	percent := of == drover.ReadingFuelPercent || of == drover.ReadingDEF || of == drover.ReadingCharge
	if percent && v > 100 && v <= kindOf(of).high {
		return 100
	}
	return v
}

// silent is for how long a better series may be silent, while another one goes on,
// before that one takes its place.
const silent = 7 * 24 * time.Hour

// Rank orders the sources by how much they are believed, the best first.
func Rank(s drover.ReadingSource) int {
	switch s {
	case drover.SourceVehicle:
		return 0
	case drover.SourceSensor:
		return 1
	case drover.SourcePlatform:
		return 2
	case drover.SourceTracker:
		return 3
	}
	return 4
}

// Candidate is the newest value of one of several series of a kind and channel.
type Candidate struct {
	Source  drover.ReadingSource
	At      int64
	Suspect bool // nothing of it was ever believed
}

// Best chooses the series that a device shows: the one of the best source, among those
// that are not silent. Of two of a source it is the first, so that they do not take turns.
func Best(series []Candidate) int {
	newest := int64(math.MinInt64)
	for _, s := range series {
		if !s.Suspect {
			newest = max(newest, s.At)
		}
	}
	best := 0
	for i, s := range series[1:] {
		if s.better(series[best], newest) {
			best = i + 1
		}
	}
	return best
}

func (c Candidate) better(than Candidate, newest int64) bool {
	if c.Suspect != than.Suspect {
		return than.Suspect
	}
	if a, b := c.silent(newest), than.silent(newest); a != b {
		return b
	}
	return Rank(c.Source) < Rank(than.Source)
}

func (c Candidate) silent(newest int64) bool {
	return newest-c.At > silent.Milliseconds()
}
