package collect

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/fault"
	"github.com/drover-fleet/drover/internal/store"
)

// personOf is a driver as a vendor would list them.
func personOf(r *drover.Record) provider.Driver {
	return provider.Driver{
		SystemDriverID: *r.SystemDriverID, Name: r.Name, FirstName: r.FirstName, LastName: r.LastName, EmployeeNumber: r.EmployeeNumber,
		Email: r.Email, Phone: r.Phone, LicenceNumber: r.LicenceNumber, LicenceRegion: r.LicenceRegion, Keys: r.Keys,
		Active: r.Active == nil || *r.Active,
	}
}

// noDevice is why something of a device is refused whose id is nothing.
const noDevice = "system_device_id: it has no character that can be shown"

// addFault adds a fault of which the sender says when it is over.
func (b *recordBatch) addFault(r *drover.Record, number int) {
	said := fault.Said{
		Protocol: drover.FaultUnknown, Code: *r.Code, SPN: r.SPN, FMI: r.FMI, SourceAddress: r.SourceAddress, Description: r.Description,
		Severity: r.Severity, Lamps: r.Lamps, Occurrences: r.Occurrences, Last: *r.LastSeenAt,
	}
	if r.Protocol != nil {
		said.Protocol = *r.Protocol
	}
	if r.Status != nil {
		said.Status = drover.FaultStatus(*r.Status)
	}
	at := said.Last
	if r.ClosedAt != nil {
		said.Closed, at = *r.ClosedAt, *r.ClosedAt
	}
	first := said.Last
	if r.FirstSeenAt != nil {
		said.First, first = *r.FirstSeenAt, *r.FirstSeenAt
	}
	if why := b.untrue(first, at, at); why != "" {
		b.outcomes[number] = drover.Refused(why)
		return
	}
	report := []provider.FaultReport{{
		SystemDeviceID: r.SystemDeviceID, Report: fault.Report{At: at, Form: fault.Stated, Faults: []fault.Said{said}},
	}}
	switch cleanReports(report); {
	case len(report[0].Faults) == 0:
		b.outcomes[number] = drover.Refused("code: it has no character that can be shown")
		return
	case report[0].SystemDeviceID == "":
		b.outcomes[number] = drover.Refused(noDevice)
		return
	}
	p := b.part(at.Before(b.run.c.opts.Now().Add(-backfillAfter)))
	p.faults, p.ofFault = append(p.faults, report[0]), append(p.ofFault, number)
}

// addSafety adds a safety event.
func (b *recordBatch) addSafety(r *drover.Record, number int) {
	e := drover.SafetyEvent{
		Type: *r.SafetyType, NativeType: string(*r.SafetyType), DriverID: drover.NewDriverID(driverOf(r)),
		StartTime: *r.StartTime, EndTime: r.EndTime,
		Latitude: r.Latitude, Longitude: r.Longitude, Heading: r.Heading, SpeedKPH: r.SpeedKPH, MaxSpeedKPH: r.MaxSpeedKPH,
		SpeedLimitKPH: r.SpeedLimitKPH, AccelerationG: r.AccelerationG, LateralG: r.LateralG, Method: r.Method, MediaAvailable: r.MediaAvailable,
	}
	if r.NativeType != nil {
		e.NativeType = *r.NativeType
	}
	if r.SystemEventID != nil {
		e.SystemEventID = *r.SystemEventID
	}
	if r.Severity != nil {
		e.Severity = new(drover.SafetySeverity(*r.Severity))
	}
	if r.Status != nil {
		e.Status = drover.SafetyStatus(*r.Status)
	}
	last := e.StartTime
	if e.EndTime != nil {
		last = *e.EndTime
	}
	if why := b.untrue(e.StartTime, last, e.StartTime); why != "" {
		b.outcomes[number] = drover.Refused(why)
		return
	}
	clean := b.run.cleanSafety([]provider.SafetyEvent{{SystemDeviceID: r.SystemDeviceID, SafetyEvent: e}})
	if len(clean) == 0 {
		b.outcomes[number] = drover.Refused(noDevice)
		return
	}
	p := b.part(last.Before(b.run.c.opts.Now().Add(-backfillAfter)))
	p.dangers.records, p.ofDanger = append(p.dangers.records, clean...), append(p.ofDanger, number)
}

