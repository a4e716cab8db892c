package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) tripRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/trip", s.listTrips).
			named("listTrips", tagTrip, "List trips", "Trips by start time; with order=desc newest first, with include=driver each with its driver, and with include=readings and a device_id with what the vehicle's counters show. "+copyWords).
			shows(drover.ScopeDrivers, drover.ScopeReadings).can(errorsOfCopy...),
		opQuery(http.MethodGet, "/trip/totals", s.getTripTotals).
			named("getTripTotals", tagTrip, "Sum up trips", "How many trips a filter of the list has, and what the valid ones of them come to. A sum is null where none of them says it. order changes nothing. Whole days in UTC cost the same whatever the number of trips.").
			can(errorsOfList...),
		opBody(http.MethodPatch, "/trip/{trip_id}", s.patchTrip).
			named("patchTrip", tagTrip, "Judge trip", "Says whether a trip is valid, and why. That goes before the rules, counts in the summaries, and stays when the trip is derived again; is_valid null leaves it to the rules again.").
			can(errorsOfOne...).missing(guard.UnknownTrip).conditional().tagged(),
		op(http.MethodGet, "/trip/{trip_id}/explanation", s.explainTrip).
			named("explainTrip", tagTrip, "Explain trip", "Why a trip began and ended as it did, and which part of it no position shows.").
			places().shows(drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownTrip),
	}
}

func (s *server) explainTrip(c *call) (drover.TripExplanation, error) {
	return s.Fleet.Trips.TripExplanation(c.Context, c.principal, c.PathValue("trip_id"))
}

func (s *server) patchTrip(c *call, body drover.TripUpdate) (drover.Trip, error) {
	return s.Fleet.Trips.UpdateTrip(c.Context, c.principal, c.PathValue("trip_id"), body)
}

func (s *server) getTrip(c *call) (drover.Trip, error) {
	return s.Fleet.Trips.Trip(c.Context, c.principal, c.PathValue("trip_id"))
}

func (s *server) getTripTotals(c *call, q drover.TripFilter) (drover.TripSums, error) {
	return s.Fleet.Trips.TripSums(c.Context, c.principal, q)
}

type tripQuery struct {
	drover.TripFilter
	Include string `query:"include" enum:"driver,readings" doc:"driver adds driver_id to each trip; readings adds fuel_used_litres, engine_seconds, odometer_start_metres and odometer_end_metres, of one device alone and not with sort=updated_at."`
	Sort    string `query:"sort" enum:"start_time,updated_at" default:"start_time" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	copying
	paging
}

func (s *server) listTrips(c *call, q tripQuery) (page[drover.TripView], error) {
	if q.Include == "readings" && (q.DeviceID == "" || q.copies(q.Sort)) {
		return page[drover.TripView]{}, drover.InvalidValue("readings are included for the trips of one device_id, by start_time", "query", "include")
	}
	if q.copies(q.Sort) {
		return s.listTripChanges(c, q)
	}
	var after drover.TripCursor
	if err := q.place(&after); err != nil {
		return page[drover.TripView]{}, err
	}
	trips, err := s.Fleet.Trips.Trips(c.Context, c.principal, q.TripFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.TripView]{}, err
	}
	if q.Include != "driver" {
		for i := range trips {
			trips[i].DriverID = drover.Optional[drover.DriverID]{}
		}
	}
	if q.Include == "readings" {
		if err := s.Fleet.Trips.AddTripCounters(c.Context, c.principal, q.DeviceID, trips); err != nil {
			return page[drover.TripView]{}, err
		}
	}
	return newPage(trips, q.Limit, func(t drover.TripView) cursor { return drover.TripCursor{StartTime: t.StartTime, ID: t.ID} })
}

func (s *server) listTripChanges(c *call, q tripQuery) (page[drover.TripView], error) {
	if q.Order != drover.NewestFirst {
		q.Order = ""
	}
	list, err := listChanges[drover.TripView](s, c, drover.ChangedTrips, q.copying, q.paging, q.TripFilter)
	for i, change := range list.changes {
		if trip, ok := change.Record.(drover.TripView); ok && q.Include != "driver" {
			trip.DriverID = drover.Optional[drover.DriverID]{}
			list.changes[i].Record = trip
		}
	}
	return list, err
}
