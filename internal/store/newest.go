package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// NewestPosition is a device with its newest position, as far as maps show it.
type NewestPosition = history.NewestPosition

// Newest is the newest positions of the devices that a tenant sees, at one moment:
// when Sequence was the newest event of its feed.
type Newest struct {
	Sequence int64
	Devices  []NewestPosition
}

// NewestPositions reads the newest positions of the devices that asker may see, by
// id. State and box of the filter are not looked at.
func (s *Store) NewestPositions(ctx context.Context, asker string, f drover.NewestFilter) (Newest, error) {
	var n Newest
	err := s.database.View(ctx, func(r database.Reader) error {
		q := s.queries
		q.db = r
		var err error
		if n.Sequence, err = s.Feed.At(r).LastEvent(ctx, asker); err != nil {
			return err
		}
		n.Devices, err = q.newestPositions(ctx, asker, f)
		return err
	})
	if err != nil || !s.database.Distributed() {
		return n, err
	}
	// Those of others come after: there is no state of several servers, and to know more than the
	// sequence says is no harm.
	err = s.eachPart(ctx, asker, func(ctx context.Context, p part) (err error) {
		if p.shared {
			n.Devices, err = s.sharedPositions(ctx, p, n.Devices, f)
		}
		return err
	})
	return n, err
}

// newestPositions reads the asker's own devices, and those that are shared with it,
// each by the keys of their tenant: one condition for both goes through all devices of
// all tenants.
func (q queries) newestPositions(ctx context.Context, asker string, f drover.NewestFilter) ([]NewestPosition, error) {
	p := q.all(asker)
	p.apart = q.d.Distributed()
	own := database.Where{Args: []any{asker}, Parts: []string{`d.tenant_id = $1`}}
	devices, err := q.newestOf(ctx, p, nil, `15 FROM device d`, own, f)
	if err != nil || p.apart {
		return devices, err
	}
	return q.sharedPositions(ctx, p.half(false), devices, f)
}

// sharedPositions adds those of others that are shared with the asker.
func (q queries) sharedPositions(ctx context.Context, p part, devices []NewestPosition, f drover.NewestFilter) ([]NewestPosition, error) {
	shared := p.where(shares() + ` AND cs.positions = TRUE` + p.only("cs.tenant_id") + p.only("d.tenant_id"))
	n := len(devices)
	devices, err := q.newestOf(ctx, p, devices, grantColumn+
		` FROM connection_share cs JOIN device d ON d.tenant_id = cs.tenant_id AND d.connection_id = cs.connection_id`, shared, f)
	if len(devices) > n {
		slices.SortFunc(devices, func(a, b NewestPosition) int { return strings.Compare(a.DeviceID, b.DeviceID) })
	}
	return devices, err
}

// newestOf appends the devices of a source, with what it gives of their positions.
func (q queries) newestOf(
	ctx context.Context,
	p part,
	to []NewestPosition,
	source string,
	w database.Where,
	f drover.NewestFilter,
) ([]NewestPosition, error) {
	w.AnyID(q.d, "d.connection_id", f.ConnectionIDs)
	w.AnyID(q.d, "d.id", f.DeviceIDs)
	anyTag(&w, q.d, f.Tags, p)
	if f.UpdatedSince != nil {
		w.Add("l.position_time >= $%d", *f.UpdatedSince)
	}
	return history.ReadNewest(ctx, q.db, to, `SELECT d.id, d.connection_id, d.description, d.registration, l.state, l.state_since, l.position, `+source+`
		LEFT JOIN device_latest l ON l.tenant_id = d.tenant_id AND l.device_id = d.id`+w.SQL()+` ORDER BY `+p.by("d.id"), w.Args)
}

// LatestPosition reads the newest position of a device.
func (q FleetReader) LatestPosition(ctx context.Context, tenantID, deviceID string) (drover.Position, error) {
	var stored []byte
	err := q.db.QueryRowContext(ctx, `SELECT position FROM device_latest WHERE tenant_id = $1 AND device_id = $2`, tenantID,
		deviceID).Scan(&stored)
	if err != nil {
		return drover.Position{}, database.Found(err, "read latest position")
	}
	if len(stored) == 0 { // only trips are known of it
		return drover.Position{}, ErrNotFound
	}
	p, err := pack.ReadPosition(stored)
	if err != nil {
		return drover.Position{}, fmt.Errorf("read latest position: %w", err)
	}
	return p, nil
}
