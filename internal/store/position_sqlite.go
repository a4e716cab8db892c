package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// sqliteRows is the number of positions that one statement inserts.
const sqliteRows = 64

// deviceKey is a device's id in its 16 bytes. An id that is none has no
// positions.
func deviceKey(id string) []byte {
	key, err := uuid.Parse(id)
	if err != nil {
		return nil
	}
	return key[:]
}

func (d *sqliteDB) selectPositions(r PositionRange) (string, []any) {
	return `SELECT ` + positionColumns + ` FROM position WHERE device = $1`, []any{deviceKey(r.DeviceID)}
}

// addPositions inserts many rows with one statement. Where all of them were new,
// which is the common case, that is all; otherwise the rows of that statement
// are told apart by what was there before.
func (d *sqliteDB) addPositions(ctx context.Context, q querier, _ string, positions []Position) ([]bool, error) {
	fresh := make([]bool, len(positions))
	for start := 0; start < len(positions); start += sqliteRows {
		chunk := positions[start:min(start+sqliteRows, len(positions))]
		known, err := d.known(ctx, q, chunk)
		if err != nil {
			return nil, err
		}
		args := make([]any, 0, len(chunk)*11)
		for i, p := range chunk {
			key := positionKey{p.DeviceID, p.Time.UnixMilli()}
			fresh[start+i] = !known[key]
			known[key] = true
			args = append(args, deviceKey(p.DeviceID), p.Time, p.Latitude, p.Longitude, p.Heading, p.SpeedKPH, p.OdometerMetres, p.Ignition, p.Auxiliary, p.DriverID, suspectColumn(p.Suspect))
		}
		_, err = q.ExecContext(ctx, `INSERT INTO position (device, `+positionColumns+`) VALUES `+tuples(len(chunk), 11)+` ON CONFLICT DO NOTHING`, args...)
		if err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

type positionKey struct {
	device string
	time   int64
}

// known tells which of the positions are stored.
func (d *sqliteDB) known(ctx context.Context, q querier, chunk []Position) (map[positionKey]bool, error) {
	args := make([]any, 0, len(chunk)*2)
	for _, p := range chunk {
		args = append(args, deviceKey(p.DeviceID), p.Time)
	}
	rows, err := q.QueryContext(ctx, `SELECT device, time FROM position WHERE (device, time) IN (VALUES `+tuples(len(chunk), 2)+`)`, args...)
	known := map[positionKey]bool{}
	_, err = collect(rows, err, "look for known positions", func(row scanner) (struct{}, error) {
		var key uuid.UUID
		var bytes []byte
		var at int64
		if err := row.Scan(&bytes, &at); err != nil {
			return struct{}{}, err
		}
		copy(key[:], bytes)
		known[positionKey{key.String(), at}] = true
		return struct{}{}, nil
	})
	return known, err
}

// tuples is ($1,$2),($3,$4)… for n rows of width parameters.
func tuples(n, width int) string {
	var b strings.Builder
	for i := range n * width {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%width == 0:
			b.WriteString("),(")
		default:
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteByte(')')
	return b.String()
}
