package collect

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// safetyPart is how many safety events one transaction stores.
const safetyPart = 1000

// fetchSafety asks for one page of safety events. What is not the last part of a large answer is
// stored by itself: storing an event again changes nothing.
func (v *run) fetchSafety(ctx context.Context, s *store.Job, q provider.Query) (fetched, error) {
	reader, ok := v.adapter.Provider.(provider.SafetyReader)
	if !ok {
		return fetched{}, provider.Errorf(provider.KindPermanent, "the adapter reads no safety events")
	}
	answer, err := reader.SafetyEvents(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	v.allow(s.Kind, true)
	records := v.cleanSafety(answer.Records)
	out := fetched{cursor: answer.Cursor, more: answer.More, records: len(answer.Records)}
	for len(records) > safetyPart {
		if err := v.savePart(ctx, &safetyPage{run: v, job: s, records: records[:safetyPart]}); err != nil {
			return fetched{}, err
		}
		records = records[safetyPart:]
	}
	out.page = &safetyPage{run: v, job: s, records: records}
	return out, nil
}

// cleanSafety leaves of events what a database takes, with the types that the connection maps.
func (v *run) cleanSafety(records []provider.SafetyEvent) []provider.SafetyEvent {
	kept := make([]provider.SafetyEvent, 0, len(records))
	for _, r := range records {
		r.SystemDeviceID = cleanText(r.SystemDeviceID)
		r.SystemEventID = firstCharacters(cleanText(r.SystemEventID), drover.MaxDeviceText)
		if r.NativeType = firstCharacters(cleanText(r.NativeType), drover.MaxDeviceText); r.NativeType == "" {
			r.NativeType = string(drover.SafetyOther)
		}
		if r.SystemEventID == "" {
			r.SystemEventID = r.StartTime.String() + " " + r.NativeType
		}
		if r.DriverID != nil {
			r.DriverID = drover.NewDriverID(cleanOptional(&r.DriverID.Value))
		}
		for _, number := range []**float64{
			&r.Latitude, &r.Longitude, &r.Heading, &r.SpeedKPH, &r.MaxSpeedKPH, &r.SpeedLimitKPH, &r.AccelerationG, &r.LateralG,
		} {
			if *number != nil && !finite(**number) {
				*number = nil
			}
		}
		if set, ok := v.conn.Configuration.SafetyTypes[r.NativeType]; ok {
			r.Type = set
		}
		if !slices.Contains(drover.SafetyTypes, r.Type) {
			r.Type = drover.SafetyOther
		}
		if r.Status == "" {
			r.Status = drover.SafetyOpen
		}
		if r.SystemDeviceID != "" && !r.StartTime.IsZero() {
			kept = append(kept, r)
		}
	}
	return kept
}

// safetyPage is a page of safety events.
type safetyPage struct {
	run     *run
	job     *store.Job
	records []provider.SafetyEvent
	// devices and changed are what became of it: the devices by the vendor's ids, and the events
	// that are new or say something else, by device and the vendor's id.
	devices map[string]string
	changed map[[2]string]bool
}

// save stores events that are new or have changed, and notifies of them.
func (p *safetyPage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	devices, err := v.devicesOf(ctx, tx, func(yield func(string) bool) {
		for i := range p.records {
			if !yield(p.records[i].SystemDeviceID) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	p.devices, p.changed = devices, map[[2]string]bool{}
	type key struct{ device, event string }
	said := map[key]drover.SafetyEvent{} // the last of a page holds
	ids, names := map[string]bool{}, map[string]bool{}
	var keys []key
	newest := v.c.opts.Now().Add(readingAhead)
	for _, r := range p.records {
		device := devices[r.SystemDeviceID]
		if device == "" || r.StartTime.After(newest) || v.leftOut(r.StartTime, time.Time{}) != "" {
			continue
		}
		e, k := r.SafetyEvent, key{device, r.SystemEventID}
		e.DeviceID, e.ConnectionID = device, v.claim.ConnectionID
		if _, again := said[k]; !again {
			keys = append(keys, k)
		}
		said[k], ids[device], names[k.event] = e, true, true
	}
	if len(keys) == 0 {
		return nil
	}
	// Their ids are the order of lists, and some vendors answer vehicle by vehicle.
	order.By(keys, func(a, b key) int { return said[a].StartTime.Compare(said[b].StartTime.Time) })
	stored, err := tx.Vehicles.SafetyEventsNamed(ctx, v.claim.TenantID, slices.Sorted(maps.Keys(ids)), slices.Sorted(maps.Keys(names)))
	if err != nil {
		return err
	}
	known := map[key]drover.SafetyEvent{}
	for _, e := range stored {
		known[key{e.DeviceID, e.SystemEventID}] = e.SafetyEvent
	}
	var changed []drover.SafetyEvent
	var events []drover.Event
	for _, k := range keys {
		e := said[k]
		before, there := known[k]
		if e.ID = before.ID; !there {
			e.ID = store.NewID()
		}
		if before.DriverID != nil && strings.HasPrefix(before.DriverID.Value, drover.ErasedDriver) {
			e.DriverID = before.DriverID // the provider still knows a driver who is erased here
		}
		if there && drover.SameSafetyEvent(before, e) {
			continue
		}
		changed = append(changed, e)
		p.changed[[2]string{k.device, k.event}] = true
		typ := drover.EventSafetyUpdated
		switch {
		case !there:
			typ = drover.EventSafetyRecorded
		case before.Type == e.Type && before.Status == e.Status && drover.SameDriverID(before.DriverID, e.DriverID):
			continue
		}
		// What happened before the job was made is history.
		if p.job.Backfill || e.StartTime.Before(p.job.CreatedAt.Add(-settled)) {
			continue
		}
		made, failed := drover.NewEvent(typ, v.c.now(), e)
		err = errors.Join(err, failed)
		events = append(events, made)
	}
	if err != nil || len(changed) == 0 {
		return err
	}
	if err := tx.Vehicles.SetSafetyEvents(ctx, v.claim.TenantID, changed); err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}
