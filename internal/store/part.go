package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// part is what is asked for at once of what a tenant sees: its own rows, those of others that are
// shared with it, or both. Where tenants lie apart, its own are a part, and those of others one for
// each place at which any of them lies: so it is only asked where there is something of it.
type part struct {
	own, shared bool
	apart       bool
	place       string // of the owners
	of          string // compares with the owners
	args        []any  // the asker, the present and, apart, the owners
}

// parts are those of what asker sees, its own first.
func (q queries) parts(ctx context.Context, asker string) ([]part, error) {
	args := []any{asker, q.present()}
	if !q.d.Distributed() {
		return []part{{own: true, shared: !q.alone(ctx, asker), args: args}}, nil
	}
	owners, err := q.owners(ctx, asker)
	if err != nil {
		return nil, err
	}
	at := map[string][]string{}
	for _, owner := range owners {
		place := q.d.PlaceOf(owner)
		at[place] = append(at[place], owner)
	}
	list := []part{{own: true, apart: true, args: args}}
	for _, place := range slices.Sorted(maps.Keys(at)) {
		list = append(list, part{
			shared: true, apart: true, place: place, of: q.d.InList(len(args) + 1), args: append(slices.Clip(args), q.d.List(at[place])),
		})
	}
	return list, nil
}

// all is the one part where tenants do not lie apart, whether anything is shared or not.
func (q queries) all(asker string) part {
	return part{own: true, shared: true, args: []any{asker, q.present()}}
}

// together is the one part that is asked for where tenants do not lie apart.
func (q queries) together(ctx context.Context, asker string) part {
	return part{own: true, shared: !q.alone(ctx, asker)}
}

// half is the asker's own of it, or that of others.
func (p part) half(own bool) part {
	p.own, p.shared = own, !own
	return p
}

// where begins the conditions of a statement on it.
func (p part) where(conditions ...string) database.Where {
	return database.Where{Args: slices.Clip(p.args), Parts: conditions}
}

// only keeps a table of a statement to the tenants of the part, where they lie apart: Citus asks all
// servers for a table of which it does not know the tenants. Column is the table's tenant.
func (p part) only(column string) string {
	switch {
	case !p.apart:
		return ""
	case p.own:
		return ` AND ` + column + ` = $1`
	}
	return ` AND ` + column + ` ` + p.of
}

// owners compares with the tenants of the part, of which there is either the asker or others.
func (p part) owners() string {
	switch {
	case p.own:
		return `= $1`
	case p.apart:
		return p.of
	}
	return `IN (SELECT o.tenant_id FROM connection_share o WHERE o.shared_with = $1)`
}

// whereOnly is only for several tables, as a clause.
func (p part) whereOnly(columns ...string) string {
	if !p.apart {
		return ""
	}
	var where strings.Builder
	where.WriteString(` WHERE TRUE`)
	for _, column := range columns {
		where.WriteString(p.only(column))
	}
	return where.String()
}

// by is an order by an id. For the sake of it PostgreSQL would go through the rows of all tenants to find
// those of some, and one that is asked for once more has no index.
func (p part) by(id string) string {
	if p.apart && p.shared {
		return unindexed(id)
	}
	return id
}

// unindexed is an id that no index is gone along for.
func unindexed(id string) string { return `COALESCE(` + id + `, ` + id + `)` }

// eachPart reads every part of what asker sees, one after the other.
func (q queries) eachPart(ctx context.Context, asker string, read func(ctx context.Context, p part) error) error {
	parts, err := q.parts(ctx, asker)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := read(database.Ask(ctx, p.place), p); err != nil {
			return err
		}
	}
	return nil
}

// readParts reads a page of each part, and makes one of them. Zero is no limit.
func readParts[T any](
	ctx context.Context,
	q queries,
	asker string,
	limit int,
	by func(a, b T) int,
	read func(ctx context.Context, p part) ([]T, error),
) (all []T, err error) {
	err = q.eachPart(ctx, asker, func(ctx context.Context, p part) error {
		some, err := read(ctx, p)
		switch {
		case err != nil:
			return err
		case all == nil:
			all = some
		case len(some) > 0:
			all = append(all, some...)
			order.By(all, by)
		}
		if limit > 0 {
			all = all[:min(limit, len(all))]
		}
		return nil
	})
	return all, err
}

