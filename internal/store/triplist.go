package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

const (
	listedTrip = `t.id, t.device_id, t.system_trip_id, t.start_latitude, t.start_longitude, t.end_latitude, t.end_longitude,
	t.start_time, t.end_time, t.distance_metres, t.duration_seconds, t.driving_seconds, t.idling_seconds, t.auxiliary_seconds,
	t.is_valid, t.validation_comments, t.driver_id`

	// taggedDevices is up to how many devices have their trips read by device: beyond that
	// a tag is so common that a walk through all trips finds them sooner.
	taggedDevices = 1000
	// firstSlice is the time of which the trips of several devices or connections are read
	// at first. While a page is not full it grows, by how much depends on what was found.
	firstSlice              = 15 * time.Minute
	longestSlice            = 365 * 24 * time.Hour
	leastGrowth, mostGrowth = 4, 16
)

// TripViews lists the trips that asker may see by start time, after the place given.
// Those of the asker are a walk along an index, whatever the number of trips. Those that
// lie in several parts of one (of tagged devices, or of shared connections) are read in
// slices of time, from the place on until the page is full.
func (q TripsReader) TripViews(
	ctx context.Context,
	asker string,
	f drover.TripFilter,
	after *drover.TripCursor,
	limit int,
) ([]drover.TripView, error) {
	l := tripList{queries: q.queries, asker: asker, filter: f, after: after, limit: limit, down: f.Order == drover.NewestFirst}
	list := []drover.TripView{}
	err := q.eachPart(ctx, asker, func(ctx context.Context, p part) (err error) {
		if p.own {
			if list, err = l.own(ctx, p); err != nil {
				return err
			}
		}
		if !p.shared {
			return nil
		}
		shared, err := l.shared(ctx, p, list)
		if err != nil || len(shared) == 0 {
			return err
		}
		list = append(list, shared...)
		order.By(list, l.compare)
		list = list[:min(limit, len(list))]
		return nil
	})
	return list, err
}

// compare is the order of the list.
func (l *tripList) compare(a, b drover.TripView) int {
	c := a.StartTime.Compare(b.StartTime.Time)
	if c == 0 {
		c = strings.Compare(a.ID, b.ID)
	}
	if l.down {
		c = -c
	}
	return c
}

// tripList is the reading of one page.
type tripList struct {
	queries
	asker  string
	filter drover.TripFilter
	after  *drover.TripCursor
	limit  int
	down   bool // newest first
}

// reading is one of trips that lie in several parts of an index.
type reading struct {
	tripConditions
	// keys are the tables that say whose trips they are, of the rows with a condition;
	// match is when a trip belongs to such a row.
	keys, of, match string
	// grant is what the asker may read of a trip by a share.
	grant string
}

// own reads the asker's own trips.
func (l *tripList) own(ctx context.Context, p part) ([]drover.TripView, error) {
	f := l.filter
	if f.Tag = ""; l.filter.Tag == "" {
		return l.walk(ctx, filterTrips(p, f, indexedStart(f), l.asker))
	}
	devices, err := l.tagged(ctx, `device d`, `d.tenant_id = $1`, l.asker)
	if err != nil || len(devices) == 0 {
		return []drover.TripView{}, err
	}
	if len(devices) > taggedDevices {
		w := filterTrips(p, f, indexedStart(f), l.asker)
		w.Args = append(w.Args, l.d.List(devices))
		w.Parts = append(w.Parts, "COALESCE(t.device_id, t.device_id) "+l.d.InList(len(w.Args)))
		return l.walk(ctx, w)
	}
	r := reading{tripConditions: filterTrips(p, f, startTime, l.asker), grant: `0`}
	r.ofDevices(l.d, devices, `device d`, `d.tenant_id = $1`)
	r.match = `t.tenant_id = $1 AND t.device_id = d.id` // a Citus would ask all servers for d.tenant_id
	return l.slices(ctx, r)
}

