package collect

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// eventPositions bounds the positions of one event.
const eventPositions = 500

// positionPage is a page of positions, live or of the past.
type positionPage struct {
	run     *run
	job     *store.Job
	records []provider.Position
	said    []provider.DeviceReading // by themselves
	// outcomes are what is said of those, one by one; none where no one asks.
	outcomes []*drover.RecordOutcome
	// What became of them when they were stored last.
	devices map[string]string
	oldest  time.Time
	rows    []history.Position
	fresh   []bool
}

// positions is an answer as it is read and stored.
func (v *run) positions(s *store.Job, answer provider.Page[provider.Position]) *positionPage {
	cleanPositions(answer.Records)
	v.readAs().positions(answer.Records)
	return &positionPage{run: v, job: s, records: answer.Records, said: v.readAs().said(cleanSaid(answer.Readings))}
}

// save stores the positions, the readings that came with them, and all that follows from
// the positions: the newest of each device, trips, roll-ups, milestones and events.
func (p *positionPage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	devices, err := v.devicesOf(ctx, tx, p.systemIDs())
	if err != nil {
		return err
	}
	oldest, err := v.oldestOf(ctx, tx.Accounts, p)
	if err != nil {
		return err
	}
	rows := v.rows(p.records, devices, oldest)
	fresh, err := tx.History.AddPositions(ctx, v.claim.TenantID, rows)
	if err != nil {
		return err
	}
	p.devices, p.oldest, p.rows, p.fresh = devices, oldest, rows, fresh
	if err := v.saveReadings(ctx, tx, p, oldest); err != nil {
		return err
	}
	if err := p.saveReported(ctx, tx, devices); err != nil {
		return err
	}
	if added := group(rows, fresh); len(added) > 0 {
		if err := p.derive(ctx, tx, devices, added); err != nil {
			return err
		}
	}
	return p.closeTrips(ctx, tx)
}

// systemIDs are the vendor's ids of the devices that the page is about.
func (p *positionPage) systemIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.records {
			if !yield(p.records[i].SystemDeviceID) {
				return
			}
		}
		for i := range p.said {
			if !yield(p.said[i].SystemDeviceID) {
				return
			}
		}
	}
}

// stored is how many of the positions were new.
func (p *positionPage) stored() (n int64) {
	for _, fresh := range p.fresh {
		if fresh {
			n++
		}
	}
	return n
}

// derive stores what follows from new positions.
func (p *positionPage) derive(ctx context.Context, tx *store.Tx, devices map[string]string, added map[string][]drover.Position) error {
	v, backfill := p.run, p.job.Backfill
	absorbed, err := v.c.opts.Tracker.Absorb(ctx, tx, v.source(), added, backfill)
	if err != nil {
		return err
	}
	// Writing the events takes no database, and the database no more than a core.
	var writing errgroup.Group
	var moved []drover.Event
	if !backfill {
		writing.Go(func() (err error) {
			moved, err = v.positionEvents(devices, absorbed.Batch.Positions)
			return err
		})
	}
	if err := errors.Join(absorbed.Keep(ctx, tx.Fleet), writing.Wait()); err != nil {
		return err
	}
	if !backfill && v.nativeTrips() && !absorbed.Ended.IsZero() {
		v.adapter.ended.note(absorbed.Ended.Add(v.adapter.info.Poll.TripsAfter))
	}
	// Positions are announced before what follows from them, and while a milestone that
	// they end still listens.
	if err := v.tell(ctx, tx, append(moved, absorbed.Events...)); err != nil {
		return err
	}
	return v.c.opts.Tracker.Judge(ctx, tx, absorbed.Batch)
}

// closeTrips ends the trips of silent devices once the positions have been read
// up to now.
func (p *positionPage) closeTrips(ctx context.Context, tx *store.Tx) error {
	v := p.run
	if p.job.Backfill || !p.job.DueAt.After(v.c.opts.Now()) { // there is more
		return nil
	}
	events, err := v.c.opts.Tracker.CloseTrips(ctx, tx, v.source())
	if err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}

