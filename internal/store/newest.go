package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
	"github.com/drover-fleet/drover/internal/pack"
)

// NewestPosition is a device with its newest position, as far as maps show it.
type NewestPosition struct {
	DeviceID, ConnectionID    string
	Description, Registration *string
	// Position is nil for a device that has none.
	Position *drover.Position
	// State is as it was last reported, empty where it is not known.
	State      drover.DeviceState
	StateSince *drover.Time
}

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
		if n.Sequence, err = s.At(r).LastEvent(ctx, asker); err != nil {
			return err
		}
		n.Devices, err = q.newestPositions(ctx, asker, f)
		return err
	})
	return n, err
}

func (q queries) newestPositions(ctx context.Context, asker string, f drover.NewestFilter) ([]NewestPosition, error) {
	w := database.Where{Args: []any{asker, q.present()}, Parts: []string{visiblePositions("d", "connection_id")}}
	w.AnyID(q.d, "d.connection_id", f.ConnectionIDs)
	w.AnyID(q.d, "d.id", f.DeviceIDs)
	anyTag(&w, q.d, f.Tags)
	if f.UpdatedSince != nil {
		w.Add("l.position_time >= $%d", *f.UpdatedSince)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.description, d.registration, l.position, l.state, l.state_since, CASE WHEN d.tenant_id = $1 THEN 7 ELSE `+sharedColumn("d.tenant_id", "d.connection_id", 2)+` END
		FROM device d LEFT JOIN device_latest l ON l.tenant_id = d.tenant_id AND l.device_id = d.id`+w.SQL()+` ORDER BY d.id`, w.Args...)
	return database.ReadAll(rows, err, "read newest positions", scanNewest)
}

func scanNewest(row database.Scanner) (NewestPosition, error) {
	var n NewestPosition
	var position, state *string
	var grant drover.Grant
	if err := row.Scan(&n.DeviceID, &n.ConnectionID, &n.Description, &n.Registration, &position, &state, &n.StateSince, &grant); err != nil {
		return n, err
	}
	if state != nil {
		n.State = drover.DeviceState(*state)
	}
	if position == nil || *position == "" {
		return n, nil
	}
	p, err := pack.ReadPosition(*position)
	n.Position = new(grant.Position(p))
	return n, err
}

// LatestPosition reads the newest position of a device.
func (q queries) LatestPosition(ctx context.Context, tenantID, deviceID string) (drover.Position, error) {
	var text string
	err := q.db.QueryRowContext(ctx, `SELECT position FROM device_latest WHERE tenant_id = $1 AND device_id = $2`, tenantID, deviceID).Scan(&text)
	if err != nil {
		return drover.Position{}, database.Found(err, "read latest position")
	}
	if text == "" { // only trips are known of it
		return drover.Position{}, ErrNotFound
	}
	p, err := pack.ReadPosition(text)
	if err != nil {
		return drover.Position{}, fmt.Errorf("read latest position: %w", err)
	}
	return p, nil
}
