package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/work"
)

// ErrTooOld says that a copy cannot be brought up to date from a place: deletions since
// then are forgotten, what others share has changed, or the database is another one.
var ErrTooOld = errors.New("the cursor is older than the changes that are kept")

// ErrApart says that changes have no common order: each of several servers numbers its own.
var ErrApart = errors.New("tenants lie on several servers, which number their changes themselves")

// noID sorts before every id.
const noID = "00000000-0000-0000-0000-000000000000"

// changed is a record that was changed or deleted.
type changed struct {
	number  int64
	id      string
	deleted *drover.Time
	// Of a reading: the device whose readings are listed together, and how many of them are with this one,
	// 0 where it is the last.
	device string
	part   int
}

// place is by what changes of one number are listed.
func (c changed) place() string { return cmp.Or(c.device, c.id) }

// ChangeVersion is another text whenever records of a kind that a tenant has itself have changed;
// it is empty where there are none.
func (q FleetReader) ChangeVersion(ctx context.Context, tenantID string, kind drover.ChangeKind) (version string, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT CASE WHEN COUNT(*) = 0 THEN '' ELSE CAST(COUNT(*) AS TEXT) || '-' || CAST(SUM(r.change) AS TEXT) END FROM `+
		string(kind)+` r WHERE r.tenant_id = $1`, tenantID).Scan(&version)
	if err != nil {
		return "", fmt.Errorf("read the version of a %s: %w", kind, err)
	}
	return version, nil
}

// changeTables are where the records of a kind are.
func changeTables(kind drover.ChangeKind) []string {
	switch kind {
	case drover.ChangedStops:
		return []string{"stop", "open_stop"}
	case drover.ChangedReadings:
		return []string{seriesTable}
	default:
		return []string{string(kind)}
	}
}

// changeState is what places in changes are measured by.
type changeState struct {
	epoch string
	end   int64 // below it all changes are committed
	floor int64 // from it on all deletions are known
}

// knows reports whether all deletions since a place are there.
func (s changeState) knows(at drover.ChangeCursor) bool {
	return at.Epoch == s.epoch && at.Known() >= s.floor
}

func (q queries) changeState(ctx context.Context) (s changeState, err error) {
	epoch, end := `c.epoch`, `c.number + 1`
	if q.d.Name() == "postgres" {
		// A standby that was promoted uses the transaction ids again that were lost with the primary.
		epoch, end = `c.epoch || '/' || `+database.Timeline, `pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	}
	err = q.db.QueryRowContext(ctx, `SELECT `+epoch+`, `+end+
		`, (SELECT COALESCE(MIN(m.number), 0) FROM change_mark m) FROM change_clock c`).Scan(&s.epoch, &s.end, &s.floor)
	if err != nil {
		return s, fmt.Errorf("read the state of changes: %w", err)
	}
	return s, nil
}

// scopeOf is the scope without which a share shows nothing of a kind of records; empty where
// it takes none.
func scopeOf(kind drover.ChangeKind) string {
	switch kind {
	case drover.ChangedFaults, drover.ChangedReadings:
		return "cs.readings"
	case drover.ChangedDrivers:
		return "cs.drivers"
	case drover.ChangedSafetyEvents:
		return "cs.safety"
	default:
		return ""
	}
}

// sharedBy are the connections of which others share a kind of records with a tenant, by
// owner, and a sum of all that these shares give.
func (q queries) sharedBy(
	ctx context.Context,
	asker string,
	kind drover.ChangeKind,
) (byOwner map[string][]string, sum string, err error) {
	by := shares()
	if scope := scopeOf(kind); scope != "" {
		by += ` AND ` + scope + ` = TRUE`
	}
	rows, err := q.db.QueryContext(ctx, `SELECT cs.tenant_id, cs.connection_id, cs.id, `+grantColumn+` FROM connection_share cs WHERE `+
		by+` ORDER BY cs.id`, asker, q.present())
	byOwner = map[string][]string{}
	hash := sha256.New()
	_, err = database.ReadAll(rows, err, "list shares", func(row database.Scanner) (struct{}, error) {
		var owner, connection, id string
		var grant int64
		err := row.Scan(&owner, &connection, &id, &grant)
		byOwner[owner] = append(byOwner[owner], connection)
		_, _ = fmt.Fprintln(hash, id, grant) // a hash takes everything
		return struct{}{}, err
	})
	if len(byOwner) > 0 {
		sum = hex.EncodeToString(hash.Sum(nil)[:8])
	}
	return byOwner, sum, err
}

