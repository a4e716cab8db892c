package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// perDay is a position every 30 seconds.
const perDay = 2880

// packedPast is what all devices of a tenant did before, packed: the same of each, so
// that the database copies the blocks of the first one.
type packedPast struct {
	tenant, device string
	days           int
	end            time.Time // of the last of them, the start of a day
	border         time.Time // before which others may be packed too
}

// fill stores the blocks, and returns how many positions each device has. The store must
// be closed.
func (p packedPast) fill(ctx context.Context, o store.Options) (each int, err error) {
	b, err := fill.Open(o.Path, o.URL)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	fleet := sim.New(sim.Options{Seed: 15, Vehicles: 1, Interval: 30 * time.Second, Heartbeat: 30 * time.Second})
	for n := range p.days {
		start := p.end.AddDate(0, 0, n-p.days)
		var rows []drover.StoredPosition
		for _, s := range fleet.Positions(fleet.Vehicles()[0], start, start.AddDate(0, 0, 1)) {
			rows = append(rows, drover.StoredPosition{Position: s.Position})
		}
		data, err := pack.Encode(rows)
		if err != nil {
			return 0, err
		}
		each += len(rows)
		_, err = b.DB.ExecContext(ctx, `INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) VALUES ($1, $2, $3, $4, $5, $6)`,
			p.tenant, p.device, rows[0].Time.UnixMilli(), rows[len(rows)-1].Time.UnixMilli(), len(rows), data)
		if err != nil {
			return 0, fmt.Errorf("fill the database: %w", err)
		}
	}
	device := fill.IDText(b.Postgres, p.device)
	err = b.Run(ctx,
		`INSERT INTO packed_day (tenant_id, day, changed_at) SELECT tenant_id, first - first % 86400000, 0 FROM position_block`,
		`INSERT INTO position_block (tenant_id, device_id, first, last, rows, data) SELECT b.tenant_id, d.id, b.first, b.last, b.rows, b.data
			FROM device d CROSS JOIN position_block b WHERE b.device_id = `+device+` AND d.id <> `+device+
			` AND d.tenant_id = b.tenant_id ORDER BY d.id, b.first`,
		fmt.Sprintf(`UPDATE packed_before SET time = %d, since = 0`, p.border.UnixMilli()))
	if err != nil {
		return 0, err
	}
	return each, b.Settle(ctx)
}
