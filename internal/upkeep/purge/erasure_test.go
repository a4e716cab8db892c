package purge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/pack"
	"github.com/drover-fleet/drover/internal/store/work"
)

// columns lists every column of every table, as the database itself does.
func (w *world) columns() map[string][]column {
	w.t.Helper()
	query := `SELECT m.name, p.name, p.type, p."notnull" = 1 AND p.dflt_value IS NULL FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'`
	if w.postgres {
		query = `SELECT table_name, column_name, upper(data_type), is_nullable = 'NO' AND column_default IS NULL FROM information_schema.columns
			WHERE table_schema = current_schema() AND (table_name NOT LIKE 'position%' OR table_name IN ('position', 'position_block', 'position_change'))`
	}
	rows, err := w.raw.QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string][]column{}
	for rows.Next() {
		var table string
		var c column
		if err := rows.Scan(&table, &c.name, &c.typ, &c.needed); err != nil {
			w.t.Fatal(err)
		}
		all[table] = append(all[table], c)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return all
}

// naming counts the rows of a table in which any column has a text, as it is or in the
// bytes of an id.
func (w *world) naming(table string, columns []column, text string) (n int) {
	w.t.Helper()
	var parts []string
	for _, c := range columns {
		if w.postgres {
			parts = append(parts, `CAST(`+c.name+` AS TEXT) LIKE $1 OR CAST(`+c.name+` AS TEXT) LIKE $2`)
			continue
		}
		parts = append(parts, `CAST(`+c.name+` AS TEXT) LIKE $1 OR LOWER(HEX(`+c.name+`)) LIKE $2`)
	}
	bytes := "%" + strings.ReplaceAll(text, "-", "") + "%"
	if err := w.raw.QueryRowContext(w.t.Context(), `SELECT COUNT(*) FROM `+table+` WHERE `+strings.Join(parts, " OR "), "%"+text+"%",
		bytes).Scan(&n); err != nil {
		w.t.Fatalf("%s: %s", table, err)
	}
	return n
}

// keptOfTenant are tables that still name an erased tenant, and why.
var keptOfTenant = map[string]string{"usage_day": "what the tenant is billed by"}

// TestEraseTenant fills every table that belongs to a tenant, as the database itself lists
// them, and what another tenant has of it, and erases the tenant: no column of any row names
// it, its connections or its devices.
func TestEraseTenant(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			other := store.NewID()
			w.update(func(tx *store.Tx) error {
				return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: other, Name: "other", CreatedAt: drover.At(now)})
			})
			all := w.columns()
			for table, columns := range all {
				if table != "tenant" && table != "device" && table != "purge" && table != "position" && has(columns, "tenant_id") {
					w.fill(table, columns, w.stay)
				}
			}
			w.share(other)
			for table, columns := range all {
				if has(columns, "tenant_id") && table != "event_sequence" && table != "device" && w.naming(table, columns, w.tenant) == 0 {
					t.Errorf("%s has no row of the tenant: the test would not see that one stays", table)
				}
			}
			w.update(func(tx *store.Tx) error { return tx.Accounts.EraseTenant(t.Context(), w.tenant, drover.At(now)) })
			w.erase(nil)
			ids := []string{w.tenant, w.gone.ID, w.stay.ID, w.devices[w.gone.ID], w.devices[w.stay.ID]}
			for table, columns := range all {
				for _, id := range ids {
					if n := w.naming(table, columns, id); n > 0 && keptOfTenant[table] == "" {
						t.Errorf("%d rows of %s name what was erased", n, table)
					}
				}
			}
			if n := w.naming("tenant", all["tenant"], other); n != 1 {
				t.Errorf("there are %d other tenants", n)
			}
		})
	}
}

func has(columns []column, name string) bool {
	for _, c := range columns {
		if c.name == name {
			return true
		}
	}
	return false
}

