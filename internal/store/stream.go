package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
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
	// Asked is set for a job that somebody asked for; it is not read.
	Asked bool

	LastRunAt         *drover.Time
	LastSuccessAt     *drover.Time
	ConsecutiveErrors int
	LastError         *string
	LastErrorKind     *string
	LastErrorAt       *drover.Time
}

const streamColumns = `s.tenant_id, s.connection_id, s.id, s.kind, s.state, s.backfill, s.window_from, s.window_to, s.remaining_to, s.cursor, s.due_at,
	s.records, s.created_at, s.last_run_at, s.last_success_at, s.consecutive_errors, s.last_error, s.last_error_kind, s.last_error_at`

func scanStream(row database.Scanner) (Stream, error) {
	var s Stream
	return s, row.Scan(&s.TenantID, &s.ConnectionID, &s.ID, &s.Kind, &s.State, &s.History, &s.WindowFrom, &s.WindowTo, &s.RemainingTo, &s.Position, &s.DueAt,
		&s.Records, &s.CreatedAt, &s.LastRunAt, &s.LastSuccessAt, &s.ConsecutiveErrors, &s.LastError, &s.LastErrorKind, &s.LastErrorAt)
}

// Streams lists a connection's streams, oldest first.
func (q FleetReader) Streams(ctx context.Context, tenantID, connectionID string) ([]Stream, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+streamColumns+` FROM job s WHERE s.tenant_id = $1 AND s.connection_id = $2 ORDER BY s.id`, tenantID, connectionID)
	return database.ReadAll(rows, err, "list streams", scanStream)
}

// VisibleStreams lists the streams of all connections that asker sees.
func (q FleetReader) VisibleStreams(ctx context.Context, asker string) ([]Stream, error) {
	each := eachOwner(database.Where{}, "s", "connection_id", shares(), func(where string) string { return `SELECT ` + streamColumns + ` FROM job s` + where })
	rows, err := q.db.QueryContext(ctx, each+` ORDER BY id`, asker, q.present())
	return database.ReadAll(rows, err, "list streams", scanStream)
}

// AddStream stores a new stream.
func (tx FleetTx) AddStream(ctx context.Context, s Stream) error {
	_, err := tx.write("job").ExecContext(ctx, `INSERT INTO job
		(tenant_id, connection_id, id, kind, state, backfill, window_from, window_to, remaining_to, cursor, due_at, created_at, requested)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		s.TenantID, s.ConnectionID, s.ID, s.Kind, s.State, s.History, s.WindowFrom, s.WindowTo, s.RemainingTo, s.Position, s.DueAt, s.CreatedAt, s.Asked)
	if err != nil {
		return fmt.Errorf("add stream: %w", err)
	}
	return nil
}

// SetStream stores how far a stream has come and how it went. It returns the
// state that is stored: one that was canceled meanwhile stays so.
func (tx FleetTx) SetStream(ctx context.Context, s Stream) (StreamState, error) {
	var state StreamState
	err := tx.write("job").QueryRowContext(ctx, `UPDATE job SET state = CASE WHEN state = 'canceled' THEN state ELSE $4 END, window_from = $5, remaining_to = $6, cursor = $7, due_at = $8, records = $9,
		last_run_at = $10, last_success_at = $11, consecutive_errors = $12, last_error = $13, last_error_kind = $14, last_error_at = $15
		WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 RETURNING state`,
		s.TenantID, s.ConnectionID, s.ID, s.State, s.WindowFrom, s.RemainingTo, s.Position, s.DueAt, s.Records,
		s.LastRunAt, s.LastSuccessAt, s.ConsecutiveErrors, s.LastError, s.LastErrorKind, s.LastErrorAt).Scan(&state)
	return state, database.Found(err, "set stream")
}

// SetConnectionState stores the health of a connection, unless it was archived
// meanwhile.
func (tx FleetTx) SetConnectionState(ctx context.Context, tenantID, id string, state drover.ConnectionState, now drover.Time) error {
	_, err := tx.write("connection").ExecContext(ctx, `UPDATE connection SET state = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2 AND state <> 'archived'`, tenantID, id, state, now)
	if err != nil {
		return fmt.Errorf("set connection state: %w", err)
	}
	return nil
}

// RushStreams makes a connection's live streams due, whatever held them up.
func (tx FleetTx) RushStreams(ctx context.Context, tenantID, connectionID string, now drover.Time) error {
	_, err := tx.write("job").ExecContext(ctx, `UPDATE job SET due_at = $3 WHERE tenant_id = $1 AND connection_id = $2 AND state = 'active' AND due_at > $3`, tenantID, connectionID, now)
	if err != nil {
		return fmt.Errorf("rush streams: %w", err)
	}
	return nil
}

// CancelStream ends a history job that is under way.
func (tx FleetTx) CancelStream(ctx context.Context, tenantID, connectionID, id string) error {
	if !drover.IsID(id) {
		return ErrNotFound
	}
	res, err := tx.write("job").ExecContext(ctx, `UPDATE job SET state = 'canceled' WHERE tenant_id = $1 AND connection_id = $2 AND id = $3 AND backfill = TRUE AND state = 'active'`, tenantID, connectionID, id)
	if err != nil {
		return fmt.Errorf("cancel stream: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrNotFound, err)
	}
	return nil
}
