package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
)

// StreamKind says what a stream reads.
type StreamKind string

// The kinds of stream, in the order in which they are read.
const (
	StreamDevices   StreamKind = "devices"
	StreamPositions StreamKind = "positions"
	StreamTrips     StreamKind = "trips"
	// StreamTracks reads what lies between the polls of a vendor whose live stream
	// has the newest position alone.
	StreamTracks StreamKind = "tracks"
)

// StreamState says whether a stream goes on.
type StreamState string

// The states of a stream. Only a history job ends.
const (
	StreamActive   StreamState = "active"
	StreamDone     StreamState = "done"
	StreamCanceled StreamState = "canceled"
)

// Stream is one thing that is read from a connection's provider, and how that
// goes.
type Stream struct {
	TenantID     string
	ConnectionID string
	ID           string
	Kind         StreamKind
	State        StreamState
	// History marks a job that reads [WindowFrom, WindowTo) from its newest end;
	// [WindowFrom, RemainingTo) is still to be read. A live stream begins at
	// WindowFrom and has no end.
	History     bool
	WindowFrom  drover.Time
	WindowTo    *drover.Time
	RemainingTo *drover.Time
	Position    string // the adapter's cursor
	DueAt       drover.Time
	Records     int64
	CreatedAt   drover.Time

	LastRunAt         *drover.Time
	LastSuccessAt     *drover.Time
	ConsecutiveErrors int
	LastError         *string
	LastErrorKind     *string
	LastErrorAt       *drover.Time
}

const streamColumns = `s.tenant_id, s.connection_id, s.id, s.kind, s.state, s.history, s.window_from, s.window_to, s.remaining_to, s.position, s.due_at,
	s.records, s.created_at, s.last_run_at, s.last_success_at, s.consecutive_errors, s.last_error, s.last_error_kind, s.last_error_at`

func scanStream(row scanner) (Stream, error) {
	var s Stream
	return s, row.Scan(&s.TenantID, &s.ConnectionID, &s.ID, &s.Kind, &s.State, &s.History, &s.WindowFrom, &s.WindowTo, &s.RemainingTo, &s.Position, &s.DueAt,
		&s.Records, &s.CreatedAt, &s.LastRunAt, &s.LastSuccessAt, &s.ConsecutiveErrors, &s.LastError, &s.LastErrorKind, &s.LastErrorAt)
}

// Streams lists a connection's streams, oldest first.
func (q queries) Streams(ctx context.Context, tenantID, connectionID string) ([]Stream, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+streamColumns+` FROM stream s WHERE s.tenant_id = $1 AND s.connection_id = $2 ORDER BY s.id`, tenantID, connectionID)
	return collect(rows, err, "list streams", scanStream)
}

// VisibleStreams lists the streams of all connections that asker sees.
func (q queries) VisibleStreams(ctx context.Context, asker string) ([]Stream, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+streamColumns+` FROM stream s WHERE `+visible("s", "connection_id")+` ORDER BY s.id`, asker, q.present())
	return collect(rows, err, "list streams", scanStream)
}

