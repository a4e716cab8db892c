package work

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// DueTarget is a target with a delivery that is due, and who sends to it.
type DueTarget struct {
	drover.Target
	DueAt       drover.Time // of the one that is due longest
	LeasedBy    string
	LeasedUntil drover.Time
}

// DueTargets lists the targets with deliveries that are due, of one tenant or,
// where that is empty, of all. Targets that no one has given back are among them, so
// that someone does: their time may be that of what was sent since.
func (q FeedReader) DueTargets(ctx context.Context, tenantID string, now drover.Time) ([]DueTarget, error) {
	c := q.clock
	w := database.Where{Args: []any{now, c.sent(now)}, Parts: []string{"t.due_at <= $1"}}
	w.ID("t.tenant_id =", tenantID)
	tenant := "t.tenant_id"
	if tenantID != "" {
		tenant = fmt.Sprintf("$%d", len(w.Args))
	}
	here, args := database.Here(ctx, q.words, "t.tenant_id", w.Args)
	waiting := firstWaiting(tenant, "t.target_id", strings.ReplaceAll(here, "t.tenant_id", "d.tenant_id"))
	rows, err := q.db.QueryContext(ctx, `SELECT w.tenant_id, w.target_id, COALESCE(w.first, $1), w.leased_by, `+c.column("w.leased_until")+` FROM (
		SELECT t.tenant_id, t.target_id, t.leased_by, t.leased_until, `+waiting+` AS first FROM delivery_target t`+w.SQL()+here+`) AS w
		WHERE (w.first <= $1 OR w.leased_until <= `+c.param(2)+`)
		AND NOT EXISTS (SELECT 1 FROM tenant s WHERE s.id = w.tenant_id AND s.suspended = TRUE)
		ORDER BY w.tenant_id, w.target_id`, args...)
	return database.ReadAll(rows, err, "look for deliveries", func(row database.Scanner) (DueTarget, error) {
		var d DueTarget
		var until int64
		err := row.Scan(&d.TenantID, &d.ID, &d.DueAt, &d.LeasedBy, &until)
		d.LeasedUntil = c.read(until)
		return d, err
	})
}

// firstWaiting is when the first delivery is due that waits for a target: one step along its
// index, however many they are. Where tenants lie apart it names those that the statement names, or
// all servers would be asked.
func firstWaiting(tenant, target, here string) string {
	return `(SELECT MIN(d.due_at) FROM delivery d WHERE d.tenant_id = ` + tenant + ` AND d.target_id = ` + target + ` AND d.state = 'pending'` + here + `)`
}

// lockFeed keeps others from adding deliveries for a tenant until the transaction ends: AddEvents
// holds the same lock. Anyone who changes when targets are due has it.
func (tx *Tx) lockFeed(ctx context.Context, tenantID string) error {
	var one int
	err := tx.tx.QueryRowContext(ctx, `SELECT 1 FROM event_sequence WHERE tenant_id = $1`+tx.reader.words.ForUpdate(), tenantID).Scan(&one)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // a tenant that is being erased has none
		return fmt.Errorf("lock the feed: %w", err)
	}
	return nil
}

var targetDue = []database.Column{database.ID("tenant_id"), database.ID("target_id"), database.Number("due_at")}

// dueBy notes that something waits for targets of a tenant, and when the first of it is due.
// While a target is sent to, it mostly is known.
func (tx *Tx) dueBy(ctx context.Context, tenantID string, targets []string, due drover.Time) error {
	rows, err := tx.tx.QueryContext(ctx, `SELECT target_id FROM delivery_target WHERE tenant_id = $1 AND due_at <= $2 AND target_id `+
		tx.reader.words.InList(3), tenantID, due, tx.reader.words.List(targets))
	known, err := database.ReadAll(rows, err, "read when targets are due", database.ScanText)
	if err != nil || len(known) == len(targets) {
		return err
	}
	var missing [][]any
	for _, id := range targets {
		if !slices.Contains(known, id) {
			missing = append(missing, []any{tenantID, id, due.UnixMilli()})
		}
	}
	err = tx.tx.InsertRows(ctx, "delivery_target", targetDue, missing, `ON CONFLICT (tenant_id, target_id) DO UPDATE SET due_at = excluded.due_at`)
	if err != nil {
		return fmt.Errorf("note when targets are due: %w", err)
	}
	return nil
}

