package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Driver is a stored driver with its owner. Edited names the fields that the tenant
// changed itself: collection leaves them alone.
type Driver struct {
	drover.Driver
	Access
	Edited []string
}

const driverColumns = `d.id, d.connection_id, d.system_driver_id, d.name, d.first_name, d.last_name, d.employee_number, d.email, d.phone,
	d.licence_number, d.licence_region, d.keys, d.active, d.tags, d.tenant_id, d.edited`

func scanDriver(row database.Scanner) (d Driver, err error) {
	var keys, tags, edited string
	err = row.Scan(&d.ID, &d.ConnectionID, &d.SystemDriverID, &d.Name, &d.FirstName, &d.LastName, &d.EmployeeNumber, &d.Email, &d.Phone,
		&d.LicenceNumber, &d.LicenceRegion, &keys, &d.Active, &tags, &d.TenantID, &edited, &d.Shared)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal([]byte(keys), &d.Keys); err != nil {
		return d, fmt.Errorf("read the keys of a driver: %w", err)
	}
	if d.Tags, err = database.ParseStrings(tags); err != nil {
		return d, err
	}
	d.Edited, err = database.ParseStrings(edited)
	return d, err
}

// Driver reads a driver as asker sees it.
func (q DriversReader) Driver(ctx context.Context, asker, id string) (Driver, error) {
	if !drover.IsID(id) {
		return Driver{}, ErrNotFound
	}
	d, err := scanDriver(q.db.QueryRowContext(ctx, `SELECT `+driverColumns+`, 0 FROM driver d WHERE d.tenant_id = $1 AND d.id = $2`, asker, id))
	if err = database.Found(err, "read driver"); !errors.Is(err, ErrNotFound) {
		return d, err
	}
	foreign := func(tenant, where string) string {
		return `SELECT ` + driverColumns + `, ` + sharedColumn(tenant, "d.connection_id", 3) + ` FROM driver d WHERE ` + where + ` AND d.id = $2`
	}
	if !q.d.Distributed() {
		d, err = scanDriver(q.db.QueryRowContext(ctx, foreign("d.tenant_id", `d.tenant_id <> $1`), asker, id, q.present()))
		return d, database.Found(err, "read driver")
	}
	owners, err := q.whose.Owners(ctx, asker)
	for _, owner := range owners {
		at := database.Ask(ctx, q.d.PlaceOf(owner))
		d, one := scanDriver(q.db.QueryRowContext(at, foreign("$4", `d.tenant_id = $4`), asker, id, q.present(), owner))
		if one = database.Found(one, "read driver"); one == nil {
			return d, nil
		} else if !errors.Is(one, ErrNotFound) {
			err = one // it may be another's
		}
	}
	if err == nil {
		err = ErrNotFound
	}
	return Driver{}, err
}

// DriverForUpdate reads a tenant's own driver and keeps others from changing it until the
// transaction ends.
func (tx DriversTx) DriverForUpdate(ctx context.Context, tenantID, id string) (Driver, error) {
	d, err := scanDriver(tx.db.QueryRowContext(ctx, `SELECT `+driverColumns+`, 0 FROM driver d WHERE d.tenant_id = $1 AND d.id = $2`+
		tx.d.ForUpdate(), tenantID, id))
	return d, database.Found(err, "read driver")
}

