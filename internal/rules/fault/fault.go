// Package fault turns what providers report about faults into records with a beginning and an end.
// There are three forms of reports: the complete list of a vehicle's faults at an instant, a row
// for each observation, and records with their own state.
package fault

import (
	"slices"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
)

// Form is how a provider reports faults.
type Form int

// The forms. Listed faults that are missing from a later list are over. Observed ones are over
// after a long silence. Of stated ones the provider says so itself.
const (
	Listed Form = iota
	Observed
	Stated
)

const (
	// Silence is how long no one has reported an observed fault that is over.
	Silence = 30 * 24 * time.Hour
	// resolution is by how much the time changes when a fault was last seen: a list comes
	// with every position.
	resolution = 15 * time.Minute
	// MaxOpen bounds the faults of a device that are open at once: no vehicle has so many.
	MaxOpen = 200
)

// Said is one fault as a provider reports it.
type Said struct {
	// ID is the provider's own, of a record that it keeps; empty where there is none.
	ID            string
	Protocol      drover.FaultProtocol
	Code          string
	SPN           *int64
	FMI           *int64
	SourceAddress *int64
	Description   *string
	Severity      *drover.FaultSeverity
	Lamps         []drover.Lamp
	// Status is open where it is empty.
	Status      drover.FaultStatus
	Occurrences *int64
	// First, Last and Closed are the provider's times; zero where it does not say.
	First, Last, Closed drover.Time
	// Quiet says that no one is notified of it: it is the tracker's own.
	Quiet bool
}

// Report is what a provider said of one device at a time.
type Report struct {
	At     drover.Time
	Form   Form
	Faults []Said
	// Fades says that nothing may be reported once there is no fault: silence ends them,
	// whatever the form.
	Fades bool
}

// Record is a stored fault.
type Record struct {
	drover.Fault
	// Key is what reports of one fault have in common.
	Key string
	// Observed says that it is over after a silence: nothing else may end it.
	Observed bool
}

// Change is a record that a report has made or changed.
type Change struct {
	Record
	New    bool // it has no id yet
	Opened bool // it began, or began again
	Ended  bool // it was open, be it within the reports alone
	Quiet  bool
}

// Key names a fault within a device.
func (s Said) Key() string {
	if s.ID != "" {
		return "id " + s.ID
	}
	key := string(s.Protocol) + " " + s.Code
	if s.SourceAddress != nil {
		key += " at " + strconv.FormatInt(*s.SourceAddress, 10)
	}
	return key
}

// Device is the faults of one device while reports are applied.
type Device struct {
	records []*held
	byKey   map[string]*held // the newest of each key
	open    int
	// Dropped is how many faults were left out because too many were open.
	Dropped int
}

// held is a record with what has become of it.
type held struct {
	Change
	changed bool
}

// Of returns the faults of a device. It needs those that are open, and the newest of each key
// that the reports name.
func Of(stored []Record) *Device {
	d := &Device{byKey: map[string]*held{}}
	for _, r := range stored {
		d.add(&held{Change: Change{Record: r}})
	}
	return d
}

func (d *Device) add(h *held) {
	d.records = append(d.records, h)
	if h.ClosedAt == nil {
		d.open++
	}
	if before := d.byKey[h.Key]; before == nil || before.ClosedAt != nil && !h.FirstSeenAt.Before(before.FirstSeenAt.Time) {
		d.byKey[h.Key] = h
	}
}

// Changes are the records that the reports have made or changed.
func (d *Device) Changes() []Change {
	var out []Change
	for _, h := range d.records {
		if h.changed {
			out = append(out, h.Change)
		}
	}
	return out
}

// Apply takes one report. Reports come in the order of their times; one that comes again, or
// late, changes nothing.
func (d *Device) Apply(r Report) {
	if r.Form == Listed && d.later(r.At) {
		return
	}
	listed := map[string]bool{}
	for i := range r.Faults {
		said := &r.Faults[i]
		listed[said.Key()] = true
		d.take(said, r)
	}
	if r.Form != Listed {
		return
	}
	for _, h := range d.records {
		if h.ClosedAt == nil && !listed[h.Key] && !h.LastSeenAt.After(r.At.Time) {
			d.end(h, r.At, drover.ClosedByAbsence)
		}
	}
}

// later reports whether something newer than a list is known: the list is from the past.
func (d *Device) later(at drover.Time) bool {
	return slices.ContainsFunc(d.records, func(h *held) bool {
		return h.LastSeenAt.After(at.Time) || h.ClosedAt != nil && h.ClosedAt.After(at.Time)
	})
}

