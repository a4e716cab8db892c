package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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
// where that is empty, of all. It takes one step for each target with deliveries
// that wait, however many they are.
func (q FeedReader) DueTargets(ctx context.Context, tenantID string, now drover.Time) ([]DueTarget, error) {
	query, args := q.on.dueTargets(tenantID)
	only := ""
	if tenantID != "" {
		only = ` AND t.tenant_id = $1` // PostgreSQL reads the targets of all tenants otherwise
	}
	args = append(args, now)
	rows, err := q.db.QueryContext(ctx, query+fmt.Sprintf(`SELECT w.tenant_id, w.target_id, w.due_at, COALESCE(t.leased_by, ''), %s
		FROM waiting w LEFT JOIN delivery_target t ON t.tenant_id = w.tenant_id AND t.target_id = w.target_id`+only+` WHERE w.due_at <= $%d
		AND NOT EXISTS (SELECT 1 FROM tenant s WHERE s.id = w.tenant_id AND s.suspended = TRUE)
		ORDER BY w.tenant_id, w.target_id`, q.clock.column(`COALESCE(t.leased_until, 0)`), len(args)), args...)
	return database.ReadAll(rows, err, "look for deliveries", func(row database.Scanner) (DueTarget, error) {
		var d DueTarget
		var until int64
		err := row.Scan(&d.TenantID, &d.ID, &d.DueAt, &d.LeasedBy, &until)
		d.LeasedUntil = q.clock.read(until)
		return d, err
	})
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
	rows, err := tx.tx.Write("delivery_target").QueryContext(ctx, `UPDATE delivery_target SET leased_until = `+tx.clock.param(2)+`
		WHERE leased_by = $1 AND leased_until > 0 AND leased_until > `+tx.clock.param(3)+` RETURNING tenant_id, target_id`, owner,
		tx.clock.sent(until), tx.clock.sent(now))
	return database.ReadAll(rows, err, "renew targets", scanTarget)
}

// ReleaseTargets gives leases of an owner back.
func (tx FeedTx) ReleaseTargets(ctx context.Context, owner string, targets []drover.Target) error {
	byTenant := map[string][]string{}
	for _, t := range targets {
		byTenant[t.TenantID] = append(byTenant[t.TenantID], t.ID)
	}
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		_, err := tx.tx.Write("delivery_target").ExecContext(ctx, `UPDATE delivery_target SET leased_until = 0, leased_by = ''
			WHERE tenant_id = $1 AND leased_by = $2 AND leased_until > 0 AND target_id `+tx.words.InList(3), tenant, owner,
			tx.words.List(byTenant[tenant]))
		if err != nil {
			return fmt.Errorf("release targets: %w", err)
		}
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
	_, err := tx.tx.Write("delivery").ExecContext(ctx, statement, t.TenantID, t.ID)
	if err != nil {
		return fmt.Errorf("skip deliveries: %w", err)
	}
	return nil
}