// shared reads the trips of others that the asker sees by a share, up to the end of a
// page that is there already where that is full.
func (l *tripList) shared(ctx context.Context, p part, own []drover.TripView) ([]drover.TripView, error) {
	f := l.filter
	f.Tag = ""
	r := reading{tripConditions: filterTrips(p, f, startTime, p.args...), grant: grantColumn, keys: `connection_share cs`}
	r.of, r.match = r.shares()+p.only("cs.tenant_id"), `t.tenant_id = cs.tenant_id AND t.connection_id = cs.connection_id`
	switch {
	case l.filter.Tag != "":
		keys := r.keys + ` CROSS JOIN device d`
		of := r.of + ` AND d.tenant_id = cs.tenant_id AND d.connection_id = cs.connection_id` + p.only("d.tenant_id")
		devices, err := l.tagged(ctx, keys, of, p.args...)
		if err != nil || len(devices) == 0 {
			return nil, err
		}
		r.ofDevices(l.d, devices, keys, of)
		r.match += ` AND ` + anyConnection + ` = cs.connection_id`
	case f.DeviceID != "" || f.DriverID != "":
		r.match = `t.tenant_id = cs.tenant_id AND ` + anyConnection + ` = cs.connection_id`
	}
	r.match += p.only("t.tenant_id")
	if len(own) == l.limit {
		sign := " <= $%d"
		if l.down {
			sign = " >= $%d"
		}
		r.Add(startTime+sign, own[len(own)-1].StartTime)
	}
	return l.slices(ctx, r)
}

// ofDevices makes it a reading of those devices' trips.
func (r *reading) ofDevices(dialect database.Dialect, devices []string, keys, of string) {
	r.Args = append(r.Args, dialect.List(devices))
	r.keys, r.of, r.match = keys, of+` AND d.id `+dialect.InList(len(r.Args)), `t.tenant_id = d.tenant_id AND t.device_id = d.id`
}

// tagged are the devices with the tag of the filter.
func (l *tripList) tagged(ctx context.Context, from, of string, args ...any) ([]string, error) {
	w := database.Where{Parts: []string{of}, Args: slices.Clip(args)}
	w.Add("d.tags LIKE $%d ESCAPE '!'", tagPattern(l.filter.Tag))
	w.ID("d.id =", l.filter.DeviceID)
	w.ID("d.connection_id =", l.filter.ConnectionID)
	rows, err := l.db.QueryContext(ctx, `SELECT d.id FROM `+from+w.SQL(), w.Args...)
	return database.ReadAll(rows, err, "list devices of a tag", func(row database.Scanner) (id string, err error) { return id, row.Scan(&id) })
}

// walk reads the page along one index.
func (l *tripList) walk(ctx context.Context, w tripConditions) ([]drover.TripView, error) {
	w.Parts = append([]string{`t.tenant_id = $1`}, w.Parts...)
	l.beyond(&w)
	end := w.Limit(l.order(w.start), l.limit)
	return l.read(ctx, `SELECT `+listedTrip+`, 0 FROM trip t`+w.SQL()+end, w.Args)
}

// beyond keeps what comes after the place.
func (l *tripList) beyond(w *tripConditions) {
	if l.after == nil {
		return
	}
	sign := ">"
	if l.down {
		sign = "<"
	}
	w.Args = append(w.Args, l.after.StartTime, l.after.ID)
	// The first condition follows from the second, in which SQLite sees no index of
	// an expression.
	w.Parts = append(w.Parts, fmt.Sprintf("%[1]s %[2]s= $%[3]d AND (%[1]s, t.id) %[2]s ($%[3]d, $%[4]d)", w.start, sign, len(w.Args)-1,
		len(w.Args)))
}

// order is that of the list.
func (l *tripList) order(start string) string {
	if l.down {
		return start + " DESC, t.id DESC"
	}
	return start + ", t.id"
}

