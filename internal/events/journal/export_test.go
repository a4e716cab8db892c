package journal

import (
	"context"

	"github.com/drover-fleet/drover/internal/store/work"
)

// Take is the first half of a relay's work: a crash may follow it.
func (r *Relay) Take(ctx context.Context, route work.Route) (work.Taken, error) {
	taken, _, err := r.take(ctx, route)
	return taken, err
}
