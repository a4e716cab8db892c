package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
)

// Milestone reads one milestone.
func (s Milestones) Milestone(ctx context.Context, p drover.Principal, id string) (drover.Milestone, error) {
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	return m.SeenBy(p), err
}

// Milestones lists milestones in an order, after a place of it.
func (s Milestones) Milestones(
	ctx context.Context,
	p drover.Principal,
	f drover.MilestoneFilter,
	o drover.MilestoneOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[drover.Milestone], error) {
	stored, err := s.store.Trips.SortedMilestones(ctx, p.TenantID, f, o, after, limit)
	out := make([]drover.Sorted[drover.Milestone], len(stored))
	for i, m := range stored {
		out[i] = drover.Sorted[drover.Milestone]{Record: m.Record.SeenBy(p), Place: m.Place}
	}
	return out, err
}

// MilestoneUpdates lists the update records of milestones in an order, after a place
// of it; nil for one whose device may not be read any more. No router is asked: for
// a whole list that would take too long.
func (s Milestones) MilestoneUpdates(
	ctx context.Context,
	p drover.Principal,
	f drover.MilestoneFilter,
	o drover.MilestoneOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[*drover.MilestoneUpdateEntry], error) {
	stored, err := s.store.Trips.SortedMilestones(ctx, p.TenantID, f, o, after, limit)
	if err != nil {
		return nil, err
	}
	out := make([]drover.Sorted[*drover.MilestoneUpdateEntry], len(stored))
	for i, m := range stored {
		out[i].Place = m.Place
		view, err := s.view(ctx, p, m.Record)
		if drover.ErrorKind(err) == drover.KindForbidden {
			continue
		}
		if err != nil {
			return nil, err
		}
		entry := milestone.Entry(view)
		out[i].Record = &entry
	}
	return out, nil
}

// view gathers what the update record of a milestone is made from, where the caller
// may read the positions of its device.
func (s *core) view(ctx context.Context, p drover.Principal, m store.Milestone) (milestone.View, error) {
	device, places, err := s.located(ctx, p, m.DeviceID)
	if err != nil {
		return milestone.View{}, err
	}
	view, err := places.View(ctx, s.store, s.tracker, m)
	view.ConnectionID, view.SystemDeviceID = device.ConnectionID, device.SystemDeviceID
	return view, err
}

// MilestoneProgress says where a milestone's device is and when it arrives.
func (s Milestones) MilestoneProgress(ctx context.Context, p drover.Principal, id string) (drover.MilestoneProgress, error) {
	e, err := s.MilestoneEntry(ctx, p, id)
	return e.MilestoneProgress, err
}

// MilestoneEntry is the same with how late the device is, and how far.
func (s Milestones) MilestoneEntry(ctx context.Context, p drover.Principal, id string) (drover.MilestoneUpdateEntry, error) {
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestoneUpdate)
	if err != nil {
		return drover.MilestoneUpdateEntry{}, err
	}
	view, err := s.view(ctx, p, m)
	if err != nil {
		return drover.MilestoneUpdateEntry{}, err
	}
	view.Route = s.tracker.Ask(ctx, view)
	return milestone.Entry(view), nil
}

// ETAHistory lists the predictions of a milestone after a time, oldest first,
// against what came true.
func (s Milestones) ETAHistory(
	ctx context.Context,
	p drover.Principal,
	id string,
	after drover.Time,
	limit int,
) ([]drover.ETAPrediction, error) {
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	if err != nil {
		return nil, err
	}
	_, places, err := s.located(ctx, p, m.DeviceID)
	if err != nil {
		return nil, err
	}
	predictions, err := places.Predictions(ctx, s.store, m, after, limit)
	if err != nil {
		return nil, err
	}
	out := make([]drover.ETAPrediction, len(predictions))
	for i, f := range predictions {
		out[i] = drover.ETAPrediction{
			PredictedAt: f.Time, ETA: f.ETA, DistanceToDestinationKM: f.DistanceKM, ETAP10: f.P10, ETAP90: f.P90,
			ArrivedAt: m.ArrivedAt,
		}
		if m.ArrivedAt != nil {
			out[i].ErrorSeconds = new(f.ETA.Sub(m.ArrivedAt.Time).Seconds())
		}
	}
	return out, nil
}

