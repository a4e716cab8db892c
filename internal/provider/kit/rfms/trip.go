package rfms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// longestTrip is how far before a job's start its first trip may begin.
	longestTrip = 12 * time.Hour
	// settling is how long a report may be under way and still be put in its
	// place. Later ones are taken as they come.
	settling = 10 * time.Minute
	// forgetting is when a vehicle that rests leaves the cursor.
	forgetting = 48 * time.Hour
)

// tripCursor is where the job of trips stands: names are short, as it is
// stored with every page. Times are milliseconds since 1970.
type tripCursor struct {
	From  int64 `json:"f"` // trips that end before are left out
	Begin int64 `json:"b"` // of the first report read
	Since int64 `json:"s"` // everything before was read
	// Tracks are what is known of each vehicle, by its VIN.
	Tracks map[string]*track `json:"v,omitempty"`
}

func startTrips(q provider.Query) (tripCursor, error) {
	begin := q.From.Add(-longestTrip).Truncate(time.Second).UnixMilli()
	c := tripCursor{From: q.From.UnixMilli(), Begin: begin, Since: begin}
	if q.Cursor != "" {
		c = tripCursor{}
		if err := json.Unmarshal([]byte(q.Cursor), &c); err != nil {
			return c, errors.New("the stored cursor is not readable")
		}
	}
	if c.Tracks == nil {
		c.Tracks = map[string]*track{}
	}
	return c, nil
}

// Trips implements provider.Provider. It follows the statuses once, in the order
// in which the vehicles created them, and keeps the trips under way in its
// cursor. Live, it waits a little before it takes a report, so that one which
// overtook another on its way is put in its place, and reads that stretch again.
func (c *Client) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	var page provider.Page[provider.Trip]
	cursor, err := startTrips(q)
	if err != nil {
		return page, err
	}
	since := time.UnixMilli(cursor.Since).UTC()
	s := span{by: byCreated, from: since, past: since, end: q.To, filter: "SNAPSHOT,ACCUMULATED"}
	wait := time.Duration(0)
	if q.Live() {
		wait = settling
		s.by, s.from = byReceived, since.Add(-wait)
	}
	got, err := c.read(ctx, statuses, s)
	if err != nil {
		return page, err
	}
	ripe := got.ripe(got.by, since, wait)
	page.Records = cursor.follow(ripe, got.reached.Add(-wait), q)
	cursor.Since = got.reached.UnixMilli()
	text, err := json.Marshal(cursor)
	if err != nil {
		return page, fmt.Errorf("write the cursor: %w", err)
	}
	page.Cursor, page.More = string(text), got.more
	return page, nil
}

// ripe returns the reports to follow now, each exactly once over the readings:
// those that are old enough, and not those that were when since was reached.
func (g reading) ripe(by string, since time.Time, wait time.Duration) []report {
	var ripe []report
	for _, r := range g.reports {
		at := r.time(by)
		before := at.Before(since) && r.Created.Before(since.Add(-wait))
		if r.VIN != "" && !before && at.Before(g.reached) && r.Created.Before(g.reached.Add(-wait)) {
			ripe = append(ripe, r)
		}
	}
	order.By(ripe, func(a, b report) int { return a.Created.Compare(b.Created.Time) })
	return ripe
}

// follow takes reports in their order, and returns the trips that they end.
// Horizon is the time up to which all are there.
func (c *tripCursor) follow(reports []report, horizon time.Time, q provider.Query) []provider.Trip {
	var trips []provider.Trip
	add := func(vin string, done []leg) {
		for _, l := range done {
			if l.end.At >= c.From && (q.Live() || l.end.At < q.To.UnixMilli()) {
				trips = append(trips, l.record(vin))
			}
		}
	}
	for _, r := range reports {
		vin := r.VIN.String()
		if c.Tracks[vin] == nil {
			c.Tracks[vin] = &track{}
		}
		add(vin, c.Tracks[vin].take(r, c.Begin))
	}
	for _, vin := range slices.Sorted(maps.Keys(c.Tracks)) {
		t := c.Tracks[vin]
		add(vin, t.expire(horizon.UnixMilli()))
		if t.Start == nil && t.Seen < horizon.Add(-forgetting).UnixMilli() {
			delete(c.Tracks, vin)
		}
	}
	return trips
}

// mark is a status as far as trips need it.
type mark struct {
	At        int64    `json:"t"`
	Latitude  *float64 `json:"y,omitempty"`
	Longitude *float64 `json:"x,omitempty"`
	Metres    *float64 `json:"m,omitempty"`
	Driving   *float64 `json:"d,omitempty"`
	Idling    *float64 `json:"i,omitempty"`
	Auxiliary *float64 `json:"a,omitempty"`
}

func (r report) mark() mark {
	fix := r.gnss()
	return mark{
		At: r.Created.UnixMilli(), Latitude: fix.Latitude.Ptr(), Longitude: fix.Longitude.Ptr(),
		Metres:    r.Distance.Ptr(),
		Driving:   cmp.Or(r.Counters.Driving.Ptr(), r.Counters.Driving21.Ptr()),
		Idling:    cmp.Or(r.Counters.Idling.Ptr(), r.Counters.Idling21.Ptr()),
		Auxiliary: r.Counters.PTO.seconds(),
	}
}

func (m mark) point() *drover.Coordinate {
	return wire.Coordinate(m.Latitude, m.Longitude)
}

// leg is a trip from one status to another.
type leg struct{ start, end mark }

// record returns the trip. Its id is made of what is known for certain at its
// start, as rFMS has none.
func (l leg) record(vin string) provider.Trip {
	start, end := drover.Milli(l.start.At), drover.Milli(l.end.At)
	return provider.Trip{
		SystemDeviceID:   vin,
		SystemTripID:     vin + ":" + start.Format("20060102T150405Z"),
		Start:            l.start.point(),
		End:              l.end.point(),
		StartTime:        start,
		EndTime:          end,
		DistanceMetres:   wire.Difference(l.start.Metres, l.end.Metres),
		DrivingSeconds:   wire.Difference(l.start.Driving, l.end.Driving),
		IdlingSeconds:    wire.Difference(l.start.Idling, l.end.Idling),
		AuxiliarySeconds: wire.Difference(l.start.Auxiliary, l.end.Auxiliary),
	}
}
