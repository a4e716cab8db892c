package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Trip is a stored trip with its owner.
type Trip struct {
	drover.Trip
	Access
	ConnectionID string
	// Announced says that an event has announced it, so that its changes are too.
	Announced bool
	// Why is the rules' own account of a derived trip; nil for a vendor's.
	Why *string
	// Parts is how it is divided among its days, as JSON; nil for one within a day, and
	// before it is known.
	Parts *string
	// DriverID is who drove; nil where that is not known.
	DriverID *string
	// DriverByPositions says that positions named the driver of a vendor's trip: further
	// ones may change it.
	DriverByPositions bool
	// Judgement is what a person says of it, before the rules.
	Judgement
}

// Judgement is whether a person says that a trip is valid, and why.
type Judgement struct {
	Valid   *bool
	Comment *string
}

const tripColumns = `t.id, t.device_id, t.system_trip_id, t.start_latitude, t.start_longitude, t.end_latitude, t.end_longitude,
	t.start_time, t.end_time, t.distance_metres, t.duration_seconds, t.driving_seconds, t.idling_seconds, t.auxiliary_seconds,
	t.is_valid, t.validation_comments, t.tenant_id, t.connection_id, t.announced, t.why, t.parts, t.judged_valid, t.judged_comment, t.driver_id, t.driver_by_positions`

func scanTrip(row database.Scanner) (Trip, error) {
	var t Trip
	number, text := database.OptionalFloat, database.OptionalText
	return t, row.Scan(&t.ID, &t.DeviceID, &t.SystemTripID, number(&t.StartLatitude), number(&t.StartLongitude), number(&t.EndLatitude),
		number(&t.EndLongitude),
		&t.StartTime, &t.EndTime, number(&t.DistanceMetres), &t.DurationSeconds, number(&t.DrivingSeconds), number(&t.IdlingSeconds),
		number(&t.AuxiliarySeconds),
		&t.IsValid, text(&t.ValidationComments), &t.TenantID, &t.ConnectionID, &t.Announced, text(&t.Why), text(&t.Parts),
		database.OptionalFlag(&t.Valid), text(&t.Comment),
		text(&t.DriverID), &t.DriverByPositions, &t.Shared)
}

var tripByID = batch.NewRecord(batch.Kind{
	Columns: tripColumns, Shared: sharedColumn("t.tenant_id", "t.connection_id", 3), Table: "trip",
	Alias: "t", Doing: "read trip",
}, scanTrip)

// Trip reads a trip as asker sees it.
func (q TripsReader) Trip(ctx context.Context, asker, id string) (Trip, error) {
	return tripByID.One(ctx, q.source(), q.trips, asker, id)
}

// Trips lists the trips that asker may see, as TripViews does, without their drivers.
func (q TripsReader) Trips(
	ctx context.Context,
	asker string,
	f drover.TripFilter,
	after *drover.TripCursor,
	limit int,
) ([]drover.Trip, error) {
	views, err := q.TripViews(ctx, asker, f, after, limit)
	trips := make([]drover.Trip, len(views))
	for i, v := range views {
		trips[i] = v.Trip
	}
	return trips, err
}

const (
	startTime = "t.start_time"
	// allTime is the start of a trip in the index of all of a tenant's.
	allTime = "(t.start_time + 0)"
	// invalidTime is that in the indexes of those that are not valid.
	invalidTime = "(0 + t.start_time)"
	// anyConnection is the connection of a trip where it is not to choose the index.
	anyConnection = "COALESCE(t.connection_id, t.connection_id)"
)

// tripConditions are the conditions of a filter, but for whose the trips are.
type tripConditions struct {
	database.Where
	// start is the start of a trip as the index has it by which the list is read.
	start string
	// drivers says that the filter asks who drove, which not every share gives.
	drivers bool
}

// shares are the conditions of the shares by which tenant $1 sees what the filter asks for.
func (w *tripConditions) shares() string {
	if w.drivers {
		return shares() + ` AND cs.drivers = TRUE`
	}
	return shares()
}

// whichTrips are the conditions of a filter.
func whichTrips(p part, f drover.TripFilter) tripConditions {
	return filterTrips(p, f, indexedStart(f), p.args...)
}