// MendTargets puts right when targets are due that have deliveries due before, and returns their
// number. A clock that was put back may have made some, or who wrote the rows by hand.
func (q Feed) MendTargets(ctx context.Context) (n int, err error) {
	here, args := database.Here(ctx, q.words, "d.tenant_id", nil)
	rows, err := q.db.QueryContext(ctx, `SELECT d.tenant_id, d.target_id, MIN(d.due_at) AS wrong FROM delivery d
		LEFT JOIN delivery_target t ON t.tenant_id = d.tenant_id AND t.target_id = d.target_id`+strings.ReplaceAll(here, "d.tenant_id", "t.tenant_id")+`
		WHERE d.state = 'pending' AND (t.due_at IS NULL OR t.due_at > d.due_at)`+here+` GROUP BY d.tenant_id, d.target_id ORDER BY d.tenant_id, d.target_id`, args...)
	late, err := database.ReadAll(rows, err, "look when targets are due", func(row database.Scanner) (d DueTarget, err error) {
		return d, row.Scan(&d.TenantID, &d.ID, &d.DueAt)
	})
	for _, d := range late {
		err := q.update(ctx, func(tx *Tx) error {
			return errors.Join(tx.lockFeed(ctx, d.TenantID), tx.dueBy(ctx, d.TenantID, []string{d.ID}, d.DueAt))
		})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, err
}

// ClaimTarget takes a target that no one sends to, or that is held by dead, an
// owner who is known to be so. It reports whether it did.
func (q Feed) ClaimTarget(ctx context.Context, t drover.Target, owner, dead string, now, until drover.Time) (claimed bool, err error) {
	err = q.update(ctx, func(tx *Tx) error {
		c := tx.reader.clock
		err := database.Changed(tx.tx.Write("delivery_target").ExecContext(ctx, `UPDATE delivery_target SET leased_until = `+c.param(3)+`, leased_by = $4
			WHERE tenant_id = $1 AND target_id = $2 AND (leased_until <= `+c.param(5)+` OR leased_by IN ($4, $6))`,
			t.TenantID, t.ID, c.sent(until), owner, c.sent(now), dead))
		if errors.Is(err, database.ErrNotFound) { // it is held, or was never sent to
			err = database.Changed(tx.tx.Write("delivery_target").ExecContext(ctx, `INSERT INTO delivery_target (tenant_id, target_id, leased_until, leased_by)
				VALUES ($1, $2, `+c.param(3)+`, $4) ON CONFLICT (tenant_id, target_id) DO NOTHING`, t.TenantID, t.ID, c.sent(until), owner))
		}
		claimed = err == nil
		if err != nil && !errors.Is(err, database.ErrNotFound) {
			return fmt.Errorf("claim target: %w", err)
		}
		return nil
	})
	return claimed && err == nil, err
}

// RenewTargets extends all leases of an owner that have not run out, and returns
// what it holds.
func (tx FeedTx) RenewTargets(ctx context.Context, owner string, now, until drover.Time) ([]drover.Target, error) {
	here, args := database.Here(ctx, tx.words, "tenant_id", []any{owner, tx.clock.sent(until), tx.clock.sent(now)})
	rows, err := tx.tx.Write("delivery_target").QueryContext(ctx, `UPDATE delivery_target SET leased_until = `+tx.clock.param(2)+`
		WHERE leased_by = $1 AND leased_until > 0 AND leased_until > `+tx.clock.param(3)+here+` RETURNING tenant_id, target_id`, args...)
	return database.ReadAll(rows, err, "renew targets", scanTarget)
}

// ReleaseTargets gives leases of an owner on targets of one tenant back.
func (tx FeedTx) ReleaseTargets(ctx context.Context, owner, tenantID string, targets []string) error {
	if err := tx.lockFeed(ctx, tenantID); err != nil {
		return err
	}
	_, err := tx.tx.Write("delivery_target").ExecContext(ctx, `UPDATE delivery_target SET leased_until = 0, leased_by = '', due_at = `+
		firstWaiting("$1", "delivery_target.target_id", "")+` WHERE tenant_id = $1 AND leased_by = $2 AND leased_until > 0 AND target_id `+tx.words.InList(3),
		tenantID, owner, tx.words.List(targets))
	if err != nil {
		return fmt.Errorf("release targets: %w", err)
	}
	return nil
}

// FreeTargets takes back all leases: an embedded database has one process, so
// anyone who held them is gone.
func (tx FeedTx) FreeTargets(ctx context.Context) error {
	if _, err := tx.tx.Write("delivery_target").ExecContext(ctx,
		`UPDATE delivery_target SET leased_until = 0, leased_by = '' WHERE leased_until > 0`); err != nil {
		return fmt.Errorf("free targets: %w", err)
	}
	return nil
}

// SetWait keeps until when a receiver has asked now not to be called, so that anyone who
// takes its target over knows it.
func (tx FeedTx) SetWait(ctx context.Context, t drover.Target, now, until drover.Time) error {
	_, err := tx.tx.Write("delivery_target").ExecContext(ctx, `UPDATE delivery_target SET wait_until = $3, waited_at = $4
		WHERE tenant_id = $1 AND target_id = $2 AND (wait_until < $3 OR waited_at > $5)`, t.TenantID, t.ID, until, now, latestWait(now))
	if err != nil {
		return fmt.Errorf("keep a wait: %w", err)
	}
	return nil
}

// latestWait is the latest time at which a wait can have been noted that holds now: what
// was noted later was noted by a clock that has been put right since. Clocks of processes
// differ by less.
func latestWait(now drover.Time) drover.Time { return drover.At(now.Add(time.Minute)) }

// WithdrawDeliveries gives up deliveries of what their receiver may not read any
// more. They are sent where it may again and asks for it.
func (tx FeedTx) WithdrawDeliveries(ctx context.Context, t drover.Target, eventIDs []string) error {
	_, err := tx.tx.Write("delivery").ExecContext(ctx,
		`UPDATE delivery SET state = 'skipped' WHERE tenant_id = $1 AND target_id = $2 AND state = 'pending' AND event_id `+tx.words.InList(3),
		t.TenantID, t.ID, tx.words.List(eventIDs))
	if err != nil {
		return fmt.Errorf("withdraw deliveries: %w", err)
	}
	return nil
}

const skip = `UPDATE delivery SET state = 'skipped' WHERE tenant_id = $1 AND target_id = $2 AND state = 'pending' AND sequence > 0`

// SkipDeliveries gives up what waits for a target, but for tests. It can be
// replayed.
func (tx FeedTx) SkipDeliveries(ctx context.Context, t drover.Target) error {
	return tx.skip(ctx, skip, t)
}

// SkipDisabled does the same where the target is disabled, or gone. It looks by
// itself, in the one statement that skips: anyone who has read that a target is
// disabled would give up what was replayed when it was enabled since.
func (tx FeedTx) SkipDisabled(ctx context.Context, t drover.Target) error {
	return tx.skip(ctx, skip+` AND NOT EXISTS (SELECT 1 FROM webhook WHERE tenant_id = $1 AND id = $2 AND enabled = TRUE)
		AND NOT EXISTS (SELECT 1 FROM milestone WHERE tenant_id = $1 AND id = $2 AND webhook_enabled = TRUE AND webhook_url IS NOT NULL)`, t)
}

func (tx *Tx) skip(ctx context.Context, statement string, t drover.Target) error {
	if err := tx.lockFeed(ctx, t.TenantID); err != nil {
		return err
	}
	if _, err := tx.tx.Write("delivery").ExecContext(ctx, statement, t.TenantID, t.ID); err != nil {
		return fmt.Errorf("skip deliveries: %w", err)
	}
	_, err := tx.tx.Write("delivery_target").ExecContext(ctx, `UPDATE delivery_target SET due_at = `+firstWaiting("$1", "delivery_target.target_id", "")+
		` WHERE tenant_id = $1 AND target_id = $2`, t.TenantID, t.ID)
	if err != nil {
		return fmt.Errorf("note when a target is due: %w", err)
	}
	return nil
}
