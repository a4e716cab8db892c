package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// follower is a copy of the database that PostgreSQL keeps a little behind, for reads
// that take long.
type follower struct {
	*Store
	// failed is when it last did not answer, in milliseconds of the monotonic clock
	// since the start; zero is never.
	failed atomic.Int64
	began  time.Time
}

const (
	// catchUp is how long a read waits for the copy before it goes to the database
	// itself, and lookAgain the time between two looks.
	catchUp   = 100 * time.Millisecond
	lookAgain = 5 * time.Millisecond
	// avoidFor is how long a copy that did not answer is left alone.
	avoidFor = 5 * time.Second
	// answerIn is how long the copy may take to say how far it is.
	answerIn = time.Second
)

// Read is for lists, tracks, sums and exports of a tenant. F reads from the copy of the
// database where there is one that has all that the tenant's feed has at this moment,
// and otherwise, or where that fails, from the database itself; F may run twice. What a caller changes is
// in its feed, so it finds all that it has written before it asks, through whatever
// process.
func Read[T any](ctx context.Context, s *Store, tenantID string, f func(*Store) (T, error)) (T, error) {
	if s.follower != nil && s.follower.hasCaughtUp(ctx, s, tenantID) {
		value, err := f(s.follower.Store)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrNotFound) {
			return value, err
		}
		s.follower.fail() // also a statement that PostgreSQL ended because it was in the way of following
	}
	return f(s)
}

// hasCaughtUp waits a moment for the copy to have a tenant's feed as it is now.
func (f *follower) hasCaughtUp(ctx context.Context, s *Store, tenantID string) bool {
	if f.avoided() {
		return false
	}
	want, err := s.Feed.LastEvent(ctx, tenantID)
	if err != nil {
		return false // also where the feed is empty
	}
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	for deadline := time.Now().Add(catchUp); ; { //nolint:forbidigo // how long it waits is no matter of the service's clock
		last, shared, err := f.reached(ctx, tenantID)
		switch {
		case err != nil:
			f.fail()
			return false
		case shared:
			return false
		case last >= want:
			return true
		case time.Until(deadline) <= 0:
			return false
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return false
		}
	}
}

// reached says how far the copy has a tenant's feed, and whether others share something
// with it there: a share that has ended must not be read, so such a tenant reads from
// the database itself.
func (f *follower) reached(ctx context.Context, tenantID string) (last int64, shared bool, err error) {
	err = f.db.QueryRowContext(ctx, `SELECT COALESCE((SELECT last FROM event_sequence WHERE tenant_id = $1), 0), EXISTS (SELECT 1 FROM connection_share WHERE shared_with = $1)`, tenantID).Scan(&last, &shared)
	if err != nil {
		return 0, false, fmt.Errorf("ask the replica how far it is: %w", err)
	}
	return last, shared, nil
}

func (f *follower) fail() { f.failed.Store(max(1, time.Since(f.began).Milliseconds())) }

// avoided says whether the copy has failed a moment ago.
func (f *follower) avoided() bool {
	failed := f.failed.Load()
	return failed != 0 && time.Since(f.began)-time.Duration(failed)*time.Millisecond < avoidFor
}

// follow opens the copy. One that does not answer now may do so later.
func (s *Store) follow(ctx context.Context, o Options) error {
	o.URL, o.FollowerURL, o.NoCache, o.Trace = o.FollowerURL, "", true, nil
	copied, err := open(ctx, o, true)
	if err != nil {
		return err
	}
	s.follower = &follower{Store: copied, began: time.Now()} //nolint:forbidigo // for the monotonic clock
	return nil
}
