package work

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// DriverErasure is a driver who is being replaced by a pseudonym. DriverID is empty once
// that is done.
type DriverErasure struct {
	drover.DriverErasure
	TenantID, DriverID string
	// CleanAt is when nothing named the driver any more; nil before.
	CleanAt *drover.Time
}

const driverErasureColumns = `tenant_id, id, COALESCE(driver_id, ''), pseudonym, state, trips, positions, events, clean_at, created_at, finished_at`

func scanDriverErasure(row database.Scanner) (DriverErasure, error) {
	var e DriverErasure
	return e, row.Scan(&e.TenantID, &e.ID, &e.DriverID, &e.Pseudonym, &e.State, &e.Trips, &e.Positions, &e.Events,
		&e.CleanAt, &e.RequestedAt, &e.FinishedAt)
}

// DriverErasure reads one of a tenant.
func (q JobsReader) DriverErasure(ctx context.Context, tenantID, id string) (DriverErasure, error) {
	if !drover.IsID(id) {
		return DriverErasure{}, database.ErrNotFound
	}
	e, err := scanDriverErasure(q.db.QueryRowContext(ctx, `SELECT `+driverErasureColumns+` FROM driver_erasure WHERE tenant_id = $1 AND id = $2`,
		tenantID, id))
	return e, database.Found(err, "read the erasure of a driver")
}

// OtherDriverErasure reports whether one is another tenant's.
func (q JobsReader) OtherDriverErasure(ctx context.Context, tenantID, id string) (exists bool, err error) {
	if !drover.IsID(id) || q.words.Distributed() {
		return false, nil
	}
	err = q.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM driver_erasure WHERE tenant_id <> $1 AND id = $2)`, tenantID, id).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("look for a record of another tenant: %w", err)
	}
	return exists, nil
}

// WaitingDriverErasures are those of a tenant that have not ended, oldest first.
func (tx JobsTx) WaitingDriverErasures(ctx context.Context, tenantID string) ([]DriverErasure, error) {
	rows, err := tx.reader.db.QueryContext(ctx, `SELECT `+driverErasureColumns+` FROM driver_erasure WHERE tenant_id = $1 AND due_at IS NOT NULL ORDER BY id`,
		tenantID)
	return database.ReadAll(rows, err, "list drivers to erase", scanDriverErasure)
}

// AddDriverErasure has a driver replaced.
func (tx JobsTx) AddDriverErasure(ctx context.Context, e DriverErasure) error {
	_, err := tx.tx.Write("driver_erasure").ExecContext(ctx, `INSERT INTO driver_erasure (tenant_id, id, driver_id, pseudonym, state, due_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, e.TenantID, e.ID, e.DriverID, e.Pseudonym, e.State, e.RequestedAt, e.RequestedAt)
	if err != nil {
		return fmt.Errorf("add the erasure of a driver: %w", err)
	}
	return nil
}

// ClaimDriverErasure takes the next of the tenant that was served longest ago: one that wants
// many drivers erased lets no other wait for all of them.
func (q Jobs) ClaimDriverErasure(ctx context.Context, now, until drover.Time) (e DriverErasure, err error) {
	const look = `SELECT d.tenant_id, d.id FROM driver_erasure d WHERE d.due_at <= $1`
	const order = `
		(SELECT COALESCE(MAX(COALESCE(f.finished_at, f.clean_at)), 0) FROM driver_erasure f WHERE f.tenant_id = d.tenant_id), d.due_at, d.id`
	err = q.claimFirst(ctx, look, "d.tenant_id", order, now, func(tx *Tx, tenantID, id string) (err error) {
		e, err = scanDriverErasure(tx.tx.Write("driver_erasure").QueryRowContext(ctx, `UPDATE driver_erasure SET due_at = $4, state = $5
			WHERE tenant_id = $1 AND id = $2 AND due_at <= $3 RETURNING `+driverErasureColumns, tenantID, id, now, until, drover.JobRunning))
		return database.Found(err, "claim the erasure of a driver")
	})
	return e, err
}

// RenewDriverErasure keeps one for longer, and says how far it is.
func (tx JobsTx) RenewDriverErasure(ctx context.Context, e DriverErasure, until drover.Time) error {
	_, err := tx.tx.Write("driver_erasure").ExecContext(ctx, `UPDATE driver_erasure SET due_at = $3, trips = $4, positions = $5, events = $6
		WHERE tenant_id = $1 AND id = $2`, e.TenantID, e.ID, until, e.Trips, e.Positions, e.Events)
	if err != nil {
		return fmt.Errorf("renew the erasure of a driver: %w", err)
	}
	return nil
}

