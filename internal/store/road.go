package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Road is where the vehicles of a connection have driven in a week: the packed cells of a
// square of the world. What they are is for package road of the rules to know.
type Road struct {
	ConnectionID string
	Week         int64
	Square       int64
	Sum          int64
	Cells        []byte
}

// RoadPlace is up to which change the trips of a tenant are drawn.
type RoadPlace struct {
	Epoch  string
	Change int64
	TripID string
}

// DrivenTrip is a trip as far as its road matters.
type DrivenTrip struct {
	ID, ConnectionID, DeviceID string
	StartTime, EndTime         drover.Time
	Valid                      bool
}

// TripsToDraw lists trips that were added or changed since the last time, oldest change
// first, with the place after each. Was is the place that these follow.
func (q TripsReader) TripsToDraw(
	ctx context.Context,
	tenantID string,
	limit int,
) (trips []DrivenTrip, places []RoadPlace, was RoadPlace, err error) {
	state, err := q.changeState(ctx)
	if err != nil {
		return nil, nil, was, err
	}
	was = RoadPlace{Epoch: state.epoch, TripID: noID}
	err = q.db.QueryRowContext(ctx, `SELECT epoch, change, trip_id FROM road_place WHERE tenant_id = $1`, tenantID).Scan(&was.Epoch,
		&was.Change, &was.TripID)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, nil, was, fmt.Errorf("read which trips are drawn: %w", err)
	}
	after := was
	if after.Epoch != state.epoch { // another database: its changes have other numbers
		after = RoadPlace{TripID: noID}
	}
	rows, err := q.db.QueryContext(ctx, `SELECT t.change, t.id, t.connection_id, t.device_id, t.start_time, t.end_time, t.is_valid FROM trip t
		WHERE t.tenant_id = $1 AND (t.change, t.id) > ($2, $3) AND t.change < $4 ORDER BY t.change, t.id LIMIT $5`, tenantID, after.Change,
		after.TripID, state.end, limit)
	trips, err = database.ReadAll(rows, err, "list trips to draw", func(row database.Scanner) (t DrivenTrip, err error) {
		at := RoadPlace{Epoch: state.epoch}
		err = row.Scan(&at.Change, &t.ID, &t.ConnectionID, &t.DeviceID, &t.StartTime, &t.EndTime, &t.Valid)
		at.TripID = t.ID
		places = append(places, at)
		return t, err
	})
	return trips, places, was, err
}

// ErrDrawn says that another process has drawn the trips meanwhile.
var ErrDrawn = errors.New("the trips are drawn already")

