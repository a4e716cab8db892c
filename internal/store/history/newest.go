package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/memory/arena"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
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

	texts     arena.Of[string]
	times     arena.Of[drover.Time]
	positions arena.Of[drover.Position]
}

// ReadNewest appends the devices that a query finds, with the columns id, connection_id,
// description, registration, state, state_since, position, and what the asker may read of
// the connection.
func ReadNewest(ctx context.Context, db database.Reader, to []NewestPosition, query string, args []any) ([]NewestPosition, error) {
	d := newestDecoder{devices: to}
	if err := d.read(ctx, db, query, args); err != nil {
		return nil, fmt.Errorf("read newest positions: %w", err)
	}
	return d.devices, nil
}

func (d *newestDecoder) read(ctx context.Context, db database.Reader, query string, args []any) error {
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
	rows, err := db.QueryContext(ctx, query, args...)
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
	var state *string
	for i, to := range [...]**string{&n.Description, &n.Registration, &state} {
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
	if since, ok := v[5].(int64); ok {
		n.StateSince = d.times.Keep(drover.Milli(since))
	}
	if position, _ := v[6].([]byte); len(position) > 0 {
		p, err := d.reader.Read(position)
		if err != nil {
			return n, err
		}
		n.Position = d.positions.Keep(drover.Grant(grant).Position(p))
	}
	return n, nil
}
