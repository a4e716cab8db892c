package collect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// Take stores records that a tenant's own program sent, with all that follows from them as
// from a vendor's, and says of each what became of it. What was sent before changes nothing.
func (c *Collector) Take(ctx context.Context, tenantID, connectionID string, records []drover.Record) ([]drover.RecordOutcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, acceptTime, errBusy)
	defer cancel()
	var out []drover.RecordOutcome
	err := c.holding(ctx, tenantID, connectionID, func(ctx context.Context, v *run) (err error) {
		out, err = v.take(ctx, records)
		return err
	})
	return out, err
}

func (v *run) take(ctx context.Context, records []drover.Record) ([]drover.RecordOutcome, error) {
	if !v.conn.Active {
		return nil, drover.InvalidValue("the connection is not active", "path", "connection_id")
	}
	if err := v.load(ctx); err != nil {
		return nil, err
	}
	a, err := v.c.adapter(ctx, v.conn, v.info)
	if err != nil {
		return nil, err
	}
	v.use(a)
	s := &v.jobs[slices.IndexFunc(v.jobs, func(s store.Job) bool { return s.Kind == store.JobPositions && !s.Backfill })]
	b := v.sort(records)
	v.adapter.storing.Lock()
	defer v.adapter.storing.Unlock()
	now, before := v.c.now(), s.Records
	err = v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if err := b.save(ctx, tx); err != nil {
			return err
		}
		s.LastSuccessAt, s.Records = &now, before+int64(len(records))
		if _, err := tx.Fleet.SetJob(ctx, *s); err != nil {
			return err
		}
		if err := tx.Fleet.AddRun(ctx, store.Run{Job: *s, At: now, Records: len(records)}); err != nil {
			return err
		}
		return v.storeState(ctx, tx, v.judgeState())
	})
	if err != nil {
		return nil, internal(err)
	}
	for _, p := range []*recordPart{&b.past, &b.live} {
		v.observe(p.positions.job, fetched{page: p.positions})
		v.observe(p.trips.job, fetched{page: p.trips})
	}
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), "push", "ok").Inc()
	v.c.metrics.records.WithLabelValues(string(v.conn.IntegrationName), "push").Add(float64(len(records)))
	return b.outcomes, v.judgeData(ctx)
}

// backfillAfter is how old a record is that counts as a backfill: it is stored and trips follow from it,
// and no one is notified of what happened so long ago.
const backfillAfter = 24 * time.Hour

// recordBatch is records on their way into the store, sorted by what they are about. The
// numbers say which of the outcomes is that of each.
type recordBatch struct {
	run      *run
	outcomes []drover.RecordOutcome

	devices    []provider.Device
	ofDevice   []int
	drivers    []provider.Driver
	ofDriver   []int
	past, live recordPart
}

// recordPart is the records of a batch that count as a backfill, or the others.
type recordPart struct {
	positions          *positionPage
	trips              *tripPage
	ofPosition, ofTrip []int

	faults            []provider.FaultReport
	dangers           *safetyPage
	ofFault, ofDanger []int
}

// newPart makes a part whose trips stay open: more may come.
func (v *run) newPart(backfill bool) recordPart {
	job := &store.Job{
		TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, Kind: store.JobPositions, State: store.JobActive, Backfill: backfill,
	}
	return recordPart{positions: &positionPage{run: v, job: job}, trips: &tripPage{run: v, job: job}, dangers: &safetyPage{run: v, job: job}}
}

