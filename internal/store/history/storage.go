package history

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
)

// blockOverhead is what a block takes besides its data: its keys, twice indexed.
const blockOverhead = 200

// growthDays is the number of packed days of which growth is the average.
const growthDays = 7

// Storage says what a tenant's positions take, and by how much they grow in a day.
func (q Reader) Storage(ctx context.Context, tenantID string) (s drover.PositionStorage, growth *int64, err error) {
	count, rowBytes := q.on.countPositions()
	if err := q.db.QueryRowContext(ctx, count, tenantID).Scan(&s.Rows); err != nil {
		return s, nil, fmt.Errorf("count positions: %w", err)
	}
	s.RowBytes = s.Rows * rowBytes
	var newest *int64
	err = q.db.QueryRowContext(ctx, `SELECT COALESCE(SUM(rows), 0), COUNT(*), COALESCE(SUM(length(data)), 0), MAX(first) FROM position_block WHERE tenant_id = $1`, tenantID).
		Scan(&s.Packed, &s.Blocks, &s.PackedBytes, &newest)
	if err != nil {
		return s, nil, fmt.Errorf("sum up blocks: %w", err)
	}
	if s.PackedBytes += s.Blocks * blockOverhead; newest == nil {
		return s, nil, nil
	}
	s.BytesPerPosition = new(float64(s.PackedBytes) / float64(s.Packed))
	var rows, bytes int64
	end := dayOf(*newest) + dayMillis
	err = q.db.QueryRowContext(ctx, `SELECT COALESCE(SUM(rows), 0), COALESCE(SUM(length(data)), 0) + COUNT(*) * $3 FROM position_block WHERE tenant_id = $1 AND first >= $2`,
		tenantID, end-growthDays*dayMillis, blockOverhead).Scan(&rows, &bytes)
	if err != nil {
		return s, nil, fmt.Errorf("sum up the newest blocks: %w", err)
	}
	s.PerDay = new(float64(rows) / growthDays)
	return s, new(bytes / growthDays), nil
}
