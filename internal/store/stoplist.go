package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const (
	listedStop  = openColumns + `, s.engine_on_seconds, s.auxiliary_seconds, ` + unseenColumns
	openColumns = `s.id, s.device_id, s.latitude, s.longitude, s.start_time, s.end_time`
)

// Stops lists the stops that asker may see by start time, after the place given:
// those that are over, and those that no stored trip has ended yet. Where a device stopped
// is left out where the share gives no positions.
func (q TripsReader) Stops(
	ctx context.Context,
	asker string,
	f drover.StopFilter,
	after *drover.TripCursor,
	limit int,
) ([]drover.Stop, error) {
	inOrder := func(a, b drover.Stop) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime.Time), strings.Compare(a.ID, b.ID))
	}
	return readParts(ctx, q.queries, asker, limit, inOrder, func(ctx context.Context, p part) ([]drover.Stop, error) {
		return q.stops(ctx, p, f, after, limit)
	})
}

// stops lists those of a part.
func (q queries) stops(ctx context.Context, p part, f drover.StopFilter, after *drover.TripCursor, limit int) ([]drover.Stop, error) {
	w := p.where()
	w.ID("s.device_id =", f.DeviceID)
	w.ID("s.connection_id =", f.ConnectionID)
	w.AnyID(q.d, "s.id", f.IDs)
	if f.From != nil {
		w.Add("s.start_time >= $%d", *f.From)
	}
	if f.To != nil {
		w.Add("s.start_time < $%d", *f.To)
	}
	if f.EngineOn != nil {
		w.Add("(COALESCE(s.engine_on_seconds, 0) > 0) = $%d", *f.EngineOn)
	}
	if after != nil {
		w.Args = append(w.Args, after.StartTime, after.ID)
		w.Parts = append(w.Parts, fmt.Sprintf("(s.start_time, s.id) > ($%d, $%d)", len(w.Args)-1, len(w.Args)))
	}
	const whose = `, s.tenant_id, s.connection_id`
	listed := listedStop + whose
	if f.DeviceID != "" || len(f.IDs) > 0 {
		// A device's are few: for the sake of the order SQLite would go through all.
		listed = strings.Replace(listed, "s.start_time", "s.start_time + 0 AS start_time", 1)
	}
	var parts []string
	if f.Open == nil || !*f.Open {
		parts = append(parts, q.mergedPage(p, &w, "s", "connection_id", "s.start_time, s.id", limit,
			func(where string) string { return `SELECT ` + listed + ` FROM stop s` + where }))
	}
	if f.EngineOn == nil {
		w.Parts = append(w.Parts, openOf(f.Open))
		parts = append(parts, q.mergedPage(p, &w, "s", "connection_id", "s.start_time, s.id", limit, func(where string) string {
			return `SELECT ` + openColumns + `, CAST(NULL AS DOUBLE PRECISION) AS engine_on_seconds, CAST(NULL AS DOUBLE PRECISION) AS auxiliary_seconds, CAST(NULL AS BIGINT) AS unseen_until, CAST(NULL AS DOUBLE PRECISION) AS unseen_metres, CAST(NULL AS TEXT) AS unseen_by` + whose + ` FROM open_stop s` + where
		}))
	}
	if len(parts) == 0 {
		return []drover.Stop{}, nil
	}
	shown := listedStop
	if p.shared {
		shown = strings.NewReplacer("s.latitude", "CASE WHEN "+p.visiblePositions("s", "connection_id")+" THEN s.latitude END",
			"s.longitude", "CASE WHEN "+p.visiblePositions("s", "connection_id")+" THEN s.longitude END").Replace(listedStop)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT `+shown+` FROM (`+strings.Join(parts, ` UNION ALL `)+`) AS s`+
		w.Limit("s.start_time, s.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list stops", func(row database.Scanner) (drover.Stop, error) {
		var s drover.Stop
		var u unseenRow
		err := row.Scan(&s.ID, &s.DeviceID, &s.Latitude, &s.Longitude, &s.StartTime, &s.EndTime, &s.EngineOnSeconds, &s.AuxiliarySeconds,
			&u.until, &u.metres, &u.by)
		s.Unseen = u.after(s.EndTime)
		return q.lasting(s), err
	})
}

// openOf selects among the stops that no stored trip has ended. One that has no
// duration, since the trip under way began at its start, is none.
func openOf(open *bool) string {
	switch {
	case open == nil:
		return "(s.end_time IS NULL OR s.end_time > s.start_time)"
	case *open:
		return "s.end_time IS NULL"
	}
	return "s.end_time > s.start_time"
}

// lasting says how long a stop lasts: until now while it goes on.
func (q queries) lasting(s drover.Stop) drover.Stop {
	end := q.present()
	if s.EndTime != nil {
		end = *s.EndTime
	}
	s.DurationSeconds = max(0, end.Sub(s.StartTime.Time).Seconds())
	return s
}

// OpenStops reads the stops of devices that no stored trip has ended yet, by device.
func (q TripsReader) OpenStops(ctx context.Context, tenantID string, deviceIDs []string) (map[string]drover.Stop, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+openColumns+` FROM open_stop s WHERE s.tenant_id = $1 AND s.device_id `+q.d.InList(2),
		tenantID, q.d.List(deviceIDs))
	open := make(map[string]drover.Stop, len(deviceIDs))
	_, err = database.ReadAll(rows, err, "read the open stops", func(row database.Scanner) (struct{}, error) {
		var s drover.Stop
		err := row.Scan(&s.ID, &s.DeviceID, &s.Latitude, &s.Longitude, &s.StartTime, &s.EndTime)
		open[s.DeviceID] = q.lasting(s)
		return struct{}{}, err
	})
	return open, err
}

// SetOpenStop stores the stop of a device that no stored trip has ended yet.
func (tx TripsTx) SetOpenStop(ctx context.Context, tenantID, connectionID string, s drover.Stop) error {
	_, err := tx.write("open_stop").ExecContext(ctx, `INSERT INTO open_stop (tenant_id, device_id, id, connection_id, latitude, longitude, start_time, end_time)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, device_id) DO UPDATE SET id = excluded.id,
		connection_id = excluded.connection_id,
		latitude = excluded.latitude, longitude = excluded.longitude, start_time = excluded.start_time, end_time = excluded.end_time`,
		tenantID, s.DeviceID, s.ID, connectionID, s.Latitude, s.Longitude, s.StartTime, s.EndTime)
	if err != nil {
		return fmt.Errorf("set the open stop: %w", err)
	}
	return nil
}

// DropOpenStop deletes the open stop of a device.
func (tx TripsTx) DropOpenStop(ctx context.Context, tenantID, deviceID string) error {
	if _, err := tx.write("open_stop").ExecContext(ctx, `DELETE FROM open_stop WHERE tenant_id = $1 AND device_id = $2`, tenantID,
		deviceID); err != nil {
		return fmt.Errorf("drop the open stop: %w", err)
	}
	return nil
}