// MoveRoadPlace notes up to where trips are drawn, where it still is at a place.
func (tx TripsTx) MoveRoadPlace(ctx context.Context, tenantID string, was, to RoadPlace) error {
	res, err := tx.write("road_place").ExecContext(ctx, `UPDATE road_place SET epoch = $2, change = $3, trip_id = $4
		WHERE tenant_id = $1 AND epoch = $5 AND change = $6 AND trip_id = $7`, tenantID, to.Epoch, to.Change, to.TripID, was.Epoch, was.Change,
		was.TripID)
	if err != nil {
		return fmt.Errorf("note which trips are drawn: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	if was.Change != 0 || was.TripID != noID {
		return ErrDrawn
	}
	res, err = tx.write("road_place").ExecContext(ctx, `INSERT INTO road_place (tenant_id, epoch, change, trip_id)
		SELECT t.id, $2, $3, $4 FROM tenant t WHERE t.id = $1 AND t.erase_at IS NULL ON CONFLICT (tenant_id) DO NOTHING`, tenantID, to.Epoch,
		to.Change, to.TripID)
	if err != nil {
		return fmt.Errorf("note which trips are drawn: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return ErrDrawn
}

// roadsAtOnce bounds the squares that one statement names.
const roadsAtOnce = 200

// RoadsOf reads the roads of a connection in a week that lie in some squares.
func (q TripsReader) RoadsOf(ctx context.Context, tenantID, connectionID string, week int64, squares []int64) ([]Road, error) {
	var all []Road
	for some := range slices.Chunk(squares, roadsAtOnce) {
		numbers := make([]string, len(some))
		for i, n := range some {
			numbers[i] = strconv.FormatInt(n, 10)
		}
		rows, err := q.db.QueryContext(ctx, `SELECT r.square, r.sum, r.cells FROM road r WHERE r.tenant_id = $1 AND r.connection_id = $2 AND r.week = $3
			AND r.square IN (`+strings.Join(numbers, ", ")+`)`, tenantID, connectionID, week)
		found, err := database.ReadAll(rows, err, "read roads", func(row database.Scanner) (Road, error) {
			r := Road{ConnectionID: connectionID, Week: week}
			return r, row.Scan(&r.Square, &r.Sum, &r.Cells)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// SetRoads stores roads. Those of a connection that is gone, or is to be, are left out: they
// would outlive it.
func (tx TripsTx) SetRoads(ctx context.Context, tenantID string, roads []Road) error {
	kept := map[string]bool{}
	for _, id := range connectionsOf(roads) {
		var purged bool
		err := tx.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM purge p WHERE p.tenant_id = $1 AND p.connection_id = $2)
			FROM connection c WHERE c.tenant_id = $1 AND c.id = $2`+tx.d.ForUpdate(), tenantID, id).Scan(&purged)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("look for the connection of roads: %w", err)
		}
		kept[id] = err == nil && !purged
	}
	var rows [][]any
	for _, r := range roads {
		if kept[r.ConnectionID] {
			rows = append(rows, []any{tenantID, r.Square, r.ConnectionID, r.Week, r.Sum, r.Cells})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	err := tx.tx.InsertRows(ctx, "road", []database.Column{
		database.ID("tenant_id"), database.Number("square"), database.ID("connection_id"), database.Number("week"), database.Number("sum"),
		database.Bytes("cells"),
	}, rows, `ON CONFLICT (tenant_id, square, connection_id, week) DO UPDATE SET sum = excluded.sum, cells = excluded.cells`)
	if err != nil {
		return fmt.Errorf("store roads: %w", err)
	}
	return nil
}

// connectionsOf are the connections of roads, in one order for all who lock them.
func connectionsOf(roads []Road) []string {
	ids := make([]string, len(roads))
	for i, r := range roads {
		ids[i] = r.ConnectionID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// RoadRange is what a tile is made of.
type RoadRange struct {
	First, Last int64 // squares
	Since       int64 // the first week
	Limit       int
}

// EachRoad goes through the roads that asker may see in a range, newest week first: its own,
// and those of connections that are shared with it together with their positions. Without
// cells it is their sums alone.
func (q TripsReader) EachRoad(ctx context.Context, asker string, r RoadRange, cells bool, f func(Road) error) error {
	columns := `r.week, r.square, r.connection_id, r.sum, `
	if cells {
		columns += `r.cells`
	} else {
		columns += `NULL`
	}
	const within = `r.square BETWEEN $3 AND $4 AND r.week >= $5`
	own := `SELECT ` + columns + ` AS cells FROM road r WHERE r.tenant_id = $1 AND ` + within
	shared := `SELECT ` + columns + ` FROM connection_share cs JOIN road r ON r.tenant_id = cs.tenant_id AND r.connection_id = cs.connection_id
		WHERE ` + shares() + ` AND cs.positions = TRUE AND ` + within
	args := []any{asker, q.present(), r.First, r.Last, r.Since, r.Limit}
	if !q.d.Distributed() {
		return q.eachRoad(ctx, own+` UNION ALL `+shared, args, f)
	}
	byWeek := func(a, b Road) int {
		return cmp.Or(cmp.Compare(b.Week, a.Week), cmp.Compare(a.Square, b.Square), cmp.Compare(a.ConnectionID, b.ConnectionID))
	}
	roads, err := readParts(ctx, q.queries, asker, r.Limit, byWeek, func(ctx context.Context, p part) (some []Road, err error) {
		read := own + present
		args := args
		if p.shared {
			p.of = q.d.InList(len(args) + 1)
			read, args = shared+p.only("cs.tenant_id")+p.only("r.tenant_id"), append(slices.Clip(args), p.args[2])
		}
		return some, q.eachRoad(ctx, read, args, func(r Road) error { some = append(some, r); return nil })
	})
	for _, road := range roads {
		if err != nil {
			break
		}
		err = f(road)
	}
	return err
}

func (q queries) eachRoad(ctx context.Context, query string, args []any, f func(Road) error) error {
	rows, err := q.db.QueryContext(ctx, query+` ORDER BY 1 DESC, 2, 3 LIMIT $6`, args...)
	_, err = database.ReadAll(rows, err, "read roads", func(row database.Scanner) (struct{}, error) {
		var road Road
		if err := row.Scan(&road.Week, &road.Square, &road.ConnectionID, &road.Sum, &road.Cells); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, f(road)
	})
	return err
}

// ForgetRoads deletes some roads of weeks before one, and reports whether there are more.
func (tx TripsTx) ForgetRoads(ctx context.Context, tenantID string, week int64) (more bool, err error) {
	return tx.deleteRoads(ctx, tenantID, `week < $2`, week)
}

// EraseRoads deletes some roads of a connection, and reports whether there are more.
func (tx TripsTx) EraseRoads(ctx context.Context, tenantID, connectionID string) (more bool, err error) {
	return tx.deleteRoads(ctx, tenantID, `connection_id = $2`, connectionID)
}

func (tx TripsTx) deleteRoads(ctx context.Context, tenantID, which string, arg any) (more bool, err error) {
	res, err := tx.write("road").ExecContext(ctx, `DELETE FROM road WHERE tenant_id = $1 AND (square, connection_id, week) IN (
		SELECT square, connection_id, week FROM road WHERE tenant_id = $1 AND `+which+` LIMIT $3)`, tenantID, arg, work.EraseRows)
	if err != nil {
		return false, fmt.Errorf("delete roads: %w", err)
	}
	n, err := res.RowsAffected()
	return n == work.EraseRows, err
}

// HasRoads reports whether there are roads of a connection.
func (q TripsReader) HasRoads(ctx context.Context, tenantID, connectionID string) (some bool, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM road WHERE tenant_id = $1 AND connection_id = $2)`, tenantID,
		connectionID).Scan(&some)
	if err != nil {
		return false, fmt.Errorf("look for roads: %w", err)
	}
	return some, nil
}