// slices reads the trips of all keys together, a slice of time after the other, until the
// page is full or nothing is left. A slice that finds little is followed by a longer one,
// and one that finds nothing by where the next trip is.
func (l *tripList) slices(ctx context.Context, r reading) ([]drover.TripView, error) {
	l.beyond(&r.tripConditions)
	r.Args = slices.Clip(r.Args)
	list := []drover.TripView{}
	at, known := l.begin()
	for width := firstSlice; len(list) < l.limit; {
		if !known {
			next, err := l.next(ctx, r, at)
			if err != nil || next == nil {
				return list, err
			}
			at = *next
		}
		s := l.slice(at, width)
		found, err := l.within(ctx, r, s, l.limit-len(list))
		if err != nil {
			return list, err
		}
		list, known = append(list, found...), len(found) > 0
		at = s.after
		if known && width < longestSlice { // a hole is no reason for more of what follows it
			width *= time.Duration(min(mostGrowth, max(leastGrowth, (l.limit-len(list))/len(found))))
		}
	}
	return list, nil
}

// timeSlice is the time [from, to), and where the next one begins.
type timeSlice struct{ from, to, after drover.Time }

// slice is the time from one on, in the order of the list.
func (l *tripList) slice(at drover.Time, width time.Duration) timeSlice {
	begin, long := at.UnixMilli(), width.Milliseconds()
	if l.down {
		return timeSlice{drover.Milli(begin - long), drover.Milli(begin + 1), drover.Milli(begin - long - 1)}
	}
	return timeSlice{at, drover.Milli(begin + long), drover.Milli(begin + long)}
}

// begin is from where the first slice is read, where that is known.
func (l *tripList) begin() (drover.Time, bool) {
	switch {
	case l.after != nil:
		return l.after.StartTime, true
	case l.down && l.filter.To != nil:
		return *l.filter.To, true
	case !l.down && l.filter.From != nil:
		return *l.filter.From, true
	case l.down:
		return drover.Milli(1 << 52), false
	}
	return drover.Milli(-1 << 52), false
}

// next is the start of the trip that comes next in the order, from a time on.
func (l *tripList) next(ctx context.Context, r reading, at drover.Time) (*drover.Time, error) {
	sign, first := " >= $%d", "MIN"
	if l.down {
		sign, first = " <= $%d", "MAX"
	}
	r.Parts = append([]string{r.match}, r.Parts...)
	r.Add(startTime+sign, at)
	// Each key is a look into the index.
	query := `SELECT ` + first + `(start_time) FROM (SELECT (SELECT t.start_time FROM trip t` + r.SQL() + ` ORDER BY ` + l.order(startTime) +
		` LIMIT 1) AS start_time
		FROM ` + r.keys + ` WHERE ` + r.of + `) AS firsts`
	var millis sql.NullInt64
	if err := l.db.QueryRowContext(ctx, query, r.Args...).Scan(&millis); err != nil || !millis.Valid {
		return nil, database.Found(err, "list trips")
	}
	return new(drover.Milli(millis.Int64)), nil
}

// within reads the trips of a slice.
func (l *tripList) within(ctx context.Context, r reading, s timeSlice, limit int) ([]drover.TripView, error) {
	r.Parts = append([]string{r.of, r.match}, r.Parts...)
	r.Add(startTime+" >= $%d", s.from)
	r.Add(startTime+" < $%d", s.to)
	end := r.Limit(l.order(startTime), limit)
	return l.read(ctx, `SELECT `+listedTrip+`, `+r.grant+` FROM `+r.keys+` CROSS JOIN trip t`+r.SQL()+end, r.Args)
}

func (l *tripList) read(ctx context.Context, query string, args []any) ([]drover.TripView, error) {
	rows, err := l.db.QueryContext(ctx, query, args...)
	return database.ReadAll(rows, err, "list trips", func(row database.Scanner) (drover.TripView, error) {
		var t drover.TripView
		var driver *string
		var shared drover.Grant
		err := row.Scan(&t.ID, &t.DeviceID, &t.SystemTripID, &t.StartLatitude, &t.StartLongitude, &t.EndLatitude, &t.EndLongitude,
			&t.StartTime, &t.EndTime, &t.DistanceMetres, &t.DurationSeconds, &t.DrivingSeconds, &t.IdlingSeconds, &t.AuxiliarySeconds,
			&t.IsValid, &t.ValidationComments, &driver, &shared)
		t.DriverID = drover.Null[drover.DriverID]()
		if shared == 0 || shared.Drivers() {
			t.DriverID.Value = drover.NewDriverID(driver)
		}
		return t, err
	})
}
