package track

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Batch is what a transaction has newly found out about devices. It is stored while it
// waits for those whom the devices are shared with.
type Batch struct {
	TenantID string `json:"tenant_id"`
	// ConnectionID is that of all devices.
	ConnectionID string `json:"-"`
	// Positions are newly accepted, oldest first: new ones, and those that were
	// taken for jumps until now.
	Positions map[string][]drover.Position `json:"positions"`
	// Withdrawn are the times of positions that were accepted and are no longer.
	Withdrawn map[string][]drover.Time `json:"withdrawn,omitempty"`
	// Before is the newest position that a device had before. All of them have
	// been judged, so no milestone needs to remember how far it has come, and one
	// that nothing happened to is not written.
	Before map[string]drover.Time `json:"before"`
	// Silent stores what follows and notifies no one: history that is filled in.
	Silent bool `json:"silent,omitempty"`
}

// Judge moves the milestones on that the batch concerns and appends the events
// of what happened. Its cost depends on the open milestones of these devices
// alone. Those of other tenants are judged in transactions of their own: they are
// sent the batch.
func (t *Tracker) Judge(ctx context.Context, tx *store.Tx, b Batch) error {
	if err := t.judgeOf(ctx, tx, b.TenantID, b); err != nil {
		return err
	}
	// Most connections are shared with no one. Only those who may read the positions are asked.
	grants, err := tx.Shares.Recipients(ctx, b.TenantID, b.ConnectionID)
	if err != nil {
		return err
	}
	for tenant, grant := range inOrder(grants) {
		if !grant.Positions() {
			continue
		}
		open, late := b.devices()
		devices, err := tx.Trips.Tracks(ctx, tenant, b.TenantID, open, late)
		if err != nil {
			return err
		}
		if len(devices) == 0 {
			continue
		}
		r := work.Route{OwnerID: b.TenantID, RecipientID: tenant}
		if err := tx.Feed.Send(ctx, r, work.MessagePositions, b.of(devices)); err != nil {
			return err
		}
	}
	return nil
}

// judgeOf judges the milestones of one tenant.
func (t *Tracker) judgeOf(ctx context.Context, tx *store.Tx, tenantID string, b Batch) error {
	devices, late := b.devices()
	milestones, err := tx.Trips.OpenMilestones(ctx, tenantID, b.TenantID, devices)
	if err != nil {
		return err
	}
	for _, device := range late {
		newest, _ := b.reach(device)
		ended, err := tx.Trips.EndedMilestones(ctx, tenantID, b.TenantID, device, newest)
		if err != nil {
			return err
		}
		milestones = append(milestones, ended...)
	}
	for i := range milestones {
		if err := t.judge(ctx, tx, &milestones[i], b); err != nil {
			return err
		}
	}
	return nil
}

// devices are those that the batch is about, and those of which some of it lies among
// what was judged before.
func (b Batch) devices() (all, late []string) {
	all = slices.AppendSeq(slices.Collect(maps.Keys(b.Positions)), maps.Keys(b.Withdrawn))
	slices.Sort(all)
	all = slices.Compact(all)
	for _, device := range all {
		if _, is := b.reach(device); is {
			late = append(late, device)
		}
	}
	return all, late
}

// of is what the batch says of some devices.
func (b Batch) of(devices []string) Batch {
	out := Batch{
		TenantID: b.TenantID, Positions: map[string][]drover.Position{}, Withdrawn: map[string][]drover.Time{},
		Before: map[string]drover.Time{}, Silent: b.Silent,
	}
	for _, device := range devices {
		if positions, some := b.Positions[device]; some {
			out.Positions[device] = positions
		}
		if times, some := b.Withdrawn[device]; some {
			out.Withdrawn[device] = times
		}
		if at, known := b.Before[device]; known {
			out.Before[device] = at
		}
	}
	return out
}

// reach is the newest time in the batch of a device, and whether any of it
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
	if newest, known := b.Before[m.DeviceID]; known && (before.Judged == nil || newest.After(before.Judged.Time)) {
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
	after = after.Keeping(before)
	if milestone.Same(stored.State, after) { // the common case: it needs no text
		return nil
	}
	return t.keep(ctx, tx, m, after, moved, b.Silent)
}

