// Package retain deletes data that is older than the operator or its tenant keeps: positions,
// readings, closed faults, safety events and assignments, for which each tenant can have its own
// retention, and events. It packs settled data that is kept.
package retain

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// slack is how much longer positions stay than they are taken in: a trip that a
// late position revises may have begun before.
const slack = account.Day

// sweepEvery is how often old data is looked for.
const sweepEvery = 15 * time.Minute

// Options are what a Keeper works with.
type Options struct {
	Store  *store.Store
	Policy account.RetentionPolicy
	Now    func() time.Time
	Logger *slog.Logger
}

// Keeper is the background work that forgets and packs.
type Keeper struct {
	Options
	background.Work
	measured  measured
	measureAt time.Time
}

// New makes a Keeper.
func New(o Options) *Keeper {
	k := &Keeper{Options: o}
	k.Run = func(ctx context.Context) { background.Every(ctx, sweepEvery, k.Round) }
	return k
}

// Round does all that is to be done now. Where tenants lie at several places each is gone through by itself,
// and what needs all of them holds up none.
func (k *Keeper) Round(ctx context.Context) {
	if !k.Store.Distributed() {
		k.do(ctx, "make room for positions", k.makeWeeks)
		k.keep(ctx)
		k.do(ctx, "measure the history", k.Measure)
		return
	}
	var all sync.WaitGroup
	for _, place := range k.Store.Places() {
		all.Go(func() { k.keep(store.At(ctx, place)) })
	}
	k.do(ctx, "make room for positions", k.makeWeeks)
	k.do(ctx, "drop weeks of positions", k.dropWeeks)
	k.do(ctx, "measure the history", k.Measure)
	all.Wait()
}

// do does a part of a round, and tells of its failure.
func (k *Keeper) do(ctx context.Context, what string, part func(ctx context.Context) error) {
	if err := part(ctx); err != nil && ctx.Err() == nil {
		k.Logger.ErrorContext(ctx, what, "err", err)
	}
}

// keep forgets and packs, of all tenants or those of a place, and gives back what keys do not need.
func (k *Keeper) keep(ctx context.Context) {
	k.do(ctx, "forget old data", k.Sweep)
	k.do(ctx, "pack old positions", func(ctx context.Context) error { _, err := k.Pack(ctx); return err })
	k.do(ctx, "pack old readings", func(ctx context.Context) error { _, err := k.PackReadings(ctx); return err })
	k.do(ctx, "pack old events", func(ctx context.Context) error { _, err := k.PackEvents(ctx); return err })
	k.do(ctx, "give back room of positions", k.tighten)
}

func (k *Keeper) makeWeeks(ctx context.Context) error { return k.Store.History.MakeWeeks(ctx, k.Now()) }

// dropWeeks drops weeks of which nothing is kept, or all is packed.
func (k *Keeper) dropWeeks(ctx context.Context) error {
	tenants, err := k.Store.Accounts.Retentions(ctx)
	if err != nil {
		return err
	}
	packed := time.UnixMilli(0)
	if k.Policy.Pack > 0 {
		packed = k.Now().Add(-k.Policy.Pack)
	}
	dropped, err := k.Store.History.DropWeeks(ctx, k.cuts(tenants), packed)
	if dropped > 0 {
		k.Logger.InfoContext(ctx, "dropped weeks of positions", "weeks", dropped)
	}
	return err
}

// tightenFor bounds the rebuilding of keys: a server that hangs would hold up all for ever. A week of
// some 500 million positions takes less.
const tightenFor = time.Hour

// tighten gives back room that keys of positions have taken and do not need.
func (k *Keeper) tighten(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, tightenFor)
	defer cancel()
	rebuilt, err := k.Store.History.Tighten(bounded)
	if rebuilt > 0 {
		k.Logger.InfoContext(ctx, "rebuilt keys of positions", "partitions", rebuilt)
	}
	return err
}

// Metrics are what the history takes.
func (k *Keeper) Metrics() prometheus.Collector { return &k.measured }

