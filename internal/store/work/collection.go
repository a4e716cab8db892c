package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Claim is a connection whose collection someone holds. Owner names the claim,
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
	// mendedLease bounds what a lease has left after that. Anyone who is alive renews it
	// meanwhile.
	mendedLease = time.Minute
)

// mendSchedule makes due what was scheduled in the future: before the clock was put
// back. It would wait for as long as the clock was wrong otherwise.
func (q *Queue) mendSchedule(ctx context.Context, now drover.Time) error {
	place := database.AtPlace(ctx)
	if last, ok := q.mended.Load(place); ok {
		if last, _ := last.(drover.Time); now.Sub(last.Time).Abs() < mendEvery {
			return nil
		}
	}
	q.mended.Store(place, now)
	ahead := drover.At(now.Add(clockSlack))
	var stepped bool
	c := q.reader.clock
	here, args := database.Here(ctx, q.reader.words, "tenant_id", []any{c.sent(ahead)})
	err := q.reader.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM collection WHERE scheduled_at > `+c.param(1)+here+`)`, args...).Scan(&stepped)
	if err != nil || !stepped {
		return database.Found(err, "look at the schedule")
	}
	return q.update(ctx, func(tx *Tx) error {
		here, args := database.Here(ctx, tx.reader.words, "tenant_id", []any{c.sent(ahead), c.sent(now), c.sent(drover.At(now.Add(mendedLease)))})
		_, err := tx.tx.Write("collection").ExecContext(ctx, `UPDATE collection SET due_at = `+c.param(2)+`, scheduled_at = `+c.param(2)+`,
			leased_until = `+least(tx.reader.words, `leased_until`, c.param(3))+` WHERE scheduled_at > `+c.param(1)+here, args...)
		if err != nil {
			return fmt.Errorf("mend the schedule: %w", err)
		}
		return nil
	})
}

// ErrBusy says that someone else works on a connection.
var ErrBusy = errors.New("someone else works on it")

// ClaimCollection takes one connection, due or not. It returns when it was due,
// which is when it is to be given back for; a connection that is held is ErrBusy.
func (q Jobs) ClaimCollection(ctx context.Context, c Claim, now drover.Time) (due drover.Time, err error) {
	err = q.update(ctx, func(tx *Tx) error {
		var dueAt, until int64
		err := tx.reader.db.QueryRowContext(ctx, `SELECT `+tx.reader.clock.column("due_at")+`, `+tx.reader.clock.column("leased_until")+`
			FROM collection WHERE tenant_id = $1 AND connection_id = $2`+tx.reader.words.ForUpdate(), c.TenantID, c.ConnectionID).Scan(&dueAt,
			&until)
		if err != nil {
			return database.Found(err, "read the lease")
		}
		if due = tx.reader.clock.read(dueAt); tx.reader.clock.read(until).After(now.Time) {
			return ErrBusy
		}
		_, err = tx.tx.Write("collection").ExecContext(ctx,
			`UPDATE collection SET due_at = `+tx.reader.clock.param(4)+`, leased_until = `+tx.reader.clock.param(4)+`, leased_by = $3,
			scheduled_at = `+tx.reader.clock.param(5)+`, woken = FALSE WHERE tenant_id = $1 AND connection_id = $2`,
			c.TenantID, c.ConnectionID, c.Owner, tx.reader.clock.sent(c.LeasedUntil), tx.reader.clock.sent(now))
		if err != nil {
			return fmt.Errorf("claim connection: %w", err)
		}
		return nil
	})
	return due, err
}

// NextCollection says when the next connection is due that no one holds, leaving
// out those of some tenants.
func (q JobsReader) NextCollection(ctx context.Context, except ...string) (drover.Time, error) {
	var at *int64
	others, args := exceptTenants(except, nil)
	here, args := database.Here(ctx, q.words, "tenant_id", args)
	err := q.db.QueryRowContext(ctx, `SELECT `+q.clock.column(`MIN(CASE WHEN due_at > leased_until THEN due_at ELSE leased_until END)`)+
		` FROM (
		SELECT due_at, leased_until FROM collection WHERE `+notSuspended+others+here+` ORDER BY due_at LIMIT 64) AS soonest`, args...).Scan(&at)
	if err != nil {
		return drover.Time{}, fmt.Errorf("look for work: %w", err)
	}
	if at == nil {
		return drover.Time{}, database.ErrNotFound
	}
	return q.clock.read(*at), nil
}

// HoldLease extends a claim as part of a transaction, so that nothing is
// committed by a process whose lease has run out and was taken by another.
func (tx JobsTx) HoldLease(ctx context.Context, c Claim, until drover.Time) error {
	res, err := tx.tx.Write("collection").ExecContext(ctx,
		`UPDATE collection SET leased_until = `+tx.clock.param(4)+` WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3 AND `+
			notSuspended,
		c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(until))
	return leaseHeld(res, err)
}

// ReleaseLease gives a claim back until the time given, or until the earlier one
// that WakeCollection asked for meanwhile.
func (tx JobsTx) ReleaseLease(ctx context.Context, c Claim, due drover.Time) error {
	res, err := tx.tx.Write("collection").ExecContext(ctx,
		`UPDATE collection SET due_at = `+least(tx.words, `CASE WHEN woken THEN due_at ELSE 9000000000000000000 END`, tx.clock.param(4))+`,
		leased_until = 0, leased_by = '', woken = FALSE WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3`,
		c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(due))
	return leaseHeld(res, err)
}

// YieldLease gives a claim back until the time given, and not before: someone asked
// for the connection, and gets it first.
func (tx JobsTx) YieldLease(ctx context.Context, c Claim, due drover.Time) error {
	res, err := tx.tx.Write("collection").ExecContext(ctx,
		`UPDATE collection SET due_at = `+tx.clock.param(4)+`, leased_until = 0, leased_by = '', woken = FALSE
		WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3`, c.TenantID, c.ConnectionID, c.Owner, tx.clock.sent(due))
	return leaseHeld(res, err)
}

// Undisturbed reports whether a claim stands and no one has asked for the connection
// since: it was not woken, and its tenant is not suspended.
func (q JobsReader) Undisturbed(ctx context.Context, c Claim) (bool, error) {
	var woken bool
	err := q.db.QueryRowContext(ctx, `SELECT woken FROM collection WHERE tenant_id = $1 AND connection_id = $2 AND leased_by = $3 AND `+
		notSuspended,
		c.TenantID, c.ConnectionID, c.Owner).Scan(&woken)
	if err = database.Found(err, "look at the claim"); errors.Is(err, database.ErrNotFound) {
		return false, nil
	}
	return err == nil && !woken, err
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
// anyone who held them is gone.
func (tx JobsTx) FreeLeases(ctx context.Context) error {
	if _, err := tx.tx.Write("collection").ExecContext(ctx,
		`UPDATE collection SET due_at = 0, leased_until = 0, leased_by = '' WHERE leased_by <> ''`); err != nil {
		return fmt.Errorf("free leases: %w", err)
	}
	return nil
}

// AddCollection puts a new connection to work.
func (tx JobsTx) AddCollection(ctx context.Context, tenantID, connectionID string, due drover.Time) error {
	_, err := tx.tx.Write("collection").ExecContext(ctx,
		`INSERT INTO collection (tenant_id, connection_id, due_at, scheduled_at) VALUES ($1, $2, `+tx.clock.param(3)+`, `+tx.clock.param(3)+`)`,
		tenantID, connectionID, tx.clock.sent(due))
	if err != nil {
		return fmt.Errorf("add collection: %w", err)
	}
	return nil
}

// WakeCollection makes a connection due at the latest at the time given. Anyone who
// follows its push gives it back.
func (tx JobsTx) WakeCollection(ctx context.Context, tenantID, connectionID string, due drover.Time) error {
	_, err := tx.tx.Write("collection").ExecContext(ctx, `UPDATE collection SET due_at = `+tx.clock.param(3)+`, woken = TRUE
		WHERE tenant_id = $1 AND connection_id = $2 AND (due_at > `+tx.clock.param(3)+` OR leased_by <> '')`, tenantID, connectionID,
		tx.clock.sent(due))
	if err != nil {
		return fmt.Errorf("wake collection: %w", err)
	}
	return nil
}

// OverdueCollections counts the connections that should have been read longer ago
// than the time given and that no one holds.
func (q JobsReader) OverdueCollections(ctx context.Context, now drover.Time, late time.Duration) (int, error) {
	var n int
	c := q.clock
	err := q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM collection WHERE due_at < `+c.param(1)+` AND leased_until < `+c.param(1),
		c.sent(drover.At(now.Add(-late)))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count connections that are overdue: %w", err)
	}
	return n, nil
}
