package collect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// driverInterval is how often the list of drivers is read: it is for names, and who drives
// comes with positions and trips.
const driverInterval = time.Hour

// driverField is what coverage calls the drivers.
const driverField = "driver"

// chooseDrivers begins to read the list of drivers of a vendor that has one.
func (v *run) chooseDrivers(ctx context.Context) error {
	info := v.info
	has := slices.ContainsFunc(v.jobs, func(s store.Job) bool { return s.Kind == store.JobDrivers })
	if !info.Features.Drivers || has || len(v.jobs) == 0 || !v.conn.Active {
		return nil
	}
	s := v.newJob(store.JobDrivers, v.conn.CollectionStartTime, nil)
	v.jobs = append(v.jobs, s)
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Fleet.AddJob(ctx, s) })
}

// fetchDrivers reads a page of the list of drivers. An account that may not read it has
// none: that is a fact of the account, and no failure of the connection.
func (v *run) fetchDrivers(ctx context.Context, s *store.Job) (fetched, error) {
	l, err := listingOf(s.Cursor, v.c.now())
	if err != nil {
		return fetched{}, err
	}
	answer, err := v.adapter.Drivers(ctx, l.Cursor)
	if err != nil && (withheld(err) || provider.KindOf(err) == provider.KindCredentials) {
		v.adapter.observe(provider.WithheldForm+driverField, v.driversNeed())
		return fetched{page: &driverPage{run: v, job: s}}, nil
	}
	if err != nil {
		return fetched{}, err
	}
	v.adapter.observe(provider.WithheldForm+driverField, "")
	cleanDrivers(answer.Records)
	next, err := l.advance(s.Kind, longestDrivers, answer.Cursor, answer.More, len(answer.Records))
	if err != nil {
		s.Cursor = "" // to be begun again
		return fetched{}, err
	}
	out := fetched{more: answer.More, records: len(answer.Records)}
	if answer.More {
		out.cursor = next.encode()
	}
	parts := slices.Collect(slices.Chunk(answer.Records, devicePart))
	for len(parts) > 1 { // as those of devices
		if err := v.savePart(ctx, &driverPage{run: v, job: s, records: parts[0], listing: l}); err != nil {
			return fetched{}, err
		}
		parts = parts[1:]
	}
	page := &driverPage{run: v, job: s, listing: l, last: !answer.More}
	if len(parts) > 0 {
		page.records = parts[0]
	}
	out.page = page
	return out, nil
}

func (v *run) driversNeed() string {
	if need := v.info.Features.DriversNeed; need != "" {
		return need
	}
	return "the right to list drivers"
}

// driverPage is a page of the vendor's list of drivers.
type driverPage struct {
	run     *run
	job     *store.Job
	records []provider.Driver
	listing listing
	last    bool // it is the end of the list
}

// save adds and changes drivers as the vendor lists them. After the last page, those that it
// no longer lists become inactive; none is ever deleted.
func (p *driverPage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	ids := make([]string, len(p.records))
	for i, r := range p.records {
		ids[i] = r.SystemDriverID
	}
	known, err := tx.Drivers.DriversNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, ids)
	if err != nil {
		return err
	}
	events, err := p.store(ctx, tx, known)
	if err != nil {
		return err
	}
	if err := tx.Drivers.SeeDrivers(ctx, v.claim.TenantID, v.claim.ConnectionID, ids, p.listing.Begun); err != nil {
		return err
	}
	if p.last {
		gone, err := p.retire(ctx, tx)
		if err != nil {
			return err
		}
		events = append(events, gone...)
	}
	return v.tell(ctx, tx, events)
}

