package collect

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

func (v *run) fetchDevices(ctx context.Context, s *store.Job) (fetched, error) {
	l, err := listingOf(s.Cursor, v.c.now())
	if err != nil {
		return fetched{}, err
	}
	answer, err := v.adapter.Devices(ctx, l.Cursor)
	if err != nil {
		return fetched{}, err
	}
	cleanDevices(answer.Records)
	next, err := l.advance(s.Kind, longestList, answer.Cursor, answer.More, len(answer.Records))
	if err != nil {
		s.Cursor = "" // to be begun again
		return fetched{}, err
	}
	out := fetched{more: answer.More, records: len(answer.Records)}
	if answer.More {
		out.cursor = next.encode()
	}
	// What is not the last part of a large answer is stored by itself: a
	// transaction of a hundred thousand devices would hold up everyone, and
	// storing a device again changes nothing.
	parts := slices.Collect(slices.Chunk(answer.Records, devicePart))
	for len(parts) > 1 {
		part := &devicePage{run: v, job: s, records: parts[0], listing: l}
		if err := v.savePart(ctx, part); err != nil {
			return fetched{}, err
		}
		parts = parts[1:]
	}
	page := &devicePage{run: v, job: s, listing: l, listed: next.Records, last: !answer.More}
	if len(parts) > 0 {
		page.records = parts[0]
	}
	out.page = page
	return out, nil
}

// devicePart is how many devices one transaction stores.
const devicePart = 1000

// savePart commits a part of a page.
func (v *run) savePart(ctx context.Context, p page) error {
	err := v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		return p.save(ctx, tx)
	})
	if err != nil {
		return internal(err)
	}
	return nil
}

// devicePage is a page of the vendor's list of devices.
type devicePage struct {
	run     *run
	job     *store.Job
	records []provider.Device
	listing listing
	// listed is how many devices the vendor's whole list has; last says that this is
	// the end of it.
	listed int
	last   bool
}

// save adds and changes devices as the vendor reports them. After the last page,
// those that it no longer lists become inactive; none is ever deleted.
func (p *devicePage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	if err := tx.Fleet.Replan(ctx); err != nil {
		return err
	}
	ids := make([]string, len(p.records))
	for i, r := range p.records {
		ids[i] = r.SystemDeviceID
	}
	known, err := tx.Fleet.DevicesNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, ids)
	if err != nil {
		return err
	}
	events, err := v.storeDevices(ctx, tx, known, p.records)
	if err != nil {
		return err
	}
	if err := tx.Fleet.SeeDevices(ctx, v.claim.TenantID, v.claim.ConnectionID, ids, p.listing.Begun); err != nil {
		return err
	}
	if p.last {
		gone, err := p.retire(ctx, tx)
		if err != nil {
			return err
		}
		events = append(events, gone...)
		if err := p.noteLimit(ctx, tx); err != nil {
			return err
		}
	}
	return v.tell(ctx, tx, events)
}

// noteLimit says with the job how many devices of a complete list were not
// stored.
func (p *devicePage) noteLimit(ctx context.Context, tx *store.Tx) error {
	v := p.run
	seen, err := tx.Fleet.SeenDevices(ctx, v.claim.TenantID, v.claim.ConnectionID, p.listing.Begun)
	if err != nil || p.listed <= seen {
		return err
	}
	limit, used, err := tx.Accounts.LimitForUpdate(ctx, v.claim.TenantID, drover.QuotaDevices)
	if err != nil || used < limit { // the vendor lists some twice
		return err
	}
	text, now := fmt.Sprintf("%d of the %d devices that the provider lists are not stored: the account's limit of %d devices is reached.",
		p.listed-seen, p.listed, limit), v.c.now()
	p.job.LastError, p.job.LastErrorKind, p.job.LastErrorAt = &text, new(kindLimit), &now
	return nil
}