// Measure takes the figures of the metrics, where they are old.
func (k *Keeper) Measure(ctx context.Context) error {
	now := k.Now()
	if k.measured.Load() != nil && now.Sub(k.measureAt).Abs() < measureEvery {
		return nil
	}
	all, err := StorageOf(ctx, k.Store, now)
	if err == nil { // the figures before are better than a part of them
		k.measured.Store(&all)
		k.measureAt = now
	}
	return errors.Join(err, k.noteUsage(ctx, all, now))
}

// Sweep forgets all that is too old now.
func (k *Keeper) Sweep(ctx context.Context) error {
	all, err := k.Store.Accounts.Retentions(store.AtNone(ctx))
	if err != nil {
		return err
	}
	positions, err := k.Store.History.ForgetPositions(ctx, k.cuts(all))
	if err != nil {
		return err
	}
	tenants := here(ctx, k.Store, all)
	cuts := k.cuts(tenants)
	if err := k.forgetRoads(ctx, cuts); err != nil {
		return err
	}
	if err := k.markChanges(ctx); err != nil {
		return err
	}
	readings, err := k.Store.ForgetReadings(ctx, cuts)
	if err != nil {
		return err
	}
	faults, err := k.Store.ForgetFaults(ctx, cuts)
	if err != nil {
		return err
	}
	safety, err := k.Store.ForgetSafetyEvents(ctx, cuts)
	if err != nil {
		return err
	}
	assignments, err := k.Store.ForgetAssignments(ctx, cuts)
	if err != nil {
		return err
	}
	notes, err := k.Store.ForgetNotes(ctx, cuts)
	if err != nil {
		return err
	}
	events, err := k.forgetEvents(ctx, tenants)
	if positions != (history.Forgotten{}) || events > 0 || readings > 0 || faults > 0 || safety > 0 || assignments > 0 ||
		notes > 0 {
		k.Logger.InfoContext(ctx, "forgot old data", "positions", positions.Rows, "weeks_of_positions", positions.Weeks, "events", events,
			"readings", readings, "faults", faults, "safety_events", safety, "assignments", assignments,
			"notes", notes)
	}
	return err
}

// cuts say from when on the positions of tenants are kept.
func (k *Keeper) cuts(tenants []account.Retention) []history.Cut {
	cuts := make([]history.Cut, len(tenants))
	for i, r := range tenants {
		cuts[i].TenantID = r.TenantID
		if oldest, some := k.Policy.Oldest(r, k.Now()); some {
			before := drover.At(oldest.Add(-slack))
			cuts[i].Before = &before
		}
	}
	return cuts
}

// here leaves those of the place for which a context is.
func here(ctx context.Context, s *store.Store, tenants []account.Retention) []account.Retention {
	return slices.DeleteFunc(slices.Clone(tenants), func(r account.Retention) bool { return !s.IsHere(ctx, r.TenantID) })
}