// sort turns records into what a vendor would have sent. Those that cannot be true are
// refused: their times, mostly, because a clock or a time zone is wrong.
func (v *run) sort(records []drover.Record) *recordBatch {
	b := &recordBatch{run: v, outcomes: make([]drover.RecordOutcome, len(records)), past: v.newPart(true), live: v.newPart(false)}
	var positions []provider.Position
	var trips []provider.Trip
	var ofPosition, ofTrip []int
	for i := range records {
		r := &records[i]
		switch r.Type {
		case drover.RecordDevice:
			b.devices, b.ofDevice = append(b.devices, deviceOf(r)), append(b.ofDevice, i)
		case drover.RecordPosition:
			positions, ofPosition = append(positions, positionOf(r)), append(ofPosition, i)
		case drover.RecordTrip:
			trips, ofTrip = append(trips, tripOf(r)), append(ofTrip, i)
		case drover.RecordReading:
			b.addReading(readingOf(r), r.SystemDeviceID, i)
		case drover.RecordDriver:
			b.drivers, b.ofDriver = append(b.drivers, personOf(r)), append(b.ofDriver, i)
		case drover.RecordFault:
			b.addFault(r, i)
		case drover.RecordSafety:
			b.addSafety(r, i)
		}
	}
	cleanDevices(b.devices)
	cleanPositions(positions)
	cleanTrips(trips)
	v.readAs().positions(positions)
	v.readAs().trips(trips)
	edge := v.c.opts.Now().Add(-backfillAfter)
	for i, p := range positions {
		if why := v.untrue(p.Time, p.Time); why != "" {
			b.outcomes[ofPosition[i]] = drover.Refused(why)
			continue
		}
		part := b.part(p.Time.Before(edge))
		part.positions.records, part.ofPosition = append(part.positions.records, p), append(part.ofPosition, ofPosition[i])
	}
	for i, t := range trips {
		if why := v.untrueTrip(t); why != "" {
			b.outcomes[ofTrip[i]] = drover.Refused(why)
			continue
		}
		part := b.part(t.EndTime.Before(edge))
		part.trips.records, part.ofTrip = append(part.trips.records, t), append(part.ofTrip, ofTrip[i])
	}
	return b
}

func (b *recordBatch) part(backfill bool) *recordPart {
	if backfill {
		return &b.past
	}
	return &b.live
}

// addReading adds a reading, of which no one is notified in any case.
func (b *recordBatch) addReading(r provider.Reading, systemDeviceID string, number int) {
	if units := b.run.readAs(); units != nil {
		r = units.readings([]provider.Reading{r})[0]
	}
	outcome := &b.outcomes[number]
	if why := b.run.untrue(r.Time, r.Time); why != "" {
		*outcome = drover.Refused(why)
		return
	}
	p := b.live.positions
	p.said, p.outcomes = append(p.said, provider.DeviceReading{SystemDeviceID: systemDeviceID, Reading: r}), append(p.outcomes, outcome)
}

// untrue says why something cannot have begun and ended at these times; empty where it can.
func (v *run) untrue(from, to drover.Time) string {
	switch {
	case from.Before(earliest):
		return "it is before the year 2000: the sender's clock is wrong"
	case to.After(v.c.opts.Now().Add(trip.FutureTolerance)):
		return "it is in the future: the sender's clock or time zone is wrong"
	}
	return ""
}

func (v *run) untrueTrip(t provider.Trip) string {
	switch {
	case !v.nativeTrips():
		return "the connection derives trips from positions: its credentials must have trips set to native"
	case strings.HasPrefix(t.SystemTripID, trip.DerivedPrefix):
		return "a system_trip_id must not begin with " + trip.DerivedPrefix
	}
	return v.untrue(t.StartTime, t.EndTime)
}

// save stores the records, and what follows from them.
func (b *recordBatch) save(ctx context.Context, tx *store.Tx) error {
	if err := b.saveDevices(ctx, tx); err != nil {
		return err
	}
	if err := b.saveDrivers(ctx, tx); err != nil {
		return err
	}
	for _, p := range []*recordPart{&b.past, &b.live} {
		if err := p.positions.save(ctx, tx); err != nil {
			return err
		}
		b.judgePositions(p)
		if err := b.saveTrips(ctx, tx, p); err != nil {
			return err
		}
		if err := b.saveFaults(ctx, tx, p); err != nil {
			return err
		}
		if err := b.saveDangers(ctx, tx, p); err != nil {
			return err
		}
	}
	return nil
}