// share gives another tenant what it has of one with whom connections are shared both ways.
func (w *world) share(other string) {
	w.t.Helper()
	exec := func(query string, args ...any) {
		w.t.Helper()
		if _, err := w.raw.ExecContext(w.t.Context(), query, args...); err != nil {
			w.t.Fatal(err)
		}
	}
	exec(`INSERT INTO inbox (tenant_id, owner_id, sequence) VALUES ($1, $2, 1)`, other, w.tenant)
	exec(`INSERT INTO inbox (tenant_id, owner_id, sequence) VALUES ($1, $2, 1)`, w.tenant, other)
	exec(`INSERT INTO connection_share (tenant_id, connection_id, shared_with, id, created_at) VALUES ($1, $2, $3, $4, 1)`, other, store.NewID(),
		w.tenant, store.NewID())
	exec(`INSERT INTO outbox (tenant_id, recipient_id, first_sequence, last_sequence, connection_id, subjects) VALUES ($1, $2, 1, 1, $3, '[]')`, other,
		w.tenant, store.NewID())
	exec(`INSERT INTO message (tenant_id, recipient_id, number, after_sequence, kind, content) VALUES ($1, $2, 1, 1, 'x', '{}')`, other, w.tenant)
	exec(`UPDATE event_sequence SET last = 1 WHERE tenant_id = $1`, other)
	exec(`INSERT INTO event (tenant_id, sequence, id, type, time, connection_id, data) VALUES ($1, 1, $2, $3, 1, $4, $5)`, other, store.NewID(),
		string(drover.EventConnectionDeleted), w.gone.ID, `{"tenant_id":"`+w.tenant+`"}`)
}

// driver is an id that JSON writes in more than one way.
const driver = `D&17 "Ann"`

// person is what else a record says of the driver.
const person = "Annabel"

// TestEraseDriver has a driver named wherever one can be, packed and not, in the tenant's own
// data and in that of a tenant with whom it was shared: a pseudonym takes its place.
func TestEraseDriver(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			w.drive()
			before := w.named(driver)
			for _, place := range []string{
				"driver", "trip", "safety_event", "assignment", "position", "position_block", "device_latest", "event", "event_block",
				"delivery", "attempt", "message", "export", "driver_erasure",
			} {
				if before[place] == 0 {
					t.Errorf("%s names no driver: the test would not see that it does", place)
				}
			}
			if w.named(person)["driver"] != 10 {
				t.Errorf("the person is named %v times: the test would not see that it is", w.named(person))
			}
			w.erase(nil)
			if left := w.named(person); len(left) > 0 {
				t.Errorf("the person is still named: %v", left)
			}
			if w.named("erased-x")["driver"] != 1 {
				t.Error("the record of the driver has no pseudonym")
			}
			for place, n := range w.named(driver) {
				if n > 0 && place != "driver_erasure" { // it is looked for once more
					t.Errorf("%s still names the driver %d times", place, n)
				}
			}
			w.lookAgain()
			if n := w.named(driver)["driver_erasure"]; n > 0 {
				t.Error("the erasure that is done still names the driver")
			}
			after := w.named("erased-x")
			for _, place := range []string{
				"trip", "safety_event", "assignment", "position", "position_block", "device_latest", "event", "event_block",
				"delivery", "message",
			} {
				if after[place] != before[place] {
					t.Errorf("%s names the pseudonym %d times, and named the driver %d times", place, after[place], before[place])
				}
			}
		})
	}
}

// TestDriverWhoComesBack has what was under way while a driver was replaced name it again: a
// trip, and what was sent. It is replaced when it is looked for once more, and only then it is
// done.
func TestDriverWhoComesBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			w.drive()
			w.erase(nil)
			for _, query := range []string{`UPDATE trip SET driver_id = $1`, `UPDATE attempt SET response = $1`} {
				if _, err := w.raw.ExecContext(t.Context(), query, driver); err != nil {
					t.Fatal(err)
				}
			}
			w.lookAgain()
			left := w.named(driver)
			if left["trip"] > 0 || left["attempt"] > 0 {
				t.Errorf("the driver who came back is still named: %v", left)
			}
			if left["driver_erasure"] == 0 {
				t.Error("the erasure was done although the driver had come back: it would not be looked for again")
			}
			w.lookAgain()
			if left := w.named(driver); len(left) > 0 {
				t.Errorf("the driver is still named: %v", left)
			}
		})
	}
}

