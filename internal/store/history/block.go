package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// dayOf is the start of the day, in UTC, that an instant lies in.
func dayOf(milli int64) int64 {
	day := milli - milli%dayMillis
	if day > milli {
		day -= dayMillis
	}
	return day
}

// border knows the time before which positions may lie in blocks. Whatever is newer
// is in no block, so what is read and written all the time need not look for one.
//
// The border moves long before anything between its old and its new place is packed
// (settling), so that it may be kept for a while.
type border struct {
	mu   sync.Mutex
	time int64
	read time.Time // zero where it is not known
}

// borderKept is how long a process keeps the border. It is far below settling.
const borderKept = 20 * time.Second

func (q Reader) packedBefore(ctx context.Context) (int64, error) {
	if milli, known := q.border.get(); known {
		return milli, nil
	}
	var milli int64
	if err := q.db.QueryRowContext(ctx, `SELECT time FROM packed_before`).Scan(&milli); err != nil {
		return 0, fmt.Errorf("read what may be packed: %w", err)
	}
	return q.border.set(milli), nil
}

func (b *border) get() (milli int64, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.time, !b.read.IsZero() && time.Since(b.read) < borderKept
}

// set keeps what was read, unless the border is known to be further on, and returns
// what is kept.
func (b *border) set(milli int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read.IsZero() || milli > b.time {
		b.time = milli
	}
	b.read = time.Now() //nolint:forbidigo // the monotonic clock: how long ago it was read
	return b.time
}

// block is a row of position_block.
type block struct {
	first, last int64
	rows        int
	data        []byte
}

// decode unpacks a block of a device into the room of rows that are no longer needed.
func (b block) decode(deviceID string, rows []drover.StoredPosition) ([]drover.StoredPosition, error) {
	rows, err := pack.DecodeInto(rows, b.data)
	if err != nil {
		return nil, fmt.Errorf("positions of device %s from %s to %s: %w", deviceID, drover.Milli(b.first), drover.Milli(b.last), err)
	}
	return rows, nil
}