// keep stores the new state, and the events of what happened.
func (t *Tracker) keep(
	ctx context.Context,
	tx *store.Tx,
	m *store.Milestone,
	after milestone.State,
	moved []milestone.Transition,
	silent bool,
) error {
	arrived := after // with what is said of the arrival
	late, known := t.arrival(m, after)
	if known && !silent {
		arrived.Late = late.Late
	}
	text, same, err := t.stateOf(m, arrived)
	if err != nil || same {
		return err
	}
	changed, undone := m.Status != after.Status, milestone.Rank(after.Status) < milestone.Rank(m.Status)
	t.schedule(m, after)
	m.State, m.Status = text, after.Status
	if changed {
		m.UpdatedAt = drover.At(t.Now())
	}
	if err := tx.Trips.SetMilestone(ctx, *m); err != nil {
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
		return t.notifyUndone(ctx, tx, m)
	}
	if err := t.announce(ctx, tx, m, moved); err != nil || !known {
		return err
	}
	return t.notifyLate(ctx, tx, m, late, &after)
}

// arrival is that of a milestone that has ended against its deadline.
func (t *Tracker) arrival(m *store.Milestone, after milestone.State) (milestone.Lateness, bool) {
	if after.Status != drover.TripEnded || after.Expired {
		return milestone.Lateness{}, false
	}
	return milestone.View{Milestone: m.Milestone, State: after, ArrivedAt: after.EndedAt, Config: t.Config, Now: t.Now()}.Lateness()
}

// stateOf is a state as it is stored, and whether it says no more than what is stored.
// How far a milestone has come is known by its device, where that is the tenant's own.
// Positions of others come in messages, which may be older than what a replay has read:
// so theirs is stored, with the next change of anything else.
func (t *Tracker) stateOf(m *store.Milestone, after milestone.State) (text []byte, same bool, err error) {
	judged := after.Judged
	after.Judged = nil
	if foreign(m) {
		known, err := readRecord(m)
		if err != nil {
			return nil, false, err
		}
		after.Judged = known.Judged
	}
	if text, err = json.Marshal(after); err == nil && foreign(m) && string(text) != string(m.State) {
		after.Judged = judged
		text, err = json.Marshal(after)
	}
	if err != nil {
		return nil, false, fmt.Errorf("write the state of milestone %s: %w", m.ID, err)
	}
	return text, string(text) == string(m.State), nil
}

// foreign reports whether a milestone tracks another tenant's device.
func foreign(m *store.Milestone) bool { return m.TenantID != m.DeviceTenantID }

// notifyUndone announces that a milestone is less far than was announced, because what moved
// it on was withdrawn.
func (t *Tracker) notifyUndone(ctx context.Context, tx *store.Tx, m *store.Milestone) error {
	e, err := drover.NewEvent(drover.EventMilestoneUpdated, drover.At(t.Now()), m.Milestone)
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, []drover.Event{e})
}

// schedule says when a milestone that has changed is next looked at: at once
// where it has started, or could be late.
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
		if m.EndTime != nil { // it may be late without ever setting off
			m.DueAt = new(drover.At(t.Now()))
			if m.StartTime.After(m.DueAt.Time) {
				m.DueAt = new(m.StartTime)
			}
		}
	case drover.TripInProgress:
		m.DueAt = new(drover.At(t.Now()))
	case drover.TripEnded:
	}
}

func (t *Tracker) announce(ctx context.Context, tx *store.Tx, m *store.Milestone, moved []milestone.Transition) error {
	grant, err := grantOf(ctx, tx.Shares, m)
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
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, events)
}

// grantOf is what the tenant of a milestone may read of its device.
func grantOf(ctx context.Context, tx store.SharesTx, m *store.Milestone) (drover.Grant, error) {
	if !foreign(m) {
		return drover.FullGrant, nil
	}
	if m.ConnectionID == nil { // the device is gone
		return 0, nil
	}
	grants, err := tx.Recipients(ctx, m.DeviceTenantID, *m.ConnectionID)
	return grants[m.TenantID], err
}
