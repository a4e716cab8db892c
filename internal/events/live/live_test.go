package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var noon = drover.At(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))

// rig is a tenant with a hub.
type rig struct {
	t      *testing.T
	store  *store.Store
	hub    *live.Hub
	tenant string
}

func newHub(t *testing.T, s *store.Store) *live.Hub {
	t.Helper()
	h := live.New(live.Options{Store: s, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(h.Close)
	return h
}

func newRig(t *testing.T, s *store.Store) *rig {
	t.Helper()
	r := &rig{t: t, store: s, hub: newHub(t, s), tenant: store.NewID()}
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.tenant, Name: r.tenant, CreatedAt: noon})
	})
	return r
}

func onBoth(t *testing.T, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newRig(t, s))
	})
}

func (r *rig) update(f func(tx *store.Tx) error) {
	r.t.Helper()
	if err := r.store.Update(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) append(events ...drover.Event) {
	r.t.Helper()
	r.update(func(tx *store.Tx) error { return journal.Append(r.t.Context(), tx, r.tenant, events) })
}

func (r *rig) appendMany(n int) {
	r.t.Helper()
	for range n {
		r.append(event(drover.EventDeviceUpdated))
	}
}

func event(typ drover.EventType) drover.Event {
	return drover.Event{ID: store.NewID(), Type: typ, Timestamp: noon, Data: json.RawMessage(`{}`)}
}

func (r *rig) subscribe(f live.Filter, after *int64) *live.Subscription {
	r.t.Helper()
	sub, err := r.hub.Subscribe(r.t.Context(), r.tenant, f, after)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(sub.Close)
	return sub
}

// receive reads until the event with the sequence.
func receive(t *testing.T, sub *live.Subscription, until int64) []drover.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var events []drover.Event
	for {
		messages, err := sub.Next(ctx)
		if err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		for _, m := range messages {
			events = append(events, m.Event)
		}
		if n := len(events); n > 0 && events[n-1].Sequence >= until {
			return events
		}
	}
}

func sequences(events []drover.Event) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.Sequence)
	}
	return out
}

func span(from, to int64) []int64 {
	var out []int64
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func check[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func TestFollowsLive(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.appendMany(3)
		sub := r.subscribe(live.Filter{}, nil)
		r.appendMany(4)
		check(r.t, sequences(receive(r.t, sub, 7)), span(4, 7))
		if sub.Position() != 7 {
			r.t.Errorf("position is %d", sub.Position())
		}
	})
}

func TestResumes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.appendMany(450) // more than two pages
		for _, after := range []int64{0, 1, 200, 449, 450} {
			sub := r.subscribe(live.Filter{}, &after)
			r.appendMany(1)
			last, err := r.store.Feed.LastEvent(r.t.Context(), r.tenant)
			if err != nil {
				r.t.Fatal(err)
			}
			check(r.t, sequences(receive(r.t, sub, last)), span(after+1, last))
		}
		beyond := int64(1 << 40)
		sub := r.subscribe(live.Filter{}, &beyond)
		r.appendMany(1)
		check(r.t, sequences(receive(r.t, sub, 456)), []int64{456})
	})
}

// Receivers that are cut at random and come back see every event once, while
// several writers append.
func TestCutAndBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		const writers, each, receivers = 4, 100, 8
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					err := r.store.Update(r.t.Context(), func(tx *store.Tx) error {
						return journal.Append(r.t.Context(), tx, r.tenant, []drover.Event{event(drover.EventTripCompleted)})
					})
					if err != nil {
						r.t.Error(err)
					}
				}
			})
		}
		for n := range receivers {
			wg.Go(func() {
				var seen int64
				for seen < writers*each {
					sub, err := r.hub.Subscribe(r.t.Context(), r.tenant, live.Filter{}, &seen)
					if err != nil {
						r.t.Error(err)
						return
					}
					for turns := 0; turns < 3+n && seen < writers*each; turns++ {
						messages, err := sub.Next(r.t.Context())
						if err != nil {
							break
						}
						for _, m := range messages {
							if m.Event.Sequence != seen+1 {
								r.t.Errorf("after %d came %d", seen, m.Event.Sequence)
							}
							seen = m.Event.Sequence
						}
					}
					sub.Close()
				}
			})
		}
		wg.Wait()
	})
}