// changesSince finds where the list of changes after a time begins.
func (q queries) changesSince(ctx context.Context, after drover.Time) (number int64, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT number FROM change_mark WHERE at <= $1 ORDER BY at DESC LIMIT 1`, after).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrTooOld
	}
	return number, database.Found(err, "find the changes of a time")
}

// startChanges is the place at which a list of changes begins: with all records that
// there are or, with a time, with what changed after it.
func (q queries) startChanges(
	ctx context.Context,
	kind drover.ChangeKind,
	after *drover.Time,
	s changeState,
	sum string,
) (drover.ChangeCursor, error) {
	at := drover.ChangeCursor{Kind: kind, Epoch: s.epoch, ID: noID, From: s.end, Shares: sum}
	if after == nil {
		return at, nil
	}
	number, err := q.changesSince(ctx, *after)
	at.Number, at.From = number, number
	return at, err
}

// Changes lists what changed of the records that asker may see, after a place: each
// record once, as it is now. Without a place the list begins.
func (q FleetReader) Changes(
	ctx context.Context,
	asker string,
	kind drover.ChangeKind,
	at *drover.ChangeCursor,
	after *drover.Time,
	limit int,
) (drover.ChangeList, error) {
	var list drover.ChangeList
	if q.d.Distributed() {
		return list, ErrApart
	}
	state, err := q.changeState(ctx)
	if err != nil {
		return list, err
	}
	byOwner, sum := map[string][]string{}, ""
	if kind != drover.ChangedMilestones {
		if byOwner, sum, err = q.sharedBy(ctx, asker, kind); err != nil {
			return list, err
		}
	}
	if at == nil {
		begin, err := q.startChanges(ctx, kind, after, state, sum)
		if err != nil {
			return list, err
		}
		at = &begin
	}
	if !state.knows(*at) || at.Shares != sum || at.Known() > state.end {
		return list, ErrTooOld
	}
	found, err := q.changed(ctx, asker, byOwner, *at, state.end, limit)
	if err != nil {
		return list, err
	}
	// Deletions may have been forgotten before they were read.
	if now, err := q.changeState(ctx); err != nil || !now.knows(*at) {
		return list, cmp.Or(err, ErrTooOld)
	}
	list.Next = *at
	if list.End = len(found) < limit; list.End {
		list.Next.Number, list.Next.ID, list.Next.Part = state.end, noID, 0
	} else {
		last := found[len(found)-1]
		list.Next.Number, list.Next.ID, list.Next.Part = last.number, last.place(), last.part
	}
	list.Changes, err = q.changeRecords(ctx, asker, kind, found)
	return list, err
}

// changed reads what changed of the asker's own records and of those that others share: of
// each table no more than may still be on the page.
func (q queries) changed(
	ctx context.Context,
	asker string,
	byOwner map[string][]string,
	at drover.ChangeCursor,
	end int64,
	limit int,
) ([]changed, error) {
	var all []changed
	byOwner[asker] = nil
	for owner, connections := range byOwner {
		for _, table := range append(changeTables(at.Kind), "deleted_record") {
			some, err := q.changedIn(ctx, table, owner, connections, at, end, limit)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
			order.By(all, func(a, b changed) int {
				return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.place(), b.place()), strings.Compare(a.id, b.id))
			})
			if len(all) >= limit {
				all = all[:limit]
				end = min(end, all[limit-1].number+1)
			}
		}
	}
	return all, nil
}

// changedIn reads what changed in one table of one owner, along its index.
func (q queries) changedIn(
	ctx context.Context,
	table, owner string,
	connections []string,
	at drover.ChangeCursor,
	end int64,
	limit int,
) ([]changed, error) {
	w := database.Where{
		Parts: []string{"r.tenant_id = $1", "(r.change, r.id) > ($2, $3)", "r.change < $4"},
		Args:  []any{owner, at.Number, at.ID, end},
	}
	key, more, from, rowLimit := "r.id", "NULL", table+" r", limit
	switch table {
	case seriesTable: // the first device may have been listed, all of it or in part
		key, more, rowLimit = "r.device_id", "r.ids", limit+1
		w.Parts[1] = "(r.change, r.device_id) >= ($2, $3)"
		if q.d.Name() == "sqlite" { // it takes no account of the order
			from = table + " AS r INDEXED BY reading_series_change"
		}
	case "deleted_record":
		more = "r.deleted_at"
		w.Add("r.kind = $%d", string(at.Kind))
		w.Add("r.change >= $%d", at.From)
	}
	if connections != nil {
		column := "r.connection_id"
		if table == "connection" {
			column = "r.id"
		}
		w.AnyID(q.d, column, connections)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT r.change, `+key+`, `+more+` FROM `+from+w.SQL()+w.Limit("r.change, "+key, rowLimit),
		w.Args...)
	if table != seriesTable {
		return database.ReadAll(rows, err, "list changes", func(row database.Scanner) (c changed, err error) {
			return c, row.Scan(&c.number, &c.id, &c.deleted)
		})
	}
	var all []changed
	_, err = database.ReadAll(rows, err, "list changes of readings", func(row database.Scanner) (none struct{}, err error) {
		var c changed
		var ids string
		err = row.Scan(&c.number, &c.device, &ids)
		shown := slices.Compact(slices.Sorted(splitIDs(ids)))
		for i, id := range shown {
			if c.id, c.part = id, (i+1)%len(shown); c.number != at.Number || c.device != at.ID || at.Part > 0 && i >= at.Part {
				all = append(all, c)
			}
		}
		return none, err
	})
	return all[:min(limit, len(all))], err
}

