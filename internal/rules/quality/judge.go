package quality

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// Context is what Judge must know besides the facts.
type Context struct {
	// Speed, Odometer and TripDistance are the units that the numbers are read as.
	Speed, Odometer, TripDistance string
	// Assumed are sentences by the name of a check: what the adapter takes for
	// granted.
	Assumed map[string]string
	// Devices are those of the connection that are active, and Brief those that the
	// vendor listed for less than two days.
	Devices, Brief int
}

// BriefListing is how short a device must have been listed to count as brief.
const BriefListing = 48 * time.Hour

// Reading is the context of a connection whose adapter reads numbers in the units
// assumed, unless a person has set others.
func Reading(assumed, set drover.Units, notes map[string]string) Context {
	unit := func(fallback string, of ...*string) string {
		for _, u := range of {
			if u != nil {
				return *u
			}
		}
		return fallback
	}
	return Context{
		Speed: unit("kmh", set.Speed, assumed.Speed), Odometer: unit("m", set.Odometer, assumed.Odometer),
		TripDistance: unit("m", set.TripDistance, assumed.TripDistance), Assumed: notes,
	}
}

// Judge finds the verdict of facts.
func Judge(f Facts, c Context) drover.ConnectionQuality {
	coordinates := f.judgeCoordinates()
	checks := []drover.QualityCheck{
		f.judgeRatio(speeds(c.Speed), f.Speed),
		f.judgeRatio(odometers(c.Odometer), f.Odometer),
		f.judgeHeading(),
		f.judgeRatio(tripDistances(c.TripDistance), f.Trips),
		f.judgeTime(),
		f.judgeClock(),
		f.judgeIgnition(),
		coordinates,
		judgeIDs(c),
		f.judgeSharing(),
	}
	q := drover.ConnectionQuality{
		Positions: f.Positions, Moving: f.Moving, Repeated: f.Repeated, Late: f.Late, Coverage: map[string]int{},
		Latency: f.latency(),
	}
	if !f.Since.IsZero() {
		q.Since = &f.Since
	}
	for name, n := range f.Fields {
		q.Coverage[name] = int(math.Round(100 * share(n, f.Positions)))
	}
	for i := range checks {
		check := &checks[i]
		if coordinates.Verdict == drover.VerdictDoubtful && (check.Name == drover.CheckSpeed || check.Name == drover.CheckHeading) {
			// What is measured on a mirrored map says nothing.
			*check = plausible(check.Name, check.Samples)
		}
		if note, ok := c.Assumed[check.Name]; ok && check.Verdict == drover.VerdictPlausible {
			check.Assumed = &note
		}
	}
	q.Checks = checks
	q.Verdict, q.Reason = sumUp(checks)
	return q
}

// sumUp makes one verdict of all: doubtful where one is, verified where the times
// are and what was driven agrees.
func sumUp(checks []drover.QualityCheck) (drover.Verdict, *string) {
	verified := map[string]bool{}
	var reasons []string
	for _, c := range checks {
		verified[c.Name] = c.Verdict == drover.VerdictVerified
		if c.Verdict == drover.VerdictDoubtful {
			reasons = append(reasons, *c.Reason)
		}
	}
	switch {
	case len(reasons) > 0:
		return drover.VerdictDoubtful, new(strings.Join(reasons, " "))
	case verified[drover.CheckTime] && (verified[drover.CheckSpeed] || verified[drover.CheckOdometer]):
		return drover.VerdictVerified, nil
	}
	return drover.VerdictPlausible, nil
}

func plausible(name string, samples int64) drover.QualityCheck {
	return drover.QualityCheck{Name: name, Verdict: drover.VerdictPlausible, Samples: samples}
}

func doubt(c drover.QualityCheck, format string, args ...any) drover.QualityCheck {
	c.Verdict, c.Reason = drover.VerdictDoubtful, new(fmt.Sprintf(format, args...))
	return c
}

func verifiedIf(c drover.QualityCheck, yes bool) drover.QualityCheck {
	if yes {
		c.Verdict = drover.VerdictVerified
	}
	return c
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

func (f *Facts) latency() (l drover.QualityLatency) {
	if len(f.Latency) > 0 {
		l.P50Seconds, l.P95Seconds = new(sizeOf(f.Latency.quantile(0.5))), new(sizeOf(f.Latency.quantile(0.95)))
	}
	return l
}
