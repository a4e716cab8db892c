package store

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
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
		if n.Sequence, err = q.LastEvent(ctx, asker); err != nil {
			return err
		}
		n.Devices, err = q.newestPositions(ctx, asker, f)
		return err
	})
	return n, err
}

func (q queries) newestPositions(ctx context.Context, asker string, f drover.NewestFilter) ([]NewestPosition, error) {
	w := where{args: []any{asker, q.present()}, parts: []string{visiblePositions("d", "connection_id")}}
	w.anyID(q.d, "d.connection_id", f.ConnectionIDs)
	w.anyID(q.d, "d.id", f.DeviceIDs)
	w.anyTag(q.d, f.Tags)
	if f.UpdatedSince != nil {
		w.add("l.position_time >= $%d", *f.UpdatedSince)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.description, d.registration, l.position, l.state, l.state_since, CASE WHEN d.tenant_id = $1 THEN 7 ELSE `+sharedColumn("d.tenant_id", "d.connection_id", 2)+` END
		FROM device d LEFT JOIN device_latest l ON l.tenant_id = d.tenant_id AND l.device_id = d.id`+w.sql()+` ORDER BY d.id`, w.args...)
	return collect(rows, err, "read newest positions", scanNewest)
}

func scanNewest(row scanner) (NewestPosition, error) {
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
	p, err := readPosition(*position)
	n.Position = new(grant.Position(p))
	return n, err
}