// untrue says why something cannot have been from one time to another, or is not collected at a
// third.
func (b *recordBatch) untrue(from, to, at drover.Time) string {
	if why := b.run.untrue(from, to); why != "" {
		return why
	}
	return b.run.leftOut(at, time.Time{})
}

// saveDrivers stores drivers as those of a list, which is never whole.
func (b *recordBatch) saveDrivers(ctx context.Context, tx *store.Tx) error {
	if len(b.drivers) == 0 {
		return nil
	}
	v := b.run
	cleanDrivers(b.drivers)
	ids := make([]string, len(b.drivers))
	for i, d := range b.drivers {
		ids[i] = d.SystemDriverID
	}
	known, err := tx.Drivers.DriversNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, ids)
	if err != nil {
		return err
	}
	before := maps.Clone(known)
	page := &driverPage{run: v, job: b.live.positions.job, records: b.drivers}
	events, err := page.store(ctx, tx, known)
	if err != nil {
		return err
	}
	for i, number := range b.ofDriver {
		after, taken := known[ids[i]]
		was, there := before[ids[i]]
		switch {
		case !b.drivers[i].Named():
			b.outcomes[number] = drover.Refused("system_driver_id: it names no one")
		case !taken:
			b.outcomes[number] = drover.Refused("the connection's limit of drivers is reached")
		case there && drover.SameDriver(was.Driver, after.Driver):
			b.say(number, drover.RecordKnown)
		default:
			b.say(number, drover.RecordStored)
			before[ids[i]] = after // the same again changes nothing
		}
	}
	return v.tell(ctx, tx, events)
}

// saveFaults stores the faults of a part.
func (b *recordBatch) saveFaults(ctx context.Context, tx *store.Tx, part *recordPart) error {
	if len(part.faults) == 0 {
		return nil
	}
	v := b.run
	devices, err := v.devicesOf(ctx, tx, func(yield func(string) bool) {
		for i := range part.faults {
			if !yield(part.faults[i].SystemDeviceID) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	changes, err := v.saveFaults(ctx, tx, part.positions.job, devices, part.faults, map[string]bool{})
	if err != nil {
		return err
	}
	changed := map[[2]string]bool{}
	for _, c := range changes {
		changed[[2]string{c.DeviceID, c.Key}] = true
	}
	b.judge(part.ofFault, func(i int) (string, [2]string) {
		device := devices[part.faults[i].SystemDeviceID]
		return device, [2]string{device, part.faults[i].Faults[0].Key()}
	}, changed)
	return nil
}

// saveDangers stores the safety events of a part.
func (b *recordBatch) saveDangers(ctx context.Context, tx *store.Tx, part *recordPart) error {
	p := part.dangers
	if len(p.records) == 0 {
		return nil
	}
	if err := p.save(ctx, tx); err != nil {
		return err
	}
	b.judge(part.ofDanger, func(i int) (string, [2]string) {
		device := p.devices[p.records[i].SystemDeviceID]
		return device, [2]string{device, p.records[i].SystemEventID}
	}, p.changed)
	return nil
}

// judge says what became of records, by their device and what they are known by.
func (b *recordBatch) judge(numbers []int, of func(i int) (device string, key [2]string), changed map[[2]string]bool) {
	said := map[[2]string]int{}
	for i, number := range numbers {
		device, key := of(i)
		b.say(number, drover.RecordKnown)
		if device == "" {
			b.outcomes[number] = drover.Refused(deviceLimit)
		} else if changed[key] {
			said[key] = number // the last of several that speak of one
		}
	}
	for _, number := range slices.Sorted(maps.Values(said)) {
		b.say(number, drover.RecordStored)
	}
}