// indexedStart is the start of trips in the index by which a filter reads them.
func indexedStart(f drover.TripFilter) string {
	switch {
	case f.DeviceID != "" || f.DriverID != "":
		return startTime
	case f.Valid != nil && !*f.Valid:
		return invalidTime
	case f.ConnectionID != "":
		return startTime
	}
	return allTime
}

// filterTrips are the conditions of a filter by a start of trips of a part, after the arguments
// given.
func filterTrips(p part, f drover.TripFilter, start string, args ...any) tripConditions {
	w := tripConditions{Where: database.Where{Args: slices.Clip(args)}, start: start, drivers: f.DriverID != ""}
	switch {
	case f.DeviceID != "":
		w.ID("t.device_id =", f.DeviceID)
		// A device's are few: the index of connections would read more.
		w.ID(anyConnection+" =", f.ConnectionID)
	case f.ConnectionID != "":
		w.ID("t.connection_id =", f.ConnectionID)
	}
	if f.DriverID != "" {
		w.Add("t.driver_id = $%d", f.DriverID)
	}
	if f.Tag != "" {
		w.Add("t.device_id IN (SELECT d.id FROM device d WHERE d.tags LIKE $%d ESCAPE '!' AND d.tenant_id = t.tenant_id"+
			p.only("d.tenant_id")+")", tagPattern(f.Tag))
	}
	if f.From != nil {
		w.Add(w.start+" >= $%d", *f.From)
	}
	if f.To != nil {
		w.Add(w.start+" < $%d", *f.To)
	}
	if f.Valid != nil {
		// It is no parameter: SQLite chooses the index of invalid trips by the very letters.
		w.Parts = append(w.Parts, "t.is_valid = "+strings.ToUpper(strconv.FormatBool(*f.Valid)))
	}
	return w
}

// AddTrip stores a new trip and counts it in the roll-ups.
func (tx TripsTx) AddTrip(ctx context.Context, t Trip) error {
	_, err := tx.write("trip").ExecContext(ctx, `INSERT INTO trip
		(tenant_id, id, connection_id, device_id, system_trip_id, start_latitude, start_longitude, end_latitude, end_longitude,
		start_time, end_time, distance_metres, duration_seconds, driving_seconds, idling_seconds, auxiliary_seconds, is_valid,
		validation_comments, announced, why, driver_id, driver_by_positions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
		t.TenantID, t.ID, t.ConnectionID, t.DeviceID, t.SystemTripID, t.StartLatitude, t.StartLongitude, t.EndLatitude, t.EndLongitude,
		t.StartTime, t.EndTime, t.DistanceMetres, t.DurationSeconds, t.DrivingSeconds, t.IdlingSeconds, t.AuxiliarySeconds, t.IsValid,
		t.ValidationComments, t.Announced, t.Why, t.DriverID, t.DriverByPositions)
	if err != nil {
		return fmt.Errorf("add trip: %w", err)
	}
	return tx.countTrip(ctx, t, 1)
}

// SetTrip stores a changed trip and counts it again.
func (tx TripsTx) SetTrip(ctx context.Context, before, after Trip) error {
	t := after
	_, err := tx.write("trip").ExecContext(ctx, `UPDATE trip SET system_trip_id = $3, start_latitude = $4, start_longitude = $5,
		end_latitude = $6, end_longitude = $7, start_time = $8, end_time = $9, distance_metres = $10,
		duration_seconds = $11, driving_seconds = $12, idling_seconds = $13,
		auxiliary_seconds = $14, is_valid = $15, validation_comments = $16, announced = $17, why = $18, parts = $19,
		judged_valid = $20, judged_comment = $21, driver_id = $22, driver_by_positions = $23 WHERE tenant_id = $1 AND id = $2`,
		t.TenantID, t.ID, t.SystemTripID, t.StartLatitude, t.StartLongitude, t.EndLatitude, t.EndLongitude, t.StartTime, t.EndTime,
		t.DistanceMetres, t.DurationSeconds, t.DrivingSeconds, t.IdlingSeconds, t.AuxiliarySeconds, t.IsValid, t.ValidationComments,
		t.Announced, t.Why, t.Parts, t.Valid, t.Comment, t.DriverID, t.DriverByPositions)
	if err != nil {
		return fmt.Errorf("set trip: %w", err)
	}
	return tx.recountTrip(ctx, before, after)
}

// DropTrip deletes a trip that was dissolved and takes it out of the roll-ups.
func (tx TripsTx) DropTrip(ctx context.Context, t Trip) error {
	if _, err := tx.write("trip").ExecContext(ctx, `DELETE FROM trip WHERE tenant_id = $1 AND id = $2`, t.TenantID, t.ID); err != nil {
		return fmt.Errorf("drop trip: %w", err)
	}
	return tx.countTrip(ctx, t, -1)
}

// ownTrips reads trips of a device of the tenant by a further condition.
func (q queries) ownTrips(ctx context.Context, tenantID, deviceID, condition string, args ...any) ([]Trip, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+tripColumns+`, 0 FROM trip t WHERE t.tenant_id = $1 AND t.device_id = $2 AND `+condition+
		` ORDER BY t.start_time, t.id`,
		append([]any{tenantID, deviceID}, args...)...)
	return database.ReadAll(rows, err, "read trips", scanTrip)
}

// TripsStarting reads a device's trips that start in [from, to), oldest first.
func (q TripsReader) TripsStarting(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]Trip, error) {
	return q.ownTrips(ctx, tenantID, deviceID, `t.start_time >= $3 AND t.start_time < $4`, from, to)
}

// TripStarts lists when trips of a device began, of those that did in [from, to), in order.
func (q TripsReader) TripStarts(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]int64, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT start_time FROM trip
		WHERE tenant_id = $1 AND device_id = $2 AND start_time >= $3 AND start_time < $4 ORDER BY start_time`, tenantID, deviceID, from, to)
	return database.ReadAll(rows, err, "list starts of trips", func(row database.Scanner) (start int64, err error) {
		err = row.Scan(&start)
		return start, err
	})
}

