package sim

import (
	"math"
	"time"

	"github.com/drover-fleet/drover"
)

// usualDelay is how long a record is under way where a fleet has delays at all.
const usualDelay = 2 * time.Second

// extras are the optional values of one sample. They stand together, so that a
// sample costs no allocation for each of them.
type extras struct {
	heading, speed, odometer, started float64
	ignition, auxiliary               bool
}

// sampler appends the samples of one day within [lo, hi).
type sampler struct {
	fleet   *Fleet
	vehicle Vehicle
	plan    *plan
	lo, hi  int64
	out     []Sample
	extras  []extras
}

func (f *Fleet) appendDay(out []Sample, v Vehicle, day, lo, hi int64) []Sample {
	p := f.plan(v, day)
	s := sampler{fleet: f, vehicle: v, plan: p, lo: max(lo, p.start), hi: min(hi, p.end), out: out}
	from, metres, rest := p.start, 0.0, drover.Position{}
	rest.Latitude, rest.Longitude = round(v.depot.Latitude, 1e6), round(v.depot.Longitude, 1e6)
	heading := 0.0
	for i := range p.journeys {
		j := &p.journeys[i]
		s.park(from, j.start, rest, heading, metres)
		s.drive(j)
		from, metres = j.end+1, j.odometer+j.route.length
		var c drover.Coordinate
		c, heading, _ = j.route.at(j.route.length, 1)
		rest.Latitude, rest.Longitude = c.Latitude, c.Longitude
	}
	s.park(from, p.end, rest, heading, metres)
	return s.out
}

// park adds the heartbeats in [from, to).
func (s *sampler) park(from, to int64, at drover.Position, heading, metres float64) {
	beat := int64(s.fleet.opts.Heartbeat / time.Second)
	from, to = max(from, s.lo), min(to, s.hi)
	if beat <= 0 || from >= to {
		return
	}
	phase := s.vehicle.beat % beat
	for t := phase + beat*floorDiv(from-phase+beat-1, beat); t < to; t += beat {
		if (t-phase)/beat%6 != 0 && s.fleet.old(t) {
			continue
		}
		s.add(t, at, extras{heading: heading, odometer: metres, started: metres}, nil)
	}
}

// drive adds the samples of a journey: one at each interval from its start, and
// one at its end.
func (s *sampler) drive(j *journey) {
	if j.end < s.lo || j.start >= s.hi {
		return
	}
	step := int64(s.fleet.opts.Interval / time.Second)
	t := j.start
	if t < s.lo {
		t += (s.lo - t + step - 1) / step * step
	}
	hint, phase := 1, 0
	for ; t < j.end && t < s.hi; t += step {
		if (t-j.start)%s.fleet.step(t) != 0 {
			continue
		}
		for phase < len(j.phases)-1 && t >= j.phases[phase].start+j.phases[phase].length {
			phase++
		}
		hint = s.moving(j, phase, t, hint)
	}
	if j.end >= s.lo && j.end < s.hi {
		c, heading, _ := j.route.at(j.route.length, hint)
		s.add(j.end, drover.Position{Latitude: c.Latitude, Longitude: c.Longitude, DriverID: j.driver},
			extras{heading: heading, odometer: j.odometer + j.route.length, started: j.odometer}, j)
	}
}

// moving adds the sample at t, which lies in the given phase.
func (s *sampler) moving(j *journey, index int, t int64, hint int) int {
	x := extras{ignition: true}
	metres := 0.0
	switch p := &j.phases[index]; p.kind {
	case driving:
		done, speed := p.motion.at(float64(t - p.start))
		metres, x.speed = p.from+done, round(speed*3.6, 10)
	case idling, auxiliary:
		metres = j.reached(index)
		x.auxiliary = p.kind == auxiliary
	}
	c, heading, hint := j.route.at(metres, hint)
	x.heading, x.odometer, x.started = heading, j.odometer+metres, j.odometer
	s.add(t, drover.Position{Latitude: c.Latitude, Longitude: c.Longitude, DriverID: j.driver}, x, j)
	return hint
}

// reached returns the metres driven before a phase.
func (j *journey) reached(index int) float64 {
	switch {
	case index == 0:
		return 0
	case index == len(j.phases)-1:
		return j.route.length
	default:
		return j.phases[index+1].from
	}
}

func (s *sampler) add(t int64, p drover.Position, x extras, j *journey) {
	x.odometer = float64(s.plan.odometer) + math.Round(x.odometer)
	started := float64(s.plan.odometer) + math.Round(x.started)
	if len(s.extras) == cap(s.extras) {
		// Small at first: most windows that are asked for hold a few samples.
		s.extras = make([]extras, 0, min(max(8, 2*cap(s.extras)), 512))
	}
	s.extras = append(s.extras, x)
	kept := &s.extras[len(s.extras)-1]
	p.Time = drover.Time{Time: time.Unix(t, 0).UTC()}
	p.Heading, p.SpeedKPH, p.OdometerMetres = &kept.heading, &kept.speed, &kept.odometer
	p.Ignition, p.Auxiliary = &kept.ignition, &kept.auxiliary
	s.out = append(s.out, Sample{
		ID: s.vehicle.recordID(t), Received: s.fleet.received(t, j), Started: started, Robbed: s.fleet.robbed(s.vehicle, t, started), Position: p,
	})
}

// received returns when the vendor has the record of second t.
func (f *Fleet) received(t int64, j *journey) time.Time {
	at := time.Unix(t, 0).UTC()
	switch {
	case f.opts.Late == 0:
		return at
	case j != nil && t >= j.holdFrom && t < j.holdTo:
		return time.Unix(j.release, 0).UTC()
	default:
		return at.Add(usualDelay)
	}
}

func (f *Fleet) trip(v Vehicle, p *plan, j *journey) Trip {
	start, _, _ := j.route.at(0, 1)
	end, _, _ := j.route.at(j.route.length, 1)
	first := float64(p.odometer) + math.Round(j.odometer)
	return Trip{
		ID:               v.recordID(j.start),
		StartID:          v.recordID(j.start),
		EndID:            v.recordID(j.end),
		Start:            start,
		End:              end,
		StartTime:        time.Unix(j.start, 0).UTC(),
		EndTime:          time.Unix(j.end, 0).UTC(),
		StartOdometer:    first,
		DistanceMetres:   float64(p.odometer) + math.Round(j.odometer+j.route.length) - first,
		DrivingSeconds:   j.seconds(driving),
		IdlingSeconds:    j.seconds(idling),
		AuxiliarySeconds: j.seconds(auxiliary),
		DriverID:         j.driver,
		Received:         f.received(j.end, j),
	}
}

func (v Vehicle) recordID(t int64) int64 { return int64(v.Index+1)*10_000_000_000 + t }
