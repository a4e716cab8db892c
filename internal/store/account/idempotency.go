package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Answer is what a request with an Idempotency-Key was answered, sealed.
type Answer struct {
	TenantID  string
	ID        string
	UserID    string
	Key       string
	Request   string // fingerprint of what was asked
	Sealed    []byte
	CreatedAt drover.Time
}

// Answer finds the answer given to a key since the time given.
func (q Reader) Answer(ctx context.Context, tenantID, userID, key string, since drover.Time) (Answer, error) {
	a := Answer{TenantID: tenantID, UserID: userID, Key: key}
	err := q.db.QueryRowContext(ctx, `SELECT id, request, answer, created_at FROM idempotency
		WHERE tenant_id = $1 AND user_id = $2 AND key = $3 AND created_at > $4`, tenantID, userID, key, since).Scan(&a.ID, &a.Request,
		&a.Sealed, &a.CreatedAt)
	return a, database.Found(err, "read answer")
}

// AddAnswer keeps an answer with the change that it tells of. Where another
// transaction was first, it is ErrExists.
func (tx Editor) AddAnswer(ctx context.Context, a Answer, since drover.Time) error {
	_, err := tx.tx.Write("idempotency").ExecContext(ctx,
		`DELETE FROM idempotency WHERE tenant_id = $1 AND user_id = $2 AND key = $3 AND created_at <= $4`, a.TenantID, a.UserID, a.Key, since)
	if err != nil {
		return fmt.Errorf("drop old answer: %w", err)
	}
	_, err = tx.tx.Write("idempotency").ExecContext(ctx,
		`INSERT INTO idempotency (tenant_id, id, user_id, key, request, answer, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		a.TenantID, a.ID, a.UserID, a.Key, a.Request, a.Sealed, a.CreatedAt)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("add answer: %w", err)
	}
	return nil
}

// DropAnswers forgets the answers given before t.
func (tx Editor) DropAnswers(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.words, "idempotency", "created_at <=", t)
}