// AddStream stores a new stream.
func (tx *Tx) AddStream(ctx context.Context, s Stream) error {
	_, err := tx.write("stream").ExecContext(ctx, `INSERT INTO stream
		(tenant_id, connection_id, id, kind, state, history, window_from, window_to, remaining_to, position, due_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		s.TenantID, s.ConnectionID, s.ID, s.Kind, s.State, s.History, s.WindowFrom, s.WindowTo, s.RemainingTo, s.Position, s.DueAt, s.CreatedAt)
	if err != nil {
		return fmt.Errorf("add stream: %w", err)
	}
	return nil
}

// SetStream stores how far a stream has come and how it went. It returns the
// state that is stored: one that was canceled meanwhile stays so.
func (tx *Tx) SetStream(ctx context.Context, s Stream) (StreamState, error) {
	var state StreamState
	err := tx.write("stream").QueryRowContext(ctx, `UPDATE stream SET state = CASE WHEN state = 'canceled' THEN state ELSE $4 END, window_from = $5, remaining_to = $6, position = $7, due_at = $8, records = $9,
		last_run_at = $10, last_success_at = $11, consecutive_errors = $12, last_error = $13, last_error_kind = $14, last_error_at = $15
		WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 RETURNING state`,
		s.TenantID, s.ConnectionID, s.ID, s.State, s.WindowFrom, s.RemainingTo, s.Position, s.DueAt, s.Records,
		s.LastRunAt, s.LastSuccessAt, s.ConsecutiveErrors, s.LastError, s.LastErrorKind, s.LastErrorAt).Scan(&state)
	return state, found(err, "set stream")
}

// Claim is a connection whose collection somebody holds. Owner names the claim,
// not the process: one that was lost and taken again is another.
type Claim struct {
	TenantID     string
	ConnectionID string
	Owner        string
	// LeasedUntil is when the claim ends where it is never extended.
	LeasedUntil drover.Time
}

// notSuspended keeps the connections of suspended tenants from being collected: from
// being claimed, and from being committed where that was under way.
const notSuspended = `NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = collection.tenant_id AND t.suspended = TRUE)`

// ErrLeaseLost says that another process has taken the work over.
var ErrLeaseLost = errors.New("the lease was lost")

const (
	// mendEvery is how often it is looked whether the clock was put back, and
	// clockSlack by how much it may go back unnoticed.
	mendEvery  = 5 * time.Second
	clockSlack = 5 * time.Second
	// mendedLease bounds what a lease has left after that. Whoever is alive renews it
	// meanwhile.
	mendedLease = time.Minute
)

// mendSchedule makes due what was scheduled in the future: before the clock was put
// back. It would wait for as long as the clock was wrong otherwise.
func (s *Store) mendSchedule(ctx context.Context, now drover.Time) error {
	if last := s.mended.Load(); last != 0 && max(now.UnixMilli()-last, last-now.UnixMilli()) < mendEvery.Milliseconds() {
		return nil
	}
	s.mended.Store(now.UnixMilli())
	ahead := drover.At(now.Add(clockSlack))
	var stepped bool
	c := s.clock
	err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM collection WHERE scheduled_at > `+c.param(1)+`)`, c.sent(ahead)).Scan(&stepped)
	if err != nil || !stepped {
		return found(err, "look at the schedule")
	}
	return s.Update(ctx, func(tx *Tx) error {
		_, err := tx.write("collection").ExecContext(ctx, `UPDATE collection SET due_at = `+c.param(2)+`, scheduled_at = `+c.param(2)+`,
			leased_until = CASE WHEN leased_until > `+c.param(3)+` THEN `+c.param(3)+` ELSE leased_until END WHERE scheduled_at > `+c.param(1),
			c.sent(ahead), c.sent(now), c.sent(drover.At(now.Add(mendedLease))))
		if err != nil {
			return fmt.Errorf("mend the schedule: %w", err)
		}
		return nil
	})
}

// ErrBusy says that somebody else works on a connection.
var ErrBusy = errors.New("somebody else works on it")

// ClaimCollection takes one connection, due or not. It returns when it was due,
// which is when it is to be given back for; a connection that is held is ErrBusy.
func (s *Store) ClaimCollection(ctx context.Context, c Claim, now drover.Time) (due drover.Time, err error) {
	err = s.Update(ctx, func(tx *Tx) error {
		var dueAt, until int64
		err := tx.db.QueryRowContext(ctx, `SELECT `+tx.clock.column("due_at")+`, `+tx.clock.column("leased_until")+`
			FROM collection WHERE tenant_id = $1 AND connection_id = $2`+tx.d.ForUpdate(), c.TenantID, c.ConnectionID).Scan(&dueAt, &until)
		if err != nil {
			return found(err, "read the lease")
		}
		if due = tx.clock.read(dueAt); tx.clock.read(until).After(now.Time) {
			return ErrBusy
		}
		_, err = tx.write("collection").ExecContext(ctx, `UPDATE collection SET due_at = `+tx.clock.param(4)+`, leased_until = `+tx.clock.param(4)+`, leased_by = $3,
			scheduled_at = `+tx.clock.param(5)+`, woken = FALSE WHERE tenant_id = $1 AND connection_id = $2`,
			c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(c.LeasedUntil), tx.clock.sent(now))
		if err != nil {
			return fmt.Errorf("claim connection: %w", err)
		}
		return nil
	})
	return due, err
}

// NextCollection tells when the next connection is due that nobody holds, leaving
// out those of some tenants.
func (q queries) NextCollection(ctx context.Context, except ...string) (drover.Time, error) {
	var at *int64
	others, args := exceptTenants(except, nil)
	err := q.db.QueryRowContext(ctx, `SELECT `+q.clock.column(`MIN(CASE WHEN due_at > leased_until THEN due_at ELSE leased_until END)`)+` FROM (
		SELECT due_at, leased_until FROM collection WHERE `+notSuspended+others+` ORDER BY due_at LIMIT 64) AS soonest`, args...).Scan(&at)
	if err != nil {
		return drover.Time{}, fmt.Errorf("look for work: %w", err)
	}
	if at == nil {
		return drover.Time{}, ErrNotFound
	}
	return q.clock.read(*at), nil
}

