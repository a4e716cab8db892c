package journal

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/match"
	"github.com/drover-fleet/drover/internal/queue"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// relayEvery is how often it is looked for what another process has left behind.
	relayEvery = time.Second
	// relayLimit bounds the publications that one transaction takes over.
	relayLimit = 20
)

// Relay is the background work that appends published events to the feeds of those
// whom they are shared with. It begins as soon as this process has published
// something, and takes over what others did not finish. Several may work at once:
// each recipient gets the events of an owner once, and in their order.
type Relay struct {
	background.Work
	store  *store.Store
	logger *slog.Logger
}

// NewRelay makes a Relay.
func NewRelay(s *store.Store, logger *slog.Logger) *Relay {
	r := &Relay{store: s, logger: logger}
	r.Run = r.run
	return r
}

func (r *Relay) run(ctx context.Context) {
	published := make(chan struct{}, 1)
	r.store.OnPublished(func() {
		select {
		case published <- struct{}{}:
		default: // it is known already
		}
	})
	tick := time.NewTicker(relayEvery)
	defer tick.Stop()
	for {
		if err := r.Flush(ctx); err != nil && ctx.Err() == nil {
			r.logger.ErrorContext(ctx, "append shared events", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-published:
		case <-tick.C:
		}
	}
}

// Flush appends all that waits now. What fails for one recipient is tried again
// later, and holds up none of the others.
func (r *Relay) Flush(ctx context.Context) error {
	routes, err := r.store.Routes(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, route := range routes {
		failed = errors.Join(failed, r.relay(ctx, route))
	}
	return failed
}

// relay takes over what waits on one route: in the recipient's transactions first,
// which note how far they have come, then in the owner's, which forget it. After a
// crash between the two it is found again, and known to be taken.
func (r *Relay) relay(ctx context.Context, route queue.Route) error {
	for {
		n, last, err := r.take(ctx, route)
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		err = r.store.Update(ctx, func(tx *store.Tx) error { return tx.DropPublications(ctx, route, last) })
		if err != nil || n < relayLimit {
			return err
		}
	}
}

// take appends some publications to the recipient's feed. It returns how many there
// were, and where they ended in the owner's.
func (r *Relay) take(ctx context.Context, route queue.Route) (n int, last int64, err error) {
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		list, err := tx.TakePublications(ctx, route, relayLimit)
		if n = len(list); err != nil || n == 0 {
			return err
		}
		var events []drover.Event
		for _, p := range list {
			some, err := readable(ctx, tx, p)
			if err != nil {
				return err
			}
			events = append(events, some...)
		}
		if err := Append(ctx, tx, route.RecipientID, events); err != nil {
			return err
		}
		last = list[n-1].Last
		return tx.PublicationsTaken(ctx, route, last)
	})
	return n, last, err
}

// readable is what a recipient may read now of the events that were published for
// it. Each is a copy that gets an id of its own.
func readable(ctx context.Context, tx *store.Tx, p queue.Publication) ([]drover.Event, error) {
	grants, err := tx.Recipients(ctx, p.OwnerID, p.ConnectionID)
	if err != nil {
		return nil, err
	}
	grant, shared := grants[p.RecipientID]
	if !shared {
		return nil, nil
	}
	events, err := tx.Events(ctx, p.OwnerID, drover.EventFilter{}, queue.EventRange{After: p.First - 1, To: p.Last, Limit: len(p.Subjects)})
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
