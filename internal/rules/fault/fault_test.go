package fault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at is some minutes after noon.
func at(minutes int) drover.Time { return drover.At(noon.Add(time.Duration(minutes) * time.Minute)) }

// code is a fault by its code alone.
func code(text string) fault.Said { return fault.Said{Protocol: drover.FaultOBD, Code: text} }

// stated is a record of the provider's own.
func stated(id string, status drover.FaultStatus, first, last int) fault.Said {
	s := code("P1")
	s.ID, s.Status, s.First, s.Last = id, status, at(first), at(last)
	return s
}

func listed(minutes int, codes ...string) fault.Report {
	r := fault.Report{At: at(minutes), Form: fault.Listed}
	for _, c := range codes {
		r.Faults = append(r.Faults, code(c))
	}
	return r
}

func reported(minutes int, form fault.Form, said ...fault.Said) fault.Report {
	return fault.Report{At: at(minutes), Form: form, Faults: said}
}

// keep is what a database does with changes.
func keep(stored []fault.Record, changes []fault.Change) []fault.Record {
	for _, c := range changes {
		if c.New {
			c.ID = fmt.Sprint(len(stored))
			stored = append(stored, c.Record)
			continue
		}
		stored[slices.IndexFunc(stored, func(r fault.Record) bool { return r.ID == c.ID })] = c.Record
	}
	return stored
}

// show writes what is stored: code, first and last time in minutes, state, and how it ended.
func show(stored []fault.Record) []string {
	minutes := func(t drover.Time) int { return int(t.Sub(noon).Minutes()) }
	var out []string
	for _, r := range stored {
		text := fmt.Sprintf("%s %d-%d %s", r.Code, minutes(r.FirstSeenAt), minutes(r.LastSeenAt), r.Status)
		if r.ClosedAt != nil {
			text += fmt.Sprintf(" at %d by %s", minutes(*r.ClosedAt), *r.ClosedBy)
		}
		out = append(out, text)
	}
	return out
}

