package database

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"
)

// TenantServer is one of several servers that have tenants.
type TenantServer struct {
	Host  string
	Port  int
	Group int64 // Citus' number of it
	// Shards are the parts that it has of each table.
	Shards  int
	Tenants int
	Bytes   int64
	Answers bool
}

// Name is its address.
func (s TenantServer) Name() string { return fmt.Sprintf("%s:%d", s.Host, s.Port) }

// serverAnswers bounds how long a server is waited for that may be reached directly.
const serverAnswers = time.Second

// answerWithin bounds how long a server is waited for that is only asked whether it is there.
const answerWithin = 5 * time.Second

// TenantServers lists the servers that have tenants, and where the given ones are.
func TenantServers(ctx context.Context, q Reader, tenants []string) (servers []TenantServer, whose map[string]int64, err error) {
	rows, err := q.QueryContext(ctx, `SELECT n.nodename, n.nodeport, n.groupid, (SELECT COUNT(*) FROM pg_dist_placement p
		JOIN pg_dist_shard s USING (shardid) WHERE p.groupid = n.groupid AND s.logicalrelid = $1::regclass)
		FROM pg_dist_node n WHERE n.isactive AND n.noderole = 'primary' AND n.shouldhaveshards ORDER BY n.groupid`, first)
	servers, err = ReadAll(rows, err, "list servers", func(row Scanner) (s TenantServer, err error) {
		return s, row.Scan(&s.Host, &s.Port, &s.Group, &s.Shards)
	})
	if err != nil {
		return nil, nil, err
	}
	if whose, err = GroupsOf(ctx, q, tenants); err != nil {
		return nil, nil, err
	}
	for i := range servers {
		for _, group := range whose {
			if group == servers[i].Group {
				servers[i].Tenants++
			}
		}
	}
	return servers, whose, nil
}

// GroupsOf says which server has which tenant, by Citus' number of the server. It asks the
// coordinator alone.
func GroupsOf(ctx context.Context, q Reader, tenants []string) (map[string]int64, error) {
	rows, err := q.QueryContext(ctx, `SELECT t.id::text, p.groupid FROM unnest($2::uuid[]) AS t (id)
		JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column($1::regclass, t.id)`, first, tenants)
	groups := make(map[string]int64, len(tenants))
	_, err = ReadAll(rows, err, "find the servers of tenants", func(row Scanner) (struct{}, error) {
		var tenant string
		var group int64
		err := row.Scan(&tenant, &group)
		groups[tenant] = group
		return struct{}{}, err
	})
	return groups, err
}

// Measure asks each server whether it answers and, where it does, for the bytes that it has.
func Measure(ctx context.Context, q Reader, servers []TenantServer) error {
	var hosts, sizes []string
	var ports []int32
	for i := range servers {
		s := &servers[i]
		within, cancel := context.WithTimeout(ctx, answerWithin)
		err := q.QueryRowContext(within, `SELECT citus_check_connection_to_node($1, $2)`, s.Host, s.Port).Scan(&s.Answers)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Answers = s.Answers && err == nil; s.Answers {
			hosts, ports = append(hosts, s.Host), append(ports, int32(s.Port)) //nolint:gosec // a port
			sizes = append(sizes, `SELECT COALESCE(SUM(pg_total_relation_size(to_regclass(shard_name(logicalrelid, shardid)))), 0) FROM pg_dist_shard`)
		}
	}
	rows, err := q.QueryContext(ctx, `SELECT node_name || ':' || node_port, result::bigint FROM master_run_on_worker($1, $2, $3, true) WHERE success`,
		hosts, ports, sizes)
	_, err = ReadAll(rows, err, "sum up sizes", func(row Scanner) (struct{}, error) {
		var name string
		var bytes int64
		err := row.Scan(&name, &bytes)
		for i := range servers {
			if servers[i].Name() == name {
				servers[i].Bytes = bytes
			}
		}
		return struct{}{}, err
	})
	return err
}

// NotDistributed lists tables that are not where they are to be.
func NotDistributed(ctx context.Context, q Reader) ([]string, error) {
	tables, err := TenantTables(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT c.relname FROM pg_class c WHERE (c.relname = ANY ($1) OR c.relname = ANY ($2))
		AND c.relnamespace = current_schema()::regnamespace
		AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid
		AND (d.partmethod = 'h' AND c.relname = ANY ($1) OR d.repmodel = 't' AND c.relname = ANY ($2))) ORDER BY 1`,
		tables, slices.Clone(everywhere))
	return ReadAll(rows, err, "list tables that are not distributed", ScanText)
}

// citusPlaces lists the servers that have tenants. Every server takes every statement: about a tenant
// that has just moved, too.
func citusPlaces(ctx context.Context, q Reader) ([]Place, error) {
	rows, err := q.QueryContext(ctx, `SELECT id::text FROM tenant`)
	tenants, err := ReadAll(rows, err, "list tenants", ScanText)
	if err != nil {
		return nil, err
	}
	servers, whose, err := TenantServers(ctx, q, tenants)
	if err != nil {
		return nil, err
	}
	list := make([]Place, len(servers))
	for i, s := range servers {
		list[i].Name, list[i].Address = s.Name(), net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
		for _, tenant := range tenants {
			if whose[tenant] == s.Group {
				list[i].Tenants = append(list[i].Tenants, tenant)
			}
		}
	}
	return list, nil
}

// isServer reports whether a connection leads to a server of the Citus: under the name by which the
// coordinator knows it there may be another one here, or none.
func isServer(ctx context.Context, db *sql.DB, place Place, tenant string) bool {
	bounded, cancel := context.WithTimeout(ctx, serverAnswers)
	defer cancel()
	var is bool
	err := db.QueryRowContext(bounded, `SELECT EXISTS (SELECT 1 FROM pg_dist_node JOIN pg_dist_local_group USING (groupid)
		WHERE nodename || ':' || nodeport = $1) AND EXISTS (SELECT 1 FROM tenant WHERE id = $2::uuid)`, place.Name, tenant).Scan(&is)
	return err == nil && is
}
