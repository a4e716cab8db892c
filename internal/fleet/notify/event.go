package notify

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store/work"
)

// scanEvents bounds the events that one query looks at in search of a rare type,
// and scans how many such queries a request makes.
const (
	scanEvents = 10_000
	scans      = 10
)

// clockSlack is by how much the times of a feed may differ from its order.
const clockSlack = time.Minute

// Feed is a stretch of the caller's change feed. Next is where it goes on: also
// where it has nothing more for now, but nil at the beginning of a feed that is read
// newest first.
type Feed struct {
	Events []drover.Event
	Next   *drover.EventCursor
	// End says that nothing more was there when it was read.
	End bool
}

// Events reads the caller's feed from a place on. With nothing there it waits for up
// to the time given.
func (s *Notifier) Events(
	ctx context.Context,
	p drover.Principal,
	f drover.EventFilter,
	place drover.EventCursor,
	limit int,
	wait time.Duration,
) (Feed, error) {
	last, err := s.store.Feed.LastEvent(ctx, p.TenantID)
	if err != nil {
		return Feed{}, err
	}
	low, high, err := s.bounds(ctx, p.TenantID, f, last)
	if err != nil {
		return Feed{}, err
	}
	if f.Order == drover.NewestFirst {
		if place.Before != nil {
			high = min(high, *place.Before-1)
		}
		return s.readBack(ctx, p.TenantID, f, low, high, limit)
	}
	if place.After != nil {
		// The end that now means is where the first page was read.
		low = *place.After
	}
	return s.readOn(ctx, p, f, low, limit, wait)
}

// bounds narrows a feed to what the times of a filter leave of it: the sequences in
// (low, high].
func (s *Notifier) bounds(ctx context.Context, tenantID string, f drover.EventFilter, last int64) (low, high int64, err error) {
	high = last
	switch {
	case f.From == nil:
	case f.From.Now:
		low = last
	default:
		low, err = s.store.Feed.EventsBefore(ctx, tenantID, last, drover.At(f.From.At.Add(-clockSlack)))
	}
	if err == nil && f.To != nil {
		high, err = s.store.Feed.EventsBefore(ctx, tenantID, last, drover.At(f.To.Add(clockSlack)))
	}
	return low, high, err
}

// readOn reads a feed onwards.
func (s *Notifier) readOn(
	ctx context.Context,
	p drover.Principal,
	f drover.EventFilter,
	after int64,
	limit int,
	wait time.Duration,
) (Feed, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		events, next, end, err := s.readFeed(ctx, p.TenantID, f, after, limit)
		feed := Feed{Events: events, Next: &drover.EventCursor{After: &next}, End: end}
		if err != nil || len(events) > 0 || wait == 0 {
			return feed, err
		}
		news, err := s.streams.Await(waiting, p.TenantID, next)
		if err != nil || !news {
			return feed, err
		}
		after = next
	}
}

// readFeed finds the next events of a filter. Where it has looked at many in
// vain it returns none and how far it came; end says that it came to the feed's end.
func (s *Notifier) readFeed(
	ctx context.Context, tenantID string, f drover.EventFilter, after int64, limit int,
) (events []drover.Event, next int64, end bool, err error) {
	events, next = []drover.Event{}, after
	last, err := s.store.Feed.LastEvent(ctx, tenantID)
	for range scans {
		if err != nil || next >= last || len(events) > 0 {
			break
		}
		r := work.EventRange{After: next, To: min(last, next+scanEvents), Limit: limit}
		if events, err = s.store.Feed.Events(ctx, tenantID, f, r); err != nil {
			break
		}
		next = r.To
		if n := len(events); n == limit {
			next = events[n-1].Sequence
		}
		events, err = journal.Readable(ctx, s.store.Shares, tenantID, events)
	}
	return events, next, next >= last, err
}

// readBack reads a feed from its end.
func (s *Notifier) readBack(ctx context.Context, tenantID string, f drover.EventFilter, low, high int64, limit int) (Feed, error) {
	feed := Feed{Events: []drover.Event{}}
	for range scans {
		if high <= low || len(feed.Events) > 0 {
			break
		}
		r := work.EventRange{After: max(low, high-scanEvents), To: high, Limit: limit}
		events, err := s.store.Feed.Events(ctx, tenantID, f, r)
		if err != nil {
			return feed, err
		}
		feed.Events, high = events, r.After
		if n := len(events); n == limit {
			high = events[n-1].Sequence - 1
		}
		if feed.Events, err = journal.Readable(ctx, s.store.Shares, tenantID, events); err != nil {
			return feed, err
		}
	}
	if high > low {
		feed.Next = &drover.EventCursor{Before: new(high + 1)}
	}
	return feed, nil
}

// Subscribe follows the caller's feed live, after the sequence given or from now
// on. The subscription must be closed.
func (s *Notifier) Subscribe(ctx context.Context, p drover.Principal, f live.Filter, after *int64) (*live.Subscription, error) {
	f.Tags = drover.FoldTags(f.Tags)
	if after != nil {
		last, err := s.store.Feed.LastEvent(ctx, p.TenantID)
		if err != nil {
			return nil, err
		}
		if *after > last {
			return nil, drover.Errorf(drover.KindConflict, "The feed ends at %d: it holds no event %d", last, *after)
		}
	}
	sub, err := s.streams.Subscribe(ctx, p.TenantID, f, after)
	if errors.Is(err, live.ErrClosed) {
		return nil, &drover.Error{Kind: drover.KindUnavailable, Message: "Service is stopping, try again later", RetryAfter: time.Second}
	}
	return sub, err
}

// MilestoneEvents reads the events of one milestone after a sequence.
func (s *Notifier) MilestoneEvents(ctx context.Context, p drover.Principal, id string, after int64, limit int) ([]drover.Event, error) {
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	if err != nil {
		return nil, err
	}
	last, err := s.store.Feed.LastEvent(ctx, p.TenantID)
	if err != nil {
		return nil, err
	}
	events, err := s.store.Feed.Events(ctx, p.TenantID, drover.EventFilter{MilestoneID: m.ID},
		work.EventRange{After: after, To: last, Limit: limit})
	if err != nil {
		return nil, err
	}
	return journal.Readable(ctx, s.store.Shares, p.TenantID, events)
}
