package journal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// publish publishes an event of a connection whose data is a number.
func (r *rig) publish(owner, connection string, number int) {
	r.Helper()
	e := drover.Event{Type: drover.EventDeviceUpdated, Timestamp: noon, ConnectionID: &connection, Data: fmt.Appendf(nil, "%d", number)}
	err := r.Update(r.Context(), func(tx *store.Tx) error {
		return journal.Publish(r.Context(), tx, owner, connection, []drover.Event{e})
	})
	if err != nil {
		r.Error(err)
	}
}

// feed is the data of a tenant's events, in their order.
func (r *rig) feed(tenant string) []string {
	r.Helper()
	events, err := r.Feed.Events(r.Context(), tenant, drover.EventFilter{}, work.EventRange{To: 1 << 40, Limit: 10_000})
	if err != nil {
		r.Fatal(err)
	}
	data := []string{}
	for i, e := range events {
		if e.Sequence != int64(i)+1 {
			r.Errorf("event %d of the feed has the number %d", i+1, e.Sequence)
		}
		data = append(data, string(e.Data))
	}
	return data
}

// routes are those on which something waits.
func (r *rig) routes() []work.Route {
	r.Helper()
	routes, err := r.Feed.Routes(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return routes
}

// TestRelayOnceInOrder has several relays work while events are published: each
// recipient gets each event once, in the order of the owner's feed.
func TestRelayOnceInOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		others := []string{r.addTenant(), r.addTenant()}
		var connections []string
		for _, other := range others {
			connections = append(connections, r.share(r.tenant, other, drover.FullGrant))
		}
		const each = 60
		published := make(chan struct{})
		var publishing, relaying sync.WaitGroup
		for i, connection := range connections {
			publishing.Go(func() {
				for n := range each {
					r.publish(r.tenant, connection, i*each+n)
				}
			})
		}
		for range 3 {
			relaying.Go(func() {
				relay := journal.NewRelay(r.Store, noMessages, slog.New(slog.DiscardHandler))
				for done := false; !done; {
					select {
					case <-published:
						done = true
					default:
					}
					if err := relay.Flush(r.Context()); err != nil {
						r.Error(err)
					}
				}
			})
		}
		publishing.Wait()
		close(published)
		relaying.Wait()
		for i, other := range others {
			var want []string
			for n := range each {
				want = append(want, fmt.Sprint(i*each+n))
			}
			if diff := cmp.Diff(want, r.feed(other)); diff != "" {
				r.Errorf("recipient %d (-want +got):\n%s", i, diff)
			}
		}
		if left := r.routes(); len(left) > 0 {
			r.Errorf("something waits on %v", left)
		}
	})
}

// TestRelayAfterCrash ends a process between the two transactions of a relay, and
// within the first: nothing is lost and nothing comes twice.
func TestRelayAfterCrash(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		connection := r.share(r.tenant, other, drover.FullGrant)
		route := work.Route{OwnerID: r.tenant, RecipientID: other}
		r.publish(r.tenant, connection, 1)
		crashed := errors.New("crashed")
		err := r.Update(r.Context(), func(tx *store.Tx) error {
			if _, err := tx.Feed.Inbox(r.Context(), route); err != nil {
				return err
			}
			return errors.Join(tx.Feed.SetInbox(r.Context(), route, work.Taken{Event: 1}), crashed)
		})
		if !errors.Is(err, crashed) || len(r.feed(other)) != 0 {
			r.Fatalf("%v, and the feed has %v", err, r.feed(other))
		}
		relay := journal.NewRelay(r.Store, noMessages, slog.New(slog.DiscardHandler))
		if taken, err := relay.Take(r.Context(), route); err != nil || taken != (work.Taken{Event: 1}) {
			r.Fatalf("%v was taken: %v", taken, err)
		}
		if len(r.routes()) != 1 {
			r.Error("what was taken is forgotten before the owner's transaction")
		}
		r.publish(r.tenant, connection, 2)
		r.relay()
		if diff := cmp.Diff([]string{"1", "2"}, r.feed(other)); diff != "" {
			r.Errorf("after the crash (-want +got):\n%s", diff)
		}
		r.relay()
		if left := r.routes(); len(left) > 0 {
			r.Errorf("something waits on %v", left)
		}
	})
}

// noMessages is for tests in which nothing is sent.
func noMessages(context.Context, *store.Tx, work.Route, work.Message) error {
	return errors.New("there is a message")
}

// send sends a message whose content is a number.
func (r *rig) send(route work.Route, number int) {
	r.Helper()
	r.update(func(tx *store.Tx) error { return tx.Feed.Send(r.Context(), route, work.MessagePositions, number) })
}

