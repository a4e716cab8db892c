package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
	"github.com/drover-fleet/drover/internal/pack"
)

// settling is how long the border stands before anything below it is packed: longer
// than any transaction lasts that has begun with an older one.
const settling = 5 * time.Minute

// Packed is what a run of packing did.
type Packed struct {
	Positions, Blocks int
	Weeks             int // partitions that had nothing left and were dropped
}

// errChanged ends a transaction that packs a day in which something has changed since
// it was read.
var errChanged = errors.New("the day has changed")

// Pack packs the days that ended before a time, and that have not changed since then.
// It works in many small transactions behind all others; it can be stopped at any
// point and be run by several processes. What it may pack it decides at one run, and
// packs at a later one.
func (h *History) Pack(ctx context.Context, now, settled time.Time) (Packed, error) {
	border, ready, err := h.moveBorder(ctx, now.UnixMilli(), dayOf(settled.UnixMilli()))
	if err != nil || !ready {
		return Packed{}, err
	}
	run := packRun{border: border, now: now.UnixMilli(), settled: settled.UnixMilli()}
	for after := (device{}); ; {
		devices, err := h.devicesToPack(ctx, border, after)
		if err != nil {
			return run.done, err
		}
		if len(devices) == 0 {
			break
		}
		for _, d := range devices {
			if err := h.packDevice(ctx, d, &run); err != nil {
				return run.done, fmt.Errorf("pack positions of device %s: %w", d.id, err)
			}
		}
		after = devices[len(devices)-1]
	}
	run.done.Weeks, err = h.on.dropEmpty(ctx, border)
	return run.done, err
}

// moveBorder returns the border below which is packed, where it has stood for long
// enough, and moves it on for the next time.
func (h *History) moveBorder(ctx context.Context, now, to int64) (border int64, ready bool, err error) {
	err = h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		var since, notBefore int64
		if err := tx.QueryRowContext(ctx, `SELECT time, since, not_before FROM packed_before`+h.database.ForUpdate()).Scan(&border, &since, &notBefore); err != nil {
			return err
		}
		if wait := notBefore - now; wait > 0 && wait <= dayMillis {
			to = border // a process that cannot read blocks may still run
		}
		ready = since < now-settling.Milliseconds()
		if border >= to && since <= now { // a clock that was set back does not stop it
			return nil
		}
		_, err := tx.Write("packed_before").ExecContext(ctx, `UPDATE packed_before SET time = $1, since = $2`, max(border, to), now)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("move what may be packed: %w", err)
	}
	h.border.set(max(border, to))
	return border, ready, nil
}

type device struct{ tenant, id string }

// devicesAtOnce is the number of devices that are looked at with one statement.
const devicesAtOnce = 500

// devicesToPack lists devices that have rows below the border, by tenant and id.
func (h *History) devicesToPack(ctx context.Context, border int64, after device) ([]device, error) {
	where, args := ``, []any{border, devicesAtOnce}
	if after.id != "" {
		where, args = `(d.tenant_id, d.id) > ($3, $4) AND `, append(args, after.tenant, after.id)
	}
	rows, err := h.db.QueryContext(ctx, `SELECT d.tenant_id, d.id FROM device d WHERE `+where+h.on.hasRowsBefore("$1")+` ORDER BY d.tenant_id, d.id LIMIT $2`, args...)
	return database.ReadAll(rows, err, "list devices to pack", func(row database.Scanner) (device, error) {
		var d device
		return d, row.Scan(&d.tenant, &d.id)
	})
}

// packRun is a run of packing.
type packRun struct {
	border, now, settled int64
	rows                 []Position // room for what is packed at once
	scanner              rowScanner // and for its numbers
	done                 Packed
}

// packDevice packs the settled days of a device, as many at once as fit into a block.
func (h *History) packDevice(ctx context.Context, d device, run *packRun) error {
	changes, err := h.changes(ctx, d)
	if err != nil {
		return err
	}
	for from := drover.Milli(-1 << 53); ; {
		rows, end, err := h.rowsToPack(ctx, d, from, run)
		if err != nil || len(rows) == 0 {
			return err
		}
		var days []dayRows
		for part := range byDay(rows) {
			start := dayOf(part[0].Time.UnixMilli())
			changed := changes[start]
			if changed > run.settled && changed <= run.now { // a later one is of a clock that was wrong
				continue
			}
			days = append(days, dayRows{start: start, changed: changed, rows: part, whole: end >= start+dayMillis})
		}
		if err := h.packDays(ctx, d, days, &run.done); err != nil {
			return err
		}
		from = drover.Milli(end)
	}
}

