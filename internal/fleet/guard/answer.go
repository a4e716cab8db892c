package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// AnswerLifetime is how long a key gives the first answer again.
const AnswerLifetime = 24 * time.Hour

// idempotency is what the caller sent to make a request repeatable.
type idempotency struct {
	key     string
	request string
}

type idempotencyContext struct{}

// WithIdempotency marks a request as repeatable: the same key with the same
// request, a fingerprint of what is asked, gives the same answer again.
func WithIdempotency(ctx context.Context, key, request string) context.Context {
	return context.WithValue(ctx, idempotencyContext{}, idempotency{key, request})
}

// Change runs f in a transaction and keeps its result together with what it
// changed, where the request carried a key. So an answer that was lost can be
// had again, and nothing happens twice, even after a crash.
func Change[T any](ctx context.Context, g *Guard, p drover.Principal, f func(tx *store.Tx) (T, error)) (T, error) {
	asked, repeatable := ctx.Value(idempotencyContext{}).(idempotency)
	for {
		var result T
		err := g.store.Update(ctx, func(tx *store.Tx) error {
			if repeatable {
				answered, err := g.answered(ctx, tx.Accounts, p, asked, &result)
				if answered || err != nil {
					return err
				}
			}
			var err error
			if result, err = f(tx); err != nil {
				return err
			}
			if tx.Changed() {
				if err := g.Audit(ctx, tx, p, idOf(result), drover.AuditDone); err != nil {
					return err
				}
			}
			if !repeatable {
				return nil
			}
			return g.keepAnswer(ctx, tx.Accounts, p, asked, result)
		})
		// Another request with the same key was first: its answer is there now.
		if errors.Is(err, errAnswered) {
			continue
		}
		return result, err
	}
}

var errAnswered = errors.New("answered meanwhile")

func (g *Guard) answered(ctx context.Context, tx account.Editor, p drover.Principal, asked idempotency, into any) (bool, error) {
	a, err := tx.Answer(ctx, p.TenantID, p.UserID, asked.key, drover.At(g.clock().Add(-AnswerLifetime)))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if a.Request != asked.request {
		return false, drover.InvalidValue("this key was used for another request", "header", "idempotency-key")
	}
	plain, err := g.vault.Open(ctx, a.Sealed, a.TenantID, a.ID)
	if err != nil {
		return false, fmt.Errorf("open answer: %w", err)
	}
	if err := json.Unmarshal(plain, into); err != nil {
		return false, fmt.Errorf("read answer: %w", err)
	}
	return true, nil
}

func (g *Guard) keepAnswer(ctx context.Context, tx account.Editor, p drover.Principal, asked idempotency, result any) error {
	plain, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	a := account.Answer{TenantID: p.TenantID, ID: store.NewID(), UserID: p.UserID, Key: asked.key, Request: asked.request, CreatedAt: g.now()}
	if a.Sealed, err = g.vault.Seal(plain, a.TenantID, a.ID); err != nil {
		return fmt.Errorf("seal answer: %w", err)
	}
	err = tx.AddAnswer(ctx, a, drover.At(g.clock().Add(-AnswerLifetime)))
	if errors.Is(err, store.ErrExists) {
		return errAnswered
	}
	return err
}
