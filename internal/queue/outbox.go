package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// Route is the way of events from the tenant that has them to one that they are
// shared with.
type Route struct{ OwnerID, RecipientID string }

// Publication is events of a connection that one transaction has added to its
// owner's feed, and that are to be appended to a recipient's.
type Publication struct {
	Route
	ConnectionID string
	First, Last  int64 // in the owner's feed
	// Subjects are what each of the events is about: the feed does not keep it.
	Subjects [][]drover.Subject
}

// AddPublication keeps events for a recipient, and tells of it once this transaction
// is committed.
func (tx *Tx) AddPublication(ctx context.Context, p Publication) error {
	subjects, err := json.Marshal(p.Subjects)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	_, err = tx.tx.Write("outbox").ExecContext(ctx, `INSERT INTO outbox (tenant_id, recipient_id, first_sequence, last_sequence, connection_id, subjects)
		VALUES ($1, $2, $3, $4, $5, $6)`, p.OwnerID, p.RecipientID, p.First, p.Last, p.ConnectionID, string(subjects))
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	tx.published = true
	return nil
}

// OnPublished makes f hear of each transaction of this process that has kept events
// for others, once it is committed. F is called while the writer waits: it must not
// block. Only one listener is kept.
func (q *Queue) OnPublished(f func()) { q.publisher.Store(&f) }

// Routes lists the ways on which events wait.
func (q Reader) Routes(ctx context.Context) ([]Route, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT tenant_id, recipient_id FROM outbox ORDER BY tenant_id, recipient_id`)
	return database.ReadAll(rows, err, "look for publications", func(row database.Scanner) (Route, error) {
		var r Route
		return r, row.Scan(&r.OwnerID, &r.RecipientID)
	})
}

// TakePublications reads what a recipient has not taken over yet, oldest first, and
// keeps others from doing the same until the transaction ends: whoever comes second
// sees how far the first has come.
func (tx *Tx) TakePublications(ctx context.Context, r Route, limit int) ([]Publication, error) {
	var taken int64
	err := tx.tx.Write("inbox").QueryRowContext(ctx, `INSERT INTO inbox (tenant_id, owner_id, sequence) VALUES ($1, $2, 0)
		ON CONFLICT (tenant_id, owner_id) DO UPDATE SET sequence = inbox.sequence RETURNING sequence`, r.RecipientID, r.OwnerID).Scan(&taken)
	if err != nil {
		return nil, fmt.Errorf("read how far publications are taken: %w", err)
	}
	rows, err := tx.db.QueryContext(ctx, `SELECT first_sequence, last_sequence, connection_id, subjects FROM outbox
		WHERE tenant_id = $1 AND recipient_id = $2 AND first_sequence > $3 ORDER BY first_sequence LIMIT $4`, r.OwnerID, r.RecipientID, taken, limit)
	return database.ReadAll(rows, err, "read publications", func(row database.Scanner) (Publication, error) {
		p := Publication{Route: r}
		var subjects string
		if err := row.Scan(&p.First, &p.Last, &p.ConnectionID, &subjects); err != nil {
			return p, err
		}
		return p, json.Unmarshal([]byte(subjects), &p.Subjects)
	})
}

// PublicationsTaken notes in the recipient's transaction how far it has come.
func (tx *Tx) PublicationsTaken(ctx context.Context, r Route, last int64) error {
	_, err := tx.tx.Write("inbox").ExecContext(ctx, `UPDATE inbox SET sequence = $3 WHERE tenant_id = $1 AND owner_id = $2`, r.RecipientID, r.OwnerID, last)
	if err != nil {
		return fmt.Errorf("note publications: %w", err)
	}
	return nil
}

// DropPublications forgets, in a transaction of the owner's, what was taken over.
func (tx *Tx) DropPublications(ctx context.Context, r Route, last int64) error {
	_, err := tx.tx.Write("outbox").ExecContext(ctx, `DELETE FROM outbox WHERE tenant_id = $1 AND recipient_id = $2 AND last_sequence <= $3`, r.OwnerID, r.RecipientID, last)
	if err != nil {
		return fmt.Errorf("drop publications: %w", err)
	}
	return nil
}