func TestSlowReceiverIsCut(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		slow, quick := r.subscribe(live.Filter{}, nil), r.subscribe(live.Filter{}, nil)
		for range 30 {
			events := make([]drover.Event, 20)
			for i := range events {
				events[i] = event(drover.EventDeviceUpdated)
			}
			r.append(events...)
			last, _ := r.store.Feed.LastEvent(r.t.Context(), r.tenant)
			receive(r.t, quick, last)
		}
		var seen []int64
		for {
			messages, err := slow.Next(r.t.Context())
			if errors.Is(err, live.ErrSlow) {
				break
			}
			if err != nil {
				r.t.Fatal(err)
			}
			for _, m := range messages {
				seen = append(seen, m.Event.Sequence)
			}
		}
		check(r.t, seen, span(1, int64(len(seen))))
		after := slow.Position()
		if after != int64(len(seen)) || after >= 600 {
			r.t.Fatalf("cut at %d after %d events", after, len(seen))
		}
		check(r.t, sequences(receive(r.t, r.subscribe(live.Filter{}, &after), 600)), span(after+1, 600))
	})
}

func TestCloseEndsSubscriptions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		sub := r.subscribe(live.Filter{}, nil)
		r.hub.Close()
		if _, err := sub.Next(r.t.Context()); !errors.Is(err, live.ErrClosed) {
			r.t.Errorf("after Close: %v", err)
		}
		if _, err := r.hub.Subscribe(r.t.Context(), r.tenant, live.Filter{}, nil); !errors.Is(err, live.ErrClosed) {
			r.t.Errorf("a further subscription: %v", err)
		}
		if news, err := r.hub.Await(r.t.Context(), r.tenant, 0); news || err != nil {
			r.t.Errorf("a further wait: %t, %v", news, err)
		}
	})
}

func TestAwait(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.appendMany(2)
		if news, err := r.hub.Await(r.t.Context(), r.tenant, 1); !news || err != nil {
			r.t.Errorf("what is there already: %t, %v", news, err)
		}
		done := make(chan bool)
		go func() {
			news, err := r.hub.Await(r.t.Context(), r.tenant, 2)
			done <- news && err == nil
		}()
		r.appendMany(1)
		if !<-done {
			r.t.Error("not notified of an event")
		}
		ctx, cancel := context.WithCancel(r.t.Context())
		cancel()
		if news, err := r.hub.Await(ctx, r.tenant, 3); news || err != nil {
			r.t.Errorf("with nothing to come: %t, %v", news, err)
		}
	})
}

