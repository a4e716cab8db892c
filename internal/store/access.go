package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// Access says whose a record is, and what the tenant who asked for it may read of
// its connection by a share.
type Access struct {
	TenantID string
	Shared   drover.Grant
}

// byID reads a record by its id. The queries are written once, because putting
// them together costs as much as a good part of running them.
type byID[T any] struct {
	kind
	own, foreign string
	scan         func(database.Scanner) (T, error)
}

// kind says how records of a kind are read.
type kind struct {
	columns string
	shared  string // the column that follows and says so; empty where nothing is shared
	table   string
	alias   string
	doing   string
}

func newByID[T any](k kind, scan func(database.Scanner) (T, error)) byID[T] {
	foreign := k.columns
	if k.shared != "" {
		foreign += `, ` + k.shared
	}
	return byID[T]{
		kind: k, scan: scan,
		own:     `SELECT ` + k.own() + k.from() + ` WHERE ` + k.is("$1", "$2"),
		foreign: `SELECT ` + foreign + k.from() + ` WHERE ` + k.alias + `.tenant_id <> $1 AND ` + k.alias + `.id = $2`,
	}
}

// own are the columns of a record whose owner asks.
func (k kind) own() string {
	if k.shared == "" {
		return k.columns
	}
	return k.columns + `, 0`
}

func (k kind) from() string { return ` FROM ` + k.table + ` ` + k.alias }

func (k kind) is(tenant, id string) string {
	return k.alias + `.tenant_id = ` + tenant + ` AND ` + k.alias + `.id = ` + id
}

// one reads a single record, together with others where there is a gather. The
// asker's own records are looked for under its
// own key first, which is the common case and the only one that stays within a
// tenant.
func (r byID[T]) one(ctx context.Context, q queries, g *gather[T], asker, id string) (T, error) {
	if g != nil {
		return g.one(ctx, asker, id)
	}
	var none T
	if !drover.IsID(id) {
		return none, ErrNotFound
	}
	v, err := r.scan(q.db.QueryRowContext(ctx, r.own, asker, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r.oneForeign(ctx, q, asker, id)
	}
	return v, database.Found(err, r.doing)
}

// oneForeign reads a record that is not the asker's own.
func (r byID[T]) oneForeign(ctx context.Context, q queries, asker, id string) (T, error) {
	args := []any{asker, id}
	if r.shared != "" {
		args = append(args, q.present())
	}
	v, err := r.scan(q.db.QueryRowContext(ctx, r.foreign, args...))
	return v, database.Found(err, r.doing)
}

// activeShare is the one rule of when a share gives access: once it is accepted,
// until it expires, and while neither side is suspended. Now is the parameter that
// holds the present.
func activeShare(now int) string {
	return fmt.Sprintf(`cs.accepted_at IS NOT NULL AND (cs.expires_at IS NULL OR cs.expires_at > $%d)
		AND NOT EXISTS (SELECT 1 FROM tenant st WHERE st.id IN (cs.tenant_id, cs.shared_with) AND st.suspended = TRUE)`, now)
}

// grantColumn is what a share gives, as a number.
const grantColumn = `1 + CASE WHEN cs.positions THEN 2 ELSE 0 END + CASE WHEN cs.drivers THEN 4 ELSE 0 END`

// sharedColumn tells what tenant $1 may read of the connection named by a share.
func sharedColumn(tenant, connection string, now int) string {
	return `COALESCE((SELECT ` + grantColumn + ` FROM connection_share cs WHERE cs.tenant_id = ` + tenant +
		` AND cs.connection_id = ` + connection + ` AND cs.shared_with = $1 AND ` + activeShare(now) + `), 0)`
}

// visible selects the rows of tenant $1 and those of connections shared with it. $2
// is the present.
func visible(alias, connection string) string {
	return fmt.Sprintf(`(%s.tenant_id = $1 OR %s.%s IN (SELECT cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1 AND %s))`,
		alias, alias, connection, activeShare(2))
}

// visiblePositions is visible for positions.
func visiblePositions(alias, connection string) string {
	return fmt.Sprintf(`(%s.tenant_id = $1 OR %s.%s IN (SELECT cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1 AND cs.positions = TRUE AND %s))`,
		alias, alias, connection, activeShare(2))
}
