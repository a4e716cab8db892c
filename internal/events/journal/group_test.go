package journal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// caravan is a connection whose devices report over and over.
type caravan struct {
	connection string
	devices    []string
}

func newCaravan(n int) caravan {
	c := caravan{connection: store.NewID()}
	for range n {
		c.devices = append(c.devices, store.NewID())
	}
	return c
}

// reported is an event about some of the devices.
func (r *rig) reported(c caravan, at drover.Time, which func(i int) bool) drover.Event {
	r.Helper()
	batch := drover.PositionBatch{ConnectionID: c.connection}
	for i, d := range c.devices {
		if which(i) {
			p := drover.Position{Time: at, Latitude: 48 + float64(i)/7, Longitude: -11.5, SpeedKPH: new(float64(i)), DriverID: new("Jürgen <1>")}
			batch.Positions = append(batch.Positions, drover.DevicePosition{DeviceID: d, SystemDeviceID: fmt.Sprint(i), CurrentPosition: *p.View()})
		}
	}
	e, err := drover.NewEvent(drover.EventPositionUpdated, at, batch)
	if err != nil {
		r.Fatal(err)
	}
	return e
}

func (r *rig) whole() []drover.Event {
	r.Helper()
	events, err := r.Feed.Events(r.Context(), r.tenant, drover.EventFilter{}, work.EventRange{To: 1 << 40, Limit: 100_000})
	if err != nil {
		r.Fatal(err)
	}
	return events
}

func (r *rig) group(before time.Time) work.Grouped {
	r.Helper()
	done, err := r.Feed.GroupEvents(r.Context(), r.tenant, drover.At(before), 0)
	if err != nil {
		r.Fatal(err)
	}
	return done
}

func minutes(n int) drover.Time { return drover.At(noon.Add(time.Duration(n) * time.Minute)) }

// TestGroupedDataIsTheSame reads the bytes of events before and after they are put into
// blocks: in the feed, alone, for a delivery and among the positions that wait for one.
// Events of other kinds and those that are made otherwise stay as they are.
func TestGroupedDataIsTheSame(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		w := r.addWebhook(drover.WebhookFilters{})
		first, second := newCaravan(40), newCaravan(1)
		events := r.devices(2)
		for i := range 50 {
			events = append(events, r.reported(first, minutes(i), func(d int) bool { return d == 0 || (i+d)%3 > 0 }),
				r.reported(second, minutes(i), func(int) bool { return true }))
		}
		odd := r.reported(first, minutes(50), func(int) bool { return true })
		odd.Data = []byte(strings.Replace(string(odd.Data), `{`, `{ `, 1)) // as no version has written it
		newest := r.reported(first, minutes(60), func(int) bool { return true })
		events = append(events, odd, newest)
		r.update(func(tx *store.Tx) error { return journal.Append(r.Context(), tx, r.tenant, events) })
		before, size := r.whole(), r.size()
		if done := r.group(minutes(60).Time); done.Events != 100 || done.Blocks != 2 {
			r.Fatalf("%+v are in blocks, want 100 in 2", done)
		}
		if done := r.group(minutes(60).Time); done != (work.Grouped{}) {
			r.Errorf("%+v are in blocks at the second run", done)
		}
		if diff := cmp.Diff(before, r.whole()); diff != "" {
			r.Errorf("the feed (-before +after):\n%s", diff)
		}
		if after := r.size(); after > size*2/3 {
			r.Errorf("%d bytes became %d", size, after)
		}
		back, err := r.Feed.Events(r.Context(), r.tenant, drover.EventFilter{Order: drover.NewestFirst, ConnectionID: second.connection},
			work.EventRange{To: 1 << 40, Limit: 3})
		if err != nil || len(back) != 3 || cmp.Diff(before[back[2].Sequence-1], back[2]) != "" {
			r.Errorf("from the end: %v, %v", back, err)
		}
		data := map[string]string{}
		for _, e := range before {
			data[e.ID] = string(e.Data)
		}
		r.readAlone(w, data)
	})
}

