package traces

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// plantedBudget is the number of moving positions within which a mistake should be
// found.
const plantedBudget = 200

// cadences are the seconds between positions at which recordings are judged.
var cadences = []int{1, 5, 30, 120, 300, 600}

// mistake is one of a vendor, and the check that must find it.
type mistake struct {
	name, check string
	spoil       func(*drover.Position)
	suggestion  string // the only one that is right
	stands      bool   // shows only while a vehicle stands
}

var planted = []mistake{
	{"mph as km/h", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1/1.609344) }, "speed=mph", false},
	{"knots as km/h", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1/1.852) }, "speed=knots", false},
	{"m/s as km/h", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1/3.6) }, "speed=ms", false},
	{"km/h converted twice", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1.609344) }, "", false},
	{
		"local time as UTC", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(330 * time.Minute)) },
		"time_offset_minutes=330", false,
	},
	{
		"six hours behind", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(-6 * time.Hour)) },
		"time_offset_minutes=-360", false,
	},
	{"km as metres", drover.CheckOdometer, func(p *drover.Position) { scale(&p.OdometerMetres, 1.0/1000) }, "odometer=km", false},
	{
		"exchanged coordinates", drover.CheckCoordinates, func(p *drover.Position) { p.Latitude, p.Longitude = p.Longitude, p.Latitude },
		"coordinates=lon_lat", false,
	},
	{"ignition stuck off", drover.CheckIgnition, func(p *drover.Position) { p.Ignition = set(p.Ignition, false) }, "", false},
	{"ignition stuck on", drover.CheckIgnition, func(p *drover.Position) { p.Ignition = set(p.Ignition, true) }, "", true},
}

func scale(v **float64, by float64) {
	if *v != nil {
		*v = new(**v * by)
	}
}

func set(v *bool, to bool) *bool {
	if v == nil {
		return nil
	}
	return &to
}

// begins are the parts of a recording with whose begins it is judged again: who connects a vendor does so at any time.
const begins = 40

// quality looks for false alarms in the recordings as they are, begun at their begin and in the middle, and for mistakes
// that are planted in them, at each cadence that they can be thinned to.
func (r *report) quality(all []Trace) {
	for _, seconds := range cadences {
		some := thinned(all, seconds)
		if len(some) == 0 {
			continue
		}
		r.alarms("recordings", slices.Values(some), seconds)
		r.alarms("recordings begun in the middle", begun(all, seconds), seconds)
		for _, m := range planted {
			r.mistake(some, seconds, m)
		}
	}
}

// begun returns the recordings, thinned, as they are for someone who begins to read them in the middle.
func begun(all []Trace, seconds int) iter.Seq[Trace] {
	return func(yield func(Trace) bool) {
		for _, t := range all {
			for part := 1; part < begins; part++ {
				rest := Trace{fmt.Sprintf("%s from %d/%d", t.name, part, begins), t.Positions[part*len(t.Positions)/begins:]}
				for _, thin := range thinned([]Trace{rest}, seconds) {
					if !yield(thin) {
						return
					}
				}
			}
		}
	}
}

// alarms counts the recordings that are doubted though nothing is planted in them.
func (r *report) alarms(which string, all iter.Seq[Trace], seconds int) {
	alarms, judged := 0, 0
	for t := range all {
		judged++
		if j := judgeTrace(t, mistake{spoil: func(*drover.Position) {}}); j.found {
			alarms++
			r.progress(fmt.Sprintf("%s at %d s is doubted after %d moving positions: %s", t.name, seconds, j.moving, j.reason))
		}
	}
	r.table.Add(fmt.Sprintf("%s at %d s that are doubted", which, seconds), table.Thousands(float64(alarms)), "of",
		table.Thousands(float64(judged)), "", "0", table.Judge(alarms == 0))
}

// mistake plants one mistake in each recording that can show it.
func (r *report) mistake(all []Trace, seconds int, m mistake) {
	found, able, named, wrong, most := 0, 0, 0, 0, int64(0)
	for _, t := range all {
		if !measurable(t, m.check) || m.stands && !stands(t) {
			continue
		}
		j := judgeTrace(t, m)
		found, able = found+1, able+1
		switch {
		case !j.found:
			found--
			if j.moving < plantedBudget { // it ended too early
				able--
			}
			r.progress(fmt.Sprintf("%s at %d s: %s is not found in %d moving positions", t.name, seconds, m.name, j.moving))
			continue
		case j.suggestion == m.suggestion:
			named++
		case j.suggestion != "":
			r.progress(fmt.Sprintf("%s at %d s: %s is named %s", t.name, seconds, m.name, j.suggestion))
			wrong++
		}
		if j.moving > plantedBudget {
			r.progress(fmt.Sprintf("%s at %d s: %s is found after %d moving positions", t.name, seconds, m.name, j.moving))
		}
		most = max(most, j.moving)
	}
	if able == 0 {
		return
	}
	r.table.Add(fmt.Sprintf("  %s", m.name), fmt.Sprintf("%d, %d named, %d wrongly", found, named, wrong), "of those that can show it",
		table.Thousands(float64(able)),
		fmt.Sprintf("%d moving", most), fmt.Sprintf("<= %d moving", plantedBudget),
		table.Judge(found == able && most <= plantedBudget && wrong == 0))
}

