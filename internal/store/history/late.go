package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// day is a device's day, by its start.
type day struct {
	device string
	start  int64
}

// at is a device's instant.
type at struct {
	device string
	milli  int64
}

// addLate adds positions of days that may be packed. What a block has is not new;
// what none has is added as rows, and packed with the day's others later.
func (w Writer) addLate(ctx context.Context, tenantID string, positions []Position, packed int64) ([]bool, error) {
	var late []at
	for _, p := range positions {
		if milli := p.Time.UnixMilli(); milli < packed {
			late = append(late, at{p.DeviceID, milli})
		}
	}
	if err := w.changed(ctx, tenantID, late); err != nil {
		return nil, err
	}
	known := map[at]bool{}
	err := w.eachBlock(ctx, tenantID, late, func(device string, _ block, rows []drover.StoredPosition) error {
		for i := range rows {
			known[at{device, rows[i].Time.UnixMilli()}] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	isKnown := func(p Position) bool { return known[at{p.DeviceID, p.Time.UnixMilli()}] }
	added, err := w.on.addPositions(ctx, w.tx, tenantID, slices.DeleteFunc(slices.Clone(positions), isKnown))
	if err != nil {
		return nil, err
	}
	fresh := make([]bool, len(positions))
	next := 0
	for i, p := range positions {
		if !isKnown(p) {
			fresh[i] = added[next]
			next++
		}
	}
	return fresh, nil
}

// reopen makes rows of the blocks that hold positions which are about to be changed.
func (w Writer) reopen(ctx context.Context, tenantID string, marks []Mark) error {
	packed, err := w.packedBefore(ctx)
	if err != nil {
		return err
	}
	var old []at
	for _, m := range marks {
		if milli := m.Time.UnixMilli(); milli < packed {
			old = append(old, at{m.DeviceID, milli})
		}
	}
	if err := w.changed(ctx, tenantID, old); err != nil {
		return err
	}
	return w.eachBlock(ctx, tenantID, old, func(device string, b block, rows []drover.StoredPosition) error {
		_, err := w.tx.Write("position_block").ExecContext(ctx,
			`DELETE FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first = $3`, tenantID, device, b.first)
		if err != nil {
			return err
		}
		positions := make([]Position, len(rows))
		for i, p := range rows {
			positions[i] = Position{device, p}
		}
		_, err = w.on.addPositions(ctx, w.tx, tenantID, positions)
		return err
	})
}

// changed notes that days have changed which may be packed. The note also keeps a
// packing of such a day waiting until this transaction has ended. Its time grows with each
// change, also within a millisecond: a packing that has read the day before sees by it
// that the day is another one now.
func (w Writer) changed(ctx context.Context, tenantID string, instants []at) error {
	days := map[day]bool{}
	var rows [][]any
	for _, a := range instants {
		if d := (day{a.device, dayOf(a.milli)}); !days[d] {
			days[d] = true
			rows = append(rows, []any{tenantID, d.device, d.start, w.now().UnixMilli()})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	order.By(rows, func(a, b []any) int { // one order for all who lock them
		return cmp.Or(cmp.Compare(a[1].(string), b[1].(string)), cmp.Compare(a[2].(int64), b[2].(int64)))
	})
	err := w.tx.InsertRows(ctx, "position_change", []database.Column{
		database.ID("tenant_id"), database.ID("device_id"),
		database.Number("day"), database.Number("changed_at"),
	}, rows,
		`ON CONFLICT (tenant_id, device_id, day) DO UPDATE SET changed_at = CASE WHEN excluded.changed_at > position_change.changed_at
			THEN excluded.changed_at ELSE position_change.changed_at + 1 END`)
	if err != nil {
		return fmt.Errorf("note changed days: %w", err)
	}
	return nil
}

// eachBlock gives f the blocks that lie around instants, each once, unpacked.
func (w Writer) eachBlock(
	ctx context.Context,
	tenantID string,
	instants []at,
	f func(device string, b block, rows []drover.StoredPosition) error,
) error {
	order.By(instants, func(a, b at) int { return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.milli, b.milli)) })
	for len(instants) > 0 {
		n := 1
		for n < len(instants) && instants[n].device == instants[0].device {
			n++
		}
		device, from, to := instants[0].device, instants[0].milli, instants[n-1].milli
		if err := w.eachBlockOf(ctx, tenantID, device, from, to, instants[:n], f); err != nil {
			return err
		}
		instants = instants[n:]
	}
	return nil
}

func (w Writer) eachBlockOf(
	ctx context.Context,
	tenantID, device string,
	from, to int64,
	instants []at,
	f func(string, block, []drover.StoredPosition) error,
) error {
	blocks, err := w.blocks(ctx, tenantID, device, from, to)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if !slices.ContainsFunc(instants, func(a at) bool { return a.milli >= b.first && a.milli <= b.last }) {
			continue
		}
		rows, err := b.decode(device, nil)
		if err != nil {
			return err
		}
		if err := f(device, b, rows); err != nil {
			return err
		}
	}
	return nil
}
