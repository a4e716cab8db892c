package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/fault"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// faultPart is how many faults one transaction looks at.
	faultPart = 2000
	// maxReported bounds the faults of one report: no vehicle has so many.
	maxReported = 5000
	// silentAtOnce bounds the faults that end by silence with one page.
	silentAtOnce = 500
)

// fetchFaults asks for one page of faults. What is not the last part of a large answer is
// stored by itself: storing a report again changes nothing.
func (v *run) fetchFaults(ctx context.Context, s *store.Job, q provider.Query) (fetched, error) {
	reader, ok := v.adapter.Provider.(provider.FaultReader)
	if !ok {
		return fetched{}, provider.Errorf(provider.KindPermanent, "the adapter reads no faults")
	}
	answer, err := reader.Faults(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	out := fetched{cursor: answer.Cursor, more: answer.More, records: len(answer.Records)}
	v.allow(s.Kind, true)
	page := &faultPage{run: v, job: s, last: !answer.More, crowded: map[string]bool{}}
	size := 0
	for _, r := range cleanReports(answer.Records) {
		if size+len(r.Faults) > faultPart && len(page.reports) > 0 {
			if err := v.savePart(ctx, &faultPage{run: v, job: s, reports: page.reports, crowded: page.crowded}); err != nil {
				return fetched{}, err
			}
			page.reports, size = nil, 0
		}
		page.reports, size = append(page.reports, r), size+len(r.Faults)
	}
	out.page = page
	return out, nil
}

// cleanReports leaves of reports what a database takes.
func cleanReports(reports []provider.FaultReport) []provider.FaultReport {
	for i := range reports {
		r := &reports[i]
		r.SystemDeviceID = cleanText(r.SystemDeviceID)
		cleanFaults(&r.Report)
	}
	return reports
}

func cleanFaults(r *fault.Report) {
	faults := make([]fault.Said, 0, min(len(r.Faults), maxReported))
	for _, said := range r.Faults {
		if said.Code = firstCharacters(cleanText(said.Code), drover.MaxDeviceText); said.Code == "" || len(faults) == maxReported {
			continue
		}
		said.ID = firstCharacters(cleanText(said.ID), drover.MaxDeviceText)
		said.Description = cleanOptional(said.Description)
		if !slices.Contains(drover.FaultProtocols, said.Protocol) {
			said.Protocol = drover.FaultUnknown
		}
		faults = append(faults, said)
	}
	r.Faults = faults // the adapter may hold on to its own
}

// faultPage is reports of faults, by themselves or with positions.
type faultPage struct {
	run     *run
	job     *store.Job
	reports []provider.FaultReport
	last    bool // of a round
	// crowded are the devices that have more open faults than are stored.
	crowded map[string]bool
}

// save stores what follows from the reports, and ends what no one reports any longer.
func (p *faultPage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	devices, err := v.devicesOf(ctx, tx, func(yield func(string) bool) {
		for i := range p.reports {
			if !yield(p.reports[i].SystemDeviceID) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if _, err := v.saveFaults(ctx, tx, p.job, devices, p.reports, p.crowded); err != nil {
		return err
	}
	if !p.last {
		return nil
	}
	return v.endSilent(ctx, tx, p.job)
}

// endSilent ends faults that no one reports any longer.
func (v *run) endSilent(ctx context.Context, tx *store.Tx, job *store.Job) error {
	silent, err := tx.Vehicles.SilentFaults(ctx, v.claim.TenantID, v.claim.ConnectionID, v.c.now(), silentAtOnce)
	if err != nil || len(silent) == 0 {
		return err
	}
	records := make([]fault.Record, len(silent))
	for i, f := range silent {
		records[i] = recordOf(f)
	}
	return v.storeFaults(ctx, tx, job, fault.Silent(records, v.c.now()))
}

// saveFaults applies reports to what is stored of their devices, and returns what has changed. The
// job says of how many devices faults are left out: of those in crowded, to which it adds.
func (v *run) saveFaults(
	ctx context.Context,
	tx *store.Tx,
	job *store.Job,
	devices map[string]string,
	reports []provider.FaultReport,
	crowded map[string]bool,
) ([]fault.Change, error) {
	byDevice, keys := map[string][]fault.Report{}, map[string]bool{}
	newest := v.c.opts.Now().Add(readingAhead)
	for _, r := range reports {
		device := devices[r.SystemDeviceID]
		if device == "" || r.At.IsZero() || r.At.After(newest) {
			continue
		}
		r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(said fault.Said) bool {
			seen := r.At // an open fault is there now, whenever it was observed
			if !said.Last.IsZero() && (r.Form == fault.Observed || said.Status == drover.FaultClosed) {
				seen = said.Last
			}
			return seen.After(newest) || said.Last.After(newest) || v.leftOut(seen, time.Time{}) != ""
		})
		if v.leftOut(r.At, time.Time{}) != "" {
			continue
		}
		byDevice[device] = append(byDevice[device], r.Report)
		for _, said := range r.Faults {
			keys[said.Key()] = true
		}
	}
	if len(byDevice) == 0 {
		return nil, nil
	}
	ids := slices.Sorted(maps.Keys(byDevice))
	stored, err := tx.Vehicles.FaultsOf(ctx, v.claim.TenantID, ids, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	known := map[string][]fault.Record{}
	for _, f := range stored {
		known[f.DeviceID] = append(known[f.DeviceID], recordOf(f))
	}
	var changes []fault.Change
	for _, id := range ids {
		d := fault.Of(known[id])
		said := byDevice[id]
		order.By(said, func(a, b fault.Report) int { return a.At.Compare(b.At.Time) })
		for _, r := range said {
			d.Apply(r)
		}
		if d.Dropped > 0 {
			crowded[id] = true
			v.c.opts.Logger.WarnContext(ctx, "a device reports too many faults", "connection", v.claim.ConnectionID, "device", id,
				"dropped", d.Dropped)
		}
		for _, c := range d.Changes() {
			c.DeviceID = id
			changes = append(changes, c)
		}
	}
	if n := len(crowded); n > 0 {
		v.note(job, fmt.Sprintf("Faults of %d of the devices are not stored: of each there are at most %d that are open.", n, fault.MaxOpen))
	}
	return changes, v.storeFaults(ctx, tx, job, changes)
}

func recordOf(f store.Fault) fault.Record {
	return fault.Record{Fault: f.Fault, Key: f.Key, Observed: f.SilentDue != nil}
}

// storeFaults stores changes and notifies of them. What happened before the job began is
// history, of which no one is notified.
func (v *run) storeFaults(ctx context.Context, tx *store.Tx, job *store.Job, changes []fault.Change) error {
	if len(changes) == 0 {
		return nil
	}
	faults := make([]store.Fault, len(changes))
	devices := map[string]bool{}
	var events []drover.Event
	for i := range changes {
		c := &changes[i]
		if c.ConnectionID = v.claim.ConnectionID; c.New {
			c.ID = store.NewID()
			devices[c.DeviceID] = true
		}
		faults[i] = store.Fault{Fault: c.Fault, Key: c.Key}
		if c.Observed && c.ClosedAt == nil {
			faults[i].SilentDue = new(drover.At(c.LastSeenAt.Add(fault.Silence)))
		}
		told, err := v.faultEvents(job, c)
		if err != nil {
			return err
		}
		events = append(events, told...)
	}
	// In one order, so that no two transactions wait for each other.
	order.By(faults, func(a, b store.Fault) int { return cmp.Compare(a.ID, b.ID) })
	err := tx.Vehicles.SetFaults(ctx, v.claim.TenantID, faults)
	if err == nil && len(devices) > 0 {
		err = tx.Vehicles.TrimFaults(ctx, v.claim.TenantID, slices.Sorted(maps.Keys(devices)))
	}
	if err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}

func (v *run) faultEvents(job *store.Job, c *fault.Change) (events []drover.Event, err error) {
	if job.Backfill || c.Quiet {
		return nil, nil
	}
	add := func(typ drover.EventType) {
		e, failed := drover.NewEvent(typ, v.c.now(), c.Fault)
		err = errors.Join(err, failed)
		events = append(events, e)
	}
	if c.Opened && !c.FirstSeenAt.Before(job.WindowFrom.Time) {
		add(drover.EventFaultOpened)
	}
	if c.Ended && !c.ClosedAt.Before(job.WindowFrom.Time) {
		add(drover.EventFaultClosed)
	}
	return events, err
}

// saveReported stores the faults that came with positions, and ends those of which nothing is
// heard any longer where no job of faults does.
func (p *positionPage) saveReported(ctx context.Context, tx *store.Tx, devices map[string]string) error {
	v := p.run
	of := v.adapter.info.Faults
	if of == nil || of.Asked() {
		return nil
	}
	_, err := v.saveFaults(ctx, tx, p.job, devices, p.reported(), map[string]bool{})
	if err != nil || p.job.Backfill || !p.job.DueAt.After(v.c.opts.Now()) {
		return err
	}
	return v.endSilent(ctx, tx, p.job)
}

// reported are the faults that came with live positions. Those of the past come from the newest
// to the oldest, so that nothing can be said of when one began or ended.
func (p *positionPage) reported() []provider.FaultReport {
	if p.job.Backfill || p.job.Kind == store.JobTracks {
		return nil
	}
	var reports []provider.FaultReport
	for i := range p.records {
		r := &p.records[i]
		if r.Faults == nil {
			continue
		}
		report := provider.FaultReport{SystemDeviceID: r.SystemDeviceID, Report: *r.Faults}
		if report.At.IsZero() {
			report.At = r.Time
		}
		cleanFaults(&report.Report)
		reports = append(reports, report)
	}
	return reports
}