// LookAgain notes that nothing names the driver now, and has it looked for again later: what
// was under way meanwhile may have brought it back.
func (tx JobsTx) LookAgain(ctx context.Context, e DriverErasure, now, due drover.Time) error {
	if err := tx.RenewDriverErasure(ctx, e, due); err != nil {
		return err
	}
	_, err := tx.tx.Write("driver_erasure").ExecContext(ctx, `UPDATE driver_erasure SET clean_at = $3 WHERE tenant_id = $1 AND id = $2`, e.TenantID,
		e.ID, now)
	if err != nil {
		return fmt.Errorf("note how far the erasure of a driver is: %w", err)
	}
	return nil
}

// EndDriverErasure ends all that replace one driver, and forgets who it was.
func (tx JobsTx) EndDriverErasure(ctx context.Context, e DriverErasure, now drover.Time) error {
	if err := tx.RenewDriverErasure(ctx, e, now); err != nil {
		return err
	}
	_, err := tx.tx.Write("driver_erasure").ExecContext(ctx, `UPDATE driver_erasure SET state = $3, due_at = NULL, driver_id = NULL, finished_at = $4
		WHERE tenant_id = $1 AND driver_id = $2`, e.TenantID, e.DriverID, drover.JobDone, now)
	if err != nil {
		return fmt.Errorf("end the erasure of a driver: %w", err)
	}
	return nil
}

// Rename replaces a driver in texts.
type Rename struct {
	From, To string
	pairs    [][2]string
}

// NewRename makes a Rename. In records of the interface a driver is an object, in stored
// positions a text; some writers escape what HTML has a meaning for, and others do not.
func NewRename(from, to string) Rename {
	r := Rename{From: from, To: to}
	escaped, _ := json.Marshal(from) // a text is always written
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(from) // as above
	name, _ := json.Marshal(to)
	for _, old := range []string{string(escaped), string(bytes.TrimSpace(plain.Bytes()))} {
		for _, before := range []string{`"driver_id":{"format":"text","value":`, `"DriverID":`} {
			r.pairs = append(r.pairs, [2]string{before + old, before + string(name)})
		}
	}
	return r
}

// text replaces the driver in a text.
func (r Rename) text(text []byte) ([]byte, bool) {
	out := text
	for _, p := range r.pairs {
		out = bytes.ReplaceAll(out, []byte(p[0]), []byte(p[1]))
	}
	return out, !bytes.Equal(out, text)
}

// RenameInEvents replaces a driver in a part of a feed, of some connections or of all, and
// reports in how many events and blocks.
func (tx JobsTx) RenameInEvents(
	ctx context.Context, tenantID string, after, to int64, connections []string, r Rename,
) (n int64, err error) {
	w := database.Where{Args: []any{tenantID, after, to}, Parts: []string{"e.tenant_id = $1", "e.sequence > $2", "e.sequence <= $3", "e.block IS NULL"}}
	w.AnyID(tx.words, "e.connection_id", connections)
	type stored struct {
		sequence int64
		typ      drover.EventType
		data     storedData
	}
	rows, err := tx.db.QueryContext(ctx, `SELECT e.sequence, e.type, e.data, e.packed FROM event e`+w.SQL()+` ORDER BY e.sequence`+tx.words.ForUpdate(), w.Args...)
	events, err := database.ReadAll(rows, err, "read events", func(row database.Scanner) (s stored, err error) {
		return s, row.Scan(&s.sequence, &s.typ, &s.data.text, &s.data.packed)
	})
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		text, err := e.data.read()
		if err != nil {
			return n, fmt.Errorf("event %d: %w", e.sequence, err)
		}
		renamed, changed := r.text(text)
		if !changed {
			continue
		}
		data, packed := eventData(e.typ, renamed)
		if _, err := tx.tx.Write("event").ExecContext(ctx, `UPDATE event SET data = $3, packed = $4 WHERE tenant_id = $1 AND sequence = $2`, tenantID,
			e.sequence, data, packed); err != nil {
			return n, fmt.Errorf("rename in an event: %w", err)
		}
		n++
	}
	blocks, err := tx.renameInBlocks(ctx, tenantID, after, to, connections, r)
	return n + blocks, err
}