// CreateMilestone begins to track a journey of a device that is the tenant's own
// or shared with it. Positions that are stored already count. A webhook is on
// unless it is said otherwise.
func (s Milestones) CreateMilestone(ctx context.Context, p drover.Principal, in drover.MilestoneInput) (drover.Milestone, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Milestone{}, err
	}
	m := drover.Milestone{
		ID: store.NewID(), TenantID: p.TenantID, DeviceID: in.DeviceID, StartPoint: in.StartPoint, EndPoint: in.EndPoint,
		StartTime: s.now(), EndTime: in.EndTime, WebhookURL: in.WebhookURL, WebhookEnabled: in.WebhookURL != nil,
		CreatedAt: s.now(), UpdatedAt: s.now(), RadiusMetres: in.RadiusMetres, Reference: in.Reference,
	}
	if in.Metadata != nil {
		m.Metadata = *in.Metadata
	}
	if in.StartTime != nil {
		m.StartTime = *in.StartTime
	}
	if in.WebhookEnabled != nil {
		m.WebhookEnabled = *in.WebhookEnabled
	}
	device, err := s.trackable(ctx, p, m.DeviceID)
	if err != nil {
		return drover.Milestone{}, err
	}
	if err := m.Validate(); err != nil {
		return drover.Milestone{}, drover.Under(err, "body")
	}
	if err := s.checkTarget(ctx, drover.Optional[string]{Value: in.WebhookURL}); err != nil {
		return drover.Milestone{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Milestone, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaOpenMilestones, 1); err != nil {
			return m, err
		}
		device, err := stillTrackable(ctx, tx.Fleet, p, device.TenantID, m.DeviceID)
		if err != nil {
			return m, err
		}
		stored := store.Milestone{Milestone: m, DeviceTenantID: device.TenantID, ConnectionID: &device.ConnectionID}
		if err := s.tracker.Restart(ctx, tx.History, &stored); err != nil {
			return m, err
		}
		if err := tx.Trips.AddMilestone(ctx, stored); err != nil {
			return m, err
		}
		return stored.SeenBy(p), s.milestoneEvent(ctx, tx, drover.EventMilestoneCreated, stored)
	})
}

// UpdateMilestone changes the fields that were sent. Where the journey itself
// changes, its tracking starts again and judges the stored positions again.
func (s Milestones) UpdateMilestone(
	ctx context.Context,
	p drover.Principal,
	id string,
	u drover.MilestoneUpdate,
) (drover.Milestone, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Milestone{}, err
	}
	seen, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	if err != nil {
		return drover.Milestone{}, err
	}
	if stored := seen.WebhookURL; stored != nil {
		u.WebhookURL = p.SentAddress(u.WebhookURL, *stored)
	}
	named, err := s.checkMilestone(ctx, p, seen.Milestone, u)
	if err != nil {
		return drover.Milestone{}, err
	}
	var changed store.Milestone
	_, again, err := u.Apply(seen.Milestone)
	if err != nil {
		return drover.Milestone{}, drover.Under(err, "body")
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if again && seen.Status == drover.TripEnded { // it may be open again
			if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaOpenMilestones, 1); err != nil {
				return err
			}
		}
		before, err := tx.Trips.MilestoneForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownMilestone, id)
		}
		if err := guard.Unchanged(ctx, before.SeenBy(p)); err != nil {
			return err
		}
		changed = before
		var restart bool
		if changed.Milestone, restart, err = u.Apply(before.Milestone); err != nil {
			return drover.Under(err, "body")
		}
		// One whose device may not be read any more is frozen, unless it is moved to one
		// that may.
		owner := before.DeviceTenantID
		if changed.DeviceID == named.ID {
			owner = named.TenantID
		}
		device, err := stillTrackable(ctx, tx.Fleet, p, owner, changed.DeviceID)
		if err != nil {
			return err
		}
		changed.DeviceTenantID, changed.ConnectionID = device.TenantID, &device.ConnectionID
		if drover.SameMilestone(before.Milestone, changed.Milestone) {
			return nil
		}
		changed.UpdatedAt = s.now()
		if restart {
			if err := s.tracker.Restart(ctx, tx.History, &changed); err != nil {
				return err
			}
			if err := tx.Trips.DropPredictions(ctx, p.TenantID, id); err != nil {
				return err
			}
		}
		if err := tx.Trips.SetMilestone(ctx, changed); err != nil {
			return err
		}
		return s.milestoneEvent(ctx, tx, drover.EventMilestoneUpdated, changed)
	})
	return changed.SeenBy(p), err
}

