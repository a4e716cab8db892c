package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/stream"
)

// scanEvents bounds the events that one query looks at in search of a rare type,
// and scans how many such queries a request makes.
const (
	scanEvents = 10_000
	scans      = 10
)

// Feed is a stretch of the caller's change feed. Next is the sequence after
// which the feed goes on, also where it has nothing more for now.
type Feed struct {
	Events []drover.Event
	Next   int64
}

// Events reads the caller's feed after a sequence. With nothing there it waits
// for up to the time given.
func (s *Service) Events(ctx context.Context, p drover.Principal, f drover.EventFilter, after int64, limit int, wait time.Duration) (Feed, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	feed := Feed{Events: []drover.Event{}, Next: after}
	for {
		var err error
		if feed, err = s.readFeed(ctx, p.TenantID, f, feed.Next, limit); err != nil || len(feed.Events) > 0 || wait == 0 {
			return feed, err
		}
		news, err := s.streams.Await(waiting, p.TenantID, feed.Next)
		if err != nil || !news {
			return feed, err
		}
	}
}

// readFeed finds the next events of a filter. Where it has looked at many in
// vain it returns none and how far it came.
func (s *Service) readFeed(ctx context.Context, tenantID string, f drover.EventFilter, after int64, limit int) (Feed, error) {
	feed := Feed{Events: []drover.Event{}, Next: after}
	last, err := s.store.LastEvent(ctx, tenantID)
	if err != nil {
		return feed, err
	}
	for range scans {
		if feed.Next >= last {
			break
		}
		r := store.EventRange{After: feed.Next, To: min(last, feed.Next+scanEvents), Limit: limit}
		if feed.Events, err = s.store.Events(ctx, tenantID, f, r); err != nil {
			return feed, err
		}
		feed.Next = r.To
		if n := len(feed.Events); n == limit {
			feed.Next = feed.Events[n-1].Sequence
		}
		if len(feed.Events) > 0 {
			break
		}
	}
	return feed, nil
}

// Subscribe follows the caller's feed live, after the sequence given or from now
// on. The subscription must be closed.
func (s *Service) Subscribe(ctx context.Context, p drover.Principal, f stream.Filter, after *int64) (*stream.Subscription, error) {
	f.Tags = normalizedTags(f.Tags)
	sub, err := s.streams.Subscribe(ctx, p.TenantID, f, after)
	if errors.Is(err, stream.ErrClosed) {
		return nil, &drover.Error{Kind: drover.KindUnavailable, Message: "Service is stopping, try again later", RetryAfter: time.Second}
	}
	return sub, err
}

// MilestoneEvents reads the events of one milestone after a sequence.
func (s *Service) MilestoneEvents(ctx context.Context, p drover.Principal, id string, after int64, limit int) ([]drover.Event, error) {
	m, err := s.milestone(ctx, p, id, UnknownMilestone)
	if err != nil {
		return nil, err
	}
	last, err := s.store.LastEvent(ctx, p.TenantID)
	if err != nil {
		return nil, err
	}
	return s.store.Events(ctx, p.TenantID, drover.EventFilter{MilestoneID: m.ID}, store.EventRange{After: after, To: last, Limit: limit})
}