// lookAgain lets so much time pass that what was under way has ended, and erases.
func (w *world) lookAgain() {
	w.t.Helper()
	w.late += time.Hour
	w.erase(nil)
}

// TestEraseTenantInSteps has more of a tenant than one transaction may erase, in a table with
// a row's name and in one without: others would wait for it.
func TestEraseTenantInSteps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			for _, query := range []string{
				`INSERT INTO reading (tenant_id, device_id, time, series, value) SELECT $1, $2, i, 1, 1 FROM n`,
				`INSERT INTO trip_day (tenant_id, connection_id, day, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms)
					SELECT $1, $2, i, 1, 1, 1, 1, 1, 1 FROM n`,
			} {
				_, err := w.raw.ExecContext(t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3) `+query, w.tenant,
					store.NewID(), work.EraseRows)
				if err != nil {
					t.Fatalf("%s: %s", query, err)
				}
			}
			steps := 0
			for before, more := w.rows(), true; more; steps++ {
				w.update(func(tx *store.Tx) (err error) {
					more, err = tx.Jobs.EraseRest(t.Context(), w.tenant)
					return err
				})
				after := w.rows()
				if before-after > work.EraseRows {
					t.Errorf("a step erased %d rows", before-after)
				}
				before = after
			}
			if steps < 3 {
				t.Errorf("%d steps, want some", steps)
			}
		})
	}
}

// rows counts those of all tables.
func (w *world) rows() (all int) {
	w.t.Helper()
	for table, columns := range w.columns() {
		if !has(columns, "tenant_id") || table == "deleted_record" { // what goes is noted there
			continue
		}
		var n int
		if err := w.raw.QueryRowContext(w.t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil {
			w.t.Fatal(err)
		}
		all += n
	}
	return all
}

// drive has a driver drive the device of w.stay, and asks for it to be erased.
func (w *world) drive() {
	w.t.Helper()
	ctx, device := w.t.Context(), w.devices[w.stay.ID]
	exec := func(query string, args ...any) {
		w.t.Helper()
		if _, err := w.raw.ExecContext(ctx, query, args...); err != nil {
			w.t.Fatalf("%s: %s", query, err)
		}
	}
	for _, table := range []string{"event_block", "position_block", "attempt", "message", "purge"} {
		exec(`DELETE FROM ` + table) // what is made up there cannot be read
	}
	at := func(d time.Duration) drover.Position {
		return drover.Position{Time: drover.At(now.Add(d)), DriverID: new(driver)}
	}
	w.update(func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(ctx, w.tenant, []history.Position{history.Of(device, at(-time.Hour))})
		return err
	})
	packed, err := pack.Encode([]drover.StoredPosition{{Position: at(-72 * time.Hour)}})
	if err != nil {
		w.t.Fatal(err)
	}
	first := now.Add(-72 * time.Hour).UnixMilli()
	exec(`INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) VALUES ($1, $2, $3, $3, 1, $4)`, w.tenant, device, first, packed)
	exec(`UPDATE device_latest SET position = $2 WHERE tenant_id = $1`, w.tenant, pack.AppendPosition(nil, new(at(0))))
	exec(`UPDATE trip SET driver_id = $2 WHERE device_id = $1`, device, driver)
	exec(`UPDATE safety_event SET driver_id = $2 WHERE device_id = $1`, device, driver)
	exec(`UPDATE assignment SET driver_id = $2 WHERE device_id = $1`, device, driver)
	exec(`DELETE FROM driver`)
	exec(`INSERT INTO driver (tenant_id, id, connection_id, system_driver_id, name, first_name, last_name, employee_number, email, phone, licence_number,
		licence_region, keys, tags, edited, active, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5, $5, $5, $5, $5, $5, $5, $6, $7, '["active"]', TRUE, 1, 1)`,
		w.tenant, store.NewID(), w.stay.ID, driver, person, `[{"type":"rfid","value":"`+person+`"}]`, `["`+person+`"]`)
	shown := drover.DevicePosition{DeviceID: device, CurrentPosition: *at(0).View()}
	batch := drover.PositionBatch{ConnectionID: w.stay.ID, Positions: []drover.DevicePosition{shown}}
	text, err := json.Marshal(batch)
	if err != nil {
		w.t.Fatal(err)
	}
	block, err := pack.EncodeBatches([]pack.Batch{{Sequence: 3, PositionBatch: batch}})
	if err != nil {
		w.t.Fatal(err)
	}
	other := store.NewID()
	w.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: other, Name: "other", CreatedAt: drover.At(now)})
	})
	w.share(other)
	add := `INSERT INTO event (tenant_id, sequence, id, type, time, connection_id, data, packed) VALUES ($1, $2, $3, 'position.updated', 1, $4, $5, $6)`
	exec(add, w.tenant, 1, store.NewID(), w.stay.ID, string(text), nil)
	exec(add, w.tenant, 2, store.NewID(), w.stay.ID, "", pack.Text(text))
	exec(add, other, 2, store.NewID(), w.stay.ID, string(text), nil)
	exec(`INSERT INTO event_block (tenant_id, first, last, connection_id, data) VALUES ($1, 3, 3, $2, $3)`, w.tenant, w.stay.ID, block)
	exec(`UPDATE event_sequence SET last = 3`)
	exec(`UPDATE delivery SET body = $1 WHERE tenant_id = $2`, `{"data":`+string(text)+`}`, w.tenant)
	exec(`INSERT INTO attempt (tenant_id, target_id, event_id, number, time, duration_ms, response) VALUES ($1, $2, $2, 1, 1, 1, $3)`, w.tenant,
		store.NewID(), "no: "+driver)
	message, err := json.Marshal(at(0))
	if err != nil {
		w.t.Fatal(err)
	}
	exec(`INSERT INTO message (tenant_id, recipient_id, number, after_sequence, kind, content) VALUES ($1, $2, 1, 1, 'x', $3)`, w.tenant, other,
		string(message))
	exec(`INSERT INTO export (tenant_id, id, kind, format, filters, state, progress, records, bytes, created_at) VALUES ($1, $2, 'trip', 'csv', $3, 'done', 1, 1, 1, 1)`,
		w.tenant, store.NewID(), `{"driver_id":"`+driver+`"}`)
	w.update(func(tx *store.Tx) error {
		return tx.Jobs.AddDriverErasure(ctx, work.DriverErasure{TenantID: w.tenant, DriverID: driver, DriverErasure: drover.DriverErasure{
			ID: store.NewID(), Pseudonym: "erased-x", State: drover.JobQueued, RequestedAt: drover.At(now),
		}})
	})
}

// named counts where a driver is named, with what is packed unpacked.
func (w *world) named(driver string) map[string]int {
	w.t.Helper()
	found := map[string]int{}
	// JSON writes & and the quotes of the driver in its own way.
	sees := func(text string) bool {
		quoted, err := json.Marshal(driver)
		if err != nil {
			w.t.Fatal(err)
		}
		return strings.Contains(text, driver) || strings.Contains(text, strings.Trim(string(quoted), `"`)) ||
			strings.Contains(text, strings.ReplaceAll(driver, `"`, `\"`))
	}
	for table, columns := range w.columns() {
		for _, c := range columns {
			for _, value := range w.values(table, c.name) {
				if place, text := w.plain(table, c.name, value); sees(text) {
					found[place]++
				}
			}
		}
	}
	return found
}