// dayRows are rows of a device's day.
type dayRows struct {
	start   int64
	changed int64 // when it has changed late, 0 for never
	rows    []Position
	whole   bool // there are no more
}

// byDay goes through rows by their days.
func byDay(rows []Position) iter.Seq[[]Position] {
	return func(yield func([]Position) bool) {
		for len(rows) > 0 {
			end := dayOf(rows[0].Time.UnixMilli()) + dayMillis
			n, _ := slices.BinarySearchFunc(rows, end, func(p Position, end int64) int { return cmp.Compare(p.Time.UnixMilli(), end) })
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// packDays packs days in one transaction, or each in its own where one of them has
// changed meanwhile: that one waits for the next run.
func (h *History) packDays(ctx context.Context, d device, days []dayRows, done *Packed) error {
	if len(days) == 0 {
		return nil
	}
	blocks, err := h.packParts(ctx, d, days)
	switch {
	case errors.Is(err, errChanged) && len(days) == 1:
		return nil
	case errors.Is(err, errChanged):
		for i := range days {
			if err := h.packDays(ctx, d, days[i:i+1], done); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return err
	}
	for _, day := range days {
		done.Positions += len(day.rows)
	}
	done.Blocks += blocks
	return nil
}

// changes reads which days of a device have changed late, and when.
func (h *History) changes(ctx context.Context, d device) (map[int64]int64, error) {
	rows, err := h.db.QueryContext(ctx, `SELECT day, changed_at FROM position_change WHERE tenant_id = $1 AND device_id = $2`, d.tenant, d.id)
	changes := map[int64]int64{}
	_, err = database.ReadAll(rows, err, "read changed days", func(row database.Scanner) (struct{}, error) {
		var start, changed int64
		err := row.Scan(&start, &changed)
		changes[start] = changed
		return struct{}{}, err
	})
	return changes, err
}

// rowsToPack reads rows from a time on, at most as many as fit into a block, and tells
// up to where they are all. Where a day would be cut, it is left for the next time,
// unless it has more rows than that.
func (h *History) rowsToPack(ctx context.Context, d device, from drover.Time, run *packRun) (rows []Position, end int64, err error) {
	query, args := h.selectRange(Range{TenantID: d.tenant, DeviceID: d.id, From: from, To: drover.Milli(run.border), Limit: pack.MaxRows, WithSuspect: true})
	run.scanner.reset(d.id, pack.MaxRows)
	rows, err = h.on.readRows(ctx, run.rows[:0], &run.scanner, query, args)
	run.rows = rows
	if err != nil || len(rows) < pack.MaxRows {
		return rows, run.border, err
	}
	last := rows[len(rows)-1].Time.UnixMilli()
	if start := dayOf(last); rows[0].Time.UnixMilli() < start {
		n, _ := slices.BinarySearchFunc(rows, start, func(p Position, start int64) int { return cmp.Compare(p.Time.UnixMilli(), start) })
		return rows[:n], start, nil
	}
	return rows, last + 1, nil
}

// packParts moves rows of days into blocks, together with those that the days have and
// that lie between them or are small. It is an error where a day is not as it was read.
func (h *History) packParts(ctx context.Context, d device, days []dayRows) (n int, err error) {
	old, blocks := make([][]block, len(days)), make([][]block, len(days))
	there, err := h.blocks(ctx, d.tenant, d.id, days[0].start, days[len(days)-1].start+dayMillis-1)
	if err != nil {
		return 0, err
	}
	for i, day := range days {
		var all []Position
		ofDay := slices.DeleteFunc(slices.Clone(there), func(b block) bool { return dayOf(b.first) != day.start })
		if old[i], all, err = withBlocks(d, ofDay, day.rows); err != nil {
			return 0, err
		}
		if blocks[i], err = encode(all); err != nil {
			return 0, err
		}
		n += len(blocks[i])
	}
	return n, h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		for i, day := range days {
			if err := h.replace(ctx, tx, d, day, old[i], blocks[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// replace puts new blocks in the place of rows and old blocks of a day.
func (h *History) replace(ctx context.Context, tx *database.Tx, d device, day dayRows, old []block, blocks []block) error {
	if err := h.lockDay(ctx, tx, d, day.start, day.changed); err != nil {
		return err
	}
	for _, b := range old {
		if err := deleteExactly(ctx, tx, "position_block", 1, `DELETE FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first = $3 AND last = $4`, d.tenant, d.id, b.first, b.last); err != nil {
			return err
		}
	}
	query, args := h.on.deletePositions(d, day.rows[0].Time.UnixMilli(), day.rows[len(day.rows)-1].Time.UnixMilli())
	if err := deleteExactly(ctx, tx, "position", int64(len(day.rows)), query, args...); err != nil {
		return err
	}
	for _, b := range blocks {
		_, err := tx.Write("position_block").ExecContext(ctx, `INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) VALUES ($1, $2, $3, $4, $5, $6)`, d.tenant, d.id, b.first, b.last, b.rows, b.data)
		if err != nil {
			return err
		}
	}
	if err := h.notePacked(ctx, tx, d.tenant, day.start); err != nil {
		return err
	}
	if day.changed == 0 || day.whole { // the note is needed as long as there are more rows
		_, err := tx.Write("position_change").ExecContext(ctx, `DELETE FROM position_change WHERE tenant_id = $1 AND device_id = $2 AND day = $3`, d.tenant, d.id, day.start)
		return err
	}
	return nil
}

// withBlocks returns those of a day's blocks that are packed again with rows, and the
// positions of both: those that the rows lie between, and their neighbours as long as
// all fit into one. So no two blocks of a day overlap.
func withBlocks(d device, blocks []block, rows []Position) (old []block, all []Position, err error) {
	first, last := rows[0].Time.UnixMilli(), rows[len(rows)-1].Time.UnixMilli()
	opened, from, to, total := make([][]Position, len(blocks)), 0, 0, len(rows)
	for i, b := range blocks {
		if opened[i], err = b.open(d.id); err != nil {
			return nil, nil, err
		}
		if b.last < first {
			from, to = i+1, i+1
		} else if b.first <= last {
			to, total = i+1, total+len(opened[i])
		}
	}
	for from > 0 && total+len(opened[from-1]) <= pack.MaxRows {
		from--
		total += len(opened[from])
	}
	for to < len(blocks) && total+len(opened[to]) <= pack.MaxRows {
		total += len(opened[to])
		to++
	}
	return blocks[from:to], mergeByTime(slices.Concat(opened[from:to]...), rows), nil
}

func encode(all []Position) ([]block, error) {
	var blocks []block
	for part := range slices.Chunk(all, pack.MaxRows) {
		rows := make([]pack.Row, len(part))
		for i, p := range part {
			rows[i] = pack.Row{Position: p.Position, Suspect: p.Suspect}
		}
		data, err := pack.Encode(rows)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block{part[0].Time.UnixMilli(), part[len(part)-1].Time.UnixMilli(), len(part), data})
	}
	return blocks, nil
}

// lockDay keeps others from changing a day until the transaction ends, and fails
// where somebody has.
func (h *History) lockDay(ctx context.Context, tx *database.Tx, d device, start, changed int64) error {
	var now int64
	err := tx.Write("position_change").QueryRowContext(ctx, `INSERT INTO position_change (tenant_id, device_id, day, changed_at) VALUES ($1, $2, $3, 0)
		ON CONFLICT (tenant_id, device_id, day) DO UPDATE SET day = excluded.day RETURNING changed_at`, d.tenant, d.id, start).Scan(&now)
	if err == nil && now != changed {
		err = errChanged
	}
	return err
}

func deleteExactly(ctx context.Context, tx *database.Tx, table string, want int64, query string, args ...any) error {
	res, err := tx.Write(table).ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != want {
		return errors.Join(errChanged, err)
	}
	return nil
}
