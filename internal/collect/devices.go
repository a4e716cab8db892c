package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// listing is the cursor of the device stream: where the vendor's list stands,
// and when it was begun. What was not seen since then is gone.
type listing struct {
	Begun  drover.Time `json:"begun"`
	Cursor string      `json:"cursor"`
}

func (v *visit) fetchDevices(ctx context.Context, s *store.Stream) (fetched, error) {
	l := listing{Begun: v.c.now()}
	if s.Position != "" {
		if err := json.Unmarshal([]byte(s.Position), &l); err != nil {
			return fetched{}, fmt.Errorf("read the place in the list of devices: %w", err)
		}
	}
	answer, err := v.adapter.Devices(ctx, l.Cursor)
	if err != nil {
		return fetched{}, err
	}
	cleanDevices(answer.Records)
	out := fetched{more: answer.More, records: len(answer.Records), page: &devicePage{v, answer.Records, l.Begun, !answer.More}}
	if answer.More {
		text, err := json.Marshal(listing{Begun: l.Begun, Cursor: answer.Cursor})
		if err != nil {
			return fetched{}, fmt.Errorf("write the place in the list of devices: %w", err)
		}
		out.cursor = string(text)
	}
	return out, nil
}

// devicePage is a page of the vendor's list of devices.
type devicePage struct {
	visit   *visit
	records []provider.Device
	begun   drover.Time // when the list was begun
	last    bool
}

// save adds and changes devices as the vendor tells them. After the last page,
// those that it no longer lists become inactive; none is ever deleted.
func (p *devicePage) save(ctx context.Context, tx *store.Tx) error {
	v, records := p.visit, p.records
	tenant, connection := v.claim.TenantID, v.claim.ConnectionID
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.SystemDeviceID
	}
	known, err := tx.DevicesNamed(ctx, tenant, connection, ids)
	if err != nil {
		return err
	}
	var events []drover.Event
	for _, r := range records {
		e, err := v.storeDevice(ctx, tx, known, r)
		if err != nil {
			return err
		}
		events = append(events, e...)
	}
	if err := tx.SeeDevices(ctx, tenant, connection, ids, p.begun); err != nil {
		return err
	}
	if p.last {
		gone, err := v.retire(ctx, tx, p.begun)
		if err != nil {
			return err
		}
		events = append(events, gone...)
	}
	return v.tell(ctx, tx, events)
}

func (v *visit) storeDevice(ctx context.Context, tx *store.Tx, known map[string]store.Device, r provider.Device) ([]drover.Event, error) {
	stored, ok := known[r.SystemDeviceID]
	if !ok {
		d := told(drover.Device{ID: store.NewID(), ConnectionID: v.claim.ConnectionID, SystemDeviceID: r.SystemDeviceID, Tags: []string{}}, nil, r)
		known[r.SystemDeviceID] = store.Device{Device: d, Access: store.Access{TenantID: v.claim.TenantID}}
		if err := tx.AddDevice(ctx, v.claim.TenantID, d, v.c.now()); err != nil {
			return nil, err
		}
		return v.deviceEvent(drover.EventDeviceCreated, d)
	}
	changed := stored
	changed.Device = told(stored.Device, stored.Edited, r)
	if drover.SameDevice(stored.Device, changed.Device) {
		return nil, nil
	}
	known[r.SystemDeviceID] = changed
	if err := tx.SetDevice(ctx, changed, v.c.now()); err != nil {
		return nil, err
	}
	return v.deviceEvent(drover.EventDeviceUpdated, changed.Device)
}

// told returns the device with what the vendor says, except for the fields that
// the tenant has set itself.
func told(d drover.Device, edited []string, r provider.Device) drover.Device {
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

// retire makes the devices inactive that the vendor's whole list left out.
func (v *visit) retire(ctx context.Context, tx *store.Tx, begun drover.Time) ([]drover.Event, error) {
	gone, err := tx.UnseenDevices(ctx, v.claim.TenantID, v.claim.ConnectionID, begun)
	if err != nil {
		return nil, err
	}
	var events []drover.Event
	for _, d := range gone {
		if slices.Contains(d.Edited, "active") {
			continue
		}
		d.Active = false
		if err := tx.SetDevice(ctx, d, v.c.now()); err != nil {
			return nil, err
		}
		e, err := v.deviceEvent(drover.EventDeviceUpdated, d.Device)
		if err != nil {
			return nil, err
		}
		events = append(events, e...)
	}
	return events, nil
}

func (v *visit) deviceEvent(typ drover.EventType, d drover.Device) ([]drover.Event, error) {
	e, err := drover.NewEvent(typ, v.c.now(), d)
	return []drover.Event{e}, err
}
