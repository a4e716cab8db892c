// Package account keeps who may come in, and what they may have: tenants with their
// limits, settings and tags, users with their sessions, API keys, links that are handed to
// others, the keys that sign and seal, and the audit of what was done.
//
// A Reader reads; an Editor changes as part of a transaction. The records of the
// fleet are in package store, whose Store and Tx have the methods of both.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Reader reads accounts, within a transaction or outside of any. It is safe for
// concurrent use.
type Reader struct {
	db    database.Reader
	words database.Dialect
	now   func() time.Time
}

// Editor changes accounts as part of a transaction.
type Editor struct {
	Reader
	tx *database.Tx
}

// New returns the accounts of a database. Now is the clock by which links expire.
func New(db database.DB, now func() time.Time) Reader {
	return Reader{db: db.Reader(), words: db, now: now}
}

// In changes accounts in a transaction.
func (q Reader) In(tx *database.Tx) Editor {
	return Editor{Reader: Reader{db: tx, words: q.words, now: q.now}, tx: tx}
}

// foreign reports whether a record with this id is another tenant's.
func (q Reader) foreign(ctx context.Context, query, tenantID, id string) (exists bool, err error) {
	if !drover.IsID(id) {
		return false, nil
	}
	if err := q.db.QueryRowContext(ctx, query, tenantID, id).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for a record of another tenant: %w", err)
	}
	return exists, nil
}
