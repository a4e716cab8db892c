package collect

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// acceptTime is how long a notice waits for its connection.
const acceptTime = 10 * time.Second

// Accept stores positions that a vendor's notice carried, as part of what the
// connection collects: what was read already changes nothing. Those of devices that
// the vendor has never listed are left out, as notices need not be signed.
func (c *Collector) Accept(ctx context.Context, tenantID, connectionID string, records []provider.Position) error {
	ctx, cancel := context.WithTimeoutCause(ctx, acceptTime, errBusy)
	defer cancel()
	return c.holding(ctx, tenantID, connectionID, func(ctx context.Context, v *run) error { return v.accept(ctx, records) })
}

func (v *run) accept(ctx context.Context, records []provider.Position) error {
	jobs, err := v.c.opts.Store.Fleet.ConnectionJobs(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(jobs, livePositions)
	if i < 0 || !v.conn.Active {
		return nil
	}
	known, err := v.c.opts.Store.Fleet.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	if records = ofDevices(records, slices.Values(known)); len(records) == 0 {
		return nil
	}
	a, err := v.c.adapter(ctx, v.conn, v.info)
	if err != nil {
		return err
	}
	v.use(a)
	s := jobs[i]
	s.DueAt = drover.Time{} // trips stay open: more may come
	return v.keep(ctx, &s, records)
}

// ofDevices are the records of devices that are known. A notice may have thousands of records
// and a connection tens of thousands of devices: neither is gone through for each of the other.
func ofDevices(records []provider.Position, known iter.Seq[string]) []provider.Position {
	devices := map[string]bool{}
	for id := range known {
		devices[id] = true
	}
	return slices.DeleteFunc(records, func(r provider.Position) bool { return !devices[r.SystemDeviceID] })
}