// values are those of a column.
func (w *world) values(table, name string) (all []any) {
	w.t.Helper()
	rows, err := w.raw.QueryContext(w.t.Context(), `SELECT `+name+` FROM `+table+` WHERE `+name+` IS NOT NULL`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var value any
		if err := rows.Scan(&value); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, value)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return all
}

// plain is a value as a text, unpacked where it is packed.
func (w *world) plain(table, name string, value any) (place, text string) {
	w.t.Helper()
	data, isBytes := value.([]byte)
	if !isBytes {
		return table, fmt.Sprint(value)
	}
	unpack := func(v any, err error) string {
		if err != nil {
			w.t.Fatalf("%s: %s", table, err)
		}
		out, err := json.Marshal(v)
		if err != nil {
			w.t.Fatal(err)
		}
		return string(out)
	}
	switch table + "." + name {
	case "event.packed":
		plain, err := pack.OpenText(data)
		if err != nil {
			w.t.Fatal(err)
		}
		return table, string(plain)
	case "event_block.data":
		return table, unpack(pack.DecodeBatches(data))
	case "position_block.data":
		return table, unpack(pack.Decode(data))
	}
	return table, string(data)
}

// TestUsageOutlivesTenant erases a tenant that has used something.
func TestUsageOutlivesTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite")
	ctx := t.Context()
	w.update(func(tx *store.Tx) error {
		return tx.Accounts.AddUsage(ctx, []account.UsageDay{{TenantID: w.tenant, Day: 1, Requests: 7}})
	})
	w.update(func(tx *store.Tx) error { return tx.Accounts.EraseTenant(ctx, w.tenant, drover.At(now)) })
	w.erase(nil)
	days, err := w.store.Accounts.Usage(ctx, w.tenant, 0, 2, account.UsageDay{}, 10)
	if err != nil || len(days) != 1 || days[0].Requests != 7 {
		t.Errorf("its usage is %+v, %v", days, err)
	}
}