// blocks reads the blocks of a device that have something of [from, to].
func (q Reader) blocks(ctx context.Context, tenantID, deviceID string, from, to int64) ([]block, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT first, last, rows, data FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first <= $3 AND last >= $4
		ORDER BY first`, tenantID, deviceID, to, from)
	return database.ReadAll(rows, err, "read blocks", func(row database.Scanner) (block, error) {
		var b block
		return b, row.Scan(&b.first, &b.last, &b.rows, &b.data)
	})
}

// blocksAtOnce is the number of blocks that are read for a list with a limit: all of
// them are in memory at once, and a list seldom wants more than a few days.
const blocksAtOnce = 4

// merged reads positions of which some may be packed: part by part, each of which is
// one statement, because a position lies in a row or in a block, and moves.
func (q Reader) merged(ctx context.Context, r Range) ([]drover.StoredPosition, error) {
	all := []drover.StoredPosition{}
	for {
		part, end, err := q.part(ctx, r, r.Limit)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
		if r.Limit > 0 {
			if r.Limit -= len(part); r.Limit <= 0 {
				return all[:len(all)+r.Limit], nil
			}
		}
		if !end.Before(r.To.Time) {
			return all, nil
		}
		r.From = end
	}
}

// Chunk reads positions from the start of a range on: as many as are at hand at once,
// about as many as the limit asks for or more, since a block is opened as a whole. Next
// is where the range goes on; it is r.To at its end.
func (q Reader) Chunk(ctx context.Context, r Range) (positions []drover.StoredPosition, next drover.Time, err error) {
	if !drover.IsID(r.DeviceID) {
		return nil, r.To, nil
	}
	packed, err := q.packedBefore(ctx)
	if err != nil {
		return nil, r.From, err
	}
	if r.From.UnixMilli() < packed {
		return q.part(ctx, r, 0)
	}
	positions, err = q.Positions(ctx, r)
	next = r.To
	if len(positions) == r.Limit {
		next = after(positions[len(positions)-1].Time.UnixMilli(), r.To)
	}
	return positions, next, err
}

// part reads the rows and blocks from the start of a range on, up to what the limit
// asks for, and tells up to where that is all there is. Blocks are not opened beyond
// what is enough; zero is no such bound.
func (q Reader) part(ctx context.Context, r Range, enough int) (positions []drover.StoredPosition, end drover.Time, err error) {
	rows, blocks, err := q.rowsAndBlocks(ctx, r)
	if err != nil {
		return nil, end, err
	}
	end = r.To
	if r.Limit > 0 && len(rows) == r.Limit {
		end = after(rows[len(rows)-1].Time.UnixMilli(), end)
	}
	if r.Limit > 0 && len(blocks) == blocksAtOnce {
		end = after(blocks[len(blocks)-1].last, end)
	}
	packed, opened, err := openSome(blocks, r, end, enough)
	if err != nil {
		return nil, end, fmt.Errorf("read %w", err)
	}
	if opened < len(blocks) {
		end = after(blocks[opened-1].last, end)
	}
	n, _ := slices.BinarySearchFunc(rows, end, func(p drover.StoredPosition, end drover.Time) int { return p.Time.Compare(end.Time) })
	return mergeByTime(packed, rows[:n]), end, nil
}

// openAll unpacks what blocks have of a range up to an end.
func openAll(blocks []block, r Range, end drover.Time) ([]drover.StoredPosition, error) {
	positions, _, err := openSome(blocks, r, end, 0)
	return positions, err
}

// openSome unpacks what blocks have of a range up to an end, until that is enough, and
// says how many it has opened. They may be a month's, so each position is copied once.
func openSome(blocks []block, r Range, end drover.Time, enough int) (positions []drover.StoredPosition, opened int, err error) {
	total := 0
	for _, b := range blocks {
		if total += b.rows; enough > 0 && total >= enough {
			break
		}
	}
	positions = make([]drover.StoredPosition, 0, total)
	var rows []drover.StoredPosition
	for _, b := range blocks {
		if enough > 0 && len(positions) >= enough {
			break
		}
		opened++
		if rows, err = b.decode(r.DeviceID, rows); err != nil {
			return nil, opened, err
		}
		for i := range rows {
			if p := &rows[i]; (p.Suspect == "" || r.WithSuspect) && !p.Time.Before(r.From.Time) && p.Time.Before(end.Time) {
				positions = append(positions, *p)
			}
		}
	}
	return positions, opened, nil
}

// after is the earlier of two instants: the one after milli, and end.
func after(milli int64, end drover.Time) drover.Time {
	if next := drover.Milli(milli + 1); next.Before(end.Time) {
		return next
	}
	return end
}

// mergeByTime merges two lists that are in order. Of two positions of one time the
// first list's stays.
func mergeByTime(a, b []drover.StoredPosition) []drover.StoredPosition {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	merged := make([]drover.StoredPosition, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := a[0].Time.Compare(b[0].Time.Time); {
		case c <= 0:
			if c == 0 {
				b = b[1:]
			}
			merged, a = append(merged, a[0]), a[1:]
		default:
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// rowsAndBlocks reads both with one statement.
func (q Reader) rowsAndBlocks(ctx context.Context, r Range) (positions []drover.StoredPosition, blocks []block, err error) {
	query, args := q.selectRange(r)
	n := len(args)
	args = append(args, r.TenantID, r.DeviceID, r.To, r.From)
	inBlocks := fmt.Sprintf(`SELECT first, last, rows, data FROM position_block WHERE tenant_id = $%d AND device_id = $%d AND first < $%d AND last >= $%d ORDER BY first`, n+1, n+2, n+3, n+4)
	if r.Limit > 0 {
		args = append(args, blocksAtOnce)
		inBlocks += fmt.Sprintf(` LIMIT $%d`, n+5)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT p.*, CAST(0 AS BIGINT) AS last, CAST(0 AS BIGINT) AS rows, CAST(NULL AS BYTEA) AS data FROM (`+query+`) AS p
		UNION ALL SELECT b.first, 0.0, 0.0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, b.last, b.rows, b.data FROM (`+inBlocks+`) AS b`, args...)
	var b block
	scanner := rowScanner{more: []any{&b.last, &b.rows, &b.data}}
	_, err = database.ReadAll(rows, err, "read positions", func(row database.Scanner) (struct{}, error) {
		b = block{}
		p, err := scanner.scan(row)
		if b.data == nil {
			positions = append(positions, p)
		} else {
			b.first = p.Time.UnixMilli()
			blocks = append(blocks, b)
		}
		return struct{}{}, err
	})
	slices.SortFunc(positions, func(a, b drover.StoredPosition) int { return a.Time.Compare(b.Time.Time) })
	order.By(blocks, func(a, b block) int { return int(a.first - b.first) })
	return positions, blocks, err
}