// longestTrip bounds how far back a trip is looked for that overlaps a time: a
// trip that is longer is not believed to be one.
const longestTrip = 7 * 24 * 3_600_000

// TripsOverlapping reads a device's trips that share time with [from, to).
func (q TripsReader) TripsOverlapping(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]Trip, error) {
	return q.ownTrips(ctx, tenantID, deviceID, `t.start_time >= $5 AND t.start_time < $4 AND t.end_time > $3`, from, to,
		drover.Milli(from.UnixMilli()-longestTrip))
}

// TripNamed reads the trip of a device with the provider's id given, nil where there is
// none, and the device's other trips that share time with [from, to), oldest first: in one
// statement, because each trip that is collected asks for both.
func (q TripsReader) TripNamed(
	ctx context.Context,
	tenantID, deviceID, systemTripID string,
	from, to drover.Time,
) (named *Trip, others []Trip, err error) {
	const ofDevice = `SELECT ` + tripColumns + `, 0 FROM trip t WHERE t.tenant_id = $1 AND t.device_id = $2 AND `
	rows, err := q.db.QueryContext(ctx, ofDevice+`t.system_trip_id = $3 UNION ALL `+
		ofDevice+`t.system_trip_id <> $3 AND t.start_time >= $6 AND t.start_time < $5 AND t.end_time > $4`,
		tenantID, deviceID, systemTripID, from, to, drover.Milli(from.UnixMilli()-longestTrip))
	trips, err := database.ReadAll(rows, err, "read trips", scanTrip)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range trips {
		if t.SystemTripID == systemTripID {
			named = &t
			continue
		}
		others = append(others, t)
	}
	order.By(others, func(a, b Trip) int { return cmp.Or(a.StartTime.Compare(b.StartTime.Time), strings.Compare(a.ID, b.ID)) })
	return named, others, nil
}

// TripWithin reads the trip of a device that began before a time and ended after it;
// the one that began first where there are several.
func (q TripsReader) TripWithin(ctx context.Context, tenantID, deviceID string, at drover.Time) (Trip, error) {
	trips, err := q.ownTrips(ctx, tenantID, deviceID, `t.start_time >= $4 AND t.start_time < $3 AND t.end_time > $3`, at,
		drover.Milli(at.UnixMilli()-longestTrip))
	if err == nil && len(trips) == 0 {
		return Trip{}, ErrNotFound
	}
	if err != nil {
		return Trip{}, err
	}
	return trips[0], nil
}
