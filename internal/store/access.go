package store

import (
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Access says whose a record is, and what the tenant who asked for it may read of
// its connection by a share.
type Access struct {
	TenantID string
	Shared   drover.Grant
}

// activeShare is the one rule of when a share gives access: once it is accepted,
// until it expires, and while neither side is suspended. Now is the parameter that
// holds the present.
func activeShare(now int) string {
	return fmt.Sprintf(`cs.accepted_at IS NOT NULL AND (cs.expires_at IS NULL OR cs.expires_at > $%d)
		AND NOT EXISTS (SELECT 1 FROM tenant st WHERE st.id IN (cs.tenant_id, cs.shared_with) AND st.suspended = TRUE)`, now)
}

// grantColumn is what a share gives, as a number.
const grantColumn = `1 + CASE WHEN cs.positions THEN 2 ELSE 0 END + CASE WHEN cs.drivers THEN 4 ELSE 0 END + CASE WHEN cs.readings THEN 8 ELSE 0 END + CASE WHEN cs.safety THEN 16 ELSE 0 END`

// sharedColumn says what tenant $1 may read of the connection named by a share.
func sharedColumn(tenant, connection string, now int) string {
	return `COALESCE((SELECT ` + grantColumn + ` FROM connection_share cs WHERE cs.tenant_id = ` + tenant +
		` AND cs.connection_id = ` + connection + ` AND cs.shared_with = $1 AND ` + activeShare(now) + `), 0)`
}

// shares are the conditions of the shares by which tenant $1 sees records of others. $2 is
// the present.
func shares() string { return `cs.shared_with = $1 AND ` + activeShare(2) }

// eachOwner puts a reading of the rows of tenant $1 and one of those of the connections
// that are shared with it together; by are the conditions of the shares. Each goes by the
// keys of its tenants: with one condition for both, a database goes through the rows of
// all tenants. Where the tenant is alone, its own are all.
func eachOwner(alone bool, w database.Where, alias, connection, by string, read func(where string) string) string {
	own, shared := whose(w, alias, connection, by)
	if alone {
		return read(own + present)
	}
	return read(own) + ` UNION ALL ` + read(shared)
}

// present uses a parameter that nothing else does where no shares are judged.
const present = ` AND CAST($2 AS BIGINT) IS NOT NULL`

// whose are the conditions with those of the rows of tenant $1, and with those of what is
// shared with it.
func whose(w database.Where, alias, connection, by string) (own, shared string) {
	rest := w.Parts
	w.Parts = append([]string{alias + `.tenant_id = $1`}, rest...)
	own = w.SQL()
	w.Parts[0] = fmt.Sprintf(`(%[1]s.tenant_id, %[1]s.%[2]s) IN (SELECT cs.tenant_id, cs.connection_id FROM connection_share cs WHERE %[3]s)`, alias, connection, by)
	return own, w.SQL()
}

// pageOfEach is eachOwner for a page in an order that is no column of it: each reading ends
// where the page could.
func pageOfEach(alone bool, w *database.Where, alias, connection, order string, limit int, read func(where string) string) string {
	end := w.Limit(order, limit)
	return eachOwner(alone, *w, alias, connection, shares(),
		func(where string) string { return `SELECT * FROM (` + read(where) + end + `) AS page` })
}

// mergedPage is eachOwner for a page in an order of columns. SQLite merges the two readings
// as they go along their indexes. PostgreSQL may take a large tenant for a small one and sort
// all that it has: it is asked for the page of each. It finds what is shared before it looks
// at the order (OFFSET 0), along which it would go through the rows of all tenants.
func (q queries) mergedPage(
	alone bool,
	w *database.Where,
	alias, connection, order string,
	limit int,
	read func(where string) string,
) string {
	if alone || q.d.Name() == "sqlite" {
		return eachOwner(alone, *w, alias, connection, shares(), read)
	}
	end := w.Limit(order, limit)
	own, shared := whose(*w, alias, connection, shares())
	return `SELECT * FROM (` + read(own) + end + `) AS page UNION ALL SELECT * FROM (SELECT * FROM (` + read(shared) + ` OFFSET 0) AS ` +
		alias + end + `) AS page`
}

// visible selects, of rows that are chosen by their ids, those of tenant $1 and those of
// connections shared with it. $2 is the present.
func visible(alias, connection string) string {
	return visibleBy(shares(), alias, connection)
}

// visiblePositions is visible for positions.
func visiblePositions(alias, connection string) string {
	return visibleBy(shares()+` AND cs.positions = TRUE`, alias, connection)
}

func visibleBy(by, alias, connection string) string {
	return fmt.Sprintf(`(%[1]s.tenant_id = $1 OR %[1]s.%[2]s IN (SELECT cs.connection_id FROM connection_share cs WHERE %[3]s))`, alias,
		connection, by)
}