// changeRecords reads the records of changes. One that cannot be read is gone.
func (q queries) changeRecords(ctx context.Context, asker string, kind drover.ChangeKind, found []changed) ([]drover.Change, error) {
	changes := make([]drover.Change, 0, len(found))
	if len(found) == 0 {
		return changes, nil
	}
	ids, devices := make([]string, len(found)), []string{}
	for i, f := range found {
		if ids[i] = f.id; f.device != "" && !slices.Contains(devices[max(0, len(devices)-1):], f.device) {
			devices = append(devices, f.device)
		}
	}
	var records map[string]any
	var err error
	if kind == drover.ChangedReadings {
		records, err = q.seriesOf(ctx, asker, devices, ids)
	} else {
		records, err = q.recordsOf(ctx, asker, kind, ids)
	}
	if err != nil {
		return nil, err
	}
	done := make(map[string]bool, len(found))
	for _, f := range found {
		if done[f.id] {
			continue
		}
		done[f.id] = true
		c := drover.Change{ID: f.id, Record: records[f.id]}
		if c.Record == nil {
			if c.DeletedAt = f.deleted; c.DeletedAt == nil {
				c.DeletedAt = new(q.present())
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// recordsOf reads records as the lists show them, by id.
func (q queries) recordsOf(ctx context.Context, asker string, kind drover.ChangeKind, ids []string) (map[string]any, error) {
	records := make(map[string]any, len(ids))
	switch kind {
	case drover.ChangedConnections:
		all, err := q.readConnections(ctx, asker, "", ids, "", 0)
		for _, c := range all {
			records[c.ID] = drover.ConnectionView{Connection: c}
		}
		return records, err
	case drover.ChangedDevices:
		all, err := FleetReader{q}.Devices(ctx, asker, drover.DeviceFilter{IDs: ids}, "", len(ids))
		for _, d := range all {
			records[d.ID] = d
		}
		return records, err
	case drover.ChangedTrips:
		all, err := q.tripViewsOf(ctx, asker, ids)
		for _, t := range all {
			records[t.ID] = t
		}
		return records, err
	case drover.ChangedStops:
		all, err := TripsReader{q}.Stops(ctx, asker, drover.StopFilter{IDs: ids}, nil, len(ids))
		for _, s := range all {
			records[s.ID] = s
		}
		return records, err
	case drover.ChangedFaults:
		all, err := VehiclesReader{q}.Faults(ctx, asker, drover.FaultFilter{IDs: ids}, "", len(ids))
		for _, f := range all {
			records[f.ID] = f
		}
		return records, err
	case drover.ChangedSafetyEvents:
		all, err := VehiclesReader{q}.SafetyEvents(ctx, asker, drover.SafetyFilter{IDs: ids}, "", len(ids))
		for _, e := range all {
			records[e.ID] = e
		}
		return records, err
	case drover.ChangedMilestones:
		all, err := TripsReader{q}.Milestones(ctx, asker, drover.MilestoneFilter{IDs: ids}, "", len(ids))
		for _, m := range all {
			records[m.ID] = m
		}
		return records, err
	case drover.ChangedDrivers:
		all, err := DriversReader{q}.Drivers(ctx, asker, drover.DriverFilter{IDs: ids}, "", len(ids))
		for _, d := range all {
			records[d.ID] = d
		}
		return records, err
	case drover.ChangedReadings: // seriesOf reads them
	}
	return records, nil
}

// seriesOf reads some of the series of devices by their ids. Which of those with one id is
// shown is for the rules.
func (q queries) seriesOf(ctx context.Context, asker string, devices, ids []string) (map[string]any, error) {
	records := map[string]any{}
	if len(devices) == 0 { // all are deleted
		return records, nil
	}
	all, err := VehiclesReader{q}.NewestReadings(ctx, asker, drover.ReadingFilter{DeviceIDs: devices, IDs: ids}, "", math.MaxInt32)
	for _, s := range all {
		of, _ := records[s.ID].([]ReadingSeries)
		records[s.ID] = append(of, s)
	}
	return records, err
}

// tripViewsOf reads trips as the list shows them.
func (q queries) tripViewsOf(ctx context.Context, asker string, ids []string) ([]drover.TripView, error) {
	w := database.Where{Args: []any{asker, q.present()}}
	w.AnyID(q.d, "t.id", ids)
	each := q.together(ctx, asker).eachOwner(w, "t", "connection_id", shares(), func(where string) string {
		return `SELECT ` + listedTrip + `, ` + sharedColumn("t.tenant_id", "t.connection_id", 2) + ` FROM trip t` + where
	})
	l := tripList{queries: q}
	return l.read(ctx, each, w.Args)
}

// MarkChanges notes which change was reached at a time, and forgets deletions from before
// the newest note that is older than keep. It forgets at most work.EraseRows of them: where
// it was as many, there may be more.
func (tx FleetTx) MarkChanges(ctx context.Context, now drover.Time, keep time.Duration) (forgotten int64, err error) {
	if tx.d.Distributed() { // they are listed to no one
		return tx.forgetDeletions(ctx, `deleted_at`, drover.At(now.Add(-keep)))
	}
	state, err := tx.changeState(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.write("change_mark").ExecContext(ctx, `INSERT INTO change_mark (at, number) VALUES ($1, $2) ON CONFLICT DO NOTHING`, now,
		state.end); err != nil {
		return 0, fmt.Errorf("mark changes: %w", err)
	}
	var at, floor int64
	err = tx.db.QueryRowContext(ctx, `SELECT at, number FROM change_mark WHERE at <= $1 ORDER BY at DESC LIMIT 1`,
		drover.At(now.Add(-keep))).Scan(&at, &floor)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find the oldest changes: %w", err)
	}
	if _, err := tx.write("change_mark").ExecContext(ctx, `DELETE FROM change_mark WHERE at < $1`, at); err != nil {
		return 0, fmt.Errorf("forget marks: %w", err)
	}
	return tx.forgetDeletions(ctx, `change`, floor)
}

// forgetDeletions forgets some deletions before a bound, of all tenants or those of a place.
func (tx FleetTx) forgetDeletions(ctx context.Context, column string, bound any) (int64, error) {
	here, args := database.Here(ctx, tx.d, "tenant_id", []any{bound, work.EraseRows})
	res, err := tx.write("deleted_record").ExecContext(ctx, `DELETE FROM deleted_record WHERE (tenant_id, kind, change, id) IN (
		SELECT tenant_id, kind, change, id FROM deleted_record WHERE `+column+` < $1`+here+` ORDER BY `+column+` LIMIT $2)`+here, args...)
	if err != nil {
		return 0, fmt.Errorf("forget deletions: %w", err)
	}
	return res.RowsAffected()
}

// RenewChanges is for a database that was restored: cursors from before are too old, and
// the numbers of another server mean nothing here.
func (tx FleetTx) RenewChanges(ctx context.Context) error {
	statements := []string{`DELETE FROM deleted_record`, `DELETE FROM change_mark WHERE at > 0`, `UPDATE change_mark SET number = 0`}
	if tx.d.Name() == "postgres" {
		for _, table := range []string{"connection", "device", "trip", "stop", "open_stop", "milestone", "fault", "driver", "safety_event", seriesTable} {
			statements = append(statements, `UPDATE `+table+` SET change = 0`)
		}
	}
	for _, statement := range statements {
		if _, err := tx.write("change_mark").ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("renew changes: %w", err)
		}
	}
	if _, err := tx.write("change_clock").ExecContext(ctx, `UPDATE change_clock SET epoch = $1`, NewID()); err != nil {
		return fmt.Errorf("renew changes: %w", err)
	}
	return nil
}
