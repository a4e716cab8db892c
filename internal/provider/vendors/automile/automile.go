// Package automile reads from the Automile API.
package automile

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	host = "https://api.automile.com"
	root = "/v1/resourceowner"

	// Questions for more than 60 days are answered with 30.
	tripWindow     = 7 * 24 * time.Hour
	positionWindow = 24 * time.Hour
	// longestTrip widens each question on both sides: whether trips are selected
	// by their start, their end or both is not documented.
	longestTrip = 12 * time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Automile,
	Title:    "Automile",
	Homepage: "api.automile.com/swagger",
	Fields: []provider.Field{
		{
			Name: "api_client_id", Title: "API client id", Required: true,
			Help: "Of a private API client made in Automile; it looks like xxxx.automile.com.",
		},
		{Name: "api_client_secret", Title: "API client secret", Required: true, Secret: true, Help: "Of the same API client."},
		{Name: "username", Account: true, Title: "User name", Required: true, Help: "Login of a user who may see the vehicles."},
		{Name: "password", Title: "Password", Required: true, Secret: true, Help: "Password of that user."},
		{Name: provider.BaseURLField, Title: "API address", Help: "Replaces https://api.automile.com."},
	},
	Features: provider.Features{
		Snapshot: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Ignition: true, Odometer: true,
		Idling: true,
	},
	Readings: provider.Declared(readings),
	// No rate is published: this one is caution.
	Limits: []provider.Limit{{Requests: 5, Per: time.Second, Concurrent: 2}},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,      // two calls for the fleet
		Trips:     30 * time.Minute, // one for each vehicle, and two for each new trip
		Window:    positionWindow,
	},
	Units: drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Assumed: map[string]string{
		drover.CheckTime: "Times are taken to be UTC.",
	},
	Notes: []string{
		"Credentials are those of a private API client of Automile and of a user who may see the vehicles.",
		"Live positions are the newest of each vehicle at every poll, without speed; driver and odometer are those of the vehicle at that moment.",
		"Past positions are the tracks of trips: they have a speed where the vehicle reports it, no odometer, and nothing of the time between trips.",
		"Trips are native, with their idling; coordinates may be withheld by a user's privacy settings.",
		"Readings are the odometer of the vehicle, as of its newest position; fuel level and temperatures, which take a call for each trip, are not read.",
		"That a trip under way has no end time is unverified.",
	},
	New: New,
}

// Adapter reads what one user sees.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	// details are of the trips read last, by vehicle: a trip that has ended is
	// listed with every poll until another follows, its details are read once.
	details map[string]map[trip]detail
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, api: client.New(cfg, host, client.Bearer), details: map[string]map[trip]detail{}}
	a.api.Session = session.New(cfg.Now, a.login)
	a.Provider = provider.Of(provider.Calls{
		// The vendor's own call for it answers with a sentence, as anything may: a list
		// of vehicles is no other server's answer.
		Check:   client.Check[[]vehicle](a.api, root+"/vehicles2", nil),
		Devices: paging.Whole(a.vehicles),
		Drivers: paging.Whole(a.contacts),
		// Live the newest of each vehicle, of the past the tracks of trips.
		Positions: window.LiveAndPast(
			window.Snapshot(cfg.Now, a.newest),
			window.Reader[provider.Position]{Fetch: a.tracks, Now: cfg.Now, Batch: 1, Length: positionWindow}.Page,
		),
		Trips: window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Batch: 1, Length: tripWindow, Overlap: time.Hour}.Page,
	})
	return a, nil
}

// login asks for a token with the user's password. Refresh tokens are not used:
// the password, which is there anyway, gives a new one at any time.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	c := a.cfg.Credentials
	return session.Endpoint{
		HTTP: a.cfg.HTTP, Now: a.cfg.Now, URL: a.api.Base + "/OAuth2/Token",
		ClientID: c["api_client_id"], ClientSecret: c["api_client_secret"],
	}.Password(outbound.WithRetry(ctx), c["username"], c["password"], "read")
}