// thinned leaves positions out, so that they are some seconds apart and more. What has
// hardly any to leave out is the same as at the cadence before.
func thinned(all []Trace, seconds int) []Trace {
	var out []Trace
	for _, t := range all {
		thin := Trace{name: t.name}
		for _, p := range t.Positions {
			if n := len(thin.Positions); n == 0 || p.Time.Sub(thin.Positions[n-1].Time.Time) >= time.Duration(seconds)*time.Second {
				thin.Positions = append(thin.Positions, p)
			}
		}
		const hardly = 0.95
		if seconds == cadences[0] || float64(len(thin.Positions)) < hardly*float64(len(t.Positions)) {
			out = append(out, thin)
		}
	}
	return out
}

// measurable reports whether a recording has what a check looks at.
func measurable(t Trace, check string) bool {
	if check == drover.CheckCoordinates {
		return mirrors(t)
	}
	return slices.ContainsFunc(t.Positions, func(p drover.Position) bool {
		switch check {
		case drover.CheckSpeed:
			return p.SpeedKPH != nil && *p.SpeedKPH > 0
		case drover.CheckOdometer:
			return p.OdometerMetres != nil
		case drover.CheckIgnition:
			return p.Ignition != nil
		}
		return true
	})
}

// mirrors reports whether exchanged coordinates change the ways of a recording by enough,
// beside how far its speeds are off by themselves, for a budget of moving positions to
// show it: one that drives along one street for hours cannot.
func mirrors(t Trace) bool {
	var o quality.Observer
	var total quality.Facts
	for _, p := range t.Positions {
		o.Observe([]quality.Fix{{Device: t.name, Position: &p}}, p.Time.Time, true)
		if total.Add(o.Take()); total.Moving >= plantedBudget {
			break
		}
	}
	m := total.Mirror
	off, exchanged := m[2]-m[1]*m[1]/m[0], m[4]-m[3]*m[3]/m[0]
	const pairs, evidence = 14, 7
	return m[0] >= pairs && (exchanged-off)/2 >= evidence*off/m[0]
}

// stands reports whether the vehicle stood for thirty hours and more before its moving positions were
// too many: some idle for nearly as long.
func stands(t Trace) bool {
	var o quality.Observer
	var total quality.Facts
	for _, p := range t.Positions {
		o.Observe([]quality.Fix{{Device: t.name, Position: &p}}, p.Time.Time, true)
		if total.Add(o.Take()); total.Moving >= plantedBudget {
			break
		}
	}
	return total.StoodOn+total.StoodOff >= 30*3600
}

// judged is what was found of a recording, and after how many moving positions.
type judged struct {
	found              bool
	moving             int64
	reason, suggestion string
}

// judgeTrace observes a recording position by position, as it would have arrived,
// until a check is doubtful: the one that is looked for, or any. What it suggests is read
// at the end of the budget, or when it is wrong.
func judgeTrace(t Trace, m mistake) judged {
	var total quality.Facts
	var o quality.Observer
	var j judged
	for i, p := range t.Positions {
		now := p.Time.Add(20 * time.Second)
		m.spoil(&p)
		o.Observe([]quality.Fix{{Device: t.name, Position: &p}}, now, true)
		const often = 20
		if i%often > 0 && i < len(t.Positions)-1 {
			continue
		}
		total.Add(o.Take())
		q := quality.Judge(total, quality.Reading(drover.Units{}, drover.Units{}, nil))
		for _, c := range q.Checks {
			if c.Verdict != drover.VerdictDoubtful || m.check != "" && c.Name != m.check {
				continue
			}
			if !j.found {
				j.found, j.moving, j.reason = true, total.Moving, *c.Reason
			}
			if j.suggestion = ""; c.Suggestion != nil {
				j.suggestion = *c.Suggestion
			}
		}
		if j.found && (total.Moving >= plantedBudget || j.suggestion != "" && j.suggestion != m.suggestion) {
			return j
		}
	}
	if !j.found {
		j.moving = total.Moving
	}
	return j
}
