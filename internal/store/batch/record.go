// Package batch reads records by their ids. Requests that arrive at the same moment share a query,
// and records that are known to be unchanged come from memory. It knows neither the records nor
// who may see them.
package batch

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Kind says how records of a kind are read. Its columns tenant_id and id are the key.
type Kind struct {
	Columns string
	Shared  string // the column that follows and says what of it is shared; empty where nothing is
	Table   string
	Alias   string
	Doing   string // for errors
}

// Source is where records are read from. Now is the clock by which shares are judged.
type Source struct {
	DB  database.Reader
	Now func() time.Time
	// Owners are those who share something with a tenant, where tenants lie apart: no one else is
	// asked for a record that is not the asker's own. It is nil where all are.
	Owners func(ctx context.Context, asker string) ([]string, error)
	// At has a statement asked where an owner's rows are.
	At func(ctx context.Context, owner string) context.Context
}

// Record reads a record by its id. The queries are written once, because putting
// them together costs as much as a good part of running them.
type Record[T any] struct {
	kind         Kind
	own, foreign string
	of           string // foreign of a tenant that is named
	ofTenant     string // own, of several ids, which come first
	scan         func(database.Scanner) (T, error)
}

// NewRecord writes the queries for records of a kind.
func NewRecord[T any](k Kind, scan func(database.Scanner) (T, error)) Record[T] {
	foreign, of := k.Columns, k.Columns
	if k.Shared != "" {
		foreign += `, ` + k.Shared
		of += `, ` + strings.ReplaceAll(k.Shared, k.Alias+`.tenant_id`, `$4`) // a Citus would ask all servers otherwise
	}
	return Record[T]{
		kind: k, scan: scan,
		own:      `SELECT ` + k.own() + k.from() + ` WHERE ` + k.is("$1", "$2"),
		foreign:  `SELECT ` + foreign + k.from() + ` WHERE ` + k.Alias + `.tenant_id <> $1 AND ` + k.Alias + `.id = $2`,
		of:       `SELECT ` + of + k.from() + ` WHERE ` + k.is("$4", "$2"),
		ofTenant: `SELECT ` + k.Alias + `.id, ` + k.own() + k.from() + ` WHERE ` + k.Alias + `.tenant_id = $1 AND ` + k.Alias + `.id = ANY($2::uuid[])`,
	}
}

// Table is the one that the records are in.
func (r Record[T]) Table() string { return r.kind.Table }

// own are the columns of a record whose owner asks.
func (k Kind) own() string {
	if k.Shared == "" {
		return k.Columns
	}
	return k.Columns + `, 0`
}

func (k Kind) from() string { return ` FROM ` + k.Table + ` ` + k.Alias }

func (k Kind) is(tenant, id string) string {
	return k.Alias + `.tenant_id = ` + tenant + ` AND ` + k.Alias + `.id = ` + id
}

// One reads a single record, together with others where there is a gather. The
// asker's own records are looked for under its own key first, which is the common case
// and the only one that stays within a tenant.
func (r Record[T]) One(ctx context.Context, from Source, g *Gather[T], asker, id string) (T, error) {
	if g != nil {
		return g.one(ctx, from, asker, id)
	}
	var none T
	if !drover.IsID(id) {
		return none, database.ErrNotFound
	}
	v, err := r.scan(from.DB.QueryRowContext(ctx, r.own, asker, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r.foreignOne(ctx, from, asker, id)
	}
	return v, database.Found(err, r.kind.Doing)
}

// OneOf reads a record of an owner as asker sees it, of a kind that is shared.
func (r Record[T]) OneOf(ctx context.Context, from Source, asker, owner, id string) (T, error) {
	if from.At != nil {
		ctx = from.At(ctx, owner)
	}
	v, err := r.scan(from.DB.QueryRowContext(ctx, r.of, asker, id, drover.At(from.Now()), owner))
	return v, database.Found(err, r.kind.Doing)
}

// sharedOne reads a record of one of those who share something with asker.
func (r Record[T]) sharedOne(ctx context.Context, from Source, asker, id string) (none T, err error) {
	if r.kind.Shared == "" {
		return none, database.ErrNotFound
	}
	owners, err := from.Owners(ctx, asker)
	if err != nil {
		return none, err
	}
	var failed error
	for _, owner := range owners {
		v, err := r.OneOf(ctx, from, asker, owner, id)
		if err == nil {
			return v, nil
		}
		if !errors.Is(err, database.ErrNotFound) {
			failed = err // it may be another's
		}
	}
	if failed != nil {
		return none, failed
	}
	return none, database.ErrNotFound
}

// foreignOne reads a record that is not the asker's own.
func (r Record[T]) foreignOne(ctx context.Context, from Source, asker, id string) (T, error) {
	if from.Owners != nil {
		return r.sharedOne(ctx, from, asker, id)
	}
	args := []any{asker, id}
	if r.kind.Shared != "" {
		args = append(args, drover.At(from.Now()))
	}
	v, err := r.scan(from.DB.QueryRowContext(ctx, r.foreign, args...))
	return v, database.Found(err, r.kind.Doing)
}