// TestMessagesInOrder holds that messages are taken once, in their order, and where
// they were sent among the events, however many of both wait.
func TestMessagesInOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		connection := r.share(r.tenant, other, drover.FullGrant)
		route := work.Route{OwnerID: r.tenant, RecipientID: other}
		var want []string
		for n := range 130 { // more events than messages, then more messages than events
			if n%4 == 0 == (n < 65) {
				r.send(route, n)
			} else {
				r.publish(r.tenant, connection, n)
			}
			want = append(want, fmt.Sprint(n))
		}
		// Messages become events of the recipient, so that its feed has the order of both.
		receive := func(ctx context.Context, tx *store.Tx, to work.Route, m work.Message) error {
			if to != route || m.Kind != work.MessagePositions {
				r.Errorf("a message %s came on the route %v", m.Kind, to)
			}
			return journal.Append(ctx, tx, to.RecipientID, []drover.Event{{Type: drover.EventDeviceUpdated, Timestamp: noon, Data: m.Content}})
		}
		relay := journal.NewRelay(r.Store, receive, slog.New(slog.DiscardHandler))
		if taken, err := relay.Take(r.Context(), route); err != nil || taken.Event == 0 || taken.Message == 0 {
			r.Fatalf("%v was taken: %v", taken, err)
		}
		for range 2 { // what was taken before a crash is not taken again
			if err := relay.Flush(r.Context()); err != nil {
				r.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, r.feed(other)); diff != "" {
			r.Errorf("(-want +got):\n%s", diff)
		}
		if left := r.routes(); len(left) > 0 {
			r.Errorf("something waits on %v", left)
		}
	})
}

// TestRefusedMessageWaits holds that a message that cannot be taken stays where it is,
// and so does what comes after it.
func TestRefusedMessageWaits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		connection := r.share(r.tenant, other, drover.FullGrant)
		route := work.Route{OwnerID: r.tenant, RecipientID: other}
		r.send(route, 1)
		r.publish(r.tenant, connection, 2)
		if err := journal.NewRelay(r.Store, noMessages, slog.New(slog.DiscardHandler)).Flush(r.Context()); err == nil {
			r.Error("what went wrong is not reported")
		}
		if feed := r.feed(other); len(feed) > 0 {
			r.Errorf("the feed has %v", feed)
		}
		if left := r.routes(); len(left) != 1 {
			r.Errorf("something waits on %v", left)
		}
	})
}

// TestRelayAsksAgain holds that what was published before a share ended is not
// appended after it.
func TestRelayAsksAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		connection := r.share(r.tenant, other, drover.FullGrant)
		r.publish(r.tenant, connection, 1)
		r.update(func(tx *store.Tx) error {
			shares, err := tx.Shares.Shares(r.Context(), r.tenant, "", 1)
			if err != nil {
				return err
			}
			_, err = tx.Shares.DropShare(r.Context(), shares[0])
			return err
		})
		r.relay()
		if got := r.feed(other); len(got) > 0 {
			r.Errorf("without a share it gets %v", got)
		}
		if left := r.routes(); len(left) > 0 {
			r.Errorf("something waits on %v", left)
		}
	})
}

// TestRelayIsWoken holds that a commit wakes the relay of its process, and that what
// waits is kept by retention.
func TestRelayIsWoken(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		connection := r.share(r.tenant, other, drover.FullGrant)
		grown := make(chan string, 10)
		defer r.Jobs.OnEvents(func(tenant string) { grown <- tenant })()
		r.publish(r.tenant, connection, 1)
		if n, err := r.Feed.ForgetEvents(r.Context(), r.tenant, drover.At(noon.Add(time.Hour))); err != nil || n != 0 {
			r.Errorf("%d events were forgotten that others wait for: %v", n, err)
		}
		relay := journal.NewRelay(r.Store, noMessages, slog.New(slog.DiscardHandler))
		relay.Start(r.Context())
		defer relay.Stop()
		for _, number := range []int{2, 3} {
			r.publish(r.tenant, connection, number)
		}
		for len(r.feed(other)) < 3 {
			<-grown
		}
		if diff := cmp.Diff([]string{"1", "2", "3"}, r.feed(other)); diff != "" {
			r.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestPublishingWritesOneTenant holds that no transaction of a publication writes
// the rows of two tenants.
func TestPublishingWritesOneTenant(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, name)
			var mu sync.Mutex
			wrote := map[int64][]string{} // tenants by transaction
			o.Trace = func(s database.Statement) {
				if slices.Contains([]string{"event_sequence", "outbox", "message", "inbox"}, s.Table) {
					mu.Lock()
					defer mu.Unlock()
					wrote[s.Tx] = append(wrote[s.Tx], s.Args[0].(string))
				}
			}
			r := &rig{t, storetest.Open(t, o), store.NewID()}
			r.update(func(tx *store.Tx) error {
				return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.tenant, Name: r.tenant, CreatedAt: noon})
			})
			connection := r.share(r.tenant, r.addTenant(), drover.FullGrant)
			r.publish(r.tenant, connection, 1)
			r.relay()
			if len(wrote) < 4 {
				t.Errorf("only %d transactions wrote", len(wrote))
			}
			for _, tenants := range wrote {
				if len(slices.Compact(tenants)) > 1 {
					t.Errorf("one transaction writes of the tenants %v", tenants)
				}
			}
		})
	}
}
