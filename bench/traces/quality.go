package traces

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// plantedBudget is the number of moving positions within which a mistake should be
// found.
const plantedBudget = 200

// planted are mistakes of a vendor, by the check that must find them.
var planted = []struct {
	name, check string
	spoil       func(*drover.Position)
	stands      bool // shows only while a vehicle stands
}{
	{"mph as km/h", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1/1.609344) }, false},
	{"knots as km/h", drover.CheckSpeed, func(p *drover.Position) { scale(&p.SpeedKPH, 1/1.852) }, false},
	{"local time as UTC", drover.CheckTime, func(p *drover.Position) { p.Time = drover.At(p.Time.Add(330 * time.Minute)) }, false},
	{"km as metres", drover.CheckOdometer, func(p *drover.Position) { scale(&p.OdometerMetres, 1.0/1000) }, false},
	{"exchanged coordinates", drover.CheckCoordinates, func(p *drover.Position) { p.Latitude, p.Longitude = p.Longitude, p.Latitude }, false},
	{"ignition stuck off", drover.CheckIgnition, func(p *drover.Position) { p.Ignition = set(p.Ignition, false) }, false},
	{"ignition stuck on", drover.CheckIgnition, func(p *drover.Position) { p.Ignition = set(p.Ignition, true) }, true},
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

// quality looks for false alarms in the recordings as they are, and for
// mistakes that are planted in them.
func (r *report) quality(all []Trace) {
	alarms := 0
	for _, t := range all {
		if _, doubts, reason := judgeTrace(t, func(*drover.Position) {}, ""); len(doubts) > 0 {
			alarms++
			r.progress(fmt.Sprintf("%s is doubted: %s", t.name, reason))
		}
	}
	r.table.Add("recordings that are doubted", table.Thousands(float64(alarms)), "target", "0", "", "0", table.Judge(alarms == 0))
	for _, m := range planted {
		found, able, most := 0, 0, int64(0)
		for _, t := range all {
			if !measurable(t, m.check) || m.stands && !stands(t) {
				continue
			}
			able++
			if moving, doubts, _ := judgeTrace(t, m.spoil, m.check); slices.Contains(doubts, m.check) {
				found++
				most = max(most, moving)
			} else {
				r.progress(fmt.Sprintf("%s: %s is not found", t.name, m.name))
			}
		}
		name := fmt.Sprintf("%s, found in recordings", m.name)
		r.table.Add(name, table.Thousands(float64(found)), "that can show it", table.Thousands(float64(able)), fmt.Sprintf("%d moving", most), fmt.Sprintf("<= %d moving", plantedBudget), table.Judge(found == able && most <= plantedBudget))
	}
}

// measurable reports whether a recording has what a check looks at.
func measurable(t Trace, check string) bool {
	return slices.ContainsFunc(t.Positions, func(p drover.Position) bool {
		switch check {
		case drover.CheckSpeed, drover.CheckCoordinates:
			return p.SpeedKPH != nil && *p.SpeedKPH > 0
		case drover.CheckOdometer:
			return p.OdometerMetres != nil
		case drover.CheckIgnition:
			return p.Ignition != nil
		}
		return true
	})
}

// stands reports whether the vehicle stood for three hours and more, three times
// and more, before its moving positions were too many.
func stands(t Trace) bool {
	var o quality.Observer
	for _, p := range t.Positions {
		o.Observe([]quality.Fix{{Device: t.name, Position: &p}}, p.Time.Time, true)
		if f := o.Facts(); f.Moving > plantedBudget {
			break
		}
	}
	f := o.Facts()
	return f.Stands >= 3 && f.StoodOn+f.StoodOff >= 3*3600
}

// judgeTrace observes a recording position by position, as it would have arrived,
// until a check is doubtful: the one that is looked for, or any. It returns after
// how many moving positions that was.
func judgeTrace(t Trace, spoil func(*drover.Position), check string) (moving int64, doubts []string, reason string) {
	var total quality.Facts
	var o quality.Observer
	for i, p := range t.Positions {
		now := p.Time.Add(20 * time.Second)
		spoil(&p)
		o.Observe([]quality.Fix{{Device: t.name, Position: &p}}, now, true)
		if i%50 > 0 && i < len(t.Positions)-1 {
			continue
		}
		total.Add(o.Take())
		q := quality.Judge(total, quality.Reading(drover.Units{}, drover.Units{}, nil))
		var names []string
		for _, c := range q.Checks {
			if c.Verdict == drover.VerdictDoubtful {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 && (check == "" || slices.Contains(names, check)) {
			return total.Moving, names, strings.TrimSpace(*q.Reason)
		}
	}
	return total.Moving, nil, ""
}
