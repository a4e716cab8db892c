package work

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Route is the way of events and messages from the tenant that has them to the one
// that they are for.
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
func (tx FeedTx) AddPublication(ctx context.Context, p Publication) error {
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
func (q Feed) OnPublished(f func()) { q.publisher.Store(&f) }

// Routes lists the ways on which events or messages wait.
func (q FeedReader) Routes(ctx context.Context) ([]Route, error) {
	here, args := database.Here(ctx, q.words, "tenant_id", nil)
	rows, err := q.db.QueryContext(ctx, `SELECT tenant_id, recipient_id FROM outbox`+where(here)+`
		UNION SELECT tenant_id, recipient_id FROM message`+where(here)+` ORDER BY tenant_id, recipient_id`, args...)
	return database.ReadAll(rows, err, "look for publications", func(row database.Scanner) (Route, error) {
		var r Route
		return r, row.Scan(&r.OwnerID, &r.RecipientID)
	})
}

// where makes a condition that follows others one that follows none.
func where(condition string) string {
	return strings.Replace(condition, " AND ", " WHERE ", 1)
}

// Taken is how far a recipient has come in the feed of another tenant, and in its
// messages.
type Taken struct{ Event, Message int64 }

// Inbox reads how far a recipient has come, and keeps others from going on until the
// transaction ends: anyone who comes second sees how far the first has come.
func (tx FeedTx) Inbox(ctx context.Context, r Route) (t Taken, err error) {
	err = tx.tx.Write("inbox").QueryRowContext(ctx, `INSERT INTO inbox (tenant_id, owner_id, sequence) VALUES ($1, $2, 0)
		ON CONFLICT (tenant_id, owner_id) DO UPDATE SET sequence = inbox.sequence RETURNING sequence, message`, r.RecipientID,
		r.OwnerID).Scan(&t.Event, &t.Message)
	if err != nil {
		return t, fmt.Errorf("read how far others' events are taken: %w", err)
	}
	return t, nil
}

// SetInbox notes in the recipient's transaction how far it has come.
func (tx FeedTx) SetInbox(ctx context.Context, r Route, t Taken) error {
	_, err := tx.tx.Write("inbox").ExecContext(ctx, `UPDATE inbox SET sequence = $3, message = $4 WHERE tenant_id = $1 AND owner_id = $2`,
		r.RecipientID, r.OwnerID, t.Event, t.Message)
	if err != nil {
		return fmt.Errorf("note how far others' events are taken: %w", err)
	}
	return nil
}

// Publications reads what was published for a recipient after a place in the owner's
// feed, oldest first.
func (q FeedReader) Publications(ctx context.Context, r Route, after int64, limit int) ([]Publication, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT first_sequence, last_sequence, connection_id, subjects FROM outbox
		WHERE tenant_id = $1 AND recipient_id = $2 AND first_sequence > $3 ORDER BY first_sequence LIMIT $4`, r.OwnerID, r.RecipientID, after,
		limit)
	return database.ReadAll(rows, err, "read publications", func(row database.Scanner) (Publication, error) {
		p := Publication{Route: r}
		var subjects string
		if err := row.Scan(&p.First, &p.Last, &p.ConnectionID, &subjects); err != nil {
			return p, err
		}
		return p, json.Unmarshal([]byte(subjects), &p.Subjects)
	})
}

// DropPublications forgets, in a transaction of the owner's, what was taken over.
func (tx FeedTx) DropPublications(ctx context.Context, r Route, last int64) error {
	_, err := tx.tx.Write("outbox").ExecContext(ctx, `DELETE FROM outbox WHERE tenant_id = $1 AND recipient_id = $2 AND last_sequence <= $3`,
		r.OwnerID, r.RecipientID, last)
	if err != nil {
		return fmt.Errorf("drop publications: %w", err)
	}
	return nil
}
