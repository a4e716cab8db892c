package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover/internal/store/database"
)

func (d *onPostgres) selectPositions(r Range) (string, []any) {
	return `SELECT ` + positionColumns + ` FROM position WHERE tenant_id = $1 AND device_id = $2`, []any{r.TenantID, r.DeviceID}
}

func (d *onPostgres) deletePositions(of device, first, last int64) (string, []any) {
	return `DELETE FROM position WHERE tenant_id = $1 AND device_id = $2 AND time >= $3 AND time <= $4`, []any{of.tenant, of.id, first, last}
}

// hasRowsBefore asks device by device (OFFSET 0): joined, PostgreSQL would go through the
// positions of all devices for some of them.
func (d *onPostgres) hasRowsBefore(time, and string) string {
	return `EXISTS (SELECT 1 FROM position p WHERE p.tenant_id = d.tenant_id AND p.device_id = d.id AND p.time < ` + time + and + ` OFFSET 0)`
}

func (d *onPostgres) countPositions() (string, int64) {
	return `SELECT COUNT(*) FROM position WHERE tenant_id = $1`, 190
}

// addPositions sends the columns as arrays, which is one round trip for any
// number of rows.
func (d *onPostgres) addPositions(ctx context.Context, tx *database.Tx, tenantID string, positions []Position) ([]bool, error) {
	if err := d.ensurePartitions(ctx, tx, positions); err != nil {
		return nil, err
	}
	c := newPositionColumns(positions)
	rows, err := tx.Write("position").QueryContext(ctx, `INSERT INTO position (tenant_id, device_id, `+positionColumns+`)
		SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[], $8::float8[],
		$9::bool[], $10::bool[], $11::text[], $12::text[])
		ON CONFLICT DO NOTHING RETURNING device_id, time`,
		tenantID, c.device, c.time, c.latitude, c.longitude, c.heading, c.speed, c.odometer, c.ignition, c.auxiliary, c.driver, c.suspect)
	type key struct {
		device string
		time   int64
	}
	stored := make(map[key]bool, len(positions))
	_, err = database.ReadAll(rows, err, "insert", func(row database.Scanner) (struct{}, error) {
		var k key
		err := row.Scan(&k.device, &k.time)
		stored[k] = true
		return struct{}{}, err
	})
	if database.State(err) == database.CheckViolation { // a partition that was taken for made is missing
		d.partitions.Clear()
		return nil, errors.Join(database.ErrAgain, err)
	}
	fresh := make([]bool, len(positions))
	for i, p := range positions {
		k := key{p.DeviceID, p.Time.UnixMilli()}
		fresh[i] = stored[k]
		delete(stored, k)
	}
	return fresh, err
}

// markPositions is one round trip. The bounds of time spare it the partitions that
// no mark falls into.
func (d *onPostgres) markPositions(ctx context.Context, tx *database.Tx, tenantID string, marks []Mark) error {
	var device []string
	var at []int64
	var suspect []*string
	for _, m := range marks {
		device, at, suspect = append(device, m.DeviceID), append(at, m.Time.UnixMilli()), append(suspect, suspectColumn(m.Suspect))
	}
	_, err := tx.Write("position").ExecContext(ctx, `UPDATE position p SET suspect = m.suspect FROM unnest($2::uuid[], $3::bigint[], $4::text[]) AS m (device_id, time, suspect)
		WHERE p.tenant_id = $1 AND p.device_id = m.device_id AND p.time = m.time AND p.time >= $5 AND p.time <= $6`,
		tenantID, device, at, suspect, slices.Min(at), slices.Max(at))
	return err
}

// positionArrays are the columns of a batch.
type positionArrays struct {
	device                   []string
	time                     []int64
	latitude, longitude      []float64
	heading, speed, odometer []*float64
	ignition, auxiliary      []*bool
	driver, suspect          []*string
}