// TestReports applies reports one after the other, as pages of their own and again within one
// page: what is stored is the same.
func TestReports(t *testing.T) {
	t.Parallel()
	offP1 := code("P1")
	offP1.Status = drover.FaultClosed
	unit := int64(3)
	otherUnit := code("P1")
	otherUnit.SourceAddress = &unit
	pending := code("P1")
	pending.Status = drover.FaultPending
	for name, c := range map[string]struct {
		reports []fault.Report
		want    []string
		events  string // + opened, - closed
	}{
		"a list opens and its absence closes": {
			[]fault.Report{listed(0, "P1", "P2"), listed(20, "P2"), listed(40)},
			[]string{"P1 0-0 closed at 20 by absence", "P2 0-20 closed at 40 by absence"},
			"++--",
		},
		"the same list again":      {[]fault.Report{listed(0, "P1"), listed(0, "P1"), listed(5, "P1")}, []string{"P1 0-0 open"}, "+"},
		"seen again after a while": {[]fault.Report{listed(0, "P1"), listed(15, "P1")}, []string{"P1 0-15 open"}, "+"},
		"a code twice in one list": {[]fault.Report{listed(0, "P1", "P1")}, []string{"P1 0-0 open"}, "+"},
		"a late list":              {[]fault.Report{listed(30, "P1"), listed(0), listed(10, "P2")}, []string{"P1 30-30 open"}, "+"},
		"it comes back": {
			[]fault.Report{listed(0, "P1"), listed(20), listed(40, "P1")},
			[]string{"P1 0-0 closed at 20 by absence", "P1 40-40 open"},
			"+-+",
		},
		"an empty list": {[]fault.Report{listed(0)}, nil, ""},
		"two control units": {
			[]fault.Report{reported(0, fault.Listed, code("P1"), otherUnit), listed(20, "P1")},
			[]string{"P1 0-20 open", "P1 0-0 closed at 20 by absence"},
			"++-",
		},
		"pending, then confirmed": {
			[]fault.Report{reported(0, fault.Listed, pending), listed(1, "P1")}, []string{"P1 0-0 open"}, "+",
		},
		"observations": {
			[]fault.Report{reported(0, fault.Observed, code("P1")), reported(60, fault.Observed, code("P1")), reported(60, fault.Observed, code("P2"))},
			[]string{"P1 0-60 open", "P2 60-60 open"},
			"++",
		},
		"an observation that it is over": {
			[]fault.Report{reported(0, fault.Observed, code("P1")), reported(30, fault.Observed, offP1), reported(10, fault.Observed, code("P1"))},
			[]string{"P1 0-0 closed at 30 by vendor"},
			"+-",
		},
		"over before it was known": {[]fault.Report{reported(0, fault.Stated, offP1)}, nil, ""},
		"a record of the provider": {
			[]fault.Report{
				reported(60, fault.Stated, stated("7", drover.FaultOpen, 0, 50)),
				reported(90, fault.Stated, stated("7", drover.FaultClosed, 0, 70)),
			},
			[]string{"P1 0-70 closed at 70 by vendor"},
			"+-",
		},
		"a record that was closed when it came": {
			[]fault.Report{reported(60, fault.Stated, stated("7", drover.FaultClosed, 0, 50))},
			[]string{"P1 0-50 closed at 50 by vendor"},
			"",
		},
		"a record that is open again": {
			[]fault.Report{
				reported(60, fault.Stated, stated("7", drover.FaultClosed, 0, 50)),
				reported(90, fault.Stated, stated("7", drover.FaultOpen, 0, 80)),
				reported(90, fault.Stated, stated("7", drover.FaultOpen, 0, 50)), // an old page
			},
			[]string{"P1 0-80 open"},
			"+",
		},
		"two records of one code": {
			[]fault.Report{reported(60, fault.Stated, stated("7", drover.FaultOpen, 0, 50), stated("8", drover.FaultOpen, 10, 50))},
			[]string{"P1 0-50 open", "P1 10-50 open"},
			"++",
		},
		"times that cannot be": {
			[]fault.Report{reported(60, fault.Stated, stated("7", drover.FaultOpen, 55, 50))}, []string{"P1 50-50 open"}, "+",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stored []fault.Record
			var events strings.Builder
			for _, r := range c.reports {
				d := fault.Of(stored)
				d.Apply(r)
				d.Apply(r) // nothing is doubled
				for _, change := range d.Changes() {
					if change.Opened {
						events.WriteString("+")
					}
					if change.Ended {
						events.WriteString("-")
					}
				}
				stored = keep(stored, d.Changes())
			}
			if diff := cmp.Diff(c.want, show(stored)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if events.String() != c.events {
				t.Errorf("events %q, want %q", events.String(), c.events)
			}
			whole := fault.Of(nil)
			for _, r := range c.reports {
				whole.Apply(r)
			}
			if diff := cmp.Diff(c.want, show(keep(nil, whole.Changes()))); diff != "" {
				t.Errorf("in one page (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBoundOfFaults has a list of 50,000 codes: some are kept, and the next list closes none of
// those that it still has.
func TestBoundOfFaults(t *testing.T) {
	t.Parallel()
	var codes []string
	for i := range 50_000 {
		codes = append(codes, fmt.Sprint("P", i))
	}
	d := fault.Of(nil)
	d.Apply(listed(0, codes...))
	stored := keep(nil, d.Changes())
	if len(stored) != fault.MaxOpen || d.Dropped != 50_000-fault.MaxOpen {
		t.Errorf("%d kept, %d dropped", len(stored), d.Dropped)
	}
	slices.Reverse(codes)
	d = fault.Of(stored)
	d.Apply(listed(5, codes...))
	if changed := d.Changes(); len(changed) > 0 {
		t.Errorf("%d changes by the same list in another order", len(changed))
	}
}

// TestWhatIsSaid takes over what a later report says, and keeps what it does not say.
func TestWhatIsSaid(t *testing.T) {
	t.Parallel()
	first := code("P1")
	first.Description, first.Severity, first.Occurrences = new("words"), new(drover.FaultHigh), new(int64(1))
	first.Lamps, first.Quiet = []drover.Lamp{drover.LampAmber}, true
	d := fault.Of(nil)
	d.Apply(reported(0, fault.Listed, first))
	if c := d.Changes(); len(c) != 1 || !c[0].Quiet || !c[0].Opened {
		t.Errorf("%+v", c)
	}
	stored := keep(nil, d.Changes())
	second := code("P1")
	second.Occurrences = new(int64(2))
	d = fault.Of(stored)
	d.Apply(reported(1, fault.Listed, second))
	stored = keep(stored, d.Changes())
	got := stored[0]
	if *got.Description != "words" || *got.Severity != drover.FaultHigh || *got.Occurrences != 2 || got.Lamps == nil || len(got.Lamps) != 0 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		name    string
		change  func(*fault.Said)
		changes int
	}{
		{"nothing", func(*fault.Said) {}, 0},
		{"the same once more", func(s *fault.Said) { s.Description, s.Occurrences = new("words"), new(int64(2)) }, 0},
		{"other words", func(s *fault.Said) { s.Description = new("other words") }, 1},
		{"another number", func(s *fault.Said) { s.Occurrences = new(int64(3)) }, 1},
		{"a lamp", func(s *fault.Said) { s.Lamps = []drover.Lamp{drover.LampAmber} }, 1},
	} {
		third := code("P1")
		c.change(&third)
		d := fault.Of(stored)
		d.Apply(reported(2, fault.Listed, third))
		if got := d.Changes(); len(got) != c.changes || c.changes > 0 && len(got[0].Lamps) != len(third.Lamps) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestWhatIsSaidOfAClosedFault is taken over where it is the provider's own record, and not where a code
// is said to be over that is closed already.
func TestWhatIsSaidOfAClosedFault(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"7", ""} {
		said := stated(id, drover.FaultOpen, 0, 10)
		d := fault.Of(nil)
		d.Apply(reported(10, fault.Stated, said))
		said.Status = drover.FaultClosed
		d.Apply(reported(10, fault.Stated, said))
		stored := keep(nil, d.Changes())
		said.Description = new("words")
		d = fault.Of(stored)
		d.Apply(reported(20, fault.Stated, said))
		if got := d.Changes(); len(got) != len(id) || len(got) > 0 && *got[0].Description != "words" {
			t.Errorf("of the record %q: %+v", id, got)
		}
	}
}

// TestWhatSilenceEnds are faults that are observed, and those that may fade.
func TestWhatSilenceEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form        fault.Form
		fades, ends bool
	}{{fault.Observed, false, true}, {fault.Listed, false, false}, {fault.Listed, true, true}, {fault.Stated, false, false}} {
		r := reported(0, c.form, code("P1"))
		r.Fades = c.fades
		d := fault.Of(nil)
		d.Apply(r)
		if got := d.Changes(); len(got) != 1 || got[0].Observed != c.ends {
			t.Errorf("%v, fades %t: %+v", c.form, c.fades, got)
		}
	}
}

// TestBoundOfOpenFaults counts those that are open now: what has ended makes room, and what is open again takes it.
func TestBoundOfOpenFaults(t *testing.T) {
	t.Parallel()
	var codes, others []string
	for i := range fault.MaxOpen - 1 {
		codes, others = append(codes, fmt.Sprint("P", i)), append(others, fmt.Sprint("Q", i))
	}
	d := fault.Of(nil)
	d.Apply(listed(0, codes...))
	d.Apply(listed(4))
	d.Apply(listed(5, others...))
	if d.Dropped != 0 {
		t.Errorf("%d were dropped though others have ended before", d.Dropped)
	}
	d = fault.Of(nil)
	d.Apply(reported(0, fault.Stated, stated("7", drover.FaultClosed, 0, 0)))
	for _, c := range codes {
		d.Apply(reported(1, fault.Observed, code(c)))
	}
	d.Apply(reported(2, fault.Stated, stated("7", drover.FaultOpen, 0, 2)))
	d.Apply(reported(3, fault.Observed, code("one more")))
	if d.Dropped != 1 {
		t.Errorf("%d were dropped, want the one beside %d that are open", d.Dropped, fault.MaxOpen)
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	observed := fault.Record{Observed: true, Fault: drover.Fault{ID: "1", Status: drover.FaultOpen, FirstSeenAt: at(0), LastSeenAt: at(10)}}
	listed := observed
	listed.Observed = false
	over := observed
	over.ID, over.ClosedAt = "3", new(at(20))
	all := []fault.Record{observed, listed, over}
	due := drover.At(at(10).Add(fault.Silence))
	if got := fault.Silent(all, drover.At(due.Add(-time.Second))); len(got) != 0 {
		t.Errorf("too early: %+v", got)
	}
	got := fault.Silent(all, due)
	if len(got) != 1 || got[0].ID != "1" || !got[0].Ended || *got[0].ClosedBy != drover.ClosedBySilence || !got[0].ClosedAt.Equal(due.Time) {
		t.Errorf("%+v", got)
	}
}

// TestClosedLate holds that the provider's own record may be closed by a report that says when it was seen before that, and
// that a fault without an id may not: it was seen since.
func TestClosedLate(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{"7": true, "": false} {
		d := fault.Of(nil)
		d.Apply(reported(10, fault.Stated, stated(id, drover.FaultOpen, 0, 10)))
		d.Apply(reported(11, fault.Stated, stated(id, drover.FaultClosed, 0, 5)))
		got := d.Changes()
		if len(got) != 1 || (got[0].ClosedAt != nil) != want || !got[0].LastSeenAt.Equal(at(10).Time) {
			t.Errorf("with the id %q: %+v", id, got)
		}
	}
}