func (b *recordBatch) say(number int, state drover.RecordState) {
	b.outcomes[number] = drover.RecordOutcome{Outcome: state}
}

// deviceLimit is why a device is not added.
const deviceLimit = "the account's limit of devices is reached"

func (b *recordBatch) saveDevices(ctx context.Context, tx *store.Tx) error {
	if len(b.devices) == 0 {
		return nil
	}
	v := b.run
	ids := make([]string, len(b.devices))
	for i, d := range b.devices {
		ids[i] = d.SystemDeviceID
	}
	known, err := tx.Fleet.DevicesNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, ids)
	if err != nil {
		return err
	}
	before := maps.Clone(known)
	events, err := v.storeDevices(ctx, tx, known, b.devices)
	if err != nil {
		return err
	}
	for i, number := range b.ofDevice {
		after, taken := known[ids[i]]
		was, there := before[ids[i]]
		switch {
		case !taken:
			b.outcomes[number] = drover.Refused(deviceLimit)
		case there && drover.SameDevice(was.Device, after.Device):
			b.say(number, drover.RecordKnown)
		default:
			b.say(number, drover.RecordStored)
			before[ids[i]] = after // the same again changes nothing
		}
	}
	return v.tell(ctx, tx, events)
}

// judgePositions says what became of positions and of readings that no one has spoken of.
func (b *recordBatch) judgePositions(part *recordPart) {
	p := part.positions
	type key struct {
		device string
		at     int64
	}
	fresh := make(map[key]bool, len(p.rows))
	for i, row := range p.rows {
		if k := (key{row.DeviceID, row.Time.UnixMilli()}); !fresh[k] {
			fresh[k] = p.fresh[i]
		}
	}
	for i, number := range part.ofPosition {
		r := &p.records[i]
		device, taken := p.devices[r.SystemDeviceID]
		why, k := b.run.leftOut(r.Time, p.oldest), key{device, r.Time.UnixMilli()}
		switch {
		case !taken:
			b.outcomes[number] = drover.Refused(deviceLimit)
		case why != "":
			b.outcomes[number] = drover.Refused(why)
		case fresh[k]:
			b.say(number, drover.RecordStored)
			fresh[k] = false // once
		default:
			b.say(number, drover.RecordKnown)
		}
	}
	for i := range p.said {
		if why := b.run.leftOut(p.said[i].Time, p.oldest); why != "" {
			*p.outcomes[i] = drover.Refused(why)
		} else if p.devices[p.said[i].SystemDeviceID] == "" {
			*p.outcomes[i] = drover.Refused(deviceLimit)
		}
	}
}

func (b *recordBatch) saveTrips(ctx context.Context, tx *store.Tx, part *recordPart) error {
	v, p := b.run, part.trips
	if len(p.records) == 0 {
		return nil
	}
	devices, err := v.devicesOf(ctx, tx, p.systemIDs())
	if err != nil {
		return err
	}
	type key struct{ device, trip string }
	known := map[key]store.Trip{}
	for i, number := range part.ofTrip {
		t := p.records[i]
		device, taken := devices[t.SystemDeviceID]
		why := v.leftOut(t.StartTime, time.Time{})
		switch {
		case !taken:
			b.outcomes[number] = drover.Refused(deviceLimit)
			continue
		case why != "":
			b.outcomes[number] = drover.Refused(why)
			continue
		}
		k := key{device, t.SystemTripID}
		before, there := known[k]
		if !there {
			stored, _, err := tx.Trips.TripNamed(ctx, v.claim.TenantID, device, t.SystemTripID, t.StartTime, t.EndTime)
			if err != nil {
				return err
			}
			if there = stored != nil; there {
				before = *stored
			}
		}
		known[k] = v.sentTrip(before, t)
		if b.say(number, drover.RecordStored); there && sameTrip(before, known[k]) {
			b.say(number, drover.RecordKnown)
		}
	}
	return p.save(ctx, tx)
}

