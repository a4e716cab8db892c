package store

import (
	"cmp"
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// TimeUse sums up by vehicle the valid trips that start in [from, to) and that asker
// may see, by registration number and plate.
func (q TripsReader) TimeUse(ctx context.Context, asker string, from, to drover.Time) ([]drover.TimeUseRow, error) {
	inOrder := func(a, b drover.TimeUseRow) int {
		return cmp.Or(cmp.Compare(textOf(a.ABN), textOf(b.ABN)), cmp.Compare(a.BusinessName, b.BusinessName),
			cmp.Compare(a.ConnectionID, b.ConnectionID), cmp.Compare(textOf(a.Registration), textOf(b.Registration)),
			cmp.Compare(a.DeviceID, b.DeviceID))
	}
	return readParts(ctx, q.queries, asker, 0, inOrder, func(ctx context.Context, p part) ([]drover.TimeUseRow, error) {
		return q.timeUse(ctx, p, from, to)
	})
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// timeUse is that of a part.
func (q queries) timeUse(ctx context.Context, p part, from, to drover.Time) ([]drover.TimeUseRow, error) {
	w := whichTrips(p, drover.TripFilter{From: &from, To: &to, Valid: new(true)})
	each := p.eachOwner(w.Where, "t", "connection_id", shares(), func(where string) string {
		return `SELECT t.tenant_id, t.connection_id, t.device_id, COUNT(*) AS trips, SUM(t.driving_seconds) AS driving, SUM(t.idling_seconds) AS idling,
			SUM(t.auxiliary_seconds) AS auxiliary,
			SUM(CASE WHEN t.driving_seconds IS NULL OR t.idling_seconds IS NULL OR t.auxiliary_seconds IS NULL THEN 1 ELSE 0 END) AS unknown
			FROM trip t` + where + ` GROUP BY t.tenant_id, t.connection_id, t.device_id`
	})
	rows, err := q.db.QueryContext(ctx, `SELECT c.abn, c.business_name, c.id, d.id, d.registration, d.description, s.trips, s.driving, s.idling, s.auxiliary, s.unknown
		FROM (`+each+`) AS s
		JOIN connection c ON c.tenant_id = s.tenant_id AND c.id = s.connection_id
		JOIN device d ON d.tenant_id = s.tenant_id AND d.id = s.device_id`+p.whereOnly("c.tenant_id", "d.tenant_id")+`
		ORDER BY COALESCE(c.abn, ''), c.business_name, c.id, COALESCE(d.registration, ''), d.id`, w.Args...)
	return database.ReadAll(rows, err, "sum up time use", func(row database.Scanner) (drover.TimeUseRow, error) {
		var r drover.TimeUseRow
		return r, row.Scan(&r.ABN, &r.BusinessName, &r.ConnectionID, &r.DeviceID, &r.Registration, &r.Description,
			&r.Trips, &r.DrivingSeconds, &r.IdlingSeconds, &r.AuxiliarySeconds, &r.UnknownTrips)
	})
}

// InvalidTrips lists the trips that are not valid, start in [from, to) and that asker
// may see, oldest first.
func (q TripsReader) InvalidTrips(ctx context.Context, asker string, from, to drover.Time, limit int) ([]drover.TimeUseTrip, error) {
	inOrder := func(a, b drover.TimeUseTrip) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime.Time), cmp.Compare(a.TripID, b.TripID))
	}
	return readParts(ctx, q.queries, asker, limit, inOrder, func(ctx context.Context, p part) ([]drover.TimeUseTrip, error) {
		return q.invalidTrips(ctx, p, from, to, limit)
	})
}

// invalidTrips lists those of a part.
func (q queries) invalidTrips(ctx context.Context, p part, from, to drover.Time, limit int) ([]drover.TimeUseTrip, error) {
	w := whichTrips(p, drover.TripFilter{From: &from, To: &to, Valid: new(false)})
	each := p.pageOfEach(&w.Where, "t", "connection_id", w.start+", t.id", limit, func(where string) string {
		return `SELECT t.tenant_id, t.connection_id, t.id, t.device_id, t.start_time, t.end_time, t.duration_seconds, t.validation_comments FROM trip t` + where
	})
	rows, err := q.db.QueryContext(ctx, `SELECT t.id, t.device_id, c.abn, d.registration, t.start_time, t.end_time, t.duration_seconds, t.validation_comments
		FROM (`+each+`) AS t JOIN connection c ON c.tenant_id = t.tenant_id AND c.id = t.connection_id
		JOIN device d ON d.tenant_id = t.tenant_id AND d.id = t.device_id`+p.whereOnly("c.tenant_id", "d.tenant_id")+
		w.Limit("t.start_time, t.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list invalid trips", func(row database.Scanner) (drover.TimeUseTrip, error) {
		var t drover.TimeUseTrip
		return t, row.Scan(&t.TripID, &t.DeviceID, &t.ABN, &t.Registration, &t.StartTime, &t.EndTime, &t.DurationSeconds, &t.Reason)
	})
}
