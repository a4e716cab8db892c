package history

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Cut says from when on a tenant's positions are kept; nil keeps all.
type Cut struct {
	TenantID string
	Before   *drover.Time
}

// Forgotten is what was forgotten at once: rows one by one, and weeks as a whole.
type Forgotten struct {
	Rows   int64 // positions, also of blocks
	Weeks  int
	Blocks int
}

// forgetRows bounds the rows that one transaction deletes, so that no one waits
// long for it.
const forgetRows = 5000

// ForgetPositions forgets the positions before each tenant's cut, in whole weeks:
// those of the week that the cut lies in stay. The cuts name every tenant. It
// works in many small transactions, and can be run by several processes. One who looks at a
// place forgets those of its tenants, and leaves whole weeks to DropWeeks.
func (h *History) ForgetPositions(ctx context.Context, cuts []Cut) (Forgotten, error) {
	weekly := byWeek(cuts)
	done, err := h.on.forgetPositions(ctx, weekly)
	if err != nil {
		return done, fmt.Errorf("forget positions: %w", err)
	}
	for _, c := range weekly {
		if c.Before == nil || !database.IsHere(ctx, h.database, c.TenantID) {
			continue
		}
		if err := h.forgetBlocks(ctx, c, &done); err != nil {
			return done, fmt.Errorf("forget blocks of positions: %w", err)
		}
	}
	return done, nil
}

// byWeek moves cuts to the starts of their weeks.
func byWeek(cuts []Cut) []Cut {
	weekly := make([]Cut, len(cuts))
	for i, c := range cuts {
		weekly[i] = c
		if c.Before != nil {
			start := drover.Milli(weekOf(c.Before.UnixMilli()) * weekMillis)
			weekly[i].Before = &start
		}
	}
	return weekly
}

// DropWeeks drops the partitions in which no one keeps a position any more, and those before a time
// that have nothing in them. It needs all servers.
func (h *History) DropWeeks(ctx context.Context, cuts []Cut, packed time.Time) (dropped int, err error) {
	expired, err := h.on.dropExpired(ctx, byWeek(cuts))
	if err != nil {
		return expired, fmt.Errorf("drop weeks of positions: %w", err)
	}
	empty, err := h.on.dropEmpty(ctx, packed.UnixMilli())
	return expired + empty, err
}

// forgetAtOnce bounds the blocks that one transaction deletes.
const forgetAtOnce = 500

// forgetBlocks deletes a tenant's blocks before a cut. None lies across it: a cut is
// the start of a day.
func (h *History) forgetBlocks(ctx context.Context, c Cut, done *Forgotten) error {
	for n := forgetAtOnce; n == forgetAtOnce; {
		var rows []int64
		err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			found, err := tx.Write("position_block").QueryContext(ctx, `DELETE FROM position_block WHERE tenant_id = $1 AND (device_id, first) IN (
				SELECT device_id, first FROM position_block WHERE tenant_id = $1 AND first < $2 LIMIT $3) RETURNING rows`, c.TenantID, c.Before,
				forgetAtOnce)
			rows, err = database.ReadAll(found, err, "delete blocks", func(row database.Scanner) (int64, error) {
				var n int64
				return n, row.Scan(&n)
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, r := range rows {
			done.Rows += r
		}
		n = len(rows)
		done.Blocks += n
	}
	return h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		_, err := tx.Write("packed_day").ExecContext(ctx, `DELETE FROM packed_day WHERE tenant_id = $1 AND day < $2`, c.TenantID, c.Before)
		return err
	})
}