// TestOthersDriversStay replaces a driver in the deliveries about one connection: one of the
// same id at another connection is someone else.
func TestOthersDriversStay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			ctx, own := t.Context(), store.NewID()
			const body = `{"driver_id":{"format":"text","value":"17"}}`
			exec := func(query string, args ...any) {
				t.Helper()
				if _, err := w.raw.ExecContext(ctx, query, args...); err != nil {
					t.Fatalf("%s: %s", query, err)
				}
			}
			recipient := store.NewID()
			for _, connection := range []string{w.stay.ID, own} {
				event := store.NewID()
				exec(`INSERT INTO delivery (tenant_id, target_id, event_id, kind, sequence, type, state, connection_id, speed, driver, body, created_at, due_at)
					VALUES ($1, $2, $2, 'webhook', 1, 'trip.completed', 'delivered', $3, true, true, $4, 0, 0)`, recipient, event, connection, body)
				exec(`INSERT INTO attempt (tenant_id, target_id, event_id, number, time, duration_ms, response) VALUES ($1, $2, $2, 1, 0, 0, 'thanks, 17')`,
					recipient, event)
			}
			w.update(func(tx *store.Tx) error {
				_, err := tx.Jobs.RenameInDeliveries(ctx, recipient, []string{w.stay.ID}, work.NewRename("17", "erased-x"))
				return err
			})
			var bodies, answers int
			err := w.raw.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM delivery WHERE tenant_id = $1 AND connection_id = $2 AND body = $3),
				(SELECT COUNT(*) FROM attempt WHERE tenant_id = $1 AND response = 'thanks, 17')`, recipient, own, body).Scan(&bodies, &answers)
			if err != nil || bodies != 1 || answers != 1 {
				t.Errorf("%d bodies and %d answers of the other connection stay: %v", bodies, answers, err)
			}
			var named int
			err = w.raw.QueryRowContext(ctx, `SELECT COUNT(*) FROM delivery WHERE tenant_id = $1 AND connection_id = $2 AND body = $3`, recipient, w.stay.ID, body).
				Scan(&named)
			if err != nil || named != 0 {
				t.Errorf("%d bodies of the connection still name the driver: %v", named, err)
			}
		})
	}
}
