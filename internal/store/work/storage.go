package work

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
)

const (
	// sampledEvents is the number of newest events of which the size is looked at.
	sampledEvents = 500
	// eventOverhead is what an event takes besides its data, with its index.
	eventOverhead = 250
)

// EventStorage says what a tenant's feed takes.
func (q FeedReader) EventStorage(ctx context.Context, tenantID string) (s drover.EventStorage, err error) {
	var border, blocks int64
	if err := q.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(blocks_to), 0) FROM event_sequence WHERE tenant_id = $1`,
		tenantID).Scan(&border); err != nil {
		return s, fmt.Errorf("read how far events lie in blocks: %w", err)
	}
	err = q.db.QueryRowContext(ctx, `SELECT COALESCE(SUM(length(data) + $2), 0) FROM event_block WHERE tenant_id = $1`, tenantID,
		eventOverhead).Scan(&blocks)
	if err != nil {
		return s, fmt.Errorf("sum up blocks of events: %w", err)
	}
	s.Bytes = blocks
	for _, part := range []string{`sequence <= $2`, `sequence > $2`} { // most of the older ones have their data in blocks
		var rows int64
		if err := q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM event WHERE tenant_id = $1 AND `+part, tenantID,
			border).Scan(&rows); err != nil {
			return s, fmt.Errorf("count events: %w", err)
		}
		var each float64
		err = q.db.QueryRowContext(ctx, `SELECT COALESCE(AVG(size), 0) FROM (SELECT length(data) + COALESCE(length(packed), 0) AS size FROM event WHERE tenant_id = $1 AND `+part+`
			ORDER BY sequence DESC LIMIT $3) AS newest`, tenantID, border, sampledEvents).Scan(&each)
		if err != nil {
			return s, fmt.Errorf("look at events: %w", err)
		}
		s.Rows += rows
		s.Bytes += rows * (int64(each) + eventOverhead)
	}
	return s, nil
}
