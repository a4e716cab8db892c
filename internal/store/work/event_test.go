package work_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

const endOfFeed = int64(1) << 62

func event(t *testing.T, typ drover.EventType, milestone *string) drover.Event {
	t.Helper()
	return drover.Event{ID: store.NewID(), Type: typ, Timestamp: noon, MilestoneID: milestone, Data: []byte(`{"a":"b"}`)}
}

func (f fixture) append(tenant string, events ...drover.Event) {
	f.t.Helper()
	f.update(func(tx *store.Tx) error { return journal.Append(f.t.Context(), tx, tenant, events) })
}

func sequences(events []drover.Event) []int64 {
	out := []int64{}
	for _, e := range events {
		out = append(out, e.Sequence)
	}
	return out
}

func TestEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		if last := must[int64](f.t)(f.Feed.LastEvent(ctx, f.own)); last != 0 {
			f.t.Errorf("an empty feed ends at %d", last)
		}
		m := store.NewID()
		f.append(f.own, event(f.t, drover.EventMilestoneCreated, &m), event(f.t, drover.EventDeviceCreated, nil))
		f.append(f.other, event(f.t, drover.EventDeviceCreated, nil))
		f.append(f.own, event(f.t, drover.EventMilestoneStarted, &m))
		read := func(filter drover.EventFilter, r work.EventRange) []int64 {
			f.t.Helper()
			return sequences(must[[]drover.Event](f.t)(f.Feed.Events(ctx, f.own, filter, r)))
		}
		all := work.EventRange{To: endOfFeed, Limit: 10}
		check(f.t, read(drover.EventFilter{}, all), []int64{1, 2, 3})
		check(f.t, read(drover.EventFilter{}, work.EventRange{After: 1, To: 2, Limit: 10}), []int64{2})
		check(f.t, read(drover.EventFilter{}, work.EventRange{To: endOfFeed, Limit: 2}), []int64{1, 2})
		check(f.t, read(drover.EventFilter{MilestoneID: m}, all), []int64{1, 3})
		check(f.t, read(drover.EventFilter{MilestoneID: "none"}, all), []int64{})
		check(f.t, read(drover.EventFilter{Types: []drover.EventType{drover.EventMilestoneStarted, drover.EventDeviceCreated}}, all),
			[]int64{2, 3})
		check(f.t, must[int64](f.t)(f.Feed.LastEvent(ctx, f.own)), 3)
		check(f.t, must[map[string]int64](f.t)(f.Feed.LastEvents(ctx, []string{f.own, f.other})), map[string]int64{f.own: 3, f.other: 1})
	})
}

// A reader that races with many writers, some of which fail, sees every number
// once and in order, whatever it hears the end of the feed is.
func TestReaderNeverMisses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		const writers, each = 6, 40
		ctx, cancel := context.WithCancel(f.t.Context())
		defer cancel()
		var wg sync.WaitGroup
		failed := errors.New("changed its mind")
		for range writers {
			wg.Go(func() {
				for i := range each {
					err := f.Update(ctx, func(tx *store.Tx) error {
						events := []drover.Event{event(f.t, drover.EventDeviceUpdated, nil), event(f.t, drover.EventTripCompleted, nil)}
						if err := journal.Append(ctx, tx, f.own, events[:1+i%2]); err != nil {
							return err
						}
						if i%5 == 4 {
							return failed
						}
						return nil
					})
					if err != nil && !errors.Is(err, failed) {
						f.t.Errorf("append: %v", err)
					}
				}
			})
		}
		written := make(chan struct{})
		go func() {
			wg.Wait()
			close(written)
		}()
		var after int64
		for done := false; ; {
			select {
			case <-written:
				done = true
			default:
			}
			last := must[int64](f.t)(f.Feed.LastEvent(ctx, f.own))
			for _, e := range must[[]drover.Event](f.t)(f.Feed.Events(ctx, f.own, drover.EventFilter{},
				work.EventRange{After: after, To: endOfFeed, Limit: 1000})) {
				if e.Sequence != after+1 {
					f.t.Fatalf("after %d came %d", after, e.Sequence)
				}
				after = e.Sequence
			}
			if after < last {
				f.t.Fatalf("the feed ended at %d, yet events are there only up to %d", last, after)
			}
			if done && after == last {
				break
			}
		}
		// Of ten transactions two fail, and half of the others append two events.
		if want := int64(writers * each / 10 * 12); after != want {
			f.t.Errorf("%d events, want %d", after, want)
		}
	})
}

func TestEventSignals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		reported := make(chan string, 10)
		cancel := f.Jobs.OnEvents(func(tenant string) { reported <- tenant })
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		if got := <-reported; got != f.own {
			f.t.Errorf("notified of %s", got)
		}
		err := f.Update(f.t.Context(), func(tx *store.Tx) error {
			return errors.Join(journal.Append(f.t.Context(), tx, f.own, []drover.Event{event(f.t, drover.EventDeviceCreated, nil)}),
				errors.New("no"))
		})
		if err == nil || len(reported) != 0 {
			f.t.Errorf("a transaction that failed (%v) notified %d listeners", err, len(reported))
		}
		cancel()
		f.append(f.own, event(f.t, drover.EventDeviceCreated, nil))
		if len(reported) != 0 {
			f.t.Error("a listener that has left is notified")
		}
	})
}

// A process hears of what another commits.
func TestListenEvents(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	writer, reader := storetest.Open(t, o), storetest.Open(t, o)
	tenant := store.NewID()
	if err := writer.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: tenant, Name: "own", CreatedAt: noon})
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	reported, ended := make(chan string, 1000), make(chan error, 1)
	go func() { ended <- reader.Jobs.ListenEvents(ctx, func(id string) { reported <- id }) }()
	for heard := false; !heard; {
		if err := writer.Update(ctx, func(tx *store.Tx) error {
			return journal.Append(ctx, tx, tenant, []drover.Event{event(t, drover.EventDeviceCreated, nil)})
		}); err != nil {
			t.Fatal(fmt.Errorf("never heard: %w", err))
		}
		select {
		case id := <-reported:
			heard = id == tenant
		default: // the listener may not be there yet
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("listening ended with %v", err)
	}
}

// Many writers at once: each either happened whole or not at all, and events
// carry consecutive numbers.
func TestConcurrentEventsAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		const writers, each = 8, 10
		var wg sync.WaitGroup
		errs := make(chan error, writers*each)
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					errs <- f.Update(ctx, func(tx *store.Tx) error {
						e := []drover.Event{{ID: store.NewID(), Type: drover.EventDeviceUpdated, Timestamp: noon, Data: json.RawMessage(`{}`)}}
						if err := journal.Append(ctx, tx, f.own, e); err != nil {
							return err
						}
						if (w+i)%5 == 0 {
							return context.Canceled
						}
						return nil
					})
				}
			})
		}
		wg.Wait()
		close(errs)
		var committed int64
		for err := range errs {
			if err == nil {
				committed++
			} else if !errors.Is(err, context.Canceled) {
				f.t.Error(err)
			}
		}
		s := must[drover.ActivitySummary](f.t)(f.Fleet.ActivitySummary(ctx, f.own, 7, 10, false, noon))
		check(f.t, s.Totals.Events, committed)
		check(f.t, s.EventsByType, []drover.EventCount{{Type: drover.EventDeviceUpdated, Count: committed}})
	})
}
