package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Fault is a stored fault with its owner.
type Fault struct {
	drover.Fault
	Access
	// Key is what reports of one fault have in common.
	Key string
	// SilentDue is when it is over if no one reports it; nil where the provider says that.
	SilentDue *drover.Time
}

const faultFields = `f.id, f.connection_id, f.device_id, f.fault_key, f.protocol, f.code, f.spn, f.fmi, f.source_address, f.description,
	f.severity, f.lamps, f.status, f.first_seen_at, f.last_seen_at, f.closed_at, f.closed_by, f.occurrences, f.silent_due, f.tenant_id`

func scanFault(row database.Scanner, more ...any) (f Fault, err error) {
	var severity, closedBy *string
	var lamps string
	err = row.Scan(append([]any{
		&f.ID, &f.ConnectionID, &f.DeviceID, &f.Key, &f.Protocol, &f.Code, &f.SPN, &f.FMI, &f.SourceAddress, &f.Description, &severity, &lamps,
		&f.Status, &f.FirstSeenAt, &f.LastSeenAt, &f.ClosedAt, &closedBy, &f.Occurrences, &f.SilentDue, &f.TenantID,
	}, more...)...)
	if err != nil {
		return f, err
	}
	if severity != nil {
		f.Severity = new(drover.FaultSeverity(*severity))
	}
	if closedBy != nil {
		f.ClosedBy = new(drover.FaultClosing(*closedBy))
	}
	f.Lamps = []drover.Lamp{}
	list, err := database.ParseStrings(lamps)
	for _, lamp := range list {
		f.Lamps = append(f.Lamps, drover.Lamp(lamp))
	}
	return f, err
}

var faultByID = batch.NewRecord(batch.Kind{
	Columns: faultFields, Shared: sharedColumn("f.tenant_id", "f.connection_id", 3), Table: "fault", Alias: "f", Doing: "read fault",
}, func(row database.Scanner) (Fault, error) {
	var shared drover.Grant
	f, err := scanFault(row, &shared)
	f.Shared = shared
	return f, err
})

// Fault reads a fault as asker sees it.
func (q VehiclesReader) Fault(ctx context.Context, asker, id string) (Fault, error) {
	return faultByID.One(ctx, q.source(), nil, asker, id)
}

// FaultsOf reads the faults of devices that are open, and those of the keys, by id, and keeps other
// transactions from changing them.
func (tx VehiclesTx) FaultsOf(ctx context.Context, tenantID string, deviceIDs, keys []string) ([]Fault, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+faultFields+` FROM fault f WHERE f.tenant_id = $1 AND f.device_id `+tx.d.InList(2)+
		` AND (f.closed_at IS NULL OR f.fault_key `+tx.d.InList(3)+`) ORDER BY f.device_id, f.fault_key`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs),
		tx.d.List(keys))
	// Not by the statement: for the sake of that order SQLite reads all faults of the tenant.
	faults, err := database.ReadAll(rows, err, "read faults of devices", func(row database.Scanner) (Fault, error) { return scanFault(row) })
	order.By(faults, func(a, b Fault) int { return cmp.Compare(a.ID, b.ID) })
	return faults, err
}

// SilentFaults reads the faults of a connection that are over if no one has reported them.
func (tx VehiclesTx) SilentFaults(ctx context.Context, tenantID, connectionID string, now drover.Time, limit int) ([]Fault, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+faultFields+` FROM fault f WHERE f.tenant_id = $1 AND f.connection_id = $2
		AND f.silent_due <= $3 ORDER BY f.silent_due LIMIT $4`+tx.d.ForUpdate(), tenantID, connectionID, now, limit)
	return database.ReadAll(rows, err, "read silent faults", func(row database.Scanner) (Fault, error) { return scanFault(row) })
}

var faultColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("id"),
	database.ID("connection_id"),
	database.ID("device_id"),
	database.Text("fault_key"),
	database.Text("protocol"),
	database.Text("code"),
	database.Number("spn"),
	database.Number("fmi"),
	database.Number("source_address"),
	database.Text("description"),
	database.Text("severity"),
	database.Text("lamps"),
	database.Text("status"),
	database.Number("first_seen_at"),
	database.Number("last_seen_at"),
	database.Number("closed_at"),
	database.Text("closed_by"),
	database.Number("occurrences"),
	database.Number("silent_due"),
}

