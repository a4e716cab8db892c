package store

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// TripDriver is a trip that names its driver.
type TripDriver struct {
	DeviceID, ConnectionID string
	DriverID               string
	ByPositions            bool
	From, To               drover.Time
}

// TripsWithDriver reads the trips of a tenant's devices that begin in [from, to) and name their
// driver, by device and start, limit of them at most.
func (q TripsReader) TripsWithDriver(
	ctx context.Context,
	tenantID string,
	deviceIDs []string,
	from, to drover.Time,
	limit int,
) ([]TripDriver, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT t.device_id, t.connection_id, t.driver_id, t.driver_by_positions, t.start_time, t.end_time FROM trip t
		WHERE t.tenant_id = $1 AND t.device_id `+q.d.InList(2)+` AND t.start_time >= $3 AND t.start_time < $4 AND t.driver_id IS NOT NULL
		ORDER BY t.device_id, t.start_time LIMIT $5`, tenantID, q.d.List(deviceIDs), from, to, limit)
	return database.ReadAll(rows, err, "read trips with drivers", func(row database.Scanner) (t TripDriver, err error) {
		err = row.Scan(&t.DeviceID, &t.ConnectionID, &t.DriverID, &t.ByPositions, &t.From, &t.To)
		return t, err
	})
}

// DevicesDriven lists the devices of a connection whose trips that begin in [from, to) name
// a driver, limit of them at most.
func (q TripsReader) DevicesDriven(
	ctx context.Context,
	tenantID, connectionID, systemDriverID string,
	from, to drover.Time,
	limit int,
) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT t.device_id FROM trip t WHERE t.tenant_id = $1 AND t.driver_id = $2 AND t.start_time >= $3
		AND t.start_time < $4 AND t.connection_id = $5 ORDER BY t.device_id LIMIT $6`, tenantID, systemDriverID, from, to, connectionID, limit)
	return database.ReadAll(rows, err, "list devices of a driver", func(row database.Scanner) (id string, err error) {
		err = row.Scan(&id)
		return id, err
	})
}

// DriversBySystemID finds the records of drivers of a connection by the provider's ids.
func (q DriversReader) DriversBySystemID(
	ctx context.Context,
	tenantID, connectionID string,
	systemDriverIDs []string,
) (map[string]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.system_driver_id, d.id FROM driver d WHERE d.tenant_id = $1 AND d.connection_id = $2
		AND d.system_driver_id `+q.d.InList(3), tenantID, connectionID, q.d.List(systemDriverIDs))
	ids := map[string]string{}
	_, err = database.ReadAll(rows, err, "find drivers", func(row database.Scanner) (struct{}, error) {
		var system, id string
		err := row.Scan(&system, &id)
		ids[system] = id
		return struct{}{}, err
	})
	return ids, err
}