// sentTrip is a stored trip with what was sent.
func (v *run) sentTrip(stored store.Trip, t provider.Trip) store.Trip {
	sent := stored
	sent.StartTime, sent.EndTime, sent.DistanceMetres = t.StartTime, t.EndTime, t.DistanceMetres
	sent.DrivingSeconds, sent.IdlingSeconds, sent.AuxiliarySeconds = t.DrivingSeconds, t.IdlingSeconds, t.AuxiliarySeconds
	sent.StartLatitude, sent.StartLongitude, sent.EndLatitude, sent.EndLongitude = nil, nil, nil, nil
	if t.Start != nil {
		sent.StartLatitude, sent.StartLongitude = &t.Start.Latitude, &t.Start.Longitude
	}
	if t.End != nil {
		sent.EndLatitude, sent.EndLongitude = &t.End.Latitude, &t.End.Longitude
	}
	if t.DriverID != nil || !v.source().Drivers { // else positions name who drove
		sent.DriverID = t.DriverID
	}
	return sent
}

// sameTrip reports whether two records of a trip say the same.
func sameTrip(a, b store.Trip) bool {
	return drover.SameTrip(a.Trip, b.Trip) && (a.DriverID == nil) == (b.DriverID == nil) && (a.DriverID == nil || *a.DriverID == *b.DriverID)
}

func deviceOf(r *drover.Record) provider.Device {
	return provider.Device{
		SystemDeviceID: r.SystemDeviceID, Description: r.Description, Registration: r.Registration, Make: r.Make, Model: r.Model, Year: r.Year,
		Active: r.Active == nil || *r.Active,
	}
}

func positionOf(r *drover.Record) provider.Position {
	p := provider.Position{SystemDeviceID: r.SystemDeviceID, Position: drover.Position{
		Time: *r.Timestamp, Latitude: *r.Latitude, Longitude: *r.Longitude, Heading: r.Heading, DriverID: driverOf(r), Ignition: r.Ignition,
		Auxiliary: r.Auxiliary, OdometerMetres: r.OdometerMetres,
	}}
	if r.Speed != nil {
		p.SpeedKPH = &r.Speed.SpeedKPH
	}
	return p
}

func driverOf(r *drover.Record) *string {
	if r.DriverID == nil {
		return nil
	}
	return &r.DriverID.Value
}

func tripOf(r *drover.Record) provider.Trip {
	t := provider.Trip{
		SystemDeviceID: r.SystemDeviceID, SystemTripID: *r.SystemTripID, StartTime: *r.StartTime, EndTime: *r.EndTime,
		DistanceMetres: r.DistanceMetres, DrivingSeconds: r.DrivingSeconds, IdlingSeconds: r.IdlingSeconds, AuxiliarySeconds: r.AuxiliarySeconds,
		DriverID: driverOf(r),
	}
	if r.StartLatitude != nil {
		t.Start = &drover.Coordinate{Latitude: *r.StartLatitude, Longitude: *r.StartLongitude}
	}
	if r.EndLatitude != nil {
		t.End = &drover.Coordinate{Latitude: *r.EndLatitude, Longitude: *r.EndLongitude}
	}
	return t
}

func readingOf(r *drover.Record) provider.Reading {
	series := drover.ReadingSeries{Kind: *r.Kind, NativeName: string(*r.Kind)}
	if r.Channel != nil {
		series.Channel = *r.Channel
	}
	if r.Source != nil {
		series.Source = *r.Source
	}
	if r.NativeName != nil {
		series.NativeName = *r.NativeName
	}
	return provider.Reading{ReadingSeries: series, Time: *r.Timestamp, Value: *r.Value}
}
