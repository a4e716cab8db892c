package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// MilestoneLink is a link with its tenant, which is not shown with it.
type MilestoneLink struct {
	drover.MilestoneLink
	TenantID   string
	TenantName string
}

const milestoneLinkColumns = `l.id, l.milestone_id, l.created_at, l.expires_at, l.opened_count, l.last_opened_at`

func scanMilestoneLink(row database.Scanner, more ...any) (drover.MilestoneLink, error) {
	var l drover.MilestoneLink
	return l, row.Scan(append([]any{&l.ID, &l.MilestoneID, &l.CreatedAt, &l.ExpiresAt, &l.OpenedCount, &l.LastOpenedAt}, more...)...)
}

// MilestoneLinkByHash finds the link with a text while it is good: not expired, and
// of a tenant that is not suspended.
func (q Reader) MilestoneLinkByHash(ctx context.Context, hash string, now drover.Time) (MilestoneLink, error) {
	var l MilestoneLink
	err := q.whose.Find(ctx, directory.MilestoneLink, hash, func(tenantID string) (err error) {
		l.MilestoneLink, err = scanMilestoneLink(q.db.QueryRowContext(ctx, `SELECT `+milestoneLinkColumns+`, t.id, t.name
			FROM milestone_link l JOIN tenant t ON t.id = l.tenant_id
			WHERE l.tenant_id = $1 AND l.hash = $2 AND l.expires_at > $3 AND t.suspended = FALSE`, tenantID, hash, now), &l.TenantID, &l.TenantName)
		return database.Found(err, "find link")
	})
	return l, err
}

// MilestoneLinks lists the links of a milestone, oldest first.
func (q Reader) MilestoneLinks(ctx context.Context, tenantID, milestoneID string) ([]drover.MilestoneLink, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+milestoneLinkColumns+
		` FROM milestone_link l WHERE l.tenant_id = $1 AND l.milestone_id = $2 ORDER BY l.id`, tenantID, milestoneID)
	return database.ReadAll(rows, err, "list links", func(row database.Scanner) (drover.MilestoneLink,
		error,
	) {
		return scanMilestoneLink(row)
	})
}

// AddMilestoneLink stores a new link with the hash of its text.
func (tx Editor) AddMilestoneLink(ctx context.Context, tenantID string, l drover.MilestoneLink, hash string) error {
	_, err := tx.tx.Write("milestone_link").ExecContext(ctx,
		`INSERT INTO milestone_link (tenant_id, id, milestone_id, hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		tenantID, l.ID, l.MilestoneID, hash, l.CreatedAt, l.ExpiresAt)
	if err != nil {
		return fmt.Errorf("add link: %w", err)
	}
	return directory.Add(ctx, tx.tx, directory.Entry{Kind: directory.MilestoneLink, Key: hash, TenantID: tenantID, Until: &l.ExpiresAt})
}

// OpenMilestoneLink counts that a link was opened.
func (tx Editor) OpenMilestoneLink(ctx context.Context, tenantID, id string, now drover.Time) error {
	_, err := tx.tx.Write("milestone_link").ExecContext(ctx,
		`UPDATE milestone_link SET opened_count = opened_count + 1, last_opened_at = $3 WHERE tenant_id = $1 AND id = $2`, tenantID, id, now)
	if err != nil {
		return fmt.Errorf("count link: %w", err)
	}
	return nil
}

// DropMilestoneLink revokes a link. It reports whether there was one.
func (tx Editor) DropMilestoneLink(ctx context.Context, tenantID, milestoneID, id string) (bool, error) {
	if !drover.IsID(id) {
		return false, nil
	}
	if err := directory.Drop(ctx, tx.tx, directory.MilestoneLink, `tenant_id = $1 AND milestone_id = $2 AND id = $3`, tenantID, milestoneID,
		id); err != nil {
		return false, err
	}
	res, err := tx.tx.Write("milestone_link").ExecContext(ctx,
		`DELETE FROM milestone_link WHERE tenant_id = $1 AND milestone_id = $2 AND id = $3`, tenantID, milestoneID, id)
	if err != nil {
		return false, fmt.Errorf("drop link: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// DropNames deletes from the directory what ended by itself before t.
func (tx Editor) DropNames(ctx context.Context, t drover.Time) error {
	return directory.DropExpired(ctx, tx.tx, t)
}

// DropMilestoneLinks forgets the links that ended before t.
func (tx Editor) DropMilestoneLinks(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.words, "milestone_link", "expires_at <", t)
}