// storeDevices adds the devices that are not known yet, which it makes known, and
// changes the others.
func (v *run) storeDevices(
	ctx context.Context,
	tx *store.Tx,
	known map[string]store.Device,
	records []provider.Device,
) ([]drover.Event, error) {
	var added []drover.Device
	var events []drover.Event
	for _, r := range records {
		stored, ok := known[r.SystemDeviceID]
		if !ok {
			d := merged(drover.Device{ID: store.NewID(), ConnectionID: v.claim.ConnectionID, SystemDeviceID: r.SystemDeviceID, Tags: []string{}},
				nil, r)
			known[r.SystemDeviceID] = store.Device{Device: d, Access: store.Access{TenantID: v.claim.TenantID}}
			added = append(added, d)
			continue
		}
		changed := stored
		changed.Device = merged(stored.Device, stored.Edited, r)
		if drover.SameDevice(stored.Device, changed.Device) {
			continue
		}
		known[r.SystemDeviceID] = changed
		if i := slices.IndexFunc(added, func(d drover.Device) bool { return d.ID == changed.ID }); i >= 0 {
			added[i] = changed.Device // listed twice
			continue
		}
		e, err := v.changeDevice(ctx, tx.Fleet, changed)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	added, err := v.withinLimit(ctx, tx.Accounts, known, added)
	if err != nil {
		return nil, err
	}
	if err := tx.Fleet.AddDevices(ctx, v.claim.TenantID, added, v.c.now()); err != nil {
		return nil, err
	}
	for _, d := range added {
		e, err := drover.NewEvent(drover.EventDeviceCreated, v.c.now(), d)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// withinLimit returns of new devices those for which the tenant's limit has room,
// and makes the others unknown again.
func (v *run) withinLimit(
	ctx context.Context,
	tx account.Editor,
	known map[string]store.Device,
	added []drover.Device,
) ([]drover.Device, error) {
	if len(added) == 0 {
		return added, nil
	}
	limit, used, err := tx.LimitForUpdate(ctx, v.claim.TenantID, drover.QuotaDevices)
	if err != nil {
		return nil, err
	}
	room := int(min(max(0, limit-used), int64(len(added))))
	for _, d := range added[room:] {
		delete(known, d.SystemDeviceID)
	}
	return added[:room], nil
}

func (v *run) changeDevice(ctx context.Context, tx store.FleetTx, d store.Device) (drover.Event, error) {
	if err := tx.SetDevice(ctx, d, v.c.now()); err != nil {
		return drover.Event{}, err
	}
	return drover.NewEvent(drover.EventDeviceUpdated, v.c.now(), d.Device)
}

// merged returns the device with what the vendor says, except for the fields that
// the tenant has set itself.
func merged(d drover.Device, edited []string, r provider.Device) drover.Device {
	vendors := func(field string) bool { return !slices.Contains(edited, field) }
	if vendors("description") {
		d.Description = r.Description
	}
	if vendors("registration") {
		d.Registration = r.Registration
	}
	if vendors("make") {
		d.Make = r.Make
	}
	if vendors("model") {
		d.Model = r.Model
	}
	if vendors("year") {
		d.Year = r.Year
	}
	if vendors("active") {
		d.Active = r.Active
	}
	return d
}

// retire makes the devices inactive that the vendor's whole list left out, unless
// they are too many to be true: then the job says so.
func (p *devicePage) retire(ctx context.Context, tx *store.Tx) ([]drover.Event, error) {
	v := p.run
	gone, err := tx.Fleet.UnseenDevices(ctx, v.claim.TenantID, v.claim.ConnectionID, p.listing.Begun)
	if err != nil {
		return nil, err
	}
	gone = slices.DeleteFunc(gone, func(d store.Device) bool { return slices.Contains(d.Edited, "active") })
	if len(gone) > fewGone {
		active, err := tx.Fleet.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID)
		if err != nil {
			return nil, err
		}
		if p.listing.withheld(len(gone), len(active)) {
			p.listing.hold(p.job, len(gone), len(active), v.c.now())
			return nil, nil
		}
	}
	var events []drover.Event
	for _, d := range gone {
		d.Active = false
		e, err := v.changeDevice(ctx, tx.Fleet, d)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