// store adds the drivers that are not known yet, and changes the others.
func (p *driverPage) store(ctx context.Context, tx *store.Tx, known map[string]store.Driver) ([]drover.Event, error) {
	v := p.run
	var added []drover.Driver
	var events []drover.Event
	for _, r := range p.records {
		if !r.Named() {
			continue
		}
		before, ok := known[r.SystemDriverID]
		if !ok {
			d := listed(drover.Driver{
				ID: store.NewID(), ConnectionID: v.claim.ConnectionID, SystemDriverID: r.SystemDriverID, Tags: []string{},
			}, nil, r)
			known[r.SystemDriverID] = store.Driver{Driver: d, Access: store.Access{TenantID: v.claim.TenantID}}
			added = append(added, d)
			continue
		}
		after := before
		after.Driver = listed(before.Driver, before.Edited, r)
		if drover.SameDriver(before.Driver, after.Driver) {
			continue
		}
		known[r.SystemDriverID] = after
		if i := slices.IndexFunc(added, func(d drover.Driver) bool { return d.ID == after.ID }); i >= 0 {
			added[i] = after.Driver // listed twice
			continue
		}
		e, err := v.changeDriver(ctx, tx, after)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	all, _, err := tx.Drivers.CountDrivers(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return nil, err
	}
	if room := max(0, longestDrivers-all); len(added) > room { // ids that change with each list fill no database
		text, now := fmt.Sprintf("%d drivers that the provider lists are not stored: a connection has at most %d.", len(added)-room, longestDrivers), v.c.now()
		p.job.LastError, p.job.LastErrorKind, p.job.LastErrorAt = &text, new(kindLimit), &now
		for _, d := range added[room:] {
			delete(known, d.SystemDriverID)
		}
		added = added[:room]
	}
	if err := tx.Drivers.AddDrivers(ctx, v.claim.TenantID, added, v.c.now()); err != nil {
		return nil, err
	}
	for _, d := range added {
		e, err := drover.NewEvent(drover.EventDriverCreated, v.c.now(), d.Notice())
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

func (v *run) changeDriver(ctx context.Context, tx *store.Tx, d store.Driver) (drover.Event, error) {
	if err := tx.Drivers.SetDriver(ctx, d, v.c.now()); err != nil {
		return drover.Event{}, err
	}
	return drover.NewEvent(drover.EventDriverUpdated, v.c.now(), d.Notice())
}

// listed is a driver with what the vendor says, except for what the tenant has set itself.
func listed(d drover.Driver, edited []string, r provider.Driver) drover.Driver {
	d.Name, d.FirstName, d.LastName = r.FullName(), r.FirstName, r.LastName
	d.EmployeeNumber, d.Email, d.Phone = r.EmployeeNumber, r.Email, r.Phone
	d.LicenceNumber, d.LicenceRegion = r.LicenceNumber, r.LicenceRegion
	if d.Keys = r.Keys; d.Keys == nil {
		d.Keys = []drover.DriverKey{}
	}
	if !slices.Contains(edited, "active") {
		d.Active = r.Active
	}
	return d
}

// retire makes the drivers inactive that the vendor's whole list left out, unless they are
// too many to be true: then the job says so.
func (p *driverPage) retire(ctx context.Context, tx *store.Tx) ([]drover.Event, error) {
	v := p.run
	gone, err := tx.Drivers.UnseenDrivers(ctx, v.claim.TenantID, v.claim.ConnectionID, p.listing.Begun)
	if err != nil {
		return nil, err
	}
	gone = slices.DeleteFunc(gone, func(d store.Driver) bool { return slices.Contains(d.Edited, "active") })
	if len(gone) > fewGone {
		_, active, err := tx.Drivers.CountDrivers(ctx, v.claim.TenantID, v.claim.ConnectionID)
		if err != nil {
			return nil, err
		}
		if p.listing.withheld(len(gone), active) {
			p.listing.hold(p.job, len(gone), active, v.c.now())
			return nil, nil
		}
	}
	var events []drover.Event
	for _, d := range gone {
		d.Active = false
		e, err := v.changeDriver(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// cleanDrivers holds what a vendor says of drivers to what a database takes.
func cleanDrivers(records []provider.Driver) {
	for i := range records {
		r := &records[i]
		r.SystemDriverID = firstCharacters(cleanText(r.SystemDriverID), drover.MaxDeviceText)
		for _, text := range []**string{
			&r.Name, &r.FirstName, &r.LastName, &r.EmployeeNumber, &r.Email, &r.Phone, &r.LicenceNumber, &r.LicenceRegion,
		} {
			if *text = cleanOptional(*text); *text != nil && **text == "" {
				*text = nil
			}
		}
		r.Keys = r.Keys[:min(len(r.Keys), drover.MaxDriverKeys)]
		for j := range r.Keys {
			r.Keys[j].Value = firstCharacters(cleanText(r.Keys[j].Value), drover.MaxDeviceText)
		}
	}
}