// SetFaults stores faults of a tenant's devices.
func (tx VehiclesTx) SetFaults(ctx context.Context, tenantID string, faults []Fault) error {
	rows := make([][]any, len(faults))
	for i := range faults {
		f := &faults[i]
		lamps := make([]string, len(f.Lamps))
		for n, lamp := range f.Lamps {
			lamps[n] = string(lamp)
		}
		rows[i] = []any{
			tenantID, f.ID, f.ConnectionID, f.DeviceID, f.Key, string(f.Protocol), f.Code, f.SPN, f.FMI, f.SourceAddress, f.Description,
			word(f.Severity), database.FormatStrings(lamps), string(f.Status), f.FirstSeenAt.UnixMilli(), f.LastSeenAt.UnixMilli(),
			milliOf(f.ClosedAt), word(f.ClosedBy), f.Occurrences, milliOf(f.SilentDue),
		}
	}
	err := tx.tx.InsertRows(ctx, "fault", faultColumns, rows, `ON CONFLICT (tenant_id, id) DO UPDATE SET description = excluded.description,
		severity = excluded.severity, lamps = excluded.lamps, status = excluded.status, last_seen_at = excluded.last_seen_at,
		closed_at = excluded.closed_at, closed_by = excluded.closed_by, occurrences = excluded.occurrences, silent_due = excluded.silent_due`)
	if err != nil {
		return fmt.Errorf("store faults: %w", err)
	}
	return nil
}

// word is a text of a closed set that may be null.
func word[T ~string](v *T) *string {
	if v == nil {
		return nil
	}
	return new(string(*v))
}

// MaxFaults bounds the faults that are kept of a device: of more, those go that were over
// first.
const MaxFaults = 2000

// TrimFaults keeps the faults of devices within their bound.
func (tx VehiclesTx) TrimFaults(ctx context.Context, tenantID string, deviceIDs []string) error {
	rows, err := tx.db.QueryContext(ctx, `SELECT f.device_id, COUNT(*) FROM fault f WHERE f.tenant_id = $1 AND f.device_id `+tx.d.InList(2)+
		` GROUP BY f.device_id HAVING COUNT(*) > $3`, tenantID, tx.d.List(deviceIDs), MaxFaults)
	type full struct {
		device string
		faults int64
	}
	devices, err := database.ReadAll(rows, err, "count faults", func(row database.Scanner) (f full, err error) {
		return f, row.Scan(&f.device, &f.faults)
	})
	if err != nil {
		return err
	}
	for _, d := range devices {
		_, err := tx.write("fault").ExecContext(ctx, `DELETE FROM fault WHERE tenant_id = $1 AND id IN (SELECT f.id FROM fault f
			WHERE f.tenant_id = $1 AND f.device_id = $2 AND f.closed_at IS NOT NULL ORDER BY f.closed_at LIMIT $3)`, tenantID, d.device,
			d.faults-MaxFaults)
		if err != nil {
			return fmt.Errorf("drop old faults: %w", err)
		}
	}
	return nil
}

// Faults lists the faults that asker may see, by id, after the one given.
func (q VehiclesReader) Faults(ctx context.Context, asker string, f drover.FaultFilter, after string, limit int) ([]drover.Fault, error) {
	list := recordList[drover.Fault]{
		fields: faultFields, table: "fault", alias: "f", scope: "cs.readings", doing: "list faults",
		scan: func(row database.Scanner) (drover.Fault, error) {
			var grant drover.Grant
			stored, err := scanFault(row, &grant)
			return stored.Fault, err
		},
		id: func(f drover.Fault) string { return f.ID }, newest: f.Newest,
		where: func(w *database.Where, _ bool) {
			w.AnyID(q.d, "f.id", f.IDs)
			w.AnyID(q.d, "f.device_id", f.DeviceIDs)
			w.AnyID(q.d, "f.connection_id", f.ConnectionIDs)
			anyWord(w, q.d, "f.status", f.Statuses)
			anyWord(w, q.d, "f.protocol", f.Protocols)
			anyWord(w, q.d, "f.code", f.Codes)
			if f.From != nil {
				w.Add("(f.closed_at IS NULL OR f.closed_at >= $%d)", *f.From)
			}
			if f.To != nil {
				w.Add("f.first_seen_at < $%d", *f.To)
			}
		},
	}
	return list.read(ctx, q.queries, asker, f.Tags, after, limit)
}

// recordList is a list of records of devices, or of drivers, for which a share needs a scope.
type recordList[T any] struct {
	fields, table, alias string
	scope, doing         string
	// scan reads the fields and, behind them, the grant.
	scan func(row database.Scanner) (T, error)
	id   func(T) string
	// where appends the conditions of a filter. For what is shared, cs is the share.
	where  func(w *database.Where, shared bool)
	newest bool // first
}

// read reads the asker's own and those that are shared with it, by id. They are read one after
// the other: with one condition for both, a database goes through the rows of all tenants.
func (l recordList[T]) read(ctx context.Context, q queries, asker string, tags []string, after string, limit int) ([]T, error) {
	inOrder := func(a, b T) int {
		if l.newest {
			a, b = b, a
		}
		return cmp.Compare(l.id(a), l.id(b))
	}
	return readOwners(ctx, q, asker, limit, inOrder, func(ctx context.Context, p part) ([]T, error) {
		if p.own {
			own := database.Where{Args: []any{asker}, Parts: []string{l.alias + `.tenant_id = $1`}}
			return l.part(ctx, q, p, ` FROM `+l.table+` `+l.alias, own, tags, after, limit)
		}
		shared := p.where(shares() + ` AND ` + l.scope + ` = TRUE` + p.only("cs.tenant_id") + p.only(l.alias+".tenant_id"))
		return l.part(ctx, q, p, fmt.Sprintf(` FROM connection_share cs JOIN %[1]s %[2]s
		ON %[2]s.tenant_id = cs.tenant_id AND %[2]s.connection_id = cs.connection_id`, l.table, l.alias), shared, tags, after, limit)
	})
}