// Drivers lists the drivers that asker may see, by id, after the id given: its own, and
// those of connections that are shared with it together with who drives.
func (q DriversReader) Drivers(ctx context.Context, asker string, f drover.DriverFilter, after string, limit int) ([]drover.Driver, error) {
	list := recordList[drover.Driver]{
		fields: driverColumns, table: "driver", alias: "d", scope: "cs.drivers", doing: "list drivers",
		scan: func(row database.Scanner) (drover.Driver, error) {
			d, err := scanDriver(row)
			return d.Driver, err
		},
		id: func(d drover.Driver) string { return d.ID },
		where: func(w *database.Where, _ bool) {
			w.ID("d.connection_id =", f.ConnectionID)
			w.AnyID(q.d, "d.id", f.IDs)
			if f.SystemDriverID != "" {
				w.Add("d.system_driver_id = $%d", f.SystemDriverID)
			}
			if f.Tag != "" {
				w.Add("d.tags LIKE $%d ESCAPE '!'", tagPattern(f.Tag))
			}
			if f.Active != nil {
				w.Add("d.active = $%d", *f.Active)
			}
			w.Contains(f.Text, "d.name", "d.employee_number", "d.system_driver_id")
		},
	}
	return list.read(ctx, q.queries, asker, nil, after, limit)
}

// driverRow are the columns of a driver that is added.
var driverRow = []database.Column{
	database.ID("tenant_id"),
	database.ID("id"),
	database.ID("connection_id"),
	database.Text("system_driver_id"),
	database.Text("name"),
	database.Text("first_name"),
	database.Text("last_name"),
	database.Text("employee_number"),
	database.Text("email"),
	database.Text("phone"),
	database.Text("licence_number"),
	database.Text("licence_region"),
	database.Text("keys"),
	database.Flag("active"),
	database.Text("tags"),
	database.Text("edited"),
	database.Number("created_at"),
	database.Number("updated_at"),
}

// AddDrivers stores new drivers, by few statements.
func (tx DriversTx) AddDrivers(ctx context.Context, tenantID string, drivers []drover.Driver, now drover.Time) error {
	rows := make([][]any, len(drivers))
	for i, d := range drivers {
		rows[i] = []any{
			tenantID, d.ID, d.ConnectionID, d.SystemDriverID, d.Name, d.FirstName, d.LastName, d.EmployeeNumber, d.Email, d.Phone,
			d.LicenceNumber, d.LicenceRegion, formatKeys(d.Keys), d.Active, database.FormatStrings(d.Tags), "[]", now.UnixMilli(), now.UnixMilli(),
		}
	}
	if err := tx.tx.InsertRows(ctx, "driver", driverRow, rows, ""); err != nil {
		return fmt.Errorf("add drivers: %w", err)
	}
	return nil
}

// formatKeys writes keys as JSON. Texts always marshal.
func formatKeys(keys []drover.DriverKey) string {
	if len(keys) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(keys)
	return string(text)
}

// SetDriver stores a changed driver.
func (tx DriversTx) SetDriver(ctx context.Context, d Driver, now drover.Time) error {
	_, err := tx.write("driver").ExecContext(ctx, `UPDATE driver SET system_driver_id = $3, name = $4, first_name = $5, last_name = $6,
		employee_number = $7, email = $8, phone = $9, licence_number = $10, licence_region = $11, keys = $12, active = $13, tags = $14,
		edited = $15, updated_at = $16 WHERE tenant_id = $1 AND id = $2`,
		d.TenantID, d.ID, d.SystemDriverID, d.Name, d.FirstName, d.LastName, d.EmployeeNumber, d.Email, d.Phone, d.LicenceNumber,
		d.LicenceRegion, formatKeys(d.Keys), d.Active, database.FormatStrings(d.Tags), database.FormatStrings(d.Edited), now)
	if err != nil {
		return fmt.Errorf("set driver: %w", err)
	}
	return nil
}

// DriversNamed reads the drivers of a connection with the provider's ids given, by that
// id, and keeps others from changing them.
func (tx DriversTx) DriversNamed(ctx context.Context, tenantID, connectionID string, systemDriverIDs []string) (map[string]Driver, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+driverColumns+`, 0 FROM driver d
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND d.system_driver_id `+tx.d.InList(3)+` ORDER BY d.id`+tx.d.ForUpdate(),
		tenantID, connectionID, tx.d.List(systemDriverIDs))
	list, err := database.ReadAll(rows, err, "read drivers", scanDriver)
	drivers := make(map[string]Driver, len(list))
	for _, d := range list {
		drivers[d.SystemDriverID] = d
	}
	return drivers, err
}

