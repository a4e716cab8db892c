package fleet

import (
	"context"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Notes lists the notes about a device of the tenant's own and its trips, or about one trip,
// newest first.
func (s Vehicles) Notes(
	ctx context.Context, p drover.Principal, deviceID, tripID string, after drover.IDCursor, limit int,
) ([]drover.Note, error) {
	if err := s.ownDevice(ctx, p, deviceID); err != nil {
		return nil, err
	}
	return s.store.Vehicles.Notes(ctx, p.TenantID, deviceID, tripID, string(after), limit)
}

// AddNote writes a note about a device or one of its trips.
func (s Vehicles) AddNote(ctx context.Context, p drover.Principal, deviceID string, in drover.NoteInput) (drover.Note, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Note{}, err
	}
	if err := s.ownDevice(ctx, p, deviceID); err != nil {
		return drover.Note{}, err
	}
	if id := in.TripID; id != nil {
		trip, err := s.store.Trips.Trip(ctx, p.TenantID, *id)
		if err == nil && (trip.TenantID != p.TenantID || trip.DeviceID != deviceID) {
			err = store.ErrNotFound
		}
		if err != nil {
			return drover.Note{}, guard.OrUnknown(err, guard.UnknownTrip, *id, "trip_id")
		}
	}
	n := drover.Note{
		ID: store.NewID(), DeviceID: deviceID, TripID: in.TripID, Author: p.Name, AuthorID: p.UserID, CreatedAt: s.now(),
		Text: strings.TrimSpace(in.Text),
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Note, error) {
		count, err := tx.Vehicles.CountNotes(ctx, p.TenantID, deviceID)
		if err == nil && count >= drover.MaxNotes {
			err = drover.Errorf(drover.KindForbidden, "Limit of %d notes of a device reached", drover.MaxNotes)
		}
		if err != nil {
			return drover.Note{}, err
		}
		return n, tx.Vehicles.AddNote(ctx, p.TenantID, n)
	})
}

// DeleteNote deletes a note: its author may, and an admin.
func (s Vehicles) DeleteNote(ctx context.Context, p drover.Principal, deviceID, id string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	if err := s.ownDevice(ctx, p, deviceID); err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		n, err := tx.Vehicles.Note(ctx, p.TenantID, deviceID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownNote, id)
		}
		if n.AuthorID != p.UserID {
			if err := guard.MayAdminister(p); err != nil {
				return err
			}
		}
		return tx.Vehicles.DeleteNote(ctx, p.TenantID, id)
	})
}

// ownDevice refuses a device that is not the tenant's own: notes are never shared.
func (s *core) ownDevice(ctx context.Context, p drover.Principal, id string) error {
	d, err := s.store.Fleet.Device(ctx, p.TenantID, id)
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownDevice, id)
	}
	return guard.Owned(p, d.TenantID)
}
