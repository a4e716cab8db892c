package api

import (
	"net/url"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

func (s *server) getTrip(c *call) (drover.Trip, error) {
	return s.Fleet.Trip(c.Context, c.principal, c.PathValue("trip_id"))
}

func (s *server) listTrips(c *call) (page[drover.Trip], error) {
	q := c.URL.Query()
	var after store.TripCursor
	limit, err := paging(q, &after)
	if err != nil {
		return page[drover.Trip]{}, err
	}
	f := store.TripFilter{DeviceID: q.Get("device_id"), ConnectionID: q.Get("connection_id")}
	if f.From, f.To, err = timeRange(q); err != nil {
		return page[drover.Trip]{}, err
	}
	if f.Valid, err = optionalBool(q, "is_valid"); err != nil {
		return page[drover.Trip]{}, err
	}
	var place *store.TripCursor
	if q.Has("cursor") {
		place = &after
	}
	trips, err := s.Fleet.Trips(c.Context, c.principal, f, place, limit+1)
	if err != nil {
		return page[drover.Trip]{}, err
	}
	return newPage(trips, limit, func(t drover.Trip) any { return store.TripCursor{StartTime: t.StartTime, ID: t.ID} })
}

// timeRange reads from and to; either may be absent.
func timeRange(q url.Values) (from, to *drover.Time, err error) {
	if from, err = decode.QueryTime(q, "from"); err != nil {
		return nil, nil, err
	}
	to, err = decode.QueryTime(q, "to")
	return from, to, err
}

// optionalBool reads a filter that may be absent.
func optionalBool(q url.Values, name string) (*bool, error) {
	if !q.Has(name) {
		return nil, nil //nolint:nilnil // absent is a value here
	}
	v, err := decode.QueryBool(q, name, false)
	return &v, err
}
