package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trip"
)

// eventPositions bounds the positions of one event.
const eventPositions = 500

// storePositions stores a page of positions and all that follows from it: the
// newest of each device, trips, roll-ups, milestones and events.
func (v *visit) storePositions(ctx context.Context, tx *store.Tx, records []provider.Position, s *store.Stream) error {
	devices, err := v.devicesOf(ctx, tx, records)
	if err != nil {
		return err
	}
	oldest, err := v.oldestOf(ctx, tx, records)
	if err != nil {
		return err
	}
	rows := v.rows(records, devices, oldest)
	fresh, err := tx.AddPositions(ctx, v.claim.TenantID, rows)
	if err != nil {
		return err
	}
	added := group(rows, fresh)
	if len(added) == 0 {
		return v.closeTrips(ctx, tx, s)
	}
	states, err := v.states(ctx, tx, added)
	if err != nil {
		return err
	}
	batch := milestone.Batch{TenantID: v.claim.TenantID, Positions: added, Withdrawn: map[string][]drover.Time{}, Before: map[string]drover.Time{}, Silent: s.History}
	events, err := v.followAll(ctx, tx, states, batch)
	if err != nil {
		return err
	}
	// Writing the events takes no database, and the database no more than a core.
	var writing errgroup.Group
	var moved []drover.Event
	if !s.History {
		writing.Go(func() (err error) {
			moved, err = v.positionEvents(devices, batch.Positions)
			return err
		})
	}
	if err := errors.Join(v.keep(ctx, tx, states), writing.Wait()); err != nil {
		return err
	}
	// Positions are told before what follows from them, and while a milestone that
	// they end still listens.
	if err := v.tell(ctx, tx, append(moved, events...)); err != nil {
		return err
	}
	if err := v.Tracker.Judge(ctx, tx, batch); err != nil {
		return err
	}
	return v.closeTrips(ctx, tx, s)
}

// keep stores the states of a batch's devices.
func (v *visit) keep(ctx context.Context, tx *store.Tx, states map[string]*store.DeviceState) error {
	sorted := make([]*store.DeviceState, 0, len(states)) // neighbours lie together, and all processes lock them in one order
	for _, id := range slices.Sorted(maps.Keys(states)) {
		sorted = append(sorted, states[id])
	}
	return tx.SetDeviceStates(ctx, v.claim.TenantID, sorted)
}

// followAll folds the new positions of a batch, device by device, and leaves in it
// what is to be judged: those that are believed.
func (v *visit) followAll(ctx context.Context, tx *store.Tx, states map[string]*store.DeviceState, batch milestone.Batch) ([]drover.Event, error) {
	var events []drover.Event
	var marks []store.PositionMark
	for _, id := range slices.Sorted(maps.Keys(states)) {
		state := states[id]
		if state.Latest != nil {
			batch.Before[id] = state.Latest.Time
		}
		b, made, err := v.follow(ctx, tx, state, batch.Positions[id], batch.Silent)
		if err != nil {
			return nil, err
		}
		batch.Positions[id] = b.positions
		if len(b.positions) == 0 {
			delete(batch.Positions, id)
		}
		if len(b.withdrawn) > 0 {
			batch.Withdrawn[id] = b.withdrawn
		}
		marks, events = append(marks, b.marks...), append(events, made...)
	}
	return events, tx.MarkPositions(ctx, batch.TenantID, marks)
}

// devicesOf finds the devices of a page by the vendor's ids. One that the list
// of devices has not told yet is added: its positions must not be lost.
func (v *visit) devicesOf(ctx context.Context, tx *store.Tx, records []provider.Position) (map[string]string, error) {
	devices := map[string]string{}
	var unknown []string
	for _, r := range records {
		if _, ok := devices[r.SystemDeviceID]; ok {
			continue
		}
		id := v.adapter.devices[r.SystemDeviceID]
		devices[r.SystemDeviceID] = id
		if id == "" {
			unknown = append(unknown, r.SystemDeviceID)
		}
	}
	if len(unknown) == 0 {
		return devices, nil
	}
	stored, err := tx.DevicesNamed(ctx, v.claim.TenantID, v.claim.ConnectionID, unknown)
	if err != nil {
		return nil, err
	}
	var events []drover.Event
	for _, systemID := range unknown {
		if d, ok := stored[systemID]; ok {
			devices[systemID] = d.ID
			v.adapter.devices[systemID] = d.ID
			continue
		}
		made, err := v.storeDevice(ctx, tx, stored, provider.Device{SystemDeviceID: systemID, Active: true})
		if err != nil {
			return nil, err
		}
		devices[systemID] = stored[systemID].ID
		events = append(events, made...)
	}
	return devices, v.tell(ctx, tx, events)
}

