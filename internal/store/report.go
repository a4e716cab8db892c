package store

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// TimeUse sums up by vehicle the valid trips that start in [from, to) and that asker
// may see, by registration number and plate.
func (q queries) TimeUse(ctx context.Context, asker string, from, to drover.Time) ([]drover.TimeUseRow, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT c.abn, c.business_name, c.id, d.id, d.registration, d.description, s.trips, s.driving, s.idling, s.auxiliary, s.unknown
		FROM (SELECT t.tenant_id, t.connection_id, t.device_id, COUNT(*) AS trips, SUM(t.driving_seconds) AS driving, SUM(t.idling_seconds) AS idling,
			SUM(t.auxiliary_seconds) AS auxiliary,
			SUM(CASE WHEN t.driving_seconds IS NULL OR t.idling_seconds IS NULL OR t.auxiliary_seconds IS NULL THEN 1 ELSE 0 END) AS unknown
			FROM trip t WHERE `+visible("t", "connection_id")+` AND t.start_time >= $3 AND t.start_time < $4 AND t.is_valid = TRUE
			GROUP BY t.tenant_id, t.connection_id, t.device_id) s
		JOIN connection c ON c.tenant_id = s.tenant_id AND c.id = s.connection_id
		JOIN device d ON d.tenant_id = s.tenant_id AND d.id = s.device_id
		ORDER BY COALESCE(c.abn, ''), c.business_name, c.id, COALESCE(d.registration, ''), d.id`, asker, q.present(), from, to)
	return database.ReadAll(rows, err, "sum up time use", func(row database.Scanner) (drover.TimeUseRow, error) {
		var r drover.TimeUseRow
		return r, row.Scan(&r.ABN, &r.BusinessName, &r.ConnectionID, &r.DeviceID, &r.Registration, &r.Description,
			&r.Trips, &r.DrivingSeconds, &r.IdlingSeconds, &r.AuxiliarySeconds, &r.UnknownTrips)
	})
}

// InvalidTrips lists the trips that are not valid, start in [from, to) and that asker
// may see, oldest first.
func (q queries) InvalidTrips(ctx context.Context, asker string, from, to drover.Time, limit int) ([]drover.TimeUseTrip, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT t.id, t.device_id, c.abn, d.registration, t.start_time, t.end_time, t.duration_seconds, t.validation_comments
		FROM trip t JOIN connection c ON c.tenant_id = t.tenant_id AND c.id = t.connection_id
		JOIN device d ON d.tenant_id = t.tenant_id AND d.id = t.device_id
		WHERE `+visible("t", "connection_id")+` AND t.start_time >= $3 AND t.start_time < $4 AND t.is_valid = FALSE
		ORDER BY t.start_time, t.id LIMIT $5`, asker, q.present(), from, to, limit)
	return database.ReadAll(rows, err, "list invalid trips", func(row database.Scanner) (drover.TimeUseTrip, error) {
		var t drover.TimeUseTrip
		return t, row.Scan(&t.TripID, &t.DeviceID, &t.ABN, &t.Registration, &t.StartTime, &t.EndTime, &t.DurationSeconds, &t.Reason)
	})
}