// SeeDrivers notes that the provider listed drivers at the time given.
func (tx DriversTx) SeeDrivers(ctx context.Context, tenantID, connectionID string, systemDriverIDs []string, at drover.Time) error {
	_, err := tx.write("driver").ExecContext(ctx, `UPDATE driver SET seen_at = $3 WHERE tenant_id = $1 AND connection_id = $2 AND system_driver_id `+tx.d.InList(4),
		tenantID, connectionID, at, tx.d.List(systemDriverIDs))
	if err != nil {
		return fmt.Errorf("see drivers: %w", err)
	}
	return nil
}

// UnseenDrivers lists the active drivers of a connection that the provider has not listed
// since the time given.
func (tx DriversTx) UnseenDrivers(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]Driver, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+driverColumns+`, 0 FROM driver d
		WHERE d.tenant_id = $1 AND d.connection_id = $2 AND d.active = TRUE AND d.seen_at < $3 ORDER BY d.id`+tx.d.ForUpdate(), tenantID,
		connectionID, since)
	return database.ReadAll(rows, err, "list unseen drivers", scanDriver)
}

// CountDrivers counts the drivers of a connection, all of them and the active ones.
func (q DriversReader) CountDrivers(ctx context.Context, tenantID, connectionID string) (all, active int, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN active THEN 1 ELSE 0 END), 0) FROM driver
		WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID).Scan(&all, &active)
	return all, active, database.Found(err, "count drivers")
}

// ForgetDriver leaves of a tenant's drivers with a provider's id the pseudonym alone, and
// returns them as they are then: each connection may have one.
func (tx DriversTx) ForgetDriver(
	ctx context.Context,
	tenantID, systemDriverID, pseudonym string,
	now drover.Time,
) ([]drover.Driver, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+driverColumns+`, 0 FROM driver d WHERE d.tenant_id = $1 AND d.system_driver_id = $2 ORDER BY d.id`+
		tx.d.ForUpdate(), tenantID, systemDriverID)
	list, err := database.ReadAll(rows, err, "read drivers", scanDriver)
	if err != nil {
		return nil, err
	}
	erased := make([]drover.Driver, len(list))
	for i, d := range list {
		d.Driver, d.Edited = d.Erased(pseudonym), nil
		if err := tx.SetDriver(ctx, d, now); err != nil {
			return nil, err
		}
		erased[i] = d.Driver
	}
	return erased, nil
}

// EraseDrivers erases drivers of a connection, some at a time, and reports whether there
// are more.
func (tx DriversTx) EraseDrivers(ctx context.Context, tenantID, connectionID string) (more bool, err error) {
	res, err := tx.write("driver").ExecContext(ctx, `DELETE FROM driver WHERE tenant_id = $1 AND id IN (
		SELECT id FROM driver WHERE tenant_id = $1 AND connection_id = $2 LIMIT $3)`, tenantID, connectionID, work.EraseRows)
	if err != nil {
		return false, fmt.Errorf("erase drivers: %w", err)
	}
	n, err := res.RowsAffected()
	return n == work.EraseRows, err
}

// DriverCoverage counts the devices of a connection of whose trips since a time any names a
// driver, and says when the newest such trip began.
func (q TripsReader) DriverCoverage(
	ctx context.Context,
	tenantID, connectionID string,
	since drover.Time,
) (devices int, newest *drover.Time, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COUNT(DISTINCT device_id), MAX(start_time) FROM trip
		WHERE tenant_id = $1 AND connection_id = $2 AND start_time >= $3 AND driver_id IS NOT NULL`, tenantID, connectionID, since).Scan(&devices, &newest)
	return devices, newest, database.Found(err, "count devices with drivers")
}
