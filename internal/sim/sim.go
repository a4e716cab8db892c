package sim

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
)

// Options describe a fleet. The zero value of a field takes its default.
type Options struct {
	Seed     uint64
	Vehicles int // default 10
	// Interval is the time between positions during a journey, in whole
	// seconds; default 30 s.
	Interval time.Duration
	// Heartbeat is the time between positions of a parked vehicle; default 30
	// minutes. Negative: a parked vehicle is silent.
	Heartbeat time.Duration
	// Late bounds how long a record may be under way. Zero: each record arrives
	// at its own time. Otherwise most arrive two seconds after it, and now and
	// then a stretch is held back and arrives after newer records.
	Late time.Duration
	// Shift is by how much later vehicles begin to work, in whole seconds: anyone who
	// wants a fleet that is under way now moves its day.
	Shift time.Duration
	// Busy is what makes a fleet to look at; nil makes none.
	Busy *Busy
}

// Fleet is a number of vehicles and all that they did since 1 January 2020.
type Fleet struct {
	opts     Options
	vehicles []Vehicle
	plans    []atomic.Pointer[plan] // two for each vehicle; none in a large fleet
	driven   []atomic.Pointer[[tours + 1]int64]
}

// keepsPlans is how many vehicles a fleet may have that keeps plans: one takes some
// ten kilobytes.
const keepsPlans = 1000

// New returns the fleet that opts describe.
func New(opts Options) *Fleet {
	if opts.Vehicles == 0 {
		opts.Vehicles = 10
	}
	if opts.Interval < time.Second {
		opts.Interval = 30 * time.Second
	}
	if opts.Heartbeat == 0 {
		opts.Heartbeat = 30 * time.Minute
	}
	f := &Fleet{opts: opts, vehicles: make([]Vehicle, opts.Vehicles)}
	for i := range f.vehicles {
		f.vehicles[i] = newVehicle(opts.Seed, i)
		if opts.Busy != nil {
			opts.Busy.employ(&f.vehicles[i], opts.Vehicles)
		}
		f.vehicles[i].shift = (f.vehicles[i].shift + int64(opts.Shift/time.Second)) % daySeconds
	}
	if opts.Busy != nil {
		f.driven = make([]atomic.Pointer[[tours + 1]int64], opts.Vehicles)
	}
	if opts.Vehicles <= keepsPlans {
		f.plans = make([]atomic.Pointer[plan], 2*opts.Vehicles)
	}
	return f
}

// Vehicles returns the whole fleet, in the order of the ids. The slice is the
// fleet's own: do not change it.
func (f *Fleet) Vehicles() []Vehicle { return f.vehicles }

// Sample is a position as the vehicle's tracker reported it. What the vehicle
// does not have, a driver while it is parked, say, is nil.
type Sample struct {
	// ID is unique over the fleet, grows with the time for one vehicle, and is
	// below 2^53.
	ID int64
	// Received is when the vendor has the record; never before its time.
	Received time.Time
	// Started is the odometer where the journey began; where the vehicle is parked, it is where it is.
	Started float64
	// Robbed reports that fuel was taken from the tank that the vehicle has now.
	Robbed bool
	drover.Position
}

// Trip is a journey: ignition on to ignition off. Driving, idling and auxiliary
// seconds add up to its duration.
type Trip struct {
	ID               int64 // unique over the fleet
	StartID, EndID   int64 // the samples it starts and ends with
	Start, End       drover.Coordinate
	StartTime        time.Time
	EndTime          time.Time
	StartOdometer    float64 // metres
	DistanceMetres   float64
	DrivingSeconds   float64
	IdlingSeconds    float64
	AuxiliarySeconds float64
	DriverID         *string
	Received         time.Time
}

// Positions returns the samples of v with a time in [from, to), oldest first.
func (f *Fleet) Positions(v Vehicle, from, to time.Time) []Sample {
	if !v.Active || !from.Before(to) {
		return nil
	}
	lo, hi := bounds(from, to)
	hi = min(hi, f.silentFrom(v))
	var out []Sample
	for day := v.dayOf(lo); day <= v.dayOf(hi-1); day++ {
		out = f.appendDay(out, v, day, lo, hi)
	}
	return out
}

// Arrived returns the samples of v that the vendor received in [from, to), in
// the order of arrival: what a vendor's own feed hands out.
func (f *Fleet) Arrived(v Vehicle, from, to time.Time) []Sample {
	var out []Sample
	for _, s := range f.Positions(v, from.Add(-f.maxDelay()), to) {
		if !s.Received.Before(from) && s.Received.Before(to) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Sample) int { return a.Received.Compare(b.Received) })
	return out
}

// At returns the newest sample of v at or before t; false where there is none
// in the ten days before.
func (f *Fleet) At(v Vehicle, t time.Time) (Sample, bool) {
	end := t.Truncate(time.Second).Add(time.Second)
	for back := time.Hour; back <= 10*24*time.Hour; back *= 3 {
		if found := f.Positions(v, end.Add(-back), end); len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return Sample{}, false
}

// Trips returns the journeys of v that end in [from, to), oldest first.
func (f *Fleet) Trips(v Vehicle, from, to time.Time) []Trip {
	if !v.Active || !from.Before(to) {
		return nil
	}
	lo, hi := bounds(from, to)
	hi = min(hi, f.silentFrom(v))
	var out []Trip
	for day := v.dayOf(lo); day <= v.dayOf(hi-1); day++ {
		p := f.plan(v, day)
		for i := range p.journeys {
			if j := &p.journeys[i]; j.end >= lo && j.end < hi {
				out = append(out, f.trip(v, p, j))
			}
		}
	}
	return out
}

// maxDelay bounds the time between a record's own time and its arrival.
func (f *Fleet) maxDelay() time.Duration {
	if f.opts.Late == 0 {
		return 0
	}
	return f.opts.Late + usualDelay
}

// bounds returns the seconds of a window; nothing happened before the epoch.
func bounds(from, to time.Time) (lo, hi int64) {
	return max(ceilSecond(from), epoch*daySeconds), ceilSecond(to)
}

// ceilSecond returns the first whole second at or after t: a half-open window
// over whole-second samples is the same with its bounds rounded up.
func ceilSecond(t time.Time) int64 {
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return s
}
