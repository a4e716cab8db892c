package journal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/events/match"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// relayEvery is how often it is looked for what another process has left behind.
	relayEvery = time.Second
	// relayLimit bounds the publications, and the messages, that one transaction takes over.
	relayLimit = 20
)

// Receive does in the recipient's transaction what a message asks for.
type Receive func(ctx context.Context, tx *store.Tx, r work.Route, m work.Message) error

// Relay is the background work that appends published events to the feeds of those
// whom they are shared with, and hands over the messages of one tenant to another. It begins as soon as this process has published
// something, and takes over what others did not finish. Several may work at once:
// each recipient gets the events and messages of an owner once, and in their order.
type Relay struct {
	background.Work
	store   *store.Store
	receive Receive
	logger  *slog.Logger
}

// NewRelay makes a Relay.
func NewRelay(s *store.Store, receive Receive, logger *slog.Logger) *Relay {
	r := &Relay{store: s, receive: receive, logger: logger}
	r.Run = r.run
	return r
}

func (r *Relay) run(ctx context.Context) {
	published := make(chan struct{}, 1)
	r.store.Feed.OnPublished(func() {
		select {
		case published <- struct{}{}:
		default: // it is known already
		}
	})
	r.store.EachPlace(ctx, func(ctx context.Context) { r.follow(ctx, published) })
}

// follow relays what tenants of a place have published.
func (r *Relay) follow(ctx context.Context, published <-chan struct{}) {
	tick := time.NewTicker(relayEvery)
	defer tick.Stop()
	for {
		if err := r.Flush(ctx); err != nil && ctx.Err() == nil && !store.Silent(err) {
			r.logger.ErrorContext(ctx, "append shared events", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-published:
		case <-tick.C:
		}
		// Where both were there, one look is enough, whichever came first.
		select {
		case <-published:
		default:
		}
		select {
		case <-tick.C:
		default:
		}
	}
}

// Flush appends all that waits now. What fails for one recipient is tried again
// later, and holds up none of the others.
func (r *Relay) Flush(ctx context.Context) error {
	routes, err := r.store.Feed.Routes(ctx)
	if err != nil {
		return err
	}
	var failed error
	down := map[string]bool{} // places of recipients: the others do not wait for them again
	for _, route := range routes {
		place := r.store.PlaceOf(route.RecipientID)
		if down[place] {
			continue
		}
		err := r.relay(ctx, route)
		down[place] = place != "" && store.Unavailable(err)
		failed = errors.Join(failed, err)
	}
	return failed
}

// relay takes over what waits on one route: in the recipient's transactions first,
// which note how far they have come, then in the owner's, which forget it. After a
// crash between the two it is found again, and known to be taken.
func (r *Relay) relay(ctx context.Context, route work.Route) error {
	for {
		taken, more, err := r.take(ctx, route)
		if err != nil {
			return err
		}
		err = r.store.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(tx.Feed.DropPublications(ctx, route, taken.Event), tx.Feed.DropMessages(ctx, route, taken.Message))
		})
		if err != nil || !more {
			return err
		}
	}
}

// take appends some publications to the recipient's feed, and does what messages ask
// for, in the order in which both were made. It returns how far the recipient has come,
// and whether there may be more.
func (r *Relay) take(ctx context.Context, route work.Route) (taken work.Taken, more bool, err error) {
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		before, err := tx.Feed.Inbox(ctx, route)
		if err != nil {
			return err
		}
		published, err := tx.Feed.Publications(ctx, route, before.Event, relayLimit)
		if err != nil {
			return err
		}
		messages, err := tx.Feed.Messages(ctx, route, before.Message, relayLimit)
		if err != nil {
			return err
		}
		taken, more = before, len(published) == relayLimit || len(messages) == relayLimit
		for _, w := range merge(published, messages) {
			if err := r.pass(ctx, tx, route, w); err != nil {
				return err
			}
			taken.Event, taken.Message = max(taken.Event, w.end.Event), max(taken.Message, w.end.Message)
		}
		if taken == before { // it was taken before a crash
			return nil
		}
		return tx.Feed.SetInbox(ctx, route, taken)
	})
	return taken, more, err
}

// waiting is either some publications that follow on each other, or a message.
type waiting struct {
	published []work.Publication
	asked     *work.Message
	end       work.Taken
}

// merge puts publications and messages into one order. What may have to wait for
// something that was not read, because of either's limit, is left out.
func merge(published []work.Publication, messages []work.Message) []waiting {
	allPublished, allMessages := len(published) < relayLimit, len(messages) < relayLimit
	var out []waiting
	for len(published)+len(messages) > 0 {
		next := 0 // publications that come before the next message
		for next < len(published) && (len(messages) == 0 && allMessages || len(messages) > 0 && published[next].Last <= messages[0].After) {
			next++
		}
		if next > 0 {
			out = append(out, waiting{published: published[:next], end: work.Taken{Event: published[next-1].Last}})
			published = published[next:]
			continue
		}
		if len(messages) == 0 || len(published) == 0 && !allPublished {
			break
		}
		out = append(out, waiting{asked: &messages[0], end: work.Taken{Message: messages[0].Number}})
		messages = messages[1:]
	}
	return out
}

// pass hands over to the recipient what waits.
func (r *Relay) pass(ctx context.Context, tx *store.Tx, route work.Route, w waiting) error {
	if w.asked != nil {
		return r.receive(ctx, tx, route, *w.asked)
	}
	var events []drover.Event
	for _, p := range w.published {
		some, err := readable(ctx, tx, p)
		if err != nil {
			return err
		}
		events = append(events, some...)
	}
	return AppendOf(ctx, tx, route.RecipientID, route.OwnerID, events)
}

// readable is what a recipient may read now of the events that were published for
// it. Each is a copy that gets an id of its own.
func readable(ctx context.Context, tx *store.Tx, p work.Publication) ([]drover.Event, error) {
	grants, err := tx.Shares.Recipients(ctx, p.OwnerID, p.ConnectionID)
	if err != nil {
		return nil, err
	}
	grant, shared := grants[p.RecipientID]
	if !shared {
		return nil, nil
	}
	events, err := tx.Feed.Events(ctx, p.OwnerID, drover.EventFilter{},
		work.EventRange{After: p.First - 1, To: p.Last, Limit: len(p.Subjects)})
	if err != nil {
		return nil, err
	}
	kept := make([]drover.Event, 0, len(events))
	for _, e := range events {
		e.Subjects, e.ID = p.Subjects[e.Sequence-p.First], ""
		if e, ok := match.Readable(e, grant); ok {
			kept = append(kept, e)
		}
	}
	return kept, nil
}
