package store

import (
	"context"
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

// addPositions inserts many rows with one statement.
func (d *sqliteDB) addPositions(ctx context.Context, q querier, _ string, positions []Position) ([]bool, error) {
	fresh := make([]bool, len(positions))
	for next := 0; next < len(positions); {
		added, repeated, err := d.addChunk(ctx, q, positions[next:min(next+sqliteRows, len(positions))])
		if err != nil {
			return nil, err
		}
		for range added {
			fresh[next] = true
			next++
		}
		if repeated {
			next++
		}
	}
	return fresh, nil
}

// addChunk inserts rows up to the first that is there already, and tells how many.
// A statement that could be undone would copy each page before it writes to it.
func (d *sqliteDB) addChunk(ctx context.Context, q querier, chunk []Position) (added int, repeated bool, err error) {
	args := make([]any, 0, len(chunk)*11)
	for _, p := range chunk {
		args = append(args, deviceKey(p.DeviceID), p.Time.UnixMilli(), p.Latitude, p.Longitude, p.Heading, p.SpeedKPH, p.OdometerMetres, p.Ignition, p.Auxiliary, p.DriverID, suspectColumn(p.Suspect))
	}
	_, err = q.ExecContext(ctx, `INSERT OR FAIL INTO position (device, `+positionColumns+`) VALUES `+d.tuples(len(chunk), 11), args...)
	if d.exists(err) {
		return added, true, q.QueryRowContext(ctx, `SELECT changes()`).Scan(&added)
	}
	return len(chunk), false, err
}

func (d *sqliteDB) markPositions(ctx context.Context, q querier, _ string, marks []PositionMark) error {
	for _, m := range marks {
		_, err := q.ExecContext(ctx, `UPDATE position SET suspect = $1 WHERE device = $2 AND time = $3`, suspectColumn(m.Suspect), deviceKey(m.DeviceID), m.Time.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// tuples is (?,?),(?,?)… for n rows of width parameters. SQLite looks a numbered
// parameter up among all of them, which for hundreds costs more than the insert.
func (d *sqliteDB) tuples(n, width int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	return strings.TrimSuffix(strings.Repeat(row+",", n), ",")
}
