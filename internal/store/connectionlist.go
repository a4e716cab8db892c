package store

import (
	"context"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Connections lists all connections that asker owns or that are shared with it,
// oldest first. An empty provider means all.
func (q FleetReader) Connections(ctx context.Context, asker string, provider drover.ProviderName) ([]drover.Connection, error) {
	return q.listConnections(ctx, asker, provider, "", 0)
}

// ConnectionPage lists some of them, after the id given.
func (q FleetReader) ConnectionPage(
	ctx context.Context,
	asker string,
	provider drover.ProviderName,
	after string,
	limit int,
) ([]drover.Connection, error) {
	return q.listConnections(ctx, asker, provider, after, limit)
}

const (
	// fewMost is how many connections a tenant may have whose list is kept in memory,
	// and fewKept of how many tenants it is: some 20 MB at the most.
	fewMost = 32
	fewKept = 1000
)

// connectionTables are what a list of connections depends on.
func connectionTables() []string { return []string{"connection", "connection_share", "tenant"} }

// fewConnections is all connections that a tenant sees, by id, where they are few and
// its own alone: what others share ends by itself when its time comes.
type fewConnections struct {
	all  []drover.Connection
	kept bool // false for a tenant that has more
}

// listConnections lists connections after an id; a limit of zero is none.
func (q queries) listConnections(
	ctx context.Context,
	asker string,
	provider drover.ProviderName,
	after string,
	limit int,
) ([]drover.Connection, error) {
	few, err := q.fewConnections(ctx, asker)
	if err != nil {
		return nil, err
	}
	if !few.kept || after != "" && !drover.IsID(after) {
		return q.readConnections(ctx, asker, provider, nil, after, limit)
	}
	list := make([]drover.Connection, 0, len(few.all))
	for _, c := range few.all {
		if c.ID > after && (provider == "" || c.IntegrationName == provider) && (limit == 0 || len(list) < limit) {
			list = append(list, c)
		}
	}
	return list, nil
}

// fewConnections reads the list that is kept, or what may be kept of it.
func (q queries) fewConnections(ctx context.Context, asker string) (few fewConnections, err error) {
	if q.few == nil {
		return few, nil
	}
	key := database.Key{Asker: asker}
	if few, ok := q.few.Get(key); ok {
		return few, nil
	}
	begun := q.few.Begin()
	if !begun.Steady() {
		return few, nil
	}
	few.all, err = q.readConnections(ctx, asker, "", nil, "", fewMost+1)
	if err != nil {
		return few, err
	}
	few.kept = len(few.all) <= fewMost && !slices.ContainsFunc(few.all, func(c drover.Connection) bool { return c.TenantID != asker })
	if !few.kept {
		few.all = nil
	}
	q.few.Put(key, few, begun)
	return few, nil
}

// readConnections reads connections after an id, of some or, without ids, of all; a limit
// of zero is none.
func (q queries) readConnections(
	ctx context.Context,
	asker string,
	provider drover.ProviderName,
	ids []string,
	after string,
	limit int,
) ([]drover.Connection, error) {
	byID := func(a, b drover.Connection) int { return strings.Compare(a.ID, b.ID) }
	return readParts(ctx, q, asker, limit, byID, func(ctx context.Context, p part) ([]drover.Connection, error) {
		w := p.where()
		w.ID("c.id >", after)
		w.AnyID(q.d, "c.id", ids)
		if provider != "" {
			w.Add("c.integration_name = $%d", string(provider))
		}
		each := p.eachOwner(w, "c", "id", shares(),
			func(where string) string { return `SELECT ` + connectionColumns + ` FROM connection c` + where })
		query := `SELECT ` + connectionColumns + `, 0 FROM (` + each + `) AS c`
		if limit > 0 {
			query += w.Limit(p.by("c.id"), limit)
		} else {
			query += ` ORDER BY c.id`
		}
		rows, err := q.db.QueryContext(ctx, query, w.Args...)
		return database.ReadAll(rows, err, "list connections", func(row database.Scanner) (drover.Connection, error) {
			c, err := scanConnection(row)
			return c.Connection, err
		})
	})
}

// VisibleDeviceCounts counts the devices of each connection that asker sees, by its id.
func (q FleetReader) VisibleDeviceCounts(ctx context.Context, asker string) (map[string]int, error) {
	type count struct {
		id      string
		devices int
	}
	all, err := readParts(ctx, q.queries, asker, 0, func(count, count) int { return 0 }, func(ctx context.Context, p part) ([]count, error) {
		w := p.where()
		each := p.eachOwner(w, "c", "id", shares(), func(where string) string {
			return `SELECT c.id, (SELECT COUNT(*) FROM device d WHERE d.tenant_id = c.tenant_id AND d.connection_id = c.id` + p.only("d.tenant_id") +
				`) FROM connection c` + where
		})
		rows, err := q.db.QueryContext(ctx, each, w.Args...)
		return database.ReadAll(rows, err, "count devices", func(row database.Scanner) (c count, err error) {
			return c, row.Scan(&c.id, &c.devices)
		})
	})
	counts := make(map[string]int, len(all))
	for _, c := range all {
		counts[c.id] = c.devices
	}
	return counts, err
}
