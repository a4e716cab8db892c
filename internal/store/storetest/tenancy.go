package storetest

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/drover-fleet/drover/internal/store/database"
)

// The store names a tenant in every statement, so that one tenant's work is bounded by
// its own rows, and tenants could lie in several databases. What does not is listed
// here with its reason; a statement that is new either names its tenant or comes to
// the list.

// acrossTenants are statements that name no tenant, by a part of their text,
// with the reason.
var acrossTenants = [][2]string{
	{
		"FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY",
		"reads by id are gathered over tenants; each row is looked up by its own tenant's key",
	},
	{"tenant_id <> $1", "a record of another tenant differs from one that is not there: 403 or 404"},
	{"FROM session s", "a token names its session before its tenant is known"},
	{"DELETE FROM session WHERE expires_at", "retention of all tenants"},
	{"DELETE FROM deleted_record", "retention of all tenants, and a database that was restored"},
	{"SET change = 0", "a database that was restored numbers its changes again"},
	{"DELETE FROM audit WHERE time", "retention of all tenants"},
	{"FROM pg_class c JOIN pg_attribute", "the catalogue"},
	{"FROM sqlite_master", "the catalogue"},
	{"FROM inbox i WHERE i.owner_id", "who has received something of a tenant that is erased"},
	{"DELETE FROM inbox WHERE owner_id", "what others know of a tenant that is erased"},
	{"DELETE FROM connection_share WHERE shared_with", "what others know of a tenant that is erased"},
	{"FROM driver_erasure d WHERE d.due_at <= $1", "the next work is looked for over all tenants"},
	{"FROM usage_day", "an operator bills all tenants, and retention is that of all"},
	{"DELETE FROM milestone_link WHERE expires_at", "retention of all tenants"},
	{"DELETE FROM idempotency WHERE created_at", "retention of all tenants"},
	{"SELECT d.tenant_id, d.id FROM device d WHERE", "packing goes through all devices; each is packed by its own tenant's key"},
	{"FROM position_default", "partitions hold the weeks of all tenants"},
	{"FROM position_", "partitions hold the weeks of all tenants"},
	{"LOCK TABLE ONLY position", "partitions hold the weeks of all tenants"},
	{"FROM pg_inherits", "the catalogue"},
	{"FROM pg_stat_user_tables", "the catalogue"},
	{"UPDATE collection SET due_at", "connections are claimed by their due time over all tenants"},
	{"SELECT tenant_id, connection_id FROM collection WHERE due_at <=", "on several servers connections that are due are looked for over all tenants of one"},
	{"SELECT EXISTS (SELECT 1 FROM collection", "the schedule is mended for all tenants"},
	{"SELECT due_at, leased_until FROM collection", "the next work is looked for over all tenants"},
	{"COUNT(*) FROM collection", "the doctor looks at all tenants"},
	{"UPDATE milestone SET due_at", "milestones are claimed by their due time over all tenants"},
	{"FROM recompute r WHERE r.due_at <= $1", "the next work is looked for over all tenants"},
	{"FROM purge p WHERE p.due_at <= $1", "the next work is looked for over all tenants"},
	{"FROM milestone m WHERE m.due_at IS NOT NULL", "the next work is looked for over all tenants"},
	{"FROM delivery_target t WHERE t.due_at <= $1", "targets with deliveries are looked for over all tenants"},
	{"MIN(d.due_at) AS wrong", "targets of all tenants are mended"},
	{"DISTINCT tenant_id, target_id", "targets with old positions are looked for over all tenants"},
	{"FROM delivery_target WHERE", "targets are gone through over all tenants"},
	{"leased_by = $1 AND leased_until > 0", "a process renews the leases that it has, of all tenants"},
	{"WHERE id > $1 ORDER BY id LIMIT", "keys are changed for all tenants"},
	{"FROM eta_prediction", "the report of an operator is over all tenants"},
	{"m.arrived_at >= $1", "the report of an operator is over all tenants"},
	{"FROM event_sequence WHERE tenant_id", "the ends of several tenants' feeds are read at once"},
	{"FROM (SELECT s.tenant_id FROM event_sequence s", "an operator verifies the feeds of all tenants"},
	{"FROM packed_before", "from when on what may be packed is one for all tenants"},
	{"FROM export e WHERE e.expires_at", "retention of all tenants"},
	{"FROM export e WHERE e.file", "stray files are looked for over all tenants"},
	{"UPDATE export SET state = 'queued'", "a process that starts takes back the leases of the one before it"},
	{"DELETE FROM export_chunk AS c", "stray files are looked for over all tenants"},
	{"FROM connection_share cs CROSS JOIN", "trips that are shared with a tenant are others'"},
	{"FROM connection_share cs JOIN reading_series", "readings that are shared with a tenant are others'"},
	{"FROM connection_share cs JOIN safety_event", "safety events that are shared with a tenant are others'"},
	{"FROM connection_share cs JOIN fault", "faults that are shared with a tenant are others'"},
	{"FROM connection_share cs JOIN driver", "drivers that are shared with a tenant are others'"},
	{"FROM connection_share cs WHERE cs.shared_with = $1", "trips that are shared with a tenant are others'"},
}

