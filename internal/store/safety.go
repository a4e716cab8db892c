package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// SafetyEvent is a stored safety event with its owner.
type SafetyEvent struct {
	drover.SafetyEvent
	Access
}

const safetyFields = `e.id, e.connection_id, e.device_id, e.system_event_id, e.type, e.native_type, e.driver_id, e.start_time, e.end_time,
	e.latitude, e.longitude, e.heading, e.speed_kph, e.max_speed_kph, e.speed_limit_kph, e.acceleration_g, e.lateral_g, e.severity, e.status,
	e.method, e.media_available, e.tenant_id`

func scanSafety(row database.Scanner, more ...any) (e SafetyEvent, err error) {
	var driver, severity, method *string
	number := database.OptionalFloat
	err = row.Scan(append([]any{
		&e.ID, &e.ConnectionID, &e.DeviceID, &e.SystemEventID, &e.Type, &e.NativeType, &driver, &e.StartTime, &e.EndTime, number(&e.Latitude),
		number(&e.Longitude), number(&e.Heading), number(&e.SpeedKPH), number(&e.MaxSpeedKPH), number(&e.SpeedLimitKPH), number(&e.AccelerationG),
		number(&e.LateralG), &severity, &e.Status, &method, database.OptionalFlag(&e.MediaAvailable), &e.TenantID,
	}, more...)...)
	e.DriverID = drover.NewDriverID(driver)
	if severity != nil {
		e.Severity = new(drover.SafetySeverity(*severity))
	}
	if method != nil {
		e.Method = new(drover.SafetyMethod(*method))
	}
	return e, err
}

var safetyByID = batch.NewRecord(batch.Kind{
	Columns: safetyFields, Shared: sharedColumn("e.tenant_id", "e.connection_id", 3), Table: "safety_event", Alias: "e", Doing: "read safety event",
}, func(row database.Scanner) (SafetyEvent, error) {
	var shared drover.Grant
	e, err := scanSafety(row, &shared)
	e.Shared = shared
	return e, err
})

// SafetyEvent reads a safety event as asker sees it.
func (q VehiclesReader) SafetyEvent(ctx context.Context, asker, id string) (SafetyEvent, error) {
	return safetyByID.One(ctx, q.source(), nil, asker, id)
}

// SafetyEventsNamed reads the safety events of devices that have one of the provider's ids, and
// keeps other transactions from changing them.
func (tx VehiclesTx) SafetyEventsNamed(ctx context.Context, tenantID string, deviceIDs, systemIDs []string) ([]SafetyEvent, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+safetyFields+` FROM safety_event e WHERE e.tenant_id = $1 AND e.device_id `+tx.d.InList(2)+
		` AND e.system_event_id `+tx.d.InList(3)+` ORDER BY e.device_id, e.system_event_id`+tx.d.ForUpdate(), tenantID, tx.d.List(deviceIDs), tx.d.List(systemIDs))
	return database.ReadAll(rows, err, "read safety events", func(row database.Scanner) (SafetyEvent, error) { return scanSafety(row) })
}

var safetyColumns = []database.Column{
	database.ID("tenant_id"),
	database.ID("id"),
	database.ID("connection_id"),
	database.ID("device_id"),
	database.Text("system_event_id"),
	database.Text("type"),
	database.Text("native_type"),
	database.Text("driver_id"),
	database.Number("start_time"),
	database.Number("end_time"),
	database.Float("latitude"),
	database.Float("longitude"),
	database.Float("heading"),
	database.Float("speed_kph"),
	database.Float("max_speed_kph"),
	database.Float("speed_limit_kph"),
	database.Float("acceleration_g"),
	database.Float("lateral_g"),
	database.Text("severity"),
	database.Text("status"),
	database.Text("method"),
	database.Flag("media_available"),
}

