package collect

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// fetched is one page from the vendor, not yet stored.
type fetched struct {
	cursor  string
	more    bool
	records int
	store   func(ctx context.Context, tx *store.Tx) error
}

// read asks for one page of a stream and commits it with all that follows from
// it. The error is one of the store's; the vendor's are part of the stream's
// health.
func (v *visit) read(ctx context.Context, s *store.Stream) error {
	page, err := v.fetch(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return v.failed(ctx, s, err)
	}
	before := *s
	v.advance(s, page)
	state := v.judgeState()
	err = v.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.HoldLease(ctx, v.claim, drover.At(v.Now().Add(leaseTime))); err != nil {
			return err
		}
		if err := page.store(ctx, tx); err != nil {
			return err
		}
		if err := tx.SetStream(ctx, *s); err != nil {
			return err
		}
		return v.storeState(ctx, tx, state)
	})
	if err != nil {
		*s = before
		return err
	}
	v.conn.Configuration.Health = state
	v.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind), "ok").Inc()
	v.metrics.records.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind)).Add(float64(page.records))
	return nil
}

func (v *visit) fetch(ctx context.Context, s *store.Stream) (fetched, error) {
	a, err := v.Collector.adapter(ctx, v.conn)
	if err != nil {
		return fetched{}, err
	}
	v.adapter = a
	if s.Kind == store.StreamDevices {
		return v.fetchDevices(ctx, s)
	}
	q := provider.Query{Cursor: s.Position, From: s.WindowFrom.Time}
	if s.History {
		q.To = s.RemainingTo.Time
		q.From = v.chunkStart(s).Time
	}
	if q.Devices, err = v.Store.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return fetched{}, err
	}
	if s.Kind == store.StreamTrips {
		page, err := a.Trips(ctx, q)
		if err != nil {
			return fetched{}, err
		}
		return fetched{page.Cursor, page.More, len(page.Records), func(ctx context.Context, tx *store.Tx) error {
			return v.storeTrips(ctx, tx, page.Records, s.History)
		}}, nil
	}
	page, err := a.Positions(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	return fetched{page.Cursor, page.More, len(page.Records), func(ctx context.Context, tx *store.Tx) error {
		return v.storePositions(ctx, tx, page.Records, s)
	}}, nil
}

// chunkStart is the beginning of the piece of history that is read now: the
// newest that remains, no longer than the vendor's window.
func (v *visit) chunkStart(s *store.Stream) drover.Time {
	length := v.Providers[v.conn.IntegrationName].Poll.Window
	if length <= 0 {
		length = 24 * time.Hour
	}
	start := s.RemainingTo.Add(-length)
	if start.Before(s.WindowFrom.Time) {
		return s.WindowFrom
	}
	return drover.At(start)
}

// advance moves a stream on by a page that was read.
func (v *visit) advance(s *store.Stream, page fetched) {
	now := v.now()
	s.LastRunAt, s.LastSuccessAt = &now, &now
	s.ConsecutiveErrors, s.LastErrorKind = 0, nil
	s.LastError, s.LastErrorAt = nil, nil
	s.Records += int64(page.records)
	s.Position = page.cursor
	s.DueAt = now
	if page.more {
		return
	}
	if !s.History {
		s.DueAt = drover.At(now.Add(v.interval(s.Kind)))
		return
	}
	start := v.chunkStart(s)
	s.Position, s.RemainingTo = "", &start
	if !start.After(s.WindowFrom.Time) {
		s.State = store.StreamDone
	}
}

// interval is how often a live stream is read.
func (v *visit) interval(kind store.StreamKind) time.Duration {
	poll := v.Providers[v.conn.IntegrationName].Poll
	switch kind {
	case store.StreamDevices:
		return poll.Devices
	case store.StreamTrips:
		return poll.Trips
	case store.StreamPositions:
	}
	return poll.Positions
}
