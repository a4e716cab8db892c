package queue

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

// EventStorage tells what a tenant's feed takes.
func (q Reader) EventStorage(ctx context.Context, tenantID string) (s drover.EventStorage, err error) {
	if err := q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM event WHERE tenant_id = $1`, tenantID).Scan(&s.Rows); err != nil {
		return s, fmt.Errorf("count events: %w", err)
	}
	var each float64
	err = q.db.QueryRowContext(ctx, `SELECT COALESCE(AVG(size), 0) FROM (SELECT length(data) + COALESCE(length(packed), 0) AS size FROM event WHERE tenant_id = $1
		ORDER BY sequence DESC LIMIT $2) AS newest`, tenantID, sampledEvents).Scan(&each)
	if err != nil {
		return s, fmt.Errorf("look at events: %w", err)
	}
	s.Bytes = s.Rows * (int64(each) + eventOverhead)
	return s, nil
}
