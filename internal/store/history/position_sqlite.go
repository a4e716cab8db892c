package history

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover/internal/store/database"
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

func (d *onSQLite) selectPositions(r Range) (string, []any) {
	return `SELECT ` + positionColumns + ` FROM position WHERE device = $1`, []any{deviceKey(r.DeviceID)}
}

func (d *onSQLite) deletePositions(of device, first, last int64) (string, []any) {
	return `DELETE FROM position WHERE device = $1 AND time >= $2 AND time <= $3`, []any{deviceKey(of.id), first, last}
}

func (d *onSQLite) hasRowsBefore(time, and string) string {
	return `EXISTS (SELECT 1 FROM position p WHERE p.device = unhex(d.id, '-') AND p.time < ` + time + and + `)`
}

func (d *onSQLite) countPositions() (string, int64) {
	return `SELECT COUNT(*) FROM device d JOIN position p ON p.device = unhex(d.id, '-') WHERE d.tenant_id = $1`, 75
}

// addPositions inserts many rows with one statement.
func (d *onSQLite) addPositions(ctx context.Context, tx *database.Tx, _ string, positions []Position) ([]bool, error) {
	fresh := make([]bool, len(positions))
	for start := 0; start < len(positions); start += sqliteRows {
		end := min(start+sqliteRows, len(positions))
		if err := d.addChunk(ctx, tx, positions[start:end], fresh[start:end]); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// addChunk takes all for new, as they are but for what a vendor repeats, and stops
// at the first that is not: a statement that could be undone would copy each page
// before it writes to it. What is left is for the slower one, which tells.
func (d *onSQLite) addChunk(ctx context.Context, tx *database.Tx, chunk []Position, fresh []bool) error {
	args := make([]any, 0, len(chunk)*11)
	for _, p := range chunk {
		args = append(args, deviceKey(p.DeviceID), p.Time.UnixMilli(), p.Latitude, p.Longitude, p.Heading, p.SpeedKPH, p.OdometerMetres,
			p.Ignition, p.Auxiliary, p.DriverID, suspectColumn(p.Suspect))
	}
	rows := ` INTO position (device, ` + positionColumns + `) VALUES ` + d.Tuples(len(chunk), 11)
	added := len(chunk)
	_, err := tx.Write("position").ExecContext(ctx, `INSERT OR FAIL`+rows, args...)
	repeated := d.IsDuplicate(err)
	if repeated {
		err = tx.QueryRowContext(ctx, `SELECT changes()`).Scan(&added)
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
	return d.addNew(ctx, tx, `INSERT`+rows, args, chunk, fresh)
}

// addNew inserts those that are not there yet.
func (d *onSQLite) addNew(ctx context.Context, tx *database.Tx, insert string, args []any, chunk []Position, fresh []bool) error {
	rows, err := tx.Write("position").QueryContext(ctx, insert+` ON CONFLICT DO NOTHING RETURNING device, time`, args...)
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

func (d *onSQLite) markPositions(ctx context.Context, tx *database.Tx, _ string, marks []Mark) error {
	for _, m := range marks {
		_, err := tx.Write("position").ExecContext(ctx, `UPDATE position SET suspect = $1 WHERE device = $2 AND time = $3`,
			suspectColumn(m.Suspect), deviceKey(m.DeviceID), m.Time.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// makeWeeks has nothing to do: all positions lie in one table.
func (d *onSQLite) makeWeeks(context.Context, ...int64) error { return nil }

func (d *onSQLite) weeks(context.Context) ([]int64, error) { return nil, nil }
