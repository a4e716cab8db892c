package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
	"github.com/drover-fleet/drover/internal/pack"
	"github.com/drover-fleet/drover/internal/slab"
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

// newestPositions reads the asker's own devices, and those that are shared with it,
// each by the keys of their tenant: one condition for both goes through all devices of
// all tenants.
func (q queries) newestPositions(ctx context.Context, asker string, f drover.NewestFilter) ([]NewestPosition, error) {
	own := database.Where{Args: []any{asker}, Parts: []string{`d.tenant_id = $1`}}
	devices, err := q.newestOf(ctx, nil, `7 FROM device d`, own, f)
	if err != nil {
		return nil, err
	}
	shared := database.Where{Args: []any{asker, q.present()}, Parts: []string{`cs.shared_with = $1 AND cs.positions = TRUE AND ` + activeShare(2)}}
	n := len(devices)
	devices, err = q.newestOf(ctx, devices, grantColumn+` FROM connection_share cs JOIN device d ON d.tenant_id = cs.tenant_id AND d.connection_id = cs.connection_id`, shared, f)
	if len(devices) > n {
		slices.SortFunc(devices, func(a, b NewestPosition) int { return strings.Compare(a.DeviceID, b.DeviceID) })
	}
	return devices, err
}

// newestOf appends the devices of a source, with what it gives of their positions.
func (q queries) newestOf(ctx context.Context, to []NewestPosition, source string, w database.Where, f drover.NewestFilter) ([]NewestPosition, error) {
	w.AnyID(q.d, "d.connection_id", f.ConnectionIDs)
	w.AnyID(q.d, "d.id", f.DeviceIDs)
	anyTag(&w, q.d, f.Tags)
	if f.UpdatedSince != nil {
		w.Add("l.position_time >= $%d", *f.UpdatedSince)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT d.id, d.connection_id, d.description, d.registration, l.position, l.state, l.state_since, `+source+`
		LEFT JOIN device_latest l ON l.tenant_id = d.tenant_id AND l.device_id = d.id`+w.SQL()+` ORDER BY d.id`, w.Args...)
	d := newestDecoder{devices: to}
	if err := d.read(rows, err); err != nil {
		return nil, fmt.Errorf("read newest positions: %w", err)
	}
	return d.devices, nil
}

// newestRow is a row of a fleet as the driver gives it: conversions of database/sql cost
// more than reading the row.
type newestRow [8]any

// newestBatch is the number of rows that are made into devices at once, beside the
// reading of those that follow.
const newestBatch = 256

// newestDecoder makes devices of the rows of a fleet. They are many: it makes room for
// what they hold of many at a time.
type newestDecoder struct {
	devices []NewestPosition
	reader  pack.PositionReader

	texts     slab.Of[string]
	times     slab.Of[drover.Time]
	positions slab.Of[drover.Position]
}

func (d *newestDecoder) read(rows *sql.Rows, err error) error {
	full, decoded := make(chan []newestRow), make(chan error, 1)
	go func() {
		var err error
		for batch := range full {
			if err == nil {
				err = d.add(batch)
			}
		}
		decoded <- err
	}()
	var v newestRow
	dest := make([]any, len(v))
	for i := range v {
		dest[i] = &v[i]
	}
	var batch []newestRow
	_, err = database.ReadAll(rows, err, "read", func(row database.Scanner) (struct{}, error) {
		if err := row.Scan(dest...); err != nil {
			return struct{}{}, err
		}
		if batch = append(batch, v); len(batch) == newestBatch {
			full <- batch
			batch = make([]newestRow, 0, newestBatch)
		}
		return struct{}{}, nil
	})
	full <- batch
	close(full)
	return errors.Join(err, <-decoded)
}

func (d *newestDecoder) add(batch []newestRow) error {
	if len(d.devices)+len(batch) > cap(d.devices) {
		d.devices = slices.Grow(d.devices, max(len(batch), len(d.devices)))
	}
	for i := range batch {
		n, err := d.device(&batch[i])
		if err != nil {
			return err
		}
		d.devices = append(d.devices, n)
	}
	return nil
}

// device makes a device of the columns.
func (d *newestDecoder) device(v *newestRow) (n NewestPosition, err error) {
	id, isID := v[0].(string)
	connection, isConnection := v[1].(string)
	grant, isGrant := v[7].(int64)
	if !isID || !isConnection || !isGrant {
		return n, fmt.Errorf("a device has the columns %T, %T and %T", v[0], v[1], v[7])
	}
	n.DeviceID, n.ConnectionID = id, connection
	var position, state *string
	for i, to := range [...]**string{&n.Description, &n.Registration, &position, &state} {
		switch text := v[2+i].(type) {
		case nil:
		case string:
			*to = d.texts.Keep(text)
		default:
			return n, fmt.Errorf("a text of a device is a %T", text)
		}
	}
	if state != nil {
		n.State = drover.DeviceState(*state)
	}
	if since, ok := v[6].(int64); ok {
		n.StateSince = d.times.Keep(drover.Milli(since))
	}
	if position != nil && *position != "" {
		p, err := d.reader.Read(*position)
		if err != nil {
			return n, err
		}
		n.Position = d.positions.Keep(drover.Grant(grant).Position(p))
	}
	return n, nil
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
