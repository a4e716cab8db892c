package sim

import "time"

// LongestJourney is more than any journey lasts.
const LongestJourney = 6 * time.Hour

// Journeys returns the stretches of a vehicle's samples from ignition on to
// ignition off. One that is cut by the first sample begins there, and one that has
// no end goes to the last: what vendors find who look for trips in a window.
func Journeys(samples []Sample) [][]Sample {
	var runs [][]Sample
	start := -1
	for i, p := range samples {
		switch {
		case *p.Ignition && start < 0:
			start = i
		case !*p.Ignition && start >= 0:
			runs = append(runs, samples[start:i+1])
			start = -1
		}
	}
	if start >= 0 {
		runs = append(runs, samples[start:])
	}
	return runs
}

// UnderWay returns the samples that the vendor has of the journey of v that is not
// over, from its first; none where v is parked.
func (a *Account) UnderWay(v Vehicle) []Sample {
	newest, ok := a.Latest(v)
	if !ok || !*newest.Ignition {
		return nil
	}
	runs := Journeys(a.Positions(v, newest.Time.Add(-LongestJourney), newest.Time.Add(time.Second)))
	return runs[len(runs)-1]
}
