package collect

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// assignmentPart is how many assignments one transaction stores.
const assignmentPart = 1000

// fetchAssignments asks for one page of what the vendor states of who drove. What is not the last
// part of a large answer is stored by itself: storing an assignment again changes nothing.
func (v *run) fetchAssignments(ctx context.Context, s *store.Job, q provider.Query) (fetched, error) {
	reader, ok := v.adapter.Provider.(provider.AssignmentReader)
	if !ok {
		return fetched{}, provider.Errorf(provider.KindPermanent, "the adapter reads no assignments")
	}
	answer, err := reader.Assignments(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	v.allow(s.Kind, true)
	records, impossible := v.cleanAssignments(answer.Records, q.Ahead)
	out := fetched{cursor: answer.Cursor, more: answer.More, records: len(answer.Records)}
	if impossible > 0 {
		out.notice = fmt.Sprintf("%d assignments of the provider end before they begin, and are not stored.", impossible)
	}
	last := &assignmentPage{run: v, all: records}
	if answer.Whole != nil {
		last.whole = &provider.Span{From: answer.Whole.From.Add(-q.Ahead), To: answer.Whole.To.Add(-q.Ahead)}
	}
	for len(records) > assignmentPart {
		if err := v.savePart(ctx, &assignmentPage{run: v, records: records[:assignmentPart]}); err != nil {
			return fetched{}, err
		}
		records = records[assignmentPart:]
	}
	last.records = records
	out.page = last
	return out, nil
}

// cleanAssignments leaves of assignments what a database takes and what the connection collects, by
// their beginning, and says how many cannot be.
func (v *run) cleanAssignments(records []provider.Assignment, ahead time.Duration) (kept []provider.Assignment, impossible int) {
	changes, start, end := v.info.Assignments.Changes, v.conn.CollectionStartTime, v.conn.CollectionEndTime
	newest := v.c.opts.Now().Add(readingAhead)
	for _, r := range records {
		r.SystemDeviceID = cleanText(r.SystemDeviceID)
		r.ID = firstCharacters(cleanText(r.ID), drover.MaxDeviceText)
		if r.DriverID = cleanOptional(r.DriverID); r.DriverID != nil && !(provider.Driver{SystemDriverID: *r.DriverID}).Named() {
			r.DriverID = nil
		}
		if !slices.Contains(drover.AssignmentMethods, r.Method) {
			r.Method = drover.ByUnknown
		}
		if r.From = drover.At(r.From.Add(-ahead)); r.To != nil {
			r.To = new(drover.At(r.To.Add(-ahead)))
		}
		switch {
		case changes:
			r.To = nil
		case r.DriverID == nil:
			continue
		case r.To != nil && r.To.Before(r.From.Time):
			impossible++
			continue
		case r.From.Before(start.Time): // of one that began before, the rest
			r.From = start
		}
		if end != nil && !changes && (r.To == nil || r.To.After(end.Time)) {
			r.To = end
		}
		collected := v.leftOut(r.From, time.Time{}) == "" && (r.To == nil || r.To.After(r.From.Time))
		if r.SystemDeviceID != "" && r.ID != "" && collected && !r.From.After(newest) {
			kept = append(kept, r)
		}
	}
	order.By(kept, func(a, b provider.Assignment) int { return a.From.Compare(b.From.Time) })
	return kept, impossible
}

// assignmentPage is a page of assignments, or a part of one.
type assignmentPage struct {
	run     *run
	records []provider.Assignment
	// all are those of the whole page where it has all of a time.
	all   []provider.Assignment
	whole *provider.Span
}

// assigned names an assignment: by its device and what it is known by.
type assigned struct{ device, system string }

func nameOf(a store.Assignment) assigned { return assigned{a.DeviceID, a.SystemID} }

// save stores assignments that are new or have changed, and drops those that were taken back.
func (p *assignmentPage) save(ctx context.Context, tx *store.Tx) error {
	if p.whole == nil {
		p.all = p.records
	}
	devices, err := p.run.devicesOf(ctx, tx, func(yield func(string) bool) {
		for i := range p.all {
			if !yield(p.all[i].SystemDeviceID) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if err := p.store(ctx, tx, p.rows(p.records, devices)); err != nil || p.whole == nil {
		return err
	}
	return p.drop(ctx, tx, p.rows(p.all, devices))
}

// rows are the assignments of devices as they are to be stored, by name: the last of one name holds.
func (p *assignmentPage) rows(records []provider.Assignment, devices map[string]string) map[assigned]store.Assignment {
	rows := make(map[assigned]store.Assignment, len(records))
	for _, r := range records {
		if device := devices[r.SystemDeviceID]; device != "" {
			rows[assigned{device, r.ID}] = store.Assignment{
				ConnectionID: p.run.claim.ConnectionID, DeviceID: device, SystemID: r.ID, DriverID: r.DriverID, Method: r.Method,
				From: r.From, To: r.To,
			}
		}
	}
	return rows
}

// store stores rows with all that follows from them.
func (p *assignmentPage) store(ctx context.Context, tx *store.Tx, rows map[assigned]store.Assignment) error {
	if len(rows) == 0 {
		return nil
	}
	tenant := p.run.claim.TenantID
	devices, names := map[string]bool{}, map[string]bool{}
	var from, to drover.Time // from the first that any of them was or is of to the last
	reach := func(a store.Assignment) {
		if from.IsZero() || a.From.Before(from.Time) {
			from = a.From
		}
		if a.From.After(to.Time) {
			to = a.From
		}
	}
	for name, a := range rows {
		devices[name.device], names[name.system] = true, true
		reach(a)
	}
	ids := slices.Sorted(maps.Keys(devices))
	stored, err := tx.Drivers.AssignmentsNamed(ctx, tenant, ids, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return err
	}
	known := map[assigned]store.Assignment{}
	for _, a := range stored {
		if known[nameOf(a)] = a; rows[nameOf(a)].SystemID != "" {
			reach(a)
		}
	}
	now := p.apply(rows, known)
	if p.run.info.Assignments.Changes {
		around, err := tx.Drivers.AssignmentsAround(ctx, tenant, ids, from, to)
		if err != nil {
			return err
		}
		next, err := tx.Drivers.NextAssignments(ctx, tenant, ids, to)
		if err != nil {
			return err
		}
		for _, a := range around {
			known[nameOf(a)] = a
			if _, again := rows[nameOf(a)]; !again {
				now = append(now, a)
			}
		}
		p.follow(now, next)
	}
	changed := slices.DeleteFunc(now, func(a store.Assignment) bool { return sameAssignment(known[nameOf(a)], a) })
	// In one order, so that no two transactions wait for each other.
	order.By(changed, func(a, b store.Assignment) int { return cmp.Compare(a.ID, b.ID) })
	return tx.Drivers.SetAssignments(ctx, tenant, changed)
}

// apply returns rows with their ids, and with the drivers who are erased here.
func (p *assignmentPage) apply(rows, known map[assigned]store.Assignment) []store.Assignment {
	names := slices.Collect(maps.Keys(rows))
	order.By(names, func(a, b assigned) int {
		return cmp.Or(rows[a].From.Compare(rows[b].From.Time), cmp.Compare(a.system, b.system), cmp.Compare(a.device, b.device))
	})
	now := make([]store.Assignment, len(names))
	for i, name := range names {
		now[i] = rows[name]
		before, there := known[name]
		if now[i].ID = before.ID; !there {
			now[i].ID = store.NewID()
		}
		if before.DriverID != nil && strings.HasPrefix(*before.DriverID, drover.ErasedDriver) {
			now[i].DriverID = before.DriverID // the provider still knows a driver who is erased here
		}
	}
	return now
}

// follow ends each of some changes with the next of its device. Next are those after all of them.
func (p *assignmentPage) follow(changes []store.Assignment, next map[string]drover.Time) {
	order.By(changes, func(a, b store.Assignment) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), a.From.Compare(b.From.Time), cmp.Compare(a.ID, b.ID))
	})
	for i := range changes {
		a := &changes[i]
		if at, is := next[a.DeviceID]; i+1 < len(changes) && changes[i+1].DeviceID == a.DeviceID {
			a.To = new(changes[i+1].From)
		} else if a.To = p.run.conn.CollectionEndTime; is {
			a.To = &at
		}
	}
}

// drop removes what was stated of the time of the page and is not stated any more.
func (p *assignmentPage) drop(ctx context.Context, tx *store.Tx, stated map[assigned]store.Assignment) error {
	c := p.run.claim
	stored, err := tx.Drivers.AssignmentsWithin(ctx, c.TenantID, c.ConnectionID, drover.At(p.whole.From), drover.At(p.whole.To))
	if err != nil {
		return err
	}
	var gone []string
	for _, a := range stored {
		if _, still := stated[nameOf(a)]; !still {
			gone = append(gone, a.ID)
		}
	}
	return tx.Drivers.DropAssignments(ctx, c.TenantID, gone)
}

func sameAssignment(a, b store.Assignment) bool {
	return a.ID == b.ID && (a.DriverID == nil) == (b.DriverID == nil) && (a.DriverID == nil || *a.DriverID == *b.DriverID) &&
		a.Method == b.Method && a.From.Equal(b.From.Time) && (a.To == nil) == (b.To == nil) && (a.To == nil || a.To.Equal(b.To.Time))
}