// source is the connection as the engines see it.
func (v *run) source() track.Source {
	return track.Source{
		TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, NativeTrips: v.nativeTrips(), Drivers: v.adapter.info.Features.Driver,
		Poll: v.conn.Configuration.PollInterval(), TripRules: v.conn.Configuration.TripRules, TimeZone: v.conn.Configuration.TimeZone,
		Oldest: func(ctx context.Context, tx *store.Tx) (time.Time, error) { return v.oldest(ctx, tx.Accounts.Reader) },
	}
}

// devicesOf finds the devices of a page by the vendor's ids. One that the list
// of devices does not have yet is added: its positions must not be lost. What is
// beyond the tenant's limit of devices is left out.
func (v *run) devicesOf(ctx context.Context, tx *store.Tx, systemIDs iter.Seq[string]) (map[string]string, error) {
	devices := map[string]string{}
	var unknown []string
	for systemID := range systemIDs {
		if _, ok := devices[systemID]; ok {
			continue
		}
		id := v.adapter.devices[systemID]
		devices[systemID] = id
		if id == "" {
			unknown = append(unknown, systemID)
		}
	}
	if len(unknown) == 0 {
		return devices, nil
	}
	stored, err := tx.Fleet.DevicesNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, unknown)
	if err != nil {
		return nil, err
	}
	var missing []provider.Device
	for _, systemID := range unknown {
		if d, ok := stored[systemID]; ok {
			v.adapter.devices[systemID] = d.ID
			continue
		}
		missing = append(missing, provider.Device{SystemDeviceID: systemID, Active: true})
	}
	events, err := v.storeDevices(ctx, tx, stored, missing)
	if err != nil {
		return nil, err
	}
	for _, systemID := range unknown {
		if d, ok := stored[systemID]; ok {
			devices[systemID] = d.ID
		} else {
			delete(devices, systemID) // beyond the tenant's limit
		}
	}
	return devices, v.tell(ctx, tx, events)
}

// rows turns a page into what is stored of it: what lies in the collection
// window and is kept, each device and time once, the suspect ones marked.
func (v *run) rows(records []provider.Position, devices map[string]string, oldest time.Time) []history.Position {
	rows := make([]history.Position, 0, len(records))
	for _, r := range records {
		if v.leftOut(r.Time, oldest) != "" {
			continue
		}
		device, ok := devices[r.SystemDeviceID]
		if !ok {
			continue
		}
		row := history.Of(device, r.Position)
		reason, suspect := trip.Suspect(r.Position, v.c.opts.Now())
		if reason == trip.Invalid || !finite(r.Latitude) || !finite(r.Longitude) {
			v.c.opts.Logger.Warn("position cannot be stored", "connection", v.claim.ConnectionID, "device", row.DeviceID, "reason", trip.Invalid)
			continue
		}
		if suspect {
			row.Suspect = string(reason)
		}
		rows = append(rows, row)
	}
	// In the order of the key, which is how the database likes them best.
	slices.SortStableFunc(rows, func(a, b history.Position) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), a.Time.Compare(b.Time.Time))
	})
	return rows
}

// group gathers the new positions that are not suspect by device, oldest first.
func group(rows []history.Position, fresh []bool) map[string][]drover.Position {
	added := map[string][]drover.Position{}
	for i, row := range rows {
		if fresh[i] && row.Suspect == "" {
			added[row.DeviceID] = append(added[row.DeviceID], row.Position)
		}
	}
	return added
}

func (v *run) positionEvents(devices map[string]string, believed map[string][]drover.Position) ([]drover.Event, error) {
	systemIDs := make(map[string]string, len(devices))
	for systemID, id := range devices {
		systemIDs[id] = systemID
	}
	total := 0
	for _, positions := range believed {
		total += len(positions)
	}
	points := make([]drover.DevicePosition, 0, total)
	for _, id := range slices.Sorted(maps.Keys(believed)) {
		for i := range believed[id] {
			points = append(points, drover.DevicePosition{DeviceID: id, SystemDeviceID: systemIDs[id], CurrentPosition: *believed[id][i].View()})
		}
	}
	var events []drover.Event
	for chunk := range slices.Chunk(points, eventPositions) {
		e, err := drover.NewEvent(drover.EventPositionUpdated, v.c.now(),
			drover.PositionBatch{ConnectionID: v.claim.ConnectionID, Positions: chunk})
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}
