package rfmstest

import (
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

// longest is more than any journey takes.
const longest = 12 * time.Hour

// events are the starts and ends of a vehicle's journeys, by the id of their
// sample.
type events struct {
	starts map[int64]bool
	ends   map[int64]sim.Trip
}

// eventsOf returns the events among samples, which are not empty.
func eventsOf(account *sim.Account, v sim.Vehicle, samples []sim.Sample) events {
	first, last := samples[0].Time.Time, samples[0].Time.Time
	for _, s := range samples {
		if s.Time.Before(first) {
			first = s.Time.Time
		}
		if s.Time.After(last) {
			last = s.Time.Time
		}
	}
	e := events{map[int64]bool{}, map[int64]sim.Trip{}}
	ended := first.Add(-longest)
	for _, t := range account.Trips(v, ended, last.Add(longest)) {
		e.starts[t.StartID], e.ends[t.EndID] = true, t
		ended = t.EndTime
	}
	if ended.Before(last) {
		e.addRunning(account.Positions(v, ended.Add(time.Second), last.Add(time.Second)))
	}
	return e
}

// addRunning finds the start of a journey that has not ended. It begins with the
// engine on and at a standstill; a first sample in motion shows that the start
// itself is still on its way.
func (e events) addRunning(samples []sim.Sample) {
	for _, s := range samples {
		if *s.Ignition {
			e.starts[s.ID] = *s.SpeedKPH == 0
			return
		}
	}
}

func (e events) report(v sim.Vehicle, s sim.Sample) Report {
	r := Report{Vehicle: v, Sample: s}
	if trip, ok := e.ends[s.ID]; ok {
		r.Event, r.Counters = End, counters(trip.StartTime)
		r.Counters.Driving += int64(trip.DrivingSeconds)
		r.Counters.Idling += int64(trip.IdlingSeconds)
		r.Counters.Auxiliary += int64(trip.AuxiliarySeconds)
	} else if e.starts[s.ID] {
		r.Event, r.Counters = Start, counters(s.Time.Time)
	}
	return r
}

// counters returns the totals at the start of a journey: whatever a journey adds
// is less than the time it takes, so that they never run backwards.
func counters(start time.Time) *Counters {
	since := start.Unix() - time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	return &Counters{Driving: since + 7_000_000, Idling: since + 3_000_000, Auxiliary: since + 1000}
}