// forgetRoads forgets where was driven in weeks that are long past, or whose positions are
// forgotten.
func (k *Keeper) forgetRoads(ctx context.Context, cuts []history.Cut) error {
	for _, c := range cuts {
		week := history.FirstRoadWeek(k.Now())
		if c.Before != nil {
			week = max(week, history.Week(*c.Before))
		}
		for more := true; more; {
			err := k.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
				more, err = tx.Trips.ForgetRoads(ctx, c.TenantID, week)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// keepDeletions is for how long a copy that was not brought up to date can be.
const keepDeletions = 30 * account.Day

// markChanges notes how far changes are, and forgets deletions that are old.
func (k *Keeper) markChanges(ctx context.Context) error {
	now := drover.At(k.Now())
	for forgotten := int64(work.EraseRows); forgotten == work.EraseRows; {
		err := k.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			forgotten, err = tx.Fleet.MarkChanges(ctx, now, keepDeletions)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// packFor bounds one run of packing, so that a database with years of rows to pack
// goes on forgetting beside it.
const packFor = 10 * time.Minute

// Beside is how the service packs while it does other work. While that takes in all it can, some
// thousands of positions a second are packed then, which costs it a few hundredths of its rate.
const Beside background.Rest = 7

// Pack packs the positions that are settled now.
func (k *Keeper) Pack(ctx context.Context) (history.Packed, error) {
	if k.Policy.Pack == 0 {
		return history.Packed{}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, packFor)
	defer cancel()
	done, err := k.Store.History.Pack(bounded, k.Now(), k.Now().Add(-k.Policy.Pack), Beside)
	if done != (history.Packed{}) {
		k.Logger.InfoContext(ctx, "packed positions", "positions", done.Positions, "blocks", done.Blocks, "weeks_dropped", done.Weeks)
	}
	if bounded.Err() != nil {
		return done, nil // the next run goes on
	}
	return done, err
}

// PackReadings packs the readings of all tenants that are old enough.
func PackReadings(ctx context.Context, s *store.Store, before time.Time, rest background.Rest) (packed int, err error) {
	tenants, err := s.Accounts.Retentions(store.AtNone(ctx))
	for _, r := range here(ctx, s, tenants) {
		if err != nil {
			break
		}
		var n int
		n, err = s.PackReadings(ctx, r.TenantID, drover.At(before), rest)
		packed += n
	}
	return packed, err
}

// PackReadings packs the readings that are old enough now, unless nothing is packed at all.
func (k *Keeper) PackReadings(ctx context.Context) (int, error) {
	if k.Policy.Pack == 0 {
		return 0, nil
	}
	bounded, cancel := context.WithTimeout(ctx, packFor)
	defer cancel()
	packed, err := PackReadings(bounded, k.Store, k.Now().Add(-k.Policy.Pack), Beside)
	if packed > 0 {
		k.Logger.InfoContext(ctx, "packed readings", "readings", packed)
	}
	if bounded.Err() != nil {
		return packed, nil // the next run goes on
	}
	return packed, err
}

// eventsSettle is how long after the end of their hour events about positions are put into
// blocks. Most of those who read them have done so by then.
const eventsSettle = time.Hour

// PackEvents packs the data of events about positions, by whole hours.
func PackEvents(ctx context.Context, s *store.Store, now time.Time, rest background.Rest) (done work.Grouped, err error) {
	tenants, err := s.Accounts.Retentions(store.AtNone(ctx))
	if err != nil {
		return done, err
	}
	for _, r := range here(ctx, s, tenants) {
		n, err := s.Feed.GroupEvents(ctx, r.TenantID, drover.At(now.Add(-eventsSettle).Truncate(time.Hour)), rest)
		done.Events += n.Events
		done.Blocks += n.Blocks
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// PackEvents packs the events that are old enough now, unless nothing is packed at all.
func (k *Keeper) PackEvents(ctx context.Context) (work.Grouped, error) {
	if k.Policy.Pack == 0 {
		return work.Grouped{}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, packFor)
	defer cancel()
	done, err := PackEvents(bounded, k.Store, k.Now(), Beside)
	if done != (work.Grouped{}) {
		k.Logger.InfoContext(ctx, "packed events", "events", done.Events, "blocks", done.Blocks)
	}
	if bounded.Err() != nil {
		return done, nil // the next run goes on
	}
	return done, err
}

func (k *Keeper) forgetEvents(ctx context.Context, tenants []account.Retention) (int64, error) {
	var total int64
	for _, r := range tenants {
		for _, kind := range []struct {
			keep   time.Duration
			forget func(context.Context, string, drover.Time) (int64, error)
		}{{k.Policy.Events, k.Store.Feed.ForgetEvents}, {k.Policy.PositionEvents, k.Store.Feed.ForgetPositionEvents}} {
			if kind.keep == 0 {
				continue
			}
			n, err := kind.forget(ctx, r.TenantID, drover.At(k.Now().Add(-kind.keep)))
			total += n
			if err != nil {
				return total, err
			}
		}
	}
	return total, nil
}