// rows turns a page into what is stored of it: what lies in the collection
// window and is kept, each device and time once, the suspect ones marked.
func (v *visit) rows(records []provider.Position, devices map[string]string, oldest time.Time) []store.Position {
	rows := make([]store.Position, 0, len(records))
	for _, r := range records {
		if r.Time.Before(oldest) || r.Time.Before(v.conn.CollectionStartTime.Time) || v.conn.CollectionEndTime != nil && !r.Time.Before(v.conn.CollectionEndTime.Time) {
			continue
		}
		row := store.Position{DeviceID: devices[r.SystemDeviceID], Position: r.Position}
		reason, suspect := trip.Suspect(r.Position, v.Now())
		if reason == trip.Invalid || !finite(r.Latitude) || !finite(r.Longitude) {
			v.Logger.Warn("position cannot be stored", "connection", v.claim.ConnectionID, "device", row.DeviceID, "reason", trip.Invalid)
			continue
		}
		if suspect {
			row.Suspect = string(reason)
		}
		rows = append(rows, row)
	}
	// In the order of the key, which is how the database likes them best.
	slices.SortStableFunc(rows, func(a, b store.Position) int {
		return cmp.Or(cmp.Compare(a.DeviceID, b.DeviceID), a.Time.Compare(b.Time.Time))
	})
	return rows
}

// group gathers the new positions that are not suspect by device, oldest first.
func group(rows []store.Position, fresh []bool) map[string][]drover.Position {
	added := map[string][]drover.Position{}
	for i, row := range rows {
		if fresh[i] && row.Suspect == "" {
			added[row.DeviceID] = append(added[row.DeviceID], row.Position)
		}
	}
	return added
}

func (v *visit) states(ctx context.Context, tx *store.Tx, added map[string][]drover.Position) (map[string]*store.DeviceState, error) {
	ids := slices.Sorted(maps.Keys(added))
	states, err := tx.DeviceStates(ctx, v.claim.TenantID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if states[id] == nil {
			states[id] = &store.DeviceState{DeviceID: id}
		}
	}
	return states, nil
}

// Moved is the data of an event about new positions.
type Moved struct {
	ConnectionID string       `json:"connection_id"`
	Positions    []MovedPoint `json:"positions"`
}

// MovedPoint is one new position of a device.
type MovedPoint struct {
	DeviceID       string `json:"device_id"`
	SystemDeviceID string `json:"system_device_id"`
	*drover.CurrentPosition
}

func (v *visit) positionEvents(devices map[string]string, believed map[string][]drover.Position) ([]drover.Event, error) {
	systemIDs := make(map[string]string, len(devices))
	for systemID, id := range devices {
		systemIDs[id] = systemID
	}
	total := 0
	for _, positions := range believed {
		total += len(positions)
	}
	points := make([]MovedPoint, 0, total)
	for _, id := range slices.Sorted(maps.Keys(believed)) {
		for i := range believed[id] {
			points = append(points, MovedPoint{id, systemIDs[id], believed[id][i].View()})
		}
	}
	var events []drover.Event
	for chunk := range slices.Chunk(points, eventPositions) {
		text, err := json.Marshal(Moved{v.claim.ConnectionID, chunk})
		if err != nil {
			return nil, fmt.Errorf("write event: %w", err)
		}
		events = append(events, drover.Event{ID: store.NewID(), Type: drover.EventPositionUpdated, Timestamp: v.now(), Data: text})
	}
	return events, nil
}