// HoldLease extends a claim as part of a transaction, so that nothing is
// committed by a process whose lease has run out and was taken by another.
func (tx *Tx) HoldLease(ctx context.Context, c Claim, until drover.Time) error {
	res, err := tx.write("collection").ExecContext(ctx, `UPDATE collection SET leased_until = `+tx.clock.param(4)+` WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3 AND `+notSuspended,
		c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(until))
	return leaseHeld(res, err)
}

// ReleaseLease gives a claim back until the time given, or until the earlier one
// that WakeCollection asked for meanwhile.
func (tx *Tx) ReleaseLease(ctx context.Context, c Claim, due drover.Time) error {
	res, err := tx.write("collection").ExecContext(ctx, `UPDATE collection SET due_at = CASE WHEN woken AND due_at < `+tx.clock.param(4)+` THEN due_at ELSE `+tx.clock.param(4)+` END,
		leased_until = 0, leased_by = '', woken = FALSE WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3`,
		c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(due))
	return leaseHeld(res, err)
}

func leaseHeld(res interface{ RowsAffected() (int64, error) }, err error) error {
	if err != nil {
		return fmt.Errorf("hold the lease: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrLeaseLost, err)
	}
	return nil
}

// FreeLeases takes back all leases: an embedded database has one process, so
// whoever held them is gone.
func (tx *Tx) FreeLeases(ctx context.Context) error {
	if _, err := tx.write("collection").ExecContext(ctx, `UPDATE collection SET due_at = 0, leased_until = 0, leased_by = '' WHERE leased_by <> ''`); err != nil {
		return fmt.Errorf("free leases: %w", err)
	}
	return nil
}

// AddCollection puts a new connection to work.
func (tx *Tx) AddCollection(ctx context.Context, tenantID, connectionID string, due drover.Time) error {
	_, err := tx.write("collection").ExecContext(ctx, `INSERT INTO collection (tenant_id, connection_id, due_at, scheduled_at) VALUES ($1, $2, `+tx.clock.param(3)+`, `+tx.clock.param(3)+`)`,
		tenantID, connectionID, tx.clock.sent(due))
	if err != nil {
		return fmt.Errorf("add collection: %w", err)
	}
	return nil
}

// WakeCollection makes a connection due at the latest at the time given.
func (tx *Tx) WakeCollection(ctx context.Context, tenantID, connectionID string, due drover.Time) error {
	_, err := tx.write("collection").ExecContext(ctx, `UPDATE collection SET due_at = `+tx.clock.param(3)+`, woken = TRUE
		WHERE tenant_id = $1 AND connection_id = $2 AND due_at > `+tx.clock.param(3), tenantID, connectionID, tx.clock.sent(due))
	if err != nil {
		return fmt.Errorf("wake collection: %w", err)
	}
	return nil
}

// SetConnectionState stores the health of a connection, unless it was archived
// meanwhile.
func (tx *Tx) SetConnectionState(ctx context.Context, tenantID, id string, state drover.ConnectionState, now drover.Time) error {
	_, err := tx.write("connection").ExecContext(ctx, `UPDATE connection SET state = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2 AND state <> 'archived'`, tenantID, id, state, now)
	if err != nil {
		return fmt.Errorf("set connection state: %w", err)
	}
	return nil
}

// RushStreams makes a connection's live streams due, whatever held them up.
func (tx *Tx) RushStreams(ctx context.Context, tenantID, connectionID string, now drover.Time) error {
	_, err := tx.write("stream").ExecContext(ctx, `UPDATE stream SET due_at = $3 WHERE tenant_id = $1 AND connection_id = $2 AND state = 'active' AND due_at > $3`, tenantID, connectionID, now)
	if err != nil {
		return fmt.Errorf("rush streams: %w", err)
	}
	return nil
}

// CancelStream ends a history job that is under way.
func (tx *Tx) CancelStream(ctx context.Context, tenantID, connectionID, id string) error {
	if !validID(id) {
		return ErrNotFound
	}
	res, err := tx.write("stream").ExecContext(ctx, `UPDATE stream SET state = 'canceled' WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 AND history = TRUE AND state = 'active'`, tenantID, connectionID, id)
	if err != nil {
		return fmt.Errorf("cancel stream: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrNotFound, err)
	}
	return nil
}