func (a *Adapter) vehicles(ctx context.Context) ([]provider.Device, error) {
	vehicles, err := client.Get[[]vehicle](ctx, a.api, root+"/vehicles2", nil)
	return wire.All(vehicles, vehicle.record), err
}

// contacts reads the persons whom a vehicle may be checked in by.
func (a *Adapter) contacts(ctx context.Context) ([]provider.Driver, error) {
	contacts, err := client.Get[[]contact](ctx, a.api, root+"/contacts2", nil)
	return wire.All(contacts, contact.record), err
}

// newest reads the newest position of each vehicle, with the driver and the
// odometer that only the list of vehicles has.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	vehicles, err := client.Get[[]vehicle](ctx, a.api, root+"/vehicles2", nil)
	if err != nil {
		return nil, err
	}
	byID := map[string]vehicle{}
	for _, v := range vehicles {
		byID[v.ID.String()] = v
	}
	statuses, err := client.Get[[]status](ctx, a.api, root+"/vehicles2/status", nil)
	return wire.Records(statuses, func(s status) (provider.Position, bool) { return s.record(byID[s.VehicleID.String()]) }), err
}

// tracks fetches the positions of one vehicle during the trips that overlap the
// window, the one under way too.
func (a *Adapter) tracks(ctx context.Context, w window.Window) ([]provider.Position, error) {
	trips, err := a.list(ctx, w)
	if err != nil {
		return nil, err
	}
	var records []provider.Position
	for _, t := range trips {
		if t.over() && t.End.Before(w.From) || !t.Start.Before(w.To) {
			continue
		}
		var points []point
		query := url.Values{"everyNthRecord": {"1"}, "snapToRoad": {"false"}}
		if err := a.part(ctx, t, "/geo", query, &points); err != nil {
			return nil, err
		}
		var speeds []speed
		if err := a.part(ctx, t, "/speed", nil, &speeds); err != nil {
			return nil, err
		}
		records = append(records, track(w.Devices[0], t, points, speeds)...)
	}
	return records, nil
}

// trips fetches the trips of one vehicle that end within the window.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	trips, err := a.list(ctx, w)
	if err != nil {
		return nil, err
	}
	device := w.Devices[0]
	known := map[trip]detail{}
	var records []provider.Trip
	for _, t := range trips {
		if !t.over() || t.End.Before(w.From) || !t.End.Before(w.To) {
			continue
		}
		d, ok := a.details[device][t]
		if !ok {
			if d, err = a.detail(ctx, t); err != nil {
				return nil, err
			}
		}
		known[t] = d
		records = append(records, t.record(device, d))
	}
	a.details[device] = known
	return records, nil
}

// list reads the trips of one vehicle around the window.
func (a *Adapter) list(ctx context.Context, w window.Window) ([]trip, error) {
	to := w.To.Add(longestTrip)
	if now := a.cfg.Now(); to.After(now) {
		to = now
	}
	rows, err := client.Get[[]tripRow](ctx, a.api, root+"/trips", url.Values{
		"vehicleId": w.Devices, "fromUtc": {wire.ISO(w.From.Add(-longestTrip))}, "toUtc": {wire.ISO(to)},
	})
	return distinct(rows), err
}

// detail reads what the list of trips does not tell.
func (a *Adapter) detail(ctx context.Context, t trip) (detail, error) {
	var d detail
	if err := a.part(ctx, t, "", nil, &d); err != nil {
		return d, err
	}
	return d, a.part(ctx, t, "/geostartend", nil, &d.Ends)
}

// part reads a part of one trip. What is hidden, gone, or not supported by the
// vehicle is left empty.
func (a *Adapter) part(ctx context.Context, t trip, path string, query url.Values, into any) error {
	err := a.api.Get(ctx, root+"/trips/"+url.PathEscape(t.ID.String())+path, query, into)
	switch provider.StatusOf(err) {
	case http.StatusForbidden, http.StatusNotFound, http.StatusNotImplemented:
		return nil
	default:
		return err
	}
}
