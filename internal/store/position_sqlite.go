package store

import (
	"bytes"
	"context"
	"database/sql"
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
	for start := 0; start < len(positions); start += sqliteRows {
		end := min(start+sqliteRows, len(positions))
		if err := d.addChunk(ctx, q, positions[start:end], fresh[start:end]); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// addChunk takes all for new, as they are but for what a vendor repeats, and stops
// at the first that is not: a statement that could be undone would copy each page
// before it writes to it. What is left is for the slower one, which tells.
func (d *sqliteDB) addChunk(ctx context.Context, q querier, chunk []Position, fresh []bool) error {
	args := make([]any, 0, len(chunk)*11)
	for _, p := range chunk {
		args = append(args, deviceKey(p.DeviceID), p.Time.UnixMilli(), p.Latitude, p.Longitude, p.Heading, p.SpeedKPH, p.OdometerMetres, p.Ignition, p.Auxiliary, p.DriverID, suspectColumn(p.Suspect))
	}
	rows := ` INTO position (device, ` + positionColumns + `) VALUES ` + d.tuples(len(chunk), 11)
	added := len(chunk)
	_, err := q.ExecContext(ctx, `INSERT OR FAIL`+rows, args...)
	repeated := d.exists(err)
	if repeated {
		err = q.QueryRowContext(ctx, `SELECT changes()`).Scan(&added)
	}
	if err != nil {
		return err
	}
	for i := range added {
		fresh[i] = true
	}
	if !repeated {
		return nil
	}
	return d.addNew(ctx, q, `INSERT`+rows, args, chunk, fresh)
}

// addNew inserts those that are not there yet.
func (d *sqliteDB) addNew(ctx context.Context, q querier, insert string, args []any, chunk []Position, fresh []bool) error {
	rows, err := q.QueryContext(ctx, insert+` ON CONFLICT DO NOTHING RETURNING device, time`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	// New rows come back in the order in which they were given.
	i := 0
	for rows.Next() {
		var device sql.RawBytes
		var at int64
		if err := rows.Scan(&device, &at); err != nil {
			return err
		}
		for ; i < len(chunk); i++ {
			if chunk[i].Time.UnixMilli() == at && bytes.Equal(args[i*11].([]byte), device) {
				fresh[i] = true
				i++
				break
			}
		}
	}
	return rows.Err()
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
