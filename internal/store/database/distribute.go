package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Citus is PostgreSQL that keeps the rows of each tenant together on one of several servers:
// tables are distributed by their tenant, a few are copied to every server, and those without a
// tenant stay on the coordinator, to which processes connect.

// tenantColumn is what tables are distributed by.
const tenantColumn = "tenant_id"

// everywhere are the tables that each server has: they are read with tenants' rows, and seldom
// written.
var everywhere = []string{"tenant", "account_user"}

// atCoordinator are tables with a tenant that only the coordinator has: they say where to look
// before the tenant is known.
var atCoordinator = []string{"directory"}

// MaxShards bounds the parts that tables are distributed in.
const MaxShards = 4096

// ErrNotCitus says that a database cannot be distributed.
var ErrNotCitus = errors.New("the database cannot be distributed")

// isDistributed reports whether the tables are distributed: devices stand for all.
func isDistributed(ctx context.Context, db *sql.DB) (is bool, err error) {
	if err := db.QueryRowContext(ctx, `SELECT to_regclass('pg_dist_partition') IS NOT NULL`).Scan(&is); err != nil || !is {
		return false, err
	}
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_dist_partition
		WHERE logicalrelid = to_regclass('device') AND partmethod = 'h')`).Scan(&is)
	return is, err
}

// Distribution is what Distribute has done.
type Distribution struct {
	Distributed []string // by their tenant
	Copied      []string // to every server
	Before      int      // tables that were there already
	Shards      int
	Workers     int
}

// Distribute gives the tables to the servers of a Citus. What is distributed stays as it is.
func (d *postgresDB) Distribute(ctx context.Context, shards int) (Distribution, error) {
	db := stdlib.OpenDB(*d.config)
	done, err := distribute(ctx, db, shards)
	if err == nil && d.places == nil {
		d.places, err = newPlaces(ctx, d.db, d.config, postgresConns, citusPlaces, isServer)
	}
	return done, errors.Join(err, db.Close())
}

func distribute(ctx context.Context, db *sql.DB, shards int) (done Distribution, err error) {
	done.Shards = shards
	conn, err := db.Conn(ctx)
	if err != nil {
		return done, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	if done.Workers, err = workersOf(ctx, conn); err != nil {
		return done, err
	}
	for _, statement := range []string{
		`SELECT pg_advisory_lock(hashtext('drover distribute'))`,
		`SET citus.enable_unsafe_triggers = on`,                   // they number what was changed, on the row's own server
		fmt.Sprintf(`SET citus.shard_count = %d`, max(shards, 1)), // those that come later have as many as the first
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return done, fmt.Errorf("prepare to distribute: %w", err)
		}
	}
	for _, table := range everywhere {
		is, err := distributeOne(ctx, conn, table, `SELECT create_reference_table($1::regclass)`)
		if err != nil {
			return done, err
		}
		if is {
			done.Copied = append(done.Copied, table)
		} else {
			done.Before++
		}
	}
	if err := numberOnServers(ctx, conn); err != nil {
		return done, err
	}
	tables, err := TenantTables(ctx, conn)
	if err != nil {
		return done, err
	}
	for _, table := range tables {
		is, err := distributeOne(ctx, conn, table, `SELECT create_distributed_table($1::regclass, '`+tenantColumn+`'`+together(table)+`)`)
		if err != nil {
			return done, err
		}
		if is {
			done.Distributed = append(done.Distributed, table)
		} else {
			done.Before++
		}
	}
	if err := showLocal(ctx, conn); err != nil {
		return done, err
	}
	err = conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_dist_shard WHERE logicalrelid = $1::regclass`, first).Scan(&done.Shards)
	return done, err
}

// first is distributed before the others, which are kept with it.
const first = "device"

func together(table string) string {
	if table == first {
		return ""
	}
	return `, colocate_with => '` + first + `'`
}

// showLocal lets servers read and write the tables that the coordinator alone has: a transaction
// runs at the server that has its tenant.
func showLocal(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT citus_add_local_table_to_metadata(c.oid) FROM pg_class c WHERE c.relkind = 'r'
		AND c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition AND c.relname NOT LIKE 'goose%'
		AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)`)
	if err != nil {
		return fmt.Errorf("show the coordinator's tables to the servers: %w", err)
	}
	return nil
}

// numberOnServers has the newest readings numbered where their rows are, as other records are.
// The statements that change them say the number themselves, which would be the coordinator's.
func numberOnServers(ctx context.Context, conn *sql.Conn) error {
	var there bool
	err := conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = 'reading_series'::regclass
		AND tgname = 'reading_series_changed')`).Scan(&there)
	if err != nil || there {
		return err
	}
	for _, statement := range []string{
		`CREATE TRIGGER reading_series_added BEFORE INSERT ON reading_series FOR EACH ROW EXECUTE FUNCTION note_change()`,
		`CREATE TRIGGER reading_series_changed BEFORE UPDATE ON reading_series FOR EACH ROW
			WHEN (NEW.change IS DISTINCT FROM OLD.change AND NEW.change <> 0) EXECUTE FUNCTION note_change()`,
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("number readings where they are: %w", err)
		}
	}
	return nil
}