func newPositionColumns(positions []Position) positionArrays {
	var c positionArrays
	for _, p := range positions {
		c.device = append(c.device, p.DeviceID)
		c.time = append(c.time, p.Time.UnixMilli())
		c.latitude = append(c.latitude, p.Latitude)
		c.longitude = append(c.longitude, p.Longitude)
		c.heading = append(c.heading, p.Heading)
		c.speed = append(c.speed, p.SpeedKPH)
		c.odometer = append(c.odometer, p.OdometerMetres)
		c.ignition = append(c.ignition, p.Ignition)
		c.auxiliary = append(c.auxiliary, p.Auxiliary)
		c.driver = append(c.driver, p.DriverID)
		c.suspect = append(c.suspect, suspectColumn(p.Suspect))
	}
	return c
}

// ensurePartitions makes the partitions that the positions fall into and
// remembers them. Where the transaction fails after all, they are not there: the
// next insert says so, forgets what was remembered and asks to be run again.
//
// A suspect position makes none, because its time may be rubbish, and a device
// with a broken clock would make thousands: it goes to the partition of its week
// if there is one, and to the default one otherwise.
func (d *onPostgres) ensurePartitions(ctx context.Context, tx *database.Tx, positions []Position) error {
	var wanted []int64
	for _, p := range positions {
		week := weekOf(p.Time.UnixMilli())
		if _, known := d.partitions.Load(week); known || p.Suspect != "" {
			continue
		}
		if d.Distributed() {
			wanted = append(wanted, week)
			continue
		}
		if err := makePartition(ctx, tx, week); err != nil {
			return fmt.Errorf("make partition: %w", err)
		}
		d.partitions.Store(week, true)
	}
	return d.wantWeeks(ctx, tx, wanted)
}

// wantWeeks wants partitions to be there. Where tenants lie on several servers, each of them makes
// them, which the transaction of a tenant cannot have them do.
func (d *onPostgres) wantWeeks(ctx context.Context, tx *database.Tx, weeks []int64) error {
	var missing []int64
	slices.Sort(weeks)
	for _, week := range slices.Compact(weeks) {
		var there bool
		if err := tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, partitionName(week)).Scan(&there); err != nil {
			return fmt.Errorf("look for a partition: %w", err)
		}
		if there {
			d.partitions.Store(week, true)
		} else {
			missing = append(missing, week)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return database.AgainAfter(func(ctx context.Context) error { return d.makeWeeks(ctx, missing...) })
}

func (d *onPostgres) makeWeeks(ctx context.Context, weeks ...int64) error {
	ctx = database.AtNone(ctx)
	return d.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		for _, week := range weeks {
			if err := makePartition(ctx, tx, week); err != nil {
				return err
			}
		}
		return nil
	})
}

// makePartition makes the partition of a week, unless it is there, and moves what
// the default one has of that week. The lock stops others who make a partition;
// readers and writers go on.
func makePartition(ctx context.Context, tx *database.Tx, week int64) error {
	name, from, to := partitionName(week), week*weekMillis, (week+1)*weekMillis
	for _, lock := range []string{"", `LOCK TABLE ONLY position IN SHARE UPDATE EXCLUSIVE MODE`} {
		if lock != "" {
			if _, err := tx.Write("position").ExecContext(ctx, lock); err != nil {
				return err
			}
		}
		var there bool
		if err := tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there); err != nil || there {
			return err
		}
	}
	for _, statement := range []string{
		fmt.Sprintf(`CREATE TABLE %s (LIKE position)`, name),
		// what was rebuilt is seldom added to
		fmt.Sprintf(`ALTER TABLE %s ADD PRIMARY KEY (tenant_id, device_id, time) WITH (fillfactor = 100)`, name),
		fmt.Sprintf(`WITH moved AS (DELETE FROM position_default WHERE time >= %d AND time < %d RETURNING *) INSERT INTO %s SELECT * FROM moved`, from, to, name),
		fmt.Sprintf(`ALTER TABLE position ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, name, from, to),
	} {
		if _, err := tx.Write("position").ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func partitionName(week int64) string {
	if week < 0 {
		return fmt.Sprintf("position_before_%d", -week)
	}
	return fmt.Sprintf("position_%d", week)
}
