package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
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
// It works in many small transactions and rests between them; it can be stopped at any
// point and be run by several processes. What it may pack it decides at one run, and
// packs at a later one. One who looks at a place packs what its tenants have, and leaves weeks
// that have nothing left to DropWeeks.
func (h *History) Pack(ctx context.Context, now, settled time.Time, rest background.Rest) (Packed, error) {
	border, ready, err := h.moveBorder(ctx, now.UnixMilli(), dayOf(settled.UnixMilli()))
	if err != nil || !ready {
		return Packed{}, err
	}
	run := packRun{border: border, now: now.UnixMilli(), settled: settled.UnixMilli(), pace: rest.Begin()}
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
	if err := h.packReady(ctx, &run); err != nil {
		return run.done, err
	}
	if _, placed := h.database.TenantsHere(ctx); placed {
		return run.done, nil
	}
	run.done.Weeks, err = h.on.dropEmpty(ctx, border)
	return run.done, err
}

// moveBorder returns the border below which is packed, where it has stood for long
// enough, and moves it on for the next time.
func (h *History) moveBorder(ctx context.Context, now, to int64) (border int64, ready bool, err error) {
	ctx = database.AtNone(ctx) // it is of no tenant
	err = h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		var since int64
		if err := tx.QueryRowContext(ctx, `SELECT time, since FROM packed_before`+h.database.ForUpdate()).Scan(&border, &since); err != nil {
			return err
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
	here, args := database.Here(ctx, h.database, "d.tenant_id", args)
	ofRows := strings.Replace(here, "d.tenant_id", "p.tenant_id", 1)
	rows, err := h.db.QueryContext(ctx, `SELECT d.tenant_id, d.id FROM device d WHERE `+where+h.on.hasRowsBefore("$1", ofRows)+here+
		` ORDER BY d.tenant_id, d.id LIMIT $2`, args...)
	return database.ReadAll(rows, err, "list devices to pack", func(row database.Scanner) (device, error) {
		var d device
		return d, row.Scan(&d.tenant, &d.id)
	})
}

// packRun is a run of packing.
type packRun struct {
	border, now, settled int64
	rows                 []drover.StoredPosition // room for what is packed at once
	scanner              rowScanner              // and for its numbers
	ready                []readyDay              // what the next transaction packs
	waiting              int                     // its rows
	pace                 *background.Pace
	done                 Packed
}

// readyDay is a day of a device, or a part of a large one, whose rows lie in new blocks that
// take their place and that of old blocks.
type readyDay struct {
	device
	start       int64
	changed     int64 // when it has changed late, 0 for never
	first, last int64 // of its rows
	rows        int
	whole       bool // there are no more
	old, blocks []block
}

// packDevice packs the settled days of a device, as many at once as fit into a block. Where
// they are few, they wait for those of the next devices: a transaction costs as much as
// hundreds of rows.
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
		if run.waiting+len(rows) > pack.MaxRows {
			if err := h.packReady(ctx, run); err != nil {
				return err
			}
		}
		there, err := h.blocks(ctx, d.tenant, d.id, dayOf(rows[0].Time.UnixMilli()), dayOf(rows[len(rows)-1].Time.UnixMilli())+dayMillis-1)
		if err != nil {
			return err
		}
		for part := range byDay(rows) {
			day := readyDay{
				device: d, start: dayOf(part[0].Time.UnixMilli()), rows: len(part), first: part[0].Time.UnixMilli(),
				last: part[len(part)-1].Time.UnixMilli(),
			}
			day.changed, day.whole = changes[day.start], end >= day.start+dayMillis
			if day.changed > run.settled && day.changed <= run.now { // a later one is of a clock that was wrong
				continue
			}
			if err := day.putIntoBlocks(part, there); err != nil {
				return err
			}
			run.ready, run.waiting = append(run.ready, day), run.waiting+day.rows
		}
		from = drover.Milli(end)
	}
}

