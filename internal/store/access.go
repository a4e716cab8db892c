package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Access says whose a record is, and whether its connection is shared with the
// tenant who asked for it.
type Access struct {
	TenantID string
	Shared   bool
}

// byID is the two queries that read a record by its id. They are written once,
// because putting them together costs as much as a good part of running them.
type byID struct {
	own, foreign string
	doing        string
}

// newByID takes a query that ends before its WHERE and the alias of its table.
func newByID(query, alias, doing string) byID {
	return byID{
		own:     query + ` WHERE ` + alias + `.tenant_id = $1 AND ` + alias + `.id = $2`,
		foreign: query + ` WHERE ` + alias + `.tenant_id <> $1 AND ` + alias + `.id = $2`,
		doing:   doing,
	}
}

// one reads a single record. The asker's own records are looked for under its
// own key first, which is the common case and the only one that stays within a
// tenant.
func one[T any](ctx context.Context, q queries, read byID, asker, id string, scan func(scanner) (T, error)) (T, error) {
	var none T
	if !validID(id) {
		return none, ErrNotFound
	}
	v, err := scan(q.db.QueryRowContext(ctx, read.own, asker, id))
	if errors.Is(err, sql.ErrNoRows) {
		v, err = scan(q.db.QueryRowContext(ctx, read.foreign, asker, id))
	}
	return v, found(err, read.doing)
}

// sharedColumn tells whether the connection named by expr is shared with $1.
func sharedColumn(tenant, connection string) string {
	return `EXISTS (SELECT 1 FROM connection_share cs WHERE cs.tenant_id = ` + tenant +
		` AND cs.connection_id = ` + connection + ` AND cs.shared_with = $1)`
}

// visible selects the rows of tenant $1 and those of connections shared with it.
func visible(alias, connection string) string {
	return fmt.Sprintf(`(%s.tenant_id = $1 OR %s.%s IN (SELECT cs.connection_id FROM connection_share cs WHERE cs.shared_with = $1))`,
		alias, alias, connection)
}