func (l recordList[T]) part(
	ctx context.Context,
	q queries,
	p part,
	source string,
	w database.Where,
	tags []string,
	after string,
	limit int,
) ([]T, error) {
	behind, order := l.alias+".id >", p.by(l.alias+".id")
	if l.newest {
		behind, order = l.alias+".id <", order+" DESC"
	}
	w.ID(behind, after)
	l.where(&w, p.shared)
	if len(tags) > 0 {
		source += fmt.Sprintf(` JOIN device d ON d.tenant_id = %[1]s.tenant_id AND d.id = %[1]s.device_id`+p.only("d.tenant_id"), l.alias)
		anyTag(&w, q.d, tags, p)
	}
	grant := strconv.Itoa(int(drover.FullGrant))
	if p.shared {
		grant = grantColumn
	}
	query := `SELECT ` + l.fields + `, ` + grant + source + w.SQL()
	if q.d.Name() != "sqlite" && p.shared && !p.apart {
		// What is shared is found before PostgreSQL looks at the order, along which it would go
		// through the rows of all tenants.
		query = `SELECT * FROM (` + query + ` OFFSET 0) AS ` + l.alias
	}
	rows, err := q.db.QueryContext(ctx, query+w.Limit(order, limit), w.Args...)
	return database.ReadAll(rows, err, l.doing, l.scan)
}

// anyWord appends a comparison with any of several words, where there are some.
func anyWord[T ~string](w *database.Where, d database.Dialect, column string, words []T) {
	if len(words) == 0 {
		return
	}
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	w.Args = append(w.Args, d.List(texts))
	w.Parts = append(w.Parts, column+` `+d.InList(len(w.Args)))
}

// RecordCoverage is what the devices of a connection have of a kind of records.
type RecordCoverage struct {
	Field   string
	Devices int // with one since the time asked for
	Newest  drover.Time
}

// FaultCoverage reads whether the devices of a connection report faults; it is empty where
// none ever did.
func (q VehiclesReader) FaultCoverage(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]RecordCoverage, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT 'fault', COUNT(DISTINCT CASE WHEN f.last_seen_at >= $3 THEN f.device_id END), MAX(f.last_seen_at)
		FROM fault f WHERE f.tenant_id = $1 AND f.connection_id = $2 HAVING COUNT(*) > 0`, tenantID, connectionID, since)
	return database.ReadAll(rows, err, "read the coverage of faults", scanRecordCoverage)
}

func scanRecordCoverage(row database.Scanner) (c RecordCoverage, err error) {
	return c, row.Scan(&c.Field, &c.Devices, &c.Newest)
}

// ForgetFaults forgets the faults that were over before each tenant's cut, in many small
// transactions.
func (s *Store) ForgetFaults(ctx context.Context, cuts []history.Cut) (int64, error) {
	return s.forgetRecords(ctx, "fault", "closed_at", cuts)
}

func (s *Store) forgetRecords(ctx context.Context, table, column string, cuts []history.Cut) (forgotten int64, err error) {
	for _, c := range cuts {
		if c.Before == nil {
			continue
		}
		for n := int64(work.EraseRows); n >= work.EraseRows; forgotten += n {
			err := s.UpdateBulk(ctx, func(tx *Tx) error {
				res, err := tx.write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND id IN (SELECT r.id FROM `+table+` r
					WHERE r.tenant_id = $1 AND r.`+column+` < $2 LIMIT $3)`, c.TenantID, c.Before, work.EraseRows)
				if err != nil {
					return fmt.Errorf("forget from %s: %w", table, err)
				}
				n, err = res.RowsAffected()
				return err
			})
			if err != nil {
				return forgotten, err
			}
		}
	}
	return forgotten, nil
}

// EraseFaults erases faults of a device, some at a time, and reports whether there are more.
func (tx VehiclesTx) EraseFaults(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	return tx.eraseRecords(ctx, "fault", tenantID, deviceID)
}

func (tx VehiclesTx) eraseRecords(ctx context.Context, table, tenantID, deviceID string) (more bool, err error) {
	res, err := tx.write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND id IN (
		SELECT r.id FROM `+table+` r WHERE r.tenant_id = $1 AND r.device_id = $2 LIMIT $3)`, tenantID, deviceID, work.EraseRows)
	if err != nil {
		return false, fmt.Errorf("erase from %s: %w", table, err)
	}
	n, err := res.RowsAffected()
	return n >= work.EraseRows, err
}
