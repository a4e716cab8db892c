package sim

import (
	"math"
	"math/rand/v2"
)

const (
	daySeconds = 24 * 3600
	// epoch is 1 January 2020 in days since 1970: odometers count from there.
	epoch = 18262
)

// plan is what a vehicle does in one day of its own: journeys from its depot
// back to its depot. Times are seconds since 1970.
type plan struct {
	day        int64
	start, end int64
	odometer   int64 // at start, in metres
	journeys   []journey
}

// journey is one trip: phases without a gap from ignition on to ignition off.
type journey struct {
	start, end int64
	odometer   float64 // metres of the day before it
	route      route
	phases     []phase
	driver     *string
	// A stretch of records [holdFrom, holdTo) that arrives at release only.
	holdFrom, holdTo, release int64
}

type phaseKind int

const (
	driving phaseKind = iota
	idling
	auxiliary
)

// phase is a stretch of one kind; a driving one has a section of the route.
type phase struct {
	kind   phaseKind
	start  int64
	length int64 // seconds
	from   float64
	motion motion
}

// dayOf returns the number of v's day that holds the second t. A day starts at
// v's shift and lasts 24 hours.
func (v Vehicle) dayOf(t int64) int64 { return floorDiv(t-v.shift, daySeconds) }

// odometerAt returns the metres driven when v's day begins. It has a closed form,
// so that any day can be asked for without those before it: a fixed distance for
// each working day, and an offset that differs from day to day.
func (f *Fleet) odometerAt(v Vehicle, day int64) int64 {
	d := day - epoch
	if f.opts.Busy != nil {
		sums, round := f.distances(v), floorDiv(day, tours)
		return v.base + (round-f.opts.Busy.firstRound())*sums[tours] + sums[day-round*tours]
	}
	worked := d - floorDiv(d-v.restDay+6, 7)
	offset := mix(f.opts.Seed, uint64(v.Index), uint64(worked), 0x6f646f) % uint64(v.average/3)
	return v.base + worked*v.average + int64(offset)
}

// plan returns what v does in a day. A vendor is asked for the same days over and
// over, and a plan costs more than the samples of an hour: the last ones are kept,
// each in the place of the day before yesterday's.
func (f *Fleet) plan(v Vehicle, day int64) *plan {
	if f.plans == nil {
		return f.newPlan(v, day)
	}
	kept := &f.plans[2*v.Index+int(day&1)]
	p := kept.Load()
	if p == nil || p.day != day {
		p = f.newPlan(v, day)
		kept.Store(p)
	}
	return p
}

func (f *Fleet) newPlan(v Vehicle, day int64) *plan {
	start := day*daySeconds + v.shift
	p := &plan{day: day, start: start, end: start + daySeconds, odometer: f.odometerAt(v, day)}
	distance := float64(f.odometerAt(v, day+1) - p.odometer)
	if distance == 0 {
		return p
	}
	r := rand.New(rand.NewPCG(mix(f.opts.Seed, uint64(v.Index)), mix(uint64(day), 0x706c616e)))
	if f.opts.Busy != nil {
		p.journeys = f.workDay(v, day, start)
		p.man(v)
		return p
	}
	routes := newRoutes(r, v.depot, distance)
	at := start + 1800 + int64(r.IntN(7200))
	p.journeys = make([]journey, len(routes))
	for i := range routes {
		j := &p.journeys[i]
		*j = journey{start: at, route: routes[i]}
		j.addPhases(r)
		if late := int64(f.opts.Late.Seconds()); late > 3 {
			j.hold(r, late)
		}
		at = j.end + 720 + int64(r.IntN(1980))
	}
	p.man(v)
	return p
}

// man gives each journey its driver, and what was driven before it.
func (p *plan) man(v Vehicle) {
	var driven float64
	for i := range p.journeys {
		j := &p.journeys[i]
		j.odometer = driven
		driven += j.route.length
		if n := len(v.Drivers); n > 0 {
			turn := i
			if v.busy { // once a day
				turn = i * n / len(p.journeys)
			}
			j.driver = &v.Drivers[(int(p.day)+turn)%n]
		}
	}
}

// addPhases fills a journey: warming up, driving, perhaps waiting in traffic and
// driving on, perhaps work with the power take-off at the end.
func (j *journey) addPhases(r *rand.Rand) {
	j.end = j.start
	j.add(phase{kind: idling, length: 20 + int64(r.IntN(160))})
	section := j.route.length
	if r.IntN(3) > 0 {
		section *= 0.3 + 0.4*r.Float64()
	}
	j.addDriving(r, 0, section)
	if rest := j.route.length - section; rest > 0 {
		j.add(phase{kind: idling, length: 45 + int64(r.IntN(240))})
		j.addDriving(r, section, rest)
	}
	if r.IntN(2) > 0 {
		j.add(phase{kind: auxiliary, length: 240 + int64(r.IntN(600))})
	}
}

func (j *journey) addDriving(r *rand.Rand, from, length float64) {
	m := newMotion(length, 12+12*r.Float64())
	j.add(phase{kind: driving, length: m.seconds, from: from, motion: m})
}

func (j *journey) add(p phase) {
	p.start = j.end
	j.phases = append(j.phases, p)
	j.end += p.length
}

// hold keeps a stretch of every third journey back: as if the tracker had been
// without reception and sent what it stored only after what was new.
func (j *journey) hold(r *rand.Rand, late int64) {
	if r.IntN(3) > 0 {
		return
	}
	j.holdFrom = j.start + r.Int64N(j.end-j.start)
	j.holdTo = j.holdFrom + late/2
	j.release = j.holdFrom + late
}

// seconds returns the time spent in phases of a kind.
func (j *journey) seconds(kind phaseKind) float64 {
	var total int64
	for _, p := range j.phases {
		if p.kind == kind {
			total += p.length
		}
	}
	return float64(total)
}

// motion is how a section of a route is driven: speeding up, cruising with a
// gentle swing of the speed, and slowing down, in whole seconds.
type motion struct {
	seconds int64
	ramp    float64 // seconds of speeding up, and of slowing down
	cruise  float64 // metres a second
	swings  float64
	knots   []knot // of a busy vehicle's, instead of all the above but the seconds
}

const swing = 0.12 // of the cruising speed

func newMotion(length, speed float64) motion {
	ramp := min(20, length/speed/2)
	m := motion{ramp: ramp, seconds: int64(math.Ceil(length/speed + ramp))}
	m.cruise = length / (float64(m.seconds) - ramp)
	m.swings = max(1, math.Floor((float64(m.seconds)-2*ramp)/240))
	return m
}

// at returns the metres driven and the speed in metres a second after t seconds.
func (m *motion) at(t float64) (metres, speed float64) {
	if m.knots != nil {
		return m.along(t)
	}
	total := float64(m.seconds)
	switch {
	case t < m.ramp:
		return m.cruise * t * t / (2 * m.ramp), m.cruise * t / m.ramp
	case t > total-m.ramp:
		left := total - t
		return m.cruise*(total-m.ramp) - m.cruise*left*left/(2*m.ramp), m.cruise * left / m.ramp
	}
	frequency := 2 * math.Pi * m.swings / (total - 2*m.ramp)
	sin, cos := math.Sincos(frequency * (t - m.ramp))
	return m.cruise * (t - m.ramp/2 + swing*(1-cos)/frequency), m.cruise * (1 + swing*sin)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