func (d *Device) take(said *Said, r Report) {
	last := or(said.Last, r.At)
	active := said.Status != drover.FaultClosed
	before := d.byKey[said.Key()]
	switch {
	case before == nil && !active && said.ID == "": // it was never known
	case before == nil:
		d.begin(said, r, last)
	case active && before.ClosedAt == nil:
		before.see(said, last)
	case active && !last.After(before.ClosedAt.Time): // of the time when it was open
	case active && said.ID != "": // the provider's own record is open again
		before.ClosedAt, before.ClosedBy, before.Opened, before.changed = nil, nil, true, true
		d.open++
		before.see(said, last)
	case active:
		d.begin(said, r, last)
	case before.ClosedAt != nil:
		if said.ID != "" {
			before.note(said)
		}
	case said.ID != "" || !last.Before(before.LastSeenAt.Time):
		before.note(said)
		before.LastSeenAt = latest(before.LastSeenAt, said.Last)
		d.end(before, or(said.Closed, last), drover.ClosedByVendor)
	}
}

// begin makes a record.
func (d *Device) begin(said *Said, r Report, last drover.Time) {
	if d.open >= MaxOpen && said.Status != drover.FaultClosed {
		d.Dropped++
		return
	}
	first := or(said.First, last)
	if first.After(last.Time) {
		first = last
	}
	h := &held{changed: true, Change: Change{
		New: true, Quiet: said.Quiet, Opened: said.Status != drover.FaultClosed,
		Record: Record{Key: said.Key(), Observed: r.Form == Observed || r.Fades, Fault: drover.Fault{
			Protocol: said.Protocol, Code: said.Code, SPN: said.SPN, FMI: said.FMI, SourceAddress: said.SourceAddress,
			FirstSeenAt: first, LastSeenAt: last,
		}},
	}}
	h.note(said)
	if said.Status == drover.FaultClosed {
		h.close(or(said.Closed, last), drover.ClosedByVendor)
	}
	d.add(h)
}

// see notes that an open fault was reported again.
func (h *held) see(said *Said, last drover.Time) {
	h.note(said)
	if last.Sub(h.LastSeenAt.Time) >= resolution {
		h.LastSeenAt, h.changed = last, true
	}
}

// note takes over what a provider says of a fault, where it says something.
func (h *held) note(said *Said) {
	before := h.Fault
	if said.Description != nil {
		h.Description = said.Description
	}
	if said.Severity != nil {
		h.Severity = said.Severity
	}
	if said.Occurrences != nil {
		h.Occurrences = said.Occurrences
	}
	if h.Lamps = said.Lamps; h.Lamps == nil {
		h.Lamps = []drover.Lamp{}
	}
	if h.ClosedAt == nil {
		if h.Status = said.Status; h.Status == "" {
			h.Status = drover.FaultOpen
		}
	}
	h.Quiet = said.Quiet
	h.changed = h.changed || !same(before, h.Fault)
}

func (d *Device) end(h *held, at drover.Time, by drover.FaultClosing) {
	h.close(at, by)
	h.Ended = true
	d.open--
}

func (h *held) close(at drover.Time, by drover.FaultClosing) {
	if at.Before(h.FirstSeenAt.Time) {
		at = h.FirstSeenAt
	}
	h.Status, h.ClosedAt, h.ClosedBy, h.changed = drover.FaultClosed, &at, &by, true
}

// Silent ends observed faults that no one has reported for so long.
func Silent(stored []Record, now drover.Time) []Change {
	var out []Change
	for _, r := range stored {
		if over := drover.At(r.LastSeenAt.Add(Silence)); r.Observed && r.ClosedAt == nil && !over.After(now.Time) {
			h := held{Change: Change{Record: r, Ended: true}}
			h.close(over, drover.ClosedBySilence)
			out = append(out, h.Change)
		}
	}
	return out
}

func same(a, b drover.Fault) bool {
	return equal(a.Description, b.Description) && equal(a.Severity, b.Severity) && equal(a.Occurrences, b.Occurrences) &&
		a.Status == b.Status && slices.Equal(a.Lamps, b.Lamps)
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

func or(a, b drover.Time) drover.Time {
	if a.IsZero() {
		return b
	}
	return a
}

func latest(a, b drover.Time) drover.Time {
	if b.After(a.Time) {
		return b
	}
	return a
}