// Two processes share a database: what one commits the other streams, with the
// signals over the database and without.
func TestAcrossProcesses(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	writer := newRig(t, storetest.Open(t, o))
	reader := newHub(t, storetest.Open(t, o))
	reader.Start(t.Context())
	t.Cleanup(reader.Stop)
	sub, err := reader.Subscribe(t.Context(), writer.tenant, live.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	writer.appendMany(50)
	check(t, sequences(receive(t, sub, 50)), span(1, 50))
}

func TestFilter(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		ids := map[string]string{}
		for _, name := range []string{"north", "south", "a", "b", "c"} {
			ids[name] = store.NewID()
		}
		r.update(func(tx *store.Tx) error {
			for _, name := range []string{"north", "south"} {
				c := drover.Connection{
					ID: ids[name], TenantID: r.tenant, IntegrationName: drover.Traccar, BusinessName: name, Active: true, CollectionStartTime: noon,
					Configuration: drover.Configuration{Health: drover.ConnectionPending, Trips: drover.TripsNative},
				}
				if err := tx.Fleet.AddConnection(ctx, c, []byte("sealed"), noon); err != nil {
					return err
				}
			}
			if err := tx.Accounts.TagConnection(ctx, r.tenant, ids["south"], []string{"warm"}); err != nil {
				return err
			}
			for name, connection := range map[string]string{"a": "north", "b": "north", "c": "south"} {
				d := drover.Device{ID: ids[name], ConnectionID: ids[connection], SystemDeviceID: name, Active: true, Tags: []string{"tag-" + name}}
				if err := tx.Fleet.AddDevice(ctx, r.tenant, d, noon); err != nil {
					return err
				}
			}
			return nil
		})
		positions := func(connection string, devices ...string) drover.Event {
			e := event(drover.EventPositionUpdated)
			e.ConnectionID = new(ids[connection])
			var points []string
			for _, d := range devices {
				points = append(points, fmt.Sprintf(`{"device_id":%q}`, ids[d]))
			}
			e.Data = json.RawMessage(fmt.Sprintf(`{"connection_id":%q,"positions":[%s]}`, ids[connection], strings.Join(points, ",")))
			return e
		}
		started := event(drover.EventMilestoneStarted) // knows its device, not its connection
		started.DeviceID = new(ids["c"])
		failing := event(drover.EventConnectionFailing)
		failing.ConnectionID = new(ids["south"])
		read := positions("north", "b", "a")
		read.Type, read.Data = drover.EventReadingUpdated, json.RawMessage(strings.Replace(string(read.Data), "positions", "readings", 1))
		// 1 to 5.
		r.append(positions("north", "a", "b"), started, failing, event(drover.EventWebhookDisabled), read)

		for name, tc := range map[string]struct {
			filter live.Filter
			want   string
		}{
			"All":          {live.Filter{}, "1:ab 2 3 4 5:ab"},
			"Type":         {live.Filter{Types: []drover.EventType{drover.EventMilestoneStarted, drover.EventWebhookDisabled}}, "2 4"},
			"Connection":   {live.Filter{ConnectionIDs: []string{ids["north"]}}, "1:ab 5:ab"},
			"OfAMilestone": {live.Filter{ConnectionIDs: []string{ids["south"]}}, "2 3"},
			"Device":       {live.Filter{DeviceIDs: []string{ids["b"]}}, "1:b 5:b"},
			"DeviceTag":    {live.Filter{Tags: []string{"tag-a"}}, "1:a 5:a"},
			"SharedTag":    {live.Filter{Tags: []string{"warm"}}, "2 3"},
			"AnyOf":        {live.Filter{Tags: []string{"warm"}, DeviceIDs: []string{ids["a"]}}, "1:a 2 3 5:a"},
			"AndType":      {live.Filter{Types: []drover.EventType{drover.EventMilestoneStarted}, DeviceIDs: []string{ids["a"]}}, ""},
		} {
			hub := newHub(r.t, r.store)
			sub, err := hub.Subscribe(ctx, r.tenant, tc.filter, new(int64(0)))
			if err != nil {
				r.t.Fatal(err)
			}
			check(r.t, name+" "+describe(drain(r.t, hub, sub), ids), name+" "+tc.want)
			sub.Close()
			if sub.Position() < 5 {
				r.t.Errorf("%s: the position stays at %d", name, sub.Position())
			}
		}
	})
}

// drain reads what is there and then closes the hub.
func drain(t *testing.T, h *live.Hub, sub *live.Subscription) []drover.Event {
	t.Helper()
	h.Close()
	var events []drover.Event
	for {
		messages, err := sub.Next(t.Context())
		if errors.Is(err, live.ErrClosed) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			events = append(events, m.Event)
		}
	}
}

// describe writes the sequences, and of positions whose they are.
func describe(events []drover.Event, ids map[string]string) string {
	var out []string
	for _, e := range events {
		text := []string{fmt.Sprint(e.Sequence)}
		if e.Type == drover.EventPositionUpdated || e.Type == drover.EventReadingUpdated {
			text = append(text, ":")
			for _, name := range []string{"a", "b", "c"} {
				if strings.Contains(string(e.Data), ids[name]) {
					text = append(text, name)
				}
			}
		}
		out = append(out, strings.Join(text, ""))
	}
	return strings.Join(out, " ")
}
