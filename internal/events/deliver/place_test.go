package deliver_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestPlaceFails has one of two places stop, and then hang, while a receiver of its tenant answers:
// the other tenant gets its events at once, its own knows that it does not answer, and afterwards
// gets each event once.
func TestPlaceFails(t *testing.T) {
	t.Parallel()
	s, places := storetest.OpenApart(t)
	near := newRig(t, s)
	other := *near
	far := &other
	far.tenant, far.conn = store.NewID(), store.NewID()
	far.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: far.tenant, Name: "other", CreatedAt: far.now()})
	})
	places.Put(s, near.tenant, storetest.Near)
	places.Put(s, far.tenant, storetest.Far)
	toNear, toFar := newReceiver(t), newReceiver(t)
	near.addWebhook(toNear.URL, nil)
	hook := far.addWebhook(toFar.URL, nil)
	near.deliver = near.newDeliverer(func(o *deliver.Options) { o.Timeout = time.Hour }) // the clock is moved on
	near.start()
	made := 0
	for name, fail := range map[string]func(place string){"stopped": places.Stop, "hung": places.Hang} {
		answer := make(chan struct{})
		toFar.answers(func(http.ResponseWriter, *http.Request) { <-answer })
		first := far.tell("")
		if d := toFar.next(t); d.id != first.ID {
			t.Fatalf("%s came, want the event before the place has %s", d.id, name)
		}
		fail(storetest.Far)
		close(answer) // its result cannot be stored now
		for range 3 {
			e := near.tell("")
			if d := toNear.next(t); d.id != e.ID {
				t.Errorf("the other place has %s: %s came, want %s", name, d.id, e.ID)
			}
		}
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			return journal.Append(t.Context(), tx, far.tenant, []drover.Event{{Type: drover.EventDeviceUpdated, Timestamp: far.now(), Data: []byte("{}")}})
		})
		if !store.Unavailable(err) {
			t.Errorf("the place has %s: %v", name, err)
		}
		places.Resume(storetest.Far)
		storetest.Until(t, "the place is there again", func() bool {
			_, err := s.Feed.LastEvent(t.Context(), far.tenant)
			return err == nil
		})
		second := far.tell("")
		var got delivery
		storetest.Until(t, "the next event", func() bool {
			near.clock.Advance(100 * time.Millisecond)
			select {
			case got = <-toFar.got:
				return true
			default:
				return false
			}
		})
		if got.id != second.ID {
			t.Errorf("after it has %s, %s came again", name, got.id)
		}
		made += 2
		far.attempts(hook, made)
	}
	if n := len(toFar.got) + len(toNear.got); n > 0 {
		t.Error(fmt.Errorf("%d deliveries came twice", n))
	}
}