// readOwners is readParts for a list of a limit whose two halves are read one after the other wherever they lie:
// with one condition for both, a database goes through the rows of all tenants.
func readOwners[T any](
	ctx context.Context,
	q queries,
	asker string,
	limit int,
	by func(a, b T) int,
	read func(ctx context.Context, p part) ([]T, error),
) ([]T, error) {
	if q.d.Distributed() {
		return readParts(ctx, q, asker, limit, by, read)
	}
	p := q.all(asker)
	list, err := read(ctx, p.half(true))
	if err != nil {
		return nil, err
	}
	shared, err := read(ctx, p.half(false))
	if len(shared) > 0 {
		list = append(list, shared...)
		order.By(list, by)
	}
	return list[:min(limit, len(list))], err
}

// eachOwner puts a reading of the rows of tenant $1 and one of those of the connections
// that are shared with it together; by are the conditions of the shares. Each goes by the
// keys of its tenants: with one condition for both, a database goes through the rows of
// all tenants. Where no one shares anything with the tenant, its own are all.
func (p part) eachOwner(w database.Where, alias, connection, by string, read func(where string) string) string {
	own, shared := p.whose(w, alias, connection, by)
	switch {
	case !p.shared:
		return read(own + present)
	case !p.own:
		return read(shared)
	}
	return read(own) + ` UNION ALL ` + read(shared)
}

// present uses a parameter that nothing else does where no shares are judged.
const present = ` AND CAST($2 AS BIGINT) IS NOT NULL`

// whose are the conditions with those of the rows of tenant $1, and with those of what is
// shared with it.
func (p part) whose(w database.Where, alias, connection, by string) (own, shared string) {
	rest := w.Parts
	w.Parts = append([]string{alias + `.tenant_id = $1`}, rest...)
	own = w.SQL()
	w.Parts[0] = fmt.Sprintf(`(%[1]s.tenant_id, %[1]s.%[2]s) IN (SELECT cs.tenant_id, cs.connection_id FROM connection_share cs WHERE %[3]s)`,
		alias, connection, by+p.only("cs.tenant_id")) + p.only(alias+".tenant_id")
	return own, w.SQL()
}

// pageOfEach is eachOwner for a page in an order that is no column of it: each reading ends
// where the page could.
func (p part) pageOfEach(w *database.Where, alias, connection, order string, limit int, read func(where string) string) string {
	if p.apart { // a Citus would put a page of each server down at any of them
		return p.eachOwner(*w, alias, connection, shares(), read)
	}
	end := w.Limit(order, limit)
	return p.eachOwner(*w, alias, connection, shares(),
		func(where string) string { return `SELECT * FROM (` + read(where) + end + `) AS page` })
}

// mergedPage is eachOwner for a page in an order of columns. SQLite merges the two readings
// as they go along their indexes. PostgreSQL may take a large tenant for a small one and sort
// all that it has: it is asked for the page of each. It finds what is shared before it looks
// at the order (OFFSET 0), along which it would go through the rows of all tenants.
func (q queries) mergedPage(
	p part,
	w *database.Where,
	alias, connection, order string,
	limit int,
	read func(where string) string,
) string {
	if p.apart || !p.shared || q.d.Name() == "sqlite" {
		return p.eachOwner(*w, alias, connection, shares(), read)
	}
	end := w.Limit(order, limit)
	own, shared := p.whose(*w, alias, connection, shares())
	return `SELECT * FROM (` + read(own) + end + `) AS page UNION ALL SELECT * FROM (SELECT * FROM (` + read(shared) + ` OFFSET 0) AS ` +
		alias + end + `) AS page`
}

// visible selects, of rows of the part that are chosen by their ids or to be looked at, those of
// tenant $1 and those of connections shared with it; by are the conditions of the shares.
func (p part) visible(by, alias, connection string) string {
	switch {
	case !p.apart:
		return fmt.Sprintf(`(%[1]s.tenant_id = $1 OR %[1]s.%[2]s IN (SELECT cs.connection_id FROM connection_share cs WHERE %[3]s))`, alias,
			connection, by)
	case p.own:
		return alias + `.tenant_id = $1` + present
	}
	return fmt.Sprintf(`EXISTS (SELECT 1 FROM connection_share cs WHERE cs.tenant_id = %[1]s.tenant_id AND cs.connection_id = %[1]s.%[2]s
		AND %[3]s)`, alias, connection, by+p.only("cs.tenant_id")) + p.only(alias+".tenant_id")
}

// visiblePositions is visible for positions.
func (p part) visiblePositions(alias, connection string) string {
	return p.visible(shares()+` AND cs.positions = TRUE`, alias, connection)
}