// SetSafetyEvents stores safety events of a tenant's devices.
func (tx VehiclesTx) SetSafetyEvents(ctx context.Context, tenantID string, events []drover.SafetyEvent) error {
	rows := make([][]any, len(events))
	for i := range events {
		e := &events[i]
		var driver *string
		if e.DriverID != nil {
			driver = &e.DriverID.Value
		}
		rows[i] = []any{
			tenantID, e.ID, e.ConnectionID, e.DeviceID, e.SystemEventID, string(e.Type), e.NativeType, driver, e.StartTime.UnixMilli(),
			milliOf(e.EndTime), e.Latitude, e.Longitude, e.Heading, e.SpeedKPH, e.MaxSpeedKPH, e.SpeedLimitKPH, e.AccelerationG, e.LateralG,
			word(e.Severity), string(e.Status), word(e.Method), e.MediaAvailable,
		}
	}
	err := tx.tx.InsertRows(ctx, "safety_event", safetyColumns, rows, `ON CONFLICT (tenant_id, device_id, system_event_id) DO UPDATE SET
		type = excluded.type, native_type = excluded.native_type, driver_id = excluded.driver_id, start_time = excluded.start_time,
		end_time = excluded.end_time, latitude = excluded.latitude, longitude = excluded.longitude, heading = excluded.heading,
		speed_kph = excluded.speed_kph, max_speed_kph = excluded.max_speed_kph, speed_limit_kph = excluded.speed_limit_kph,
		acceleration_g = excluded.acceleration_g, lateral_g = excluded.lateral_g, severity = excluded.severity, status = excluded.status,
		method = excluded.method, media_available = excluded.media_available`)
	if err != nil {
		return fmt.Errorf("store safety events: %w", err)
	}
	return nil
}

// SafetyEvents lists the safety events that asker may see, by id, after the one given. Where one
// was and who drove is left out where the share does not give it.
func (q VehiclesReader) SafetyEvents(
	ctx context.Context,
	asker string,
	f drover.SafetyFilter,
	after string,
	limit int,
) ([]drover.SafetyEvent, error) {
	list := recordList[drover.SafetyEvent]{
		fields: safetyFields, table: "safety_event", alias: "e", scope: "cs.safety", doing: "list safety events",
		scan: func(row database.Scanner) (drover.SafetyEvent, error) {
			var grant drover.Grant
			stored, err := scanSafety(row, &grant)
			return stored.SeenWith(grant), err
		},
		id: func(e drover.SafetyEvent) string { return e.ID }, newest: f.Newest,
		where: func(w *database.Where, shared bool) {
			w.AnyID(q.d, "e.id", f.IDs)
			w.AnyID(q.d, "e.device_id", f.DeviceIDs)
			w.AnyID(q.d, "e.connection_id", f.ConnectionIDs)
			anyWord(w, q.d, "e.type", f.Types)
			driver := "e.driver_id"
			if shared && len(f.DriverIDs) > 0 {
				w.Parts = append(w.Parts, "cs.drivers = TRUE") // the filter would say who drove
				driver = "COALESCE(e.driver_id, '')"           // by its index, PostgreSQL would read all tenants' events
			}
			anyWord(w, q.d, driver, f.DriverIDs)
			if f.From != nil {
				w.Add("e.start_time >= $%d", *f.From)
			}
			if f.To != nil {
				w.Add("e.start_time < $%d", *f.To)
			}
		},
	}
	return list.read(ctx, q.queries, asker, f.Tags, after, limit)
}

// SafetyCoverage reads which types of safety events the devices of a connection have.
func (q VehiclesReader) SafetyCoverage(ctx context.Context, tenantID, connectionID string, since drover.Time) ([]RecordCoverage, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT e.type, COUNT(DISTINCT CASE WHEN e.start_time >= $3 THEN e.device_id END), MAX(e.start_time)
		FROM safety_event e WHERE e.tenant_id = $1 AND e.connection_id = $2 GROUP BY e.type ORDER BY e.type`, tenantID, connectionID, since)
	return database.ReadAll(rows, err, "read the coverage of safety events", scanRecordCoverage)
}

// ForgetSafetyEvents forgets the safety events before each tenant's cut, in many small
// transactions.
func (s *Store) ForgetSafetyEvents(ctx context.Context, cuts []history.Cut) (int64, error) {
	return s.forgetRecords(ctx, "safety_event", "start_time", cuts)
}

// EraseSafetyEvents erases safety events of a device, some at a time, and reports whether there
// are more.
func (tx VehiclesTx) EraseSafetyEvents(ctx context.Context, tenantID, deviceID string) (more bool, err error) {
	return tx.eraseRecords(ctx, "safety_event", tenantID, deviceID)
}

// RenameSafetyDriver replaces a driver in some safety events of a tenant, and reports in how many.
func (tx VehiclesTx) RenameSafetyDriver(ctx context.Context, tenantID string, r work.Rename) (int64, error) {
	res, err := tx.write("safety_event").ExecContext(ctx, `UPDATE safety_event SET driver_id = $3 WHERE tenant_id = $1 AND id IN (
		SELECT e.id FROM safety_event e WHERE e.tenant_id = $1 AND e.driver_id = $2 LIMIT $4)`, tenantID, r.From, r.To, work.EraseRows)
	if err != nil {
		return 0, fmt.Errorf("rename a driver in safety events: %w", err)
	}
	return res.RowsAffected()
}
