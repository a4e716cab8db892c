// Package account stores tenants with their limits, settings and tags, users with their sessions,
// API keys, links, the keys that sign and seal, and the audit log.
//
// A Reader reads; an Editor changes as part of a transaction. The records of the fleet are in
// package store.
package account

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Reader reads accounts, within a transaction or outside of any. It is safe for
// concurrent use.
type Reader struct {
	db    database.Reader
	words database.Dialect
	now   func() time.Time
	whose directory.Reader
}

// Editor changes accounts as part of a transaction.
type Editor struct {
	Reader
	tx *database.Tx
}

// New returns the accounts of a database. Now is the clock by which links expire.
func New(db database.DB, now func() time.Time) Reader {
	return Reader{db: db.Reader(), words: db, now: now, whose: directory.New(db.Reader())}
}

// In changes accounts in a transaction.
func (q Reader) In(tx *database.Tx) Editor {
	return Editor{Reader: Reader{db: tx, words: q.words, now: q.now, whose: q.whose.In(tx)}, tx: tx}
}

// name writes into the directory whose something is.
func (tx Editor) name(ctx context.Context, kind directory.Kind, key, tenantID string) error {
	return directory.Add(ctx, tx.tx, directory.Entry{Kind: kind, Key: key, TenantID: tenantID})
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
