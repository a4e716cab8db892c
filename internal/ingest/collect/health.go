package collect

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// failingAfter is how many runs of a job must fail in a row before the
	// connection as a whole counts as failing.
	failingAfter = 5
	firstRetry   = 15 * time.Second
	lastRetry    = 15 * time.Minute
	// personRetry is for what a person must mend: asking often does not help.
	personRetry = 30 * time.Minute
)

// failed notes that a job could not be read, and when it is tried again.
func (v *run) failed(ctx context.Context, s *store.Job, cause error) error {
	now := v.c.now()
	if v.adapter != nil {
		delete(v.adapter.rounds, s.ID)
	}
	kind, text := provider.KindOf(cause), cause.Error()
	kindText := string(kind)
	level := slog.LevelWarn
	if _, ours := errors.AsType[internalError](cause); ours {
		level, text = slog.LevelError, "Internal error: what was read could not be stored. It is tried again; the log of the service says more."
	}
	s.LastRunAt, s.LastErrorAt, s.LastError, s.LastErrorKind = &now, &now, &text, &kindText
	s.ConsecutiveErrors++
	s.DueAt = drover.At(retryAt(now.Time, kind, provider.RetryAt(cause), s.ConsecutiveErrors, v.c.opts.Rand()))
	state := v.judgeState()
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind), kindText).Inc()
	v.c.opts.Logger.Log(ctx, level, "collection failed", "connection", v.claim.ConnectionID, "tenant", v.claim.TenantID,
		"provider", v.conn.IntegrationName, "job", s.Kind, "kind", kindText, "err", cause)
	err := v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if _, err := tx.Fleet.SetJob(ctx, *s); err != nil {
			return err
		}
		if err := tx.Fleet.AddRun(ctx, store.Run{Job: *s, At: now, Failed: true}); err != nil {
			return err
		}
		return v.storeState(ctx, tx, state)
	})
	if err == nil {
		v.conn.Configuration.Health = state
	}
	return err
}

// retryAt spreads tries out: the more have failed in a row, the longer. What the
// vendor asks for goes first.
func retryAt(now time.Time, kind provider.Kind, until time.Time, failures int, jitter float64) time.Time {
	if kind == provider.KindRateLimited && until.After(now) {
		return until
	}
	if kind == provider.KindCredentials || kind == provider.KindPermanent {
		return now.Add(personRetry)
	}
	wait := min(firstRetry<<min(failures-1, 10), lastRetry)
	return now.Add(wait/2 + time.Duration(jitter*float64(wait/2)))
}

// judgeState sums the live jobs up in one word. History does not count: data
// still arrives. A connection that was failing is so until all of it works again,
// so that anyone who was notified of the failure is notified of the recovery.
func (v *run) judgeState() drover.ConnectionState {
	state := v.sumUp()
	if state == drover.ConnectionDegraded && v.conn.Configuration.Health == drover.ConnectionFailing {
		return drover.ConnectionFailing
	}
	return state
}

func (v *run) sumUp() drover.ConnectionState {
	state := drover.ConnectionHealthy
	for i := range v.jobs {
		s := &v.jobs[i]
		if s.Backfill {
			continue
		}
		if s.Kind.Besides() { // positions and trips arrive without it
			if s.ConsecutiveErrors > 0 && state == drover.ConnectionHealthy {
				state = drover.ConnectionDegraded
			}
			continue
		}
		switch {
		case s.ConsecutiveErrors == 0 && s.LastSuccessAt == nil:
			if state == drover.ConnectionHealthy && (v.takesRecords() || !v.waiting(s)) {
				state = drover.ConnectionPending
			}
		case s.ConsecutiveErrors == 0:
		case s.ConsecutiveErrors >= failingAfter || needsPerson(s):
			return drover.ConnectionFailing
		default:
			state = drover.ConnectionDegraded
		}
	}
	return state
}

// waiting reports whether a job has not run because its time has not come.
func (v *run) waiting(s *store.Job) bool { return s.DueAt.After(v.c.opts.Now()) }

func needsPerson(s *store.Job) bool {
	return s.LastErrorKind != nil && (*s.LastErrorKind == string(provider.KindCredentials) ||
		*s.LastErrorKind == string(provider.KindPermanent))
}

func (v *run) setState(ctx context.Context, state drover.ConnectionState) error {
	if before := v.conn.Configuration.Health; before == state || before == drover.ConnectionArchived {
		return nil
	}
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return v.storeState(ctx, tx, state) })
}

// storeState keeps a new state and tells of it where someone should know.
func (v *run) storeState(ctx context.Context, tx *store.Tx, state drover.ConnectionState) error {
	before := v.conn.Configuration.Health
	if before == state {
		return nil
	}
	if err := tx.Fleet.SetConnectionState(ctx, v.claim.TenantID, v.claim.ConnectionID, state, v.c.now()); err != nil {
		return err
	}
	typ := drover.EventConnectionFailing
	switch {
	case state == drover.ConnectionFailing:
	case before == drover.ConnectionFailing && state == drover.ConnectionHealthy:
		typ = drover.EventConnectionRecovered
	default:
		return nil
	}
	conn := v.conn
	conn.Configuration.Health = state
	e, err := drover.NewEvent(typ, v.c.now(), drover.ConnectionFailure{Connection: conn, Reason: v.reason()})
	if err != nil {
		return err
	}
	return v.tell(ctx, tx, []drover.Event{e})
}

// reason is the newest error of the jobs, in words.
func (v *run) reason() *string {
	var newest *store.Job
	for i := range v.jobs {
		s := &v.jobs[i]
		if s.LastErrorAt != nil && (newest == nil || s.LastErrorAt.After(newest.LastErrorAt.Time)) {
			newest = s
		}
	}
	if newest == nil {
		return nil
	}
	return newest.LastError
}

// tell appends events about the connection to the feed of everyone who sees it.
func (v *run) tell(ctx context.Context, tx *store.Tx, events []drover.Event) error {
	return journal.Publish(ctx, tx, v.claim.TenantID, v.claim.ConnectionID, events)
}
