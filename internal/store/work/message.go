package work

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

// MessageKind says what a message holds.
type MessageKind string

// The kinds of messages.
const (
	// MessagePositions are new positions of devices that the recipient's milestones are
	// judged by.
	MessagePositions MessageKind = "positions"
	// MessageJourney is a journey of one of the recipient's devices that teaches.
	MessageJourney MessageKind = "journey"
)

// Message is what the transaction of one tenant leaves for another, so that none
// writes of both. Its content is that of the one who sends it.
type Message struct {
	Number int64
	// After is where the sender's feed ended. The events up to it come first.
	After   int64
	Kind    MessageKind
	Content json.RawMessage
}

// Send leaves a message for a tenant, and tells of it once this transaction is
// committed. Messages of one tenant are taken in the order in which they are sent.
func (tx FeedTx) Send(ctx context.Context, r Route, kind MessageKind, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	m := Message{Kind: kind, Content: text}
	err = tx.tx.Write("event_sequence").QueryRowContext(ctx,
		`UPDATE event_sequence SET messages = messages + 1 WHERE tenant_id = $1 RETURNING messages, last`, r.OwnerID).Scan(&m.Number, &m.After)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	_, err = tx.tx.Write("message").ExecContext(ctx, `INSERT INTO message (tenant_id, recipient_id, number, after_sequence, kind, content)
		VALUES ($1, $2, $3, $4, $5, $6)`, r.OwnerID, r.RecipientID, m.Number, m.After, string(m.Kind), string(m.Content))
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	tx.published = true
	return nil
}

// Messages reads what was sent to a recipient after a number, oldest first.
func (q FeedReader) Messages(ctx context.Context, r Route, after int64, limit int) ([]Message, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT number, after_sequence, kind, content FROM message
		WHERE tenant_id = $1 AND recipient_id = $2 AND number > $3 ORDER BY number LIMIT $4`, r.OwnerID, r.RecipientID, after, limit)
	return database.ReadAll(rows, err, "read messages", func(row database.Scanner) (Message, error) {
		var m Message
		var content string
		err := row.Scan(&m.Number, &m.After, &m.Kind, &content)
		m.Content = json.RawMessage(content)
		return m, err
	})
}

// DropMessages forgets, in a transaction of the sender's, what was taken.
func (tx FeedTx) DropMessages(ctx context.Context, r Route, last int64) error {
	_, err := tx.tx.Write("message").ExecContext(ctx, `DELETE FROM message WHERE tenant_id = $1 AND recipient_id = $2 AND number <= $3`,
		r.OwnerID, r.RecipientID, last)
	if err != nil {
		return fmt.Errorf("drop messages: %w", err)
	}
	return nil
}