// globalTables have no tenant.
var globalTables = []string{
	"tenant", "auth_version", "signing_key", "data_key", "write_probe", "packed_before", "change_mark",
	"change_clock", "operator_key", "login_try", "directory",
}

// manyTenants are tables of which one transaction may write rows of several tenants.
var manyTenants = map[string]string{
	"collection":      "a process claims what is due, of all tenants",
	"outbox":          "what others keep for a tenant that is erased",
	"message":         "what others keep for a tenant that is erased",
	"usage_day":       "a process adds what it has counted, of all tenants",
	"audit":           "what an operator does in a tenant is written down on both sides",
	"delivery_target": "a process renews the leases that it has, of all tenants",
}

var (
	space       = regexp.MustCompile(`\s+`)
	namesTenant = regexp.MustCompile(`\btenant_id = (\$\d+|v\.tenant_id)`)
	insertsOne  = regexp.MustCompile(`^INSERT INTO \w+[^(]*\( ?tenant_id`)
	reads       = regexp.MustCompile(`(?:FROM|JOIN|INTO|UPDATE) (?:ONLY )?(\w+)`)
	tenantArg   = regexp.MustCompile(`\btenant_id = \$(\d+)`)
)

// tenancy is what the statements of a test have done.
type tenancy struct {
	t    *testing.T
	seen sync.Map // by the text of a statement

	mu    sync.Mutex
	wrote map[int64]map[string]bool // tenants by transaction
}

// watchTenancy holds the statements of a test to the rules.
func watchTenancy(t *testing.T) func(database.Statement) {
	t.Helper()
	w := &tenancy{t: t, wrote: map[int64]map[string]bool{}}
	return w.look
}

func (w *tenancy) look(s database.Statement) {
	if _, known := w.seen.LoadOrStore(s.Query, true); !known {
		query := oneLine(s.Query)
		if fault := namesNoTenant(query); fault != "" {
			w.t.Errorf("%s: %.300s", fault, query)
		}
	}
	if s.Table == "" || manyTenants[s.Table] != "" {
		return
	}
	query := oneLine(s.Query)
	tenant := writtenTenant(query, s.Args)
	if tenant == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrote[s.Tx] == nil {
		w.wrote[s.Tx] = map[string]bool{}
	}
	w.wrote[s.Tx][tenant] = true
	if len(w.wrote[s.Tx]) > 1 {
		w.t.Errorf("one transaction writes of the tenants %v: %.300s", slices.Sorted(maps.Keys(w.wrote[s.Tx])), query)
	}
}

func oneLine(query string) string { return strings.TrimSpace(space.ReplaceAllString(query, " ")) }

// namesNoTenant says what is wrong with a statement on tenants' tables.
func namesNoTenant(query string) string {
	if namesTenant.MatchString(query) || insertsOne.MatchString(query) || ofSome.MatchString(query) {
		return ""
	}
	for _, known := range acrossTenants {
		if strings.Contains(query, known[0]) {
			return ""
		}
	}
	for _, match := range reads.FindAllStringSubmatch(query, -1) {
		if match[1] != "SET" && !slices.Contains(globalTables, match[1]) { // of ON CONFLICT DO UPDATE SET
			return "a statement on " + match[1] + " names no tenant"
		}
	}
	return ""
}

// writtenTenant is the tenant that a statement names; empty where it cannot be known.
func writtenTenant(query string, args []any) string {
	n := 0
	if match := tenantArg.FindStringSubmatch(query); match != nil {
		n, _ = strconv.Atoi(match[1])
		n--
	} else if !insertsOne.MatchString(query) {
		return ""
	}
	if n < len(args) {
		if id, ok := args[n].(string); ok && len(id) == 36 {
			return id
		}
	}
	return ""
}