// workersOf counts the servers that take tenants, and says what is missing where there are none.
func workersOf(ctx context.Context, conn *sql.Conn) (n int, err error) {
	var there, coordinator bool
	if err := conn.QueryRowContext(ctx, `SELECT to_regclass('pg_dist_node') IS NOT NULL`).Scan(&there); err != nil {
		return 0, fmt.Errorf("look for Citus: %w", err)
	}
	if !there {
		return 0, fmt.Errorf("%w: Citus is not installed in it (shared_preload_libraries = 'citus', then CREATE EXTENSION citus on every server)",
			ErrNotCitus)
	}
	if err := conn.QueryRowContext(ctx, `SELECT groupid = 0 FROM pg_dist_local_group`).Scan(&coordinator); err != nil {
		return 0, fmt.Errorf("look for the coordinator: %w", err)
	}
	if !coordinator {
		return 0, fmt.Errorf("%w: this server is a worker; name the coordinator", ErrNotCitus)
	}
	err = conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'`).Scan(&n)
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: the coordinator knows no worker (SELECT citus_set_coordinator_host('host', 5432), then SELECT citus_add_node('host', 5432))",
			ErrNotCitus)
	}
	return n, err
}

// TenantTables are the tables whose rows are to lie with their tenant, the first of them in front.
func TenantTables(ctx context.Context, q Reader) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = $1 AND NOT a.attisdropped
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($2)
		ORDER BY c.relname <> $3, c.relname`, tenantColumn, slices.Concat(everywhere, atCoordinator), first)
	return ReadAll(rows, err, "list tables", ScanText)
}

// distributeOne distributes a table, unless it is, and removes what the coordinator had of its rows.
func distributeOne(ctx context.Context, conn *sql.Conn, table, statement string) (done bool, err error) {
	name := pgx.Identifier{table}.Sanitize()
	var is bool
	err = conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = $1::regclass
		AND (partmethod = 'h' OR repmodel = 't'))`, name).Scan(&is)
	if err != nil || is {
		return false, err
	}
	if _, err := conn.ExecContext(ctx, statement, name); err != nil {
		return false, fmt.Errorf("distribute %s: %w", table, err)
	}
	if _, err := conn.ExecContext(ctx, `SELECT truncate_local_data_after_distributing_table($1::regclass)`, name); err != nil {
		return true, fmt.Errorf("remove what was distributed of %s: %w", table, err)
	}
	return true, nil
}

// Distribute is for several servers.
func (d *sqliteDB) Distribute(context.Context, int) (Distribution, error) {
	return Distribution{}, fmt.Errorf("%w: it is embedded; drover distributes PostgreSQL with Citus", ErrNotCitus)
}

// stepOfPostgres takes a step. A Citus does all of it over one connection to each server, with
// triggers, and wants each statement by itself.
func stepOfPostgres(ctx context.Context, tx *sql.Tx, text string) error {
	var citus bool
	if err := tx.QueryRowContext(ctx, `SELECT to_regclass('pg_dist_partition') IS NOT NULL`).Scan(&citus); err != nil {
		return err
	}
	statements := []string{text}
	if citus {
		statements = append([]string{`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`, `SET LOCAL citus.enable_unsafe_triggers = on`},
			split(text)...)
	}
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// statementPart is what is read as a whole: a text, a name, the body of a function, a comment,
// the end of a statement.
var statementPart = regexp.MustCompile(`(?s)'[^']*'|"[^"]*"|\$\$.*?\$\$|--[^\n]*|;`)

// split parts a text into its statements.
func split(text string) (statements []string) {
	begin := 0
	for _, part := range statementPart.FindAllStringIndex(text+";", -1) {
		if part[1]-part[0] != 1 {
			continue
		}
		if one := strings.TrimSpace(text[begin:part[0]]); one != "" {
			statements = append(statements, one)
		}
		begin = min(part[1], len(text))
	}
	return statements
}

// moved is what Citus says to a statement that was planned for a part of a table that has moved
// to another server meanwhile.
var moved = regexp.MustCompile(`^could not find valid entry for shard|^relation "\S+_\d+" does not exist|[Cc]oncurrent shard (move|split)`)

// hasMoved reports whether a transaction met rows that have moved, and may be run again.
func hasMoved(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (moved.MatchString(e.Message) || moved.MatchString(e.Hint))
}