func (tx JobsTx) renameInBlocks(
	ctx context.Context, tenantID string, after, to int64, connections []string, r Rename,
) (n int64, err error) {
	w := database.Where{Args: []any{tenantID, after, to}, Parts: []string{"b.tenant_id = $1", "b.first > $2", "b.first <= $3"}}
	w.AnyID(tx.words, "b.connection_id", connections)
	type stored struct {
		first int64
		data  []byte
	}
	rows, err := tx.db.QueryContext(ctx, `SELECT b.first, b.data FROM event_block b`+w.SQL()+` ORDER BY b.first`+tx.words.ForUpdate(), w.Args...)
	blocks, err := database.ReadAll(rows, err, "read blocks of events", func(row database.Scanner) (s stored, err error) {
		return s, row.Scan(&s.first, &s.data)
	})
	if err != nil {
		return 0, err
	}
	for _, b := range blocks {
		batches, err := pack.DecodeBatches(b.data)
		if err != nil {
			return n, fmt.Errorf("events from %d on: %w", b.first, err)
		}
		changed := false
		for i := range batches {
			for j, p := range batches[i].Positions {
				if p.DriverID != nil && p.DriverID.Value == r.From {
					batches[i].Positions[j].DriverID, changed = drover.NewDriverID(&r.To), true
				}
			}
		}
		if !changed {
			continue
		}
		if b.data, err = pack.EncodeBatches(batches); err != nil {
			return n, fmt.Errorf("events from %d on: %w", b.first, err)
		}
		if _, err := tx.tx.Write("event_block").ExecContext(ctx, `UPDATE event_block SET data = $3 WHERE tenant_id = $1 AND first = $2`, tenantID,
			b.first, b.data); err != nil {
			return n, fmt.Errorf("rename in a block of events: %w", err)
		}
		n++
	}
	return n, nil
}

// ExpireExportsOf drops exports that may name a driver.
func (tx JobsTx) ExpireExportsOf(ctx context.Context, tenantID string, r Rename, now drover.Time) error {
	if _, err := tx.tx.Write("export").ExecContext(ctx, `UPDATE export SET state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END,
		filters = CASE WHEN filters LIKE $3 ESCAPE '!' THEN '{}' ELSE filters END, finished_at = COALESCE(finished_at, $2), expires_at = $2,
		leased_by = '', leased_until = 0 WHERE tenant_id = $1 AND kind IN ('position', 'trip', 'event', 'driver', 'safety_event')`, tenantID, now, contains(r.From)); err != nil {
		return fmt.Errorf("expire exports: %w", err)
	}
	return nil
}

// RenameInMessages replaces a driver in some of what waits to be taken over by those with whom
// a tenant shares, and reports in how much.
func (tx JobsTx) RenameInMessages(ctx context.Context, tenantID string, r Rename) (int64, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"tenant_id = $1"}}
	return tx.renameIn(ctx, "message", "content", "recipient_id, number", w, r)
}

// RenameInDeliveries replaces a driver in some of what is kept of deliveries about some
// connections, or about all, and forgets answers of receivers that may name it. It reports how
// many it has changed. A driver of the same id at another connection is someone else.
func (tx JobsTx) RenameInDeliveries(ctx context.Context, tenantID string, connections []string, r Rename) (int64, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"tenant_id = $1"}}
	w.AnyID(tx.words, "connection_id", connections)
	n, err := tx.renameIn(ctx, "delivery", "body", "target_id, event_id", w, r)
	if err != nil {
		return n, err
	}
	w = database.Where{Args: []any{tenantID, contains(r.From)}, Parts: []string{"tenant_id = $1", "response LIKE $2 ESCAPE '!'"}}
	if len(connections) > 0 {
		d := database.Where{Args: w.Args, Parts: []string{"d.tenant_id = $1"}}
		d.AnyID(tx.words, "d.connection_id", connections)
		w.Args = d.Args
		w.Parts = append(w.Parts, `event_id IN (SELECT d.event_id FROM delivery d`+d.SQL()+`)`)
	}
	const key = "target_id, event_id, number"
	res, err := tx.tx.Write("attempt").ExecContext(ctx, `UPDATE attempt SET response = NULL WHERE tenant_id = $1 AND (`+key+`) IN (
		SELECT `+key+` FROM attempt`+w.SQL()+w.Limit(key, EraseRows)+`)`, w.Args...)
	if err != nil {
		return n, fmt.Errorf("forget answers of receivers: %w", err)
	}
	forgotten, err := res.RowsAffected()
	return n + forgotten, err
}

// renameIn replaces a driver in a column of some rows, which are named by a key.
func (tx JobsTx) renameIn(ctx context.Context, table, column, key string, w database.Where, r Rename) (int64, error) {
	value, names := column, make([]string, len(r.pairs))
	for i, p := range r.pairs {
		w.Args = append(w.Args, p[0], p[1], contains(p[0]))
		n := len(w.Args)
		value = fmt.Sprintf("REPLACE(%s, $%d, $%d)", value, n-2, n-1)
		names[i] = fmt.Sprintf("%s LIKE $%d ESCAPE '!'", column, n)
	}
	w.Parts = append(w.Parts, "("+strings.Join(names, " OR ")+")")
	res, err := tx.tx.Write(table).ExecContext(ctx, `UPDATE `+table+` SET `+column+` = `+value+` WHERE tenant_id = $1 AND (`+key+`) IN (
		SELECT `+key+` FROM `+table+w.SQL()+w.Limit(key, EraseRows)+`)`, w.Args...)
	if err != nil {
		return 0, fmt.Errorf("rename in %s: %w", table, err)
	}
	return res.RowsAffected()
}

func contains(text string) string { return "%" + database.LikeEscaper.Replace(text) + "%" }