// byDay goes through rows by their days.
func byDay(rows []drover.StoredPosition) iter.Seq[[]drover.StoredPosition] {
	return func(yield func([]drover.StoredPosition) bool) {
		for len(rows) > 0 {
			end := dayOf(rows[0].Time.UnixMilli()) + dayMillis
			n := before(rows, end)
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

// before is how many of the rows, which are in order, are before a time.
func before(rows []drover.StoredPosition, milli int64) int {
	n, _ := slices.BinarySearchFunc(rows, milli, func(p drover.StoredPosition, at int64) int { return cmp.Compare(p.Time.UnixMilli(), at) })
	return n
}

// packReady packs the days that are ready, and rests.
func (h *History) packReady(ctx context.Context, run *packRun) error {
	if len(run.ready) == 0 {
		return nil
	}
	if err := h.packDays(ctx, run.ready, &run.done); err != nil {
		return err
	}
	run.ready, run.waiting = run.ready[:0], 0
	return run.pace.Pause(ctx)
}

// packDays packs days in one transaction, or each in its own where one of them has
// changed meanwhile: that one waits for the next run.
func (h *History) packDays(ctx context.Context, days []readyDay, done *Packed) error {
	err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error { return h.replace(ctx, tx, days) })
	switch {
	case errors.Is(err, errChanged) && len(days) == 1:
		return nil
	case errors.Is(err, errChanged):
		for i := range days {
			if err := h.packDays(ctx, days[i:i+1], done); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return err
	}
	for _, day := range days {
		done.Positions += day.rows
		done.Blocks += len(day.blocks)
	}
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
func (h *History) rowsToPack(
	ctx context.Context, d device, from drover.Time, run *packRun,
) (rows []drover.StoredPosition, end int64, err error) {
	query, args := h.selectRange(Range{
		TenantID: d.tenant, DeviceID: d.id, From: from, To: drover.Milli(run.border), Limit: pack.MaxRows,
		WithSuspect: true,
	})
	run.scanner.reset(pack.MaxRows)
	found, err := h.db.QueryContext(ctx, query, args...)
	rows, err = database.ReadInto(run.rows[:0], found, err, "read positions", run.scanner.scan)
	run.rows = rows
	if err != nil || len(rows) < pack.MaxRows {
		return rows, run.border, err
	}
	last := rows[len(rows)-1].Time.UnixMilli()
	if start := dayOf(last); rows[0].Time.UnixMilli() < start {
		return rows[:before(rows, start)], start, nil
	}
	return rows, last + 1, nil
}

// putIntoBlocks makes the blocks of a day's rows, together with those that are there of the
// day and that lie between them or are small.
func (d *readyDay) putIntoBlocks(rows []drover.StoredPosition, there []block) error {
	ofDay := slices.DeleteFunc(slices.Clone(there), func(b block) bool { return dayOf(b.first) != d.start })
	old, all, err := withBlocks(d.device, ofDay, rows)
	if err != nil {
		return err
	}
	d.old = old
	d.blocks, err = encode(all)
	return err
}

// replace puts new blocks in the place of rows and old blocks of days. It is an error where
// a day is not as it was read. All days are locked first, and what devices share comes last,
// so that no deadlock arises with those who add to one of them.
func (h *History) replace(ctx context.Context, tx *database.Tx, days []readyDay) error {
	for _, day := range days {
		if err := h.lockDay(ctx, tx, day.device, day.start, day.changed); err != nil {
			return err
		}
	}
	type tenantDay struct {
		tenant string
		start  int64
	}
	packed := map[tenantDay]bool{}
	for _, day := range days {
		if err := h.replaceRows(ctx, tx, day); err != nil {
			return err
		}
		packed[tenantDay{day.tenant, day.start}] = true
	}
	list := slices.Collect(maps.Keys(packed))
	order.By(list, func(a, b tenantDay) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.start, b.start))
	})
	for _, p := range list {
		if err := h.notePacked(ctx, tx, p.tenant, p.start); err != nil {
			return err
		}
	}
	return nil
}

// replaceRows puts new blocks in the place of rows and old blocks of a locked day.
func (h *History) replaceRows(ctx context.Context, tx *database.Tx, day readyDay) error {
	for _, b := range day.old {
		if err := deleteExactly(ctx, tx, "position_block", 1,
			`DELETE FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first = $3 AND last = $4 AND data = $5`, day.tenant, day.id,
			b.first, b.last, b.data); err != nil {
			return err
		}
	}
	query, args := h.on.deletePositions(day.device, day.first, day.last)
	if err := deleteExactly(ctx, tx, "position", int64(day.rows), query, args...); err != nil {
		return err
	}
	for _, b := range day.blocks {
		_, err := tx.Write("position_block").ExecContext(ctx,
			`INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) VALUES ($1, $2, $3, $4, $5, $6)`, day.tenant, day.id,
			b.first, b.last, b.rows, b.data)
		if err != nil {
			return err
		}
	}
	if day.changed == 0 || day.whole { // the note is needed as long as there are more rows
		_, err := tx.Write("position_change").ExecContext(ctx,
			`DELETE FROM position_change WHERE tenant_id = $1 AND device_id = $2 AND day = $3`, day.tenant, day.id, day.start)
		return err
	}
	return nil
}

// withBlocks returns those of a day's blocks that are packed again with rows, and the
// positions of both: those that the rows lie between, and their neighbours as long as
// all fit into one. So no two blocks of a day overlap.
func withBlocks(d device, blocks []block, rows []drover.StoredPosition) (old []block, all []drover.StoredPosition, err error) {
	first, last := rows[0].Time.UnixMilli(), rows[len(rows)-1].Time.UnixMilli()
	opened, from, to, total := make([][]drover.StoredPosition, len(blocks)), 0, 0, len(rows)
	for i, b := range blocks {
		if opened[i], err = b.decode(d.id, nil); err != nil {
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

func encode(all []drover.StoredPosition) ([]block, error) {
	var blocks []block
	for part := range slices.Chunk(all, pack.MaxRows) {
		data, err := pack.Encode(part)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block{part[0].Time.UnixMilli(), part[len(part)-1].Time.UnixMilli(), len(part), data})
	}
	return blocks, nil
}

// lockDay keeps others from changing a day until the transaction ends, and fails
// where someone has.
func (h *History) lockDay(ctx context.Context, tx *database.Tx, d device, start, changed int64) error {
	var now int64
	err := tx.Write("position_change").QueryRowContext(ctx,
		`INSERT INTO position_change (tenant_id, device_id, day, changed_at) VALUES ($1, $2, $3, 0)
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
