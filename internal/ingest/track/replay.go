package track

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// replayPage bounds the stored positions that are judged again in one transaction.
// A longer past is read in further pages of that size, outside of transactions, by
// the Watcher: anyone who asked has an answer at once, and no one waits for the writer.
const replayPage = 1000

// record is what is kept of a milestone as its State: what is shown and, while a
// long past is being judged, how far that has come.
type record struct {
	milestone.State
	Replay *replay `json:"replay,omitempty"`
}

// replay is the judging of a past under way.
type replay struct {
	// From is the time of the first position that has not been judged.
	From  drover.Time            `json:"from"`
	State milestone.State        `json:"state"`
	Moved []milestone.Transition `json:"moved,omitempty"`
	// Silent says that no one is notified of what it finds.
	Silent bool `json:"silent,omitempty"`
	// Late counts what arrived among the stored positions meanwhile. Anyone who holds
	// a page that was read before reads it again.
	Late int `json:"late,omitempty"`
}

func readRecord(m *store.Milestone) (record, error) {
	var r record
	if err := json.Unmarshal(m.State, &r); err != nil {
		return r, fmt.Errorf("read the state of milestone %s: %w", m.ID, err)
	}
	return r, nil
}

func (r record) write(m *store.Milestone) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the state of milestone %s: %w", m.ID, err)
	}
	m.State = text
	return nil
}

// positionReader is the store or a transaction.
type positionReader interface {
	Positions(ctx context.Context, r history.Range) ([]drover.StoredPosition, error)
}

func newReplay(m *store.Milestone, silent bool) *replay {
	return &replay{From: m.StartTime, State: milestone.Fresh(), Silent: silent}
}

// next judges one page. It is done where no stored position can change anything
// any more: at the end of the journey, or of the positions.
func (t *Tracker) next(ctx context.Context, from positionReader, m *store.Milestone, r *replay) (done bool, err error) {
	limit := t.replayPage()
	page, err := from.Positions(ctx, history.Range{
		TenantID: m.DeviceTenantID, DeviceID: m.DeviceID, From: r.From, To: drover.At(t.Now().Add(time.Hour)), Limit: limit,
	})
	if err != nil {
		return false, err
	}
	positions := make([]drover.Position, len(page))
	for i, stored := range page {
		positions[i] = stored.Position
	}
	var moved []milestone.Transition
	r.State, moved = milestone.Judge(m.Milestone, t.Config, r.State, positions)
	r.Moved = append(r.Moved, moved...)
	if last := len(page) - 1; last >= 0 {
		r.From = drover.Milli(page[last].Time.UnixMilli() + 1)
	}
	return len(page) < limit || r.State.Status == drover.TripEnded, nil
}

func (t *Tracker) replayPage() int {
	if t.ReplayPage > 0 {
		return t.ReplayPage
	}
	return replayPage
}

// finish ends a replay of which all is judged.
func (t *Tracker) finish(m *store.Milestone, r *replay) (milestone.State, []milestone.Transition) {
	state, moved := milestone.Expire(m.Milestone, t.Config, r.State, t.Now())
	return state, append(r.Moved, moved...)
}

// Restart judges a milestone again over the stored positions. It sets the
// milestone's state and status and stores nothing. Where the past is long, the
// milestone has not started, is due at once, and moves on with the Watcher.
func (t *Tracker) Restart(ctx context.Context, tx history.Writer, m *store.Milestone) error {
	r := newReplay(m, false)
	done, err := t.next(ctx, tx, m, r)
	if err != nil {
		return err
	}
	after := record{State: milestone.Fresh(), Replay: r}
	if done {
		after = record{}
		after.State, _ = t.finish(m, r)
		if !foreign(m) {
			after.Judged = nil
		}
	}
	m.Status = ""
	t.schedule(m, after.State)
	m.Status = after.Status
	if !done {
		m.DueAt = new(drover.At(t.Now()))
	}
	return after.write(m)
}

// rejudge judges a milestone again because its past has changed.
func (t *Tracker) rejudge(ctx context.Context, tx *store.Tx, m *store.Milestone, before record, silent bool) error {
	r := newReplay(m, silent)
	if before.Replay != nil {
		r.Silent, r.Late = silent && before.Replay.Silent, before.Replay.Late+1
	}
	done, err := t.next(ctx, tx.History, m, r)
	if err != nil {
		return err
	}
	if done {
		return t.replayed(ctx, tx, m, before.State, r)
	}
	m.DueAt = new(drover.At(t.Now()))
	return t.suspend(ctx, tx.Trips, m, before.State, r)
}

// replayed stores what a replay has found and notifies of what is new in it.
func (t *Tracker) replayed(ctx context.Context, tx *store.Tx, m *store.Milestone, before milestone.State, r *replay) error {
	after, moved := t.finish(m, r)
	return t.keep(ctx, tx, m, after.Keeping(before), milestone.Beyond(before, moved), r.Silent)
}

// suspend stores how far a replay has come.
func (t *Tracker) suspend(ctx context.Context, tx store.TripsTx, m *store.Milestone, shown milestone.State, r *replay) error {
	if err := (record{State: shown, Replay: r}).write(m); err != nil {
		return err
	}
	return tx.SetMilestone(ctx, *m)
}

// disturb notes what a batch changes about a past that is being judged. Positions
// that the replay has yet to come to are none of its business.
func (t *Tracker) disturb(ctx context.Context, tx *store.Tx, m *store.Milestone, before record, b Batch) error {
	changes := slices.Clone(b.Withdrawn[m.DeviceID])
	for _, p := range b.Positions[m.DeviceID] {
		changes = append(changes, p.Time)
	}
	passed := func(at drover.Time) bool { return !at.Before(m.StartTime.Time) && at.Before(before.Replay.From.Time) }
	if slices.ContainsFunc(changes, passed) {
		return t.rejudge(ctx, tx, m, before, b.Silent)
	}
	if _, late := b.reach(m.DeviceID); late {
		before.Replay.Late++
		return t.suspend(ctx, tx.Trips, m, before.State, before.Replay)
	}
	return nil
}

// resume goes on with a replay, page by page, until nothing is left of it. The
// pages are read outside of transactions; what was read is discarded where the
// milestone or its past has changed meanwhile. The last page is read again with the
// milestone locked, so that no position falls between it and the live ones.
func (w *Watcher) resume(ctx context.Context, c store.DueMilestone) error {
	t := w.Tracker
	for ctx.Err() == nil {
		m, err := w.Store.Trips.Milestone(ctx, c.TenantID, c.ID)
		if err != nil {
			return err
		}
		read, err := readRecord(&m)
		if err != nil || read.Replay == nil {
			return err
		}
		seen := string(m.State)
		r := read.Replay
		done, err := t.next(ctx, w.Store.History, &m, r)
		if err != nil {
			return err
		}
		err = w.Store.Update(ctx, func(tx *store.Tx) error {
			m, err := tx.Trips.MilestoneForUpdate(ctx, c.TenantID, c.ID)
			if err != nil || string(m.State) != seen {
				return err
			}
			m.DueAt = new(drover.At(t.Now().Add(claimTime)))
			next, complete := *r, done
			next.Moved = slices.Clone(r.Moved)
			if done && r.State.Status != drover.TripEnded {
				if complete, err = t.next(ctx, tx.History, &m, &next); err != nil {
					return err
				}
			}
			if !complete {
				return t.suspend(ctx, tx.Trips, &m, read.State, &next)
			}
			return t.replayed(ctx, tx, &m, read.State, &next)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