// readAlone reads the data of deliveries in all other ways.
func (r *rig) readAlone(w drover.Webhook, data map[string]string) {
	r.Helper()
	target := drover.Target{TenantID: r.tenant, ID: w.ID}
	same := func(where, id string, got []byte) {
		r.Helper()
		if string(got) != data[id] {
			r.Errorf("%s: %.200q, want %.200q", where, got, data[id])
		}
	}
	due, err := r.Feed.DueDeliveries(r.Context(), target, minutes(1000), nil, 1000)
	if err != nil || len(due) != len(data) {
		r.Fatalf("%d deliveries are due, want %d: %v", len(due), len(data), err)
	}
	for _, d := range due {
		alone, err := r.Feed.EventData(r.Context(), r.tenant, d.Sequence)
		if err != nil {
			r.Fatal(err)
		}
		same("an event alone", d.EventID, alone)
		_, one, err := r.Feed.Delivery(r.Context(), target, d.EventID)
		if err != nil {
			r.Fatal(err)
		}
		same("one delivery", d.EventID, one.Data)
		if d.Data != nil {
			same("a due delivery", d.EventID, d.Data)
		}
	}
	waiting, err := r.Feed.WaitingPositions(r.Context(), target, "", 1000)
	if err != nil || len(waiting) != len(data)-2 {
		r.Fatalf("%d batches wait, want %d: %v", len(waiting), len(data)-2, err)
	}
	for _, b := range waiting {
		same("a batch that waits", b.EventID, b.Data)
	}
}

func (r *rig) size() int64 {
	r.Helper()
	used, err := r.Feed.EventStorage(r.Context(), r.tenant)
	if err != nil {
		r.Fatal(err)
	}
	return used.Bytes
}

// TestGroupInAnyOrder appends, groups and forgets in any order, several at once: the feed
// is what was appended and not forgotten.
func TestGroupInAnyOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		random := rand.New(rand.NewPCG(15, 115))
		caravans := []caravan{newCaravan(5), newCaravan(30), newCaravan(1)}
		var want []drover.Event
		for step := range 60 {
			switch random.IntN(4) {
			case 0, 1:
				var events []drover.Event
				for range 1 + random.IntN(20) {
					c := caravans[random.IntN(len(caravans))]
					events = append(events, r.reported(c, minutes(step), func(d int) bool { return d == 0 || random.IntN(3) > 0 }))
				}
				events = append(events, r.devices(random.IntN(2))...)
				for i := range events {
					events[i].Timestamp = minutes(step)
				}
				r.update(func(tx *store.Tx) error { return journal.Append(r.Context(), tx, r.tenant, events) })
				want = append(want, events...)
			case 2:
				before := drover.At(minutes(random.IntN(step + 2)).Time)
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						if _, err := r.Feed.GroupEvents(context.WithoutCancel(r.Context()), r.tenant, before, 0); err != nil {
							r.Error(err)
						}
					})
				}
				wg.Wait()
			case 3:
				if random.IntN(3) > 0 {
					continue
				}
				before := minutes(random.IntN(step + 1))
				if _, err := r.Feed.ForgetPositionEvents(r.Context(), r.tenant, before); err != nil {
					r.Fatal(err)
				}
				want = without(want, func(e drover.Event) bool {
					return e.Type == drover.EventPositionUpdated && e.Timestamp.Before(before.Time)
				})
			}
			r.sameFeed(want)
		}
		r.group(minutes(1000).Time)
		r.sameFeed(want)
		if _, err := r.Feed.ForgetEvents(r.Context(), r.tenant, minutes(1000)); err != nil {
			r.Fatal(err)
		}
		r.sameFeed(nil)
		if left := r.size(); left != 0 {
			r.Errorf("%d bytes are left of nothing", left)
		}
	})
}

func without(events []drover.Event, which func(drover.Event) bool) []drover.Event {
	var kept []drover.Event
	for _, e := range events {
		if !which(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

func (r *rig) sameFeed(want []drover.Event) {
	r.Helper()
	got := r.whole()
	if len(got) != len(want) {
		r.Fatalf("%d events are in the feed, want %d", len(got), len(want))
	}
	for i, e := range got {
		if e.ID != want[i].ID || string(e.Data) != string(want[i].Data) || e.Sequence != want[i].Sequence ||
			!e.Timestamp.Equal(want[i].Timestamp.Time) {
			r.Fatalf("event %d is %+v, want %+v", i, e, want[i])
		}
	}
}
