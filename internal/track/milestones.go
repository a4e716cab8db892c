package track

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/journal"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/store"
)

// Batch is what a transaction has newly found out about devices.
type Batch struct {
	TenantID string
	// Positions are newly believed, oldest first: new ones, and those that were
	// taken for jumps until now.
	Positions map[string][]drover.Position
	// Withdrawn are the times of positions that were believed and are no longer.
	Withdrawn map[string][]drover.Time
	// Before is the newest position that a device had before. All of them have
	// been judged, so no milestone needs to remember how far it has come, and one
	// that nothing happened to is not written.
	Before map[string]drover.Time
	// Silent stores what follows and tells nobody: history that is filled in.
	Silent bool
}

// Judge moves the milestones on that the batch concerns and appends the events
// of what happened. Its cost depends on the open milestones of these devices
// alone.
func (t *Tracker) Judge(ctx context.Context, tx *store.Tx, b Batch) error {
	devices := slices.Collect(maps.Keys(b.Positions))
	devices = slices.AppendSeq(devices, maps.Keys(b.Withdrawn))
	slices.Sort(devices)
	devices = slices.Compact(devices)
	milestones, err := tx.OpenMilestones(ctx, b.TenantID, devices)
	if err != nil {
		return err
	}
	for _, device := range devices {
		newest, late := b.reach(device)
		if !late {
			continue
		}
		ended, err := tx.EndedMilestones(ctx, b.TenantID, device, newest)
		if err != nil {
			return err
		}
		milestones = append(milestones, ended...)
	}
	// Tenants one after the other, as everywhere: their counters stay locked.
	slices.SortStableFunc(milestones, func(a, b store.Milestone) int { return cmp.Compare(a.TenantID, b.TenantID) })
	for i := range milestones {
		if err := t.judge(ctx, tx, &milestones[i], b); err != nil {
			return err
		}
	}
	return nil
}

// reach is the newest time that the batch tells of a device, and whether any of it
// lies among what was judged before.
func (b Batch) reach(device string) (newest drover.Time, late bool) {
	if positions := b.Positions[device]; len(positions) > 0 {
		before, known := b.Before[device]
		newest, late = positions[len(positions)-1].Time, known && !positions[0].Time.After(before.Time)
	}
	for _, at := range b.Withdrawn[device] {
		late = true
		if at.After(newest.Time) {
			newest = at
		}
	}
	return newest, late
}

func (t *Tracker) judge(ctx context.Context, tx *store.Tx, m *store.Milestone, b Batch) error {
	stored, err := readRecord(m)
	if err != nil {
		return err
	}
	if stored.Replay != nil {
		return t.disturb(ctx, tx, m, stored, b)
	}
	before, positions := stored.State, b.Positions[m.DeviceID]
	if newest, known := b.Before[m.DeviceID]; known {
		before.Judged = &newest
	}
	if newest := len(positions) - 1; before.Silent != nil && newest >= 0 && positions[newest].Time.After(before.Silent.Time) {
		before.Silent = nil
		m.DueAt = new(drover.At(t.Now()))
	}
	again := slices.ContainsFunc(positions, func(p drover.Position) bool { return milestone.NeedsReplay(m.Milestone, t.Config, before, p) }) ||
		slices.ContainsFunc(b.Withdrawn[m.DeviceID], func(at drover.Time) bool { return milestone.Concerns(m.Milestone, before, at) })
	if again {
		return t.rejudge(ctx, tx, m, record{State: before}, b.Silent)
	}
	after, moved := milestone.Judge(m.Milestone, t.Config, before, positions)
	after.Silent = before.Silent
	return t.keep(ctx, tx, m, after, moved, b.Silent)
}

// keep stores the new state, and the events of what happened.
func (t *Tracker) keep(ctx context.Context, tx *store.Tx, m *store.Milestone, after milestone.State, moved []milestone.Transition, silent bool) error {
	after.Judged = nil
	text, err := json.Marshal(after)
	if err != nil {
		return fmt.Errorf("write the state of milestone %s: %w", m.ID, err)
	}
	if string(text) == string(m.State) {
		return nil
	}
	changed, undone := m.Status != after.Status, milestone.Rank(after.Status) < milestone.Rank(m.Status)
	t.schedule(m, after)
	m.State, m.Status = text, after.Status
	if changed {
		m.UpdatedAt = drover.At(t.Now())
	}
	if err := tx.SetMilestone(ctx, *m); err != nil {
		return err
	}
	if changed && after.Status == drover.TripEnded {
		if err := t.learnMilestone(ctx, tx, m, after); err != nil {
			return err
		}
	}
	if silent {
		return nil
	}
	if undone {
		return t.tellUndone(ctx, tx, m)
	}
	return t.announce(ctx, tx, m, moved)
}

// tellUndone announces that a milestone is less far than was announced, because what moved
// it on was withdrawn.
func (t *Tracker) tellUndone(ctx context.Context, tx *store.Tx, m *store.Milestone) error {
	e, err := drover.NewEvent(drover.EventMilestoneUpdated, drover.At(t.Now()), m.Milestone)
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, m.TenantID, []drover.Event{e})
}

// schedule says when a milestone that has changed is next looked at: at once
// where it has started, and at its deadline otherwise.
func (t *Tracker) schedule(m *store.Milestone, after milestone.State) {
	m.ArrivedAt = nil
	if after.Status == drover.TripEnded && !after.Expired {
		m.ArrivedAt = after.EndedAt
	}
	if m.Status == after.Status {
		return
	}
	m.DueAt = nil
	switch after.Status {
	case drover.TripNotStarted:
		if deadline, ok := milestone.Deadline(m.Milestone, t.Config); ok {
			m.DueAt = &deadline
		}
	case drover.TripInProgress:
		m.DueAt = new(drover.At(t.Now()))
	case drover.TripEnded:
	}
}

func (t *Tracker) announce(ctx context.Context, tx *store.Tx, m *store.Milestone, moved []milestone.Transition) error {
	grant, err := grantOf(ctx, tx, m)
	if err != nil {
		return err
	}
	var events []drover.Event
	for _, step := range moved {
		typ := drover.EventMilestoneStarted
		switch {
		case step.Entered:
			typ = drover.EventMilestoneEntered
		case step.Status == drover.TripEnded:
			typ = drover.EventMilestoneEnded
		}
		data := drover.MilestoneStep{Milestone: m.Milestone, OccurredAt: step.At}
		data.Status = step.Status
		if step.Position != nil {
			data.Position = grant.Position(*step.Position).View()
		}
		e, err := drover.NewEvent(typ, drover.At(t.Now()), data)
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	return journal.Append(ctx, tx, m.TenantID, events)
}

// grantOf is what the tenant of a milestone may read of its device.
func grantOf(ctx context.Context, tx *store.Tx, m *store.Milestone) (drover.Grant, error) {
	if m.TenantID == m.DeviceTenantID {
		return drover.FullGrant, nil
	}
	grants, err := tx.ForeignGrants(ctx, m.TenantID, nil, []string{m.DeviceID})
	return grants[m.DeviceID], err
}
