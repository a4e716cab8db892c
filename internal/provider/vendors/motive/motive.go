// Package motive reads from the API of Motive, formerly KeepTruckin.
package motive

import (
	"context"
	"maps"
	"net/url"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	host    = "https://api.gomotive.com"
	perPage = 100 // the vendor's largest

	// positionWindow is short, as the vendor takes long over wide windows.
	positionWindow = 48 * time.Hour
	tripWindow     = 24 * time.Hour
	// tripOverlap lets a vehicle that was out of reach for a shift deliver its
	// trips late: one window is for the whole fleet, so that others move on.
	tripOverlap = 12 * time.Hour
	// longestTrip is how long before the window a trip may have begun that ends
	// within it. Periods are selected by their start.
	longestTrip = 12 * time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Motive,
	Title:    "Motive",
	Homepage: "developer.gomotive.com/reference",
	Fields: []provider.Field{
		{
			Name: "api_key", Title: "API key", Required: true, Secret: true,
			Help: "The company's API key, made by an administrator in the Motive dashboard.",
		},
		{
			Name: provider.WebhookSecretField, Title: "Webhook secret", Secret: true,
			Help: "The shared secret of a Motive webhook that calls this connection's inbound address; its notices are verified with it.",
		},
		{Name: provider.BaseURLField, Title: "API address", Help: "Replaces https://api.gomotive.com."},
	},
	Features: provider.Features{
		Snapshot: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Ignition: true, Odometer: true,
	},
	Readings: provider.Declared(readings),
	Faults:   faults,
	Safety:   safety,
	// No rate is published; this one is caution. Of the history, the vendor allows
	// ten calls at once.
	Limits: []provider.Limit{{Requests: 5, Per: time.Second, Concurrent: 4}},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,
		Trips:     30 * time.Minute, // a page for every 100 trips of the last days
		Window:    positionWindow,
	},
	Timeout: 60 * time.Second, // wide windows of history take long
	Units:   drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Assumed: map[string]string{
		drover.CheckOdometer: "Odometers are taken to follow the metric header, as speeds do.",
	},
	Notes: []string{
		"Safety events are performance events and speeding events, read every 5 minutes and again for a day, as people judge them later. A severity of critical is shown as high.",
		"The API key is made by an administrator of the company in the Motive dashboard; OAuth apps are not supported.",
		"Live positions are the newest of each vehicle at every poll; all of them are read where a past window is filled in.",
		"Trips are Motive's driving periods: idling ends one, so that all of it counts as driving and idling is not known.",
		"Ignition is known for the records that say it by their type, and null for the others.",
		"Readings come with positions, where the vehicle reports them. Unverified: what the value fuel of a location measures; it is not read.",
		"Faults are the vendor's own records, read every 30 minutes. Unverified: the words of their severity, of which low, medium, high and critical are read.",
		"The exact form of the latest locations is unverified.",
	},
	Notices: notices,
	New:     New,
}

// Adapter reads one company.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	// periods are the pages of driving periods that were read before one failed.
	periods paging.Resumed[provider.Trip]
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	// Without the second header, units follow the company's settings.
	sign := client.Header("X-API-Key", cfg.Credentials["api_key"], "X-Metric-Units", "true")
	a := &Adapter{cfg: cfg, api: client.New(cfg, host, sign)}
	a.Provider = provider.Of(provider.Calls{
		Check:   client.Check[vehicles](a.api, "/v1/vehicles", url.Values{"page_no": {"1"}, "per_page": {"1"}}),
		Devices: paging.Numbered(a.vehicles),
		Positions: window.LiveAndPast(
			paging.Numbered(a.newest).Rounds,
			window.Reader[provider.Position]{Fetch: a.history, Now: cfg.Now, Batch: 1, Length: positionWindow}.Page,
		),
		Trips:   window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Length: tripWindow, Overlap: tripOverlap, Before: longestTrip}.Page,
		Drivers: paging.Numbered(a.drivers),
	})
	return a, nil
}

// vehicles reads a page of the vehicles.
func (a *Adapter) vehicles(ctx context.Context, number int) ([]provider.Device, bool, error) {
	answer, err := client.Get[vehicles](ctx, a.api, "/v1/vehicles", pageQuery(number))
	records := wire.All(answer.Vehicles, func(item vehicleItem) provider.Device { return item.Vehicle.record() })
	return records, answer.Pagination.more(number, len(answer.Vehicles)), err
}

// drivers reads a page of the users, of whom those who drive are kept.
func (a *Adapter) drivers(ctx context.Context, number int) ([]provider.Driver, bool, error) {
	answer, err := client.Get[users](ctx, a.api, "/v1/users", pageQuery(number))
	records := wire.Records(answer.Users, func(item userItem) (provider.Driver, bool) { return item.User.record() })
	return records, answer.Pagination.more(number, len(answer.Users)), err
}

// newest reads a page of the latest locations.
func (a *Adapter) newest(ctx context.Context, number int) ([]provider.Position, bool, error) {
	answer, err := client.Get[vehicles](ctx, a.api, "/v3/vehicle_locations", pageQuery(number))
	records := wire.Records(answer.Vehicles, func(item vehicleItem) (provider.Position, bool) { return item.Vehicle.position() })
	return records, answer.Pagination.more(number, len(answer.Vehicles)), err
}

// history fetches the positions of one vehicle, of whole days.
func (a *Adapter) history(ctx context.Context, w window.Window) ([]provider.Position, error) {
	answer, err := client.Get[locations](ctx, a.api, "/v3/vehicle_locations/"+url.PathEscape(w.Devices[0]), days(w))
	return wire.Records(answer.Locations, func(item locationItem) (provider.Position, bool) {
		return item.Location.record(w.Devices[0], item.Location.Driver)
	}), err
}

// trips fetches the finished driving periods of the fleet, of whole days.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	query := days(w)
	return a.periods.ByNumber(query.Encode(), a.cfg.Now(), func(number int) ([]provider.Trip, bool, error) {
		maps.Copy(query, pageQuery(number))
		answer, err := client.Get[periods](ctx, a.api, "/v1/driving_periods", query)
		records := wire.Records(answer.Periods, func(item periodItem) (provider.Trip, bool) { return item.Period.record() })
		return records, answer.Pagination.more(number, len(answer.Periods)), err
	})
}

// days asks for every day that the window touches, in UTC; both are included.
func days(w window.Window) url.Values {
	return url.Values{
		"start_date": {w.From.UTC().Format(time.DateOnly)},
		"end_date":   {w.To.Add(-time.Millisecond).UTC().Format(time.DateOnly)},
	}
}

func pageQuery(number int) url.Values {
	return url.Values{"page_no": {strconv.Itoa(number)}, "per_page": {strconv.Itoa(perPage)}}
}
