// Package account stores tenants with their limits, settings and tags, users with their sessions,
// API keys, links, the keys that sign and seal, and the audit log.
//
// A Reader reads; an Editor changes as part of a transaction. What people and programs sign in
// with (sessions, keys, passkeys, factors, single sign-on) is read and changed by a SignInReader
// and a SignInEditor. The records of the fleet are in package store.
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
type Reader struct{ source }

// SignInReader reads what people and programs sign in with: sessions, keys of the API,
// passkeys, second factors and single sign-on.
type SignInReader struct{ source }

// Editor changes accounts as part of a transaction.
type Editor struct {
	Reader
	writer
}

// SignInEditor changes what people and programs sign in with as part of a transaction.
type SignInEditor struct {
	SignInReader
	writer
}

// source is where the handles read.
type source struct {
	db    database.Reader
	words database.Dialect
	now   func() time.Time
	whose directory.Reader
}

// writer is the transaction that the handles share.
type writer struct{ tx *database.Tx }

// New returns the accounts of a database. Now is the clock by which links expire.
func New(db database.DB, now func() time.Time) Reader {
	return Reader{source{db: db.Reader(), words: db, now: now, whose: directory.New(db.Reader())}}
}

// SignIn reads in the same place.
func (q Reader) SignIn() SignInReader { return SignInReader(q) }

// In changes accounts in a transaction.
func (q Reader) In(tx *database.Tx) Editor {
	return Editor{Reader{source{db: tx, words: q.words, now: q.now, whose: q.whose.In(tx)}}, writer{tx}}
}

// SignIn changes in the same transaction.
func (tx Editor) SignIn() SignInEditor { return SignInEditor{tx.Reader.SignIn(), tx.writer} }

// name writes into the directory whose something is.
func (tx writer) name(ctx context.Context, kind directory.Kind, key, tenantID string) error {
	return directory.Add(ctx, tx.tx, directory.Entry{Kind: kind, Key: key, TenantID: tenantID})
}

// foreign reports whether a record with this id is another tenant's.
func (q source) foreign(ctx context.Context, query, tenantID, id string) (exists bool, err error) {
	if !drover.IsID(id) || q.words.Distributed() { // it would ask all places
		return false, nil
	}
	if err := q.db.QueryRowContext(ctx, query, tenantID, id).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for a record of another tenant: %w", err)
	}
	return exists, nil
}