// DeleteMilestone ends the tracking and forgets the milestone.
func (s Milestones) DeleteMilestone(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	if _, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone); err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		m, err := tx.Trips.MilestoneForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownMilestone, id)
		}
		if err := guard.Unchanged(ctx, m.SeenBy(p)); err != nil {
			return err
		}
		if err := tx.Trips.DropMilestone(ctx, p.TenantID, id); err != nil {
			return err
		}
		return s.milestoneEvent(ctx, tx, drover.EventMilestoneDeleted, m)
	})
}

// checkMilestone checks an update in the order of its fields, before the
// transaction: what it looks up by name may take a while. It returns the device.
func (s *core) checkMilestone(
	ctx context.Context,
	p drover.Principal,
	seen drover.Milestone,
	u drover.MilestoneUpdate,
) (store.Device, error) {
	id := seen.DeviceID
	if other := u.DeviceID.Value; other != nil {
		id = *other
	}
	device, err := s.trackable(ctx, p, id)
	if err != nil {
		return device, err
	}
	if _, _, err := u.Apply(seen); err != nil {
		return device, drover.Under(err, "body")
	}
	return device, s.checkTarget(ctx, u.WebhookURL)
}

// checkTarget refuses a webhook URL that must not be called.
func (s *core) checkTarget(ctx context.Context, url drover.Optional[string]) error {
	if url.Value == nil {
		return nil
	}
	if err := s.checkURL(ctx, *url.Value); err != nil {
		return drover.InvalidValue(err.Error(), "body", "webhook_url")
	}
	return nil
}

// trackable finds the device that a milestone names: one of the caller's own, or one that is
// shared with it.
func (s *core) trackable(ctx context.Context, p drover.Principal, deviceID string) (store.Device, error) {
	d, err := s.store.Fleet.Device(ctx, p.TenantID, deviceID)
	return mayTrack(p, d, deviceID, err)
}

// stillTrackable reads in a transaction the device that trackable has found with its owner.
func stillTrackable(ctx context.Context, tx store.FleetTx, p drover.Principal, owner, deviceID string) (store.Device, error) {
	d, err := tx.DeviceOf(ctx, p.TenantID, owner, deviceID)
	return mayTrack(p, d, deviceID, err)
}

func mayTrack(p drover.Principal, d store.Device, deviceID string, err error) (store.Device, error) {
	if errors.Is(err, store.ErrNotFound) {
		return d, drover.InvalidValue(fmt.Sprintf(guard.UnknownDevice, deviceID), "body", "device_id")
	}
	if err != nil {
		return d, err
	}
	_, err = guard.MayReadPositions(p, d.Access, d.ID)
	return d, err
}

func (s *core) milestoneEvent(ctx context.Context, tx *store.Tx, typ drover.EventType, m store.Milestone) error {
	e, err := drover.NewEvent(typ, s.now(), m.Milestone)
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, []drover.Event{e})
}
