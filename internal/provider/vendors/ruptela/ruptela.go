// Package ruptela reads from TrustTrack (formerly FM-Track), the fleet platform of
// Ruptela.
package ruptela

import (
	"cmp"
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
	vendorURL = "https://api.fm-track.com"

	pageSize = 1000

	// positionWindow bounds what one window of a tracker that reports every
	// second holds in memory.
	positionWindow = 6 * time.Hour
	// Whether trips are selected by their start or their end is not documented,
	// so each window reaches back by more than a trip lasts.
	tripMargin = 24 * time.Hour
)

// Each endpoint has a version of its own.
const (
	objectsVersion     = "1"
	latestVersion      = "2"
	coordinatesVersion = "2"
	tripsVersion       = "1"
)

// The values of the field trip_mileage_unit.
const (
	unitField  = "trip_mileage_unit"
	unitAuto   = "auto"
	unitMetres = "m"
	unitKM     = "km"
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Ruptela,
	Title:    "Ruptela TrustTrack",
	Homepage: "fmsdocumentation.com/apis",
	Fields: []provider.Field{
		{
			Name: "api_key", Title: "API key", Required: true, Secret: true,
			Help: "Key of a TrustTrack user, issued by Ruptela or by the reseller.",
		},
		{
			Name: unitField, Title: "Unit of trip mileage", Default: unitAuto, Options: []string{unitAuto, unitMetres, unitKM},
			Help: "Unit in which trips give their mileage. Auto takes metres, unless the trip's ends are further apart.",
		},
		{
			Name: provider.BaseURLField, Title: "Server address",
			Help: "Address of the API; https://api.fm-track.com where it is empty.",
		},
	},
	Features: provider.Features{
		History: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true, Auxiliary: true,
	},
	// The rate is documented. A proxy in front of the API refuses bursts long
	// before it is reached, so few calls are under way at once.
	Limits: []provider.Limit{{Requests: 1000, Per: time.Minute, Concurrent: 2}},
	// A poll is one call for a thousand objects, and one for each that has news.
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Notes: []string{
		"Ask Ruptela or the reseller for an API key of a user who may see the objects.",
		"All objects count as active and have no year: TrustTrack does not tell.",
		"Ignition, odometer, driver and power take-off are there where the tracker reports them.",
		"Trips tell their mileage and ends, but not how long the vehicle drove, idled or used its power take-off.",
		"The unit of a trip's mileage is disputed among public clients: it is taken as metres, and as kilometres where the trip's ends are further apart than that.",
		"Whether a trip under way is listed is unverified; one without an end is left out.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	cfg provider.Config
	api client.Client
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	return &Adapter{cfg: cfg, api: client.Client{HTTP: cfg.HTTP, Base: cmp.Or(cfg.BaseURL, vendorURL), Sign: client.Header()}}, nil
}

// Check implements provider.Provider.
func (a *Adapter) Check(ctx context.Context) error {
	return a.get(ctx, "/objects-last-coordinate", latestVersion, url.Values{"limit": {"1"}}, &newest{})
}

// Devices implements provider.Provider. There is one page: the whole fleet.
func (a *Adapter) Devices(ctx context.Context, _ string) (provider.Page[provider.Device], error) {
	var objects []object
	if err := a.get(ctx, "/objects", objectsVersion, nil, &objects); err != nil {
		return provider.Page[provider.Device]{}, err
	}
	return provider.Page[provider.Device]{Records: wire.All(objects, object.record)}, nil
}

// Positions implements provider.Provider.
func (a *Adapter) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	return window.News[provider.Position]{
		Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: a.cfg.Now, Batch: 1, Length: positionWindow},
		Updates: a.updates,
	}.Page(ctx, q)
}

// Trips implements provider.Provider.
func (a *Adapter) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	return window.Reader[provider.Trip]{
		Fetch: a.trips, Now: a.cfg.Now,
		Batch: 1, Before: tripMargin, Overlap: time.Hour,
	}.Page(ctx, q)
}

// updates returns when TrustTrack last heard of each object. What it tells of their
// places lacks ignition and odometer, so that these are read from the track.
func (a *Adapter) updates(ctx context.Context, _ time.Time, _ []string) (map[string]time.Time, error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	rows, err := paging.ByCursor(func(cursor string) ([]last, string, error) {
		if cursor != "" {
			query.Set("continuation_token", cursor)
		}
		var page newest
		err := a.get(ctx, "/objects-last-coordinate", latestVersion, query, &page)
		return page.Results, page.next(), err
	})
	updates := map[string]time.Time{}
	for _, row := range rows {
		if at := row.heard(); !at.IsZero() {
			updates[row.ID.String()] = at
		}
	}
	return updates, err
}

// positions fetches the positions of one object.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	track, err := read(ctx, a, "coordinates", coordinatesVersion, w, func(c coordinates) []coordinate { return c.Items })
	return wire.Records(track, func(c coordinate) (provider.Position, bool) { return c.record(w.Devices[0]) }), err
}

// trips fetches the finished trips of one object.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	list, err := read(ctx, a, "trips", tripsVersion, w, func(t trips) []trip { return t.Trips })
	var records []provider.Trip
	for _, t := range list {
		if r, ok := t.record(w.Devices[0], a.cfg.Credentials[unitField]); ok {
			records = append(records, r)
		}
		if unit, ok := t.unit(); ok {
			a.cfg.Meet(unitField, unit)
		}
	}
	return records, err
}

// read reads all pages of an object's history. Whether the page after a
// continuation starts with the last record of the one before is not documented;
// a record may come twice.
func read[P interface{ next() string }, T any](ctx context.Context, a *Adapter, resource, version string, w window.Window, rows func(P) []T) ([]T, error) {
	path := "/objects/" + url.PathEscape(w.Devices[0]) + "/" + resource
	query := url.Values{
		"from_datetime": {wire.ISOMilli(w.From)}, "to_datetime": {wire.ISOMilli(w.To)}, "limit": {strconv.Itoa(pageSize)},
	}
	return paging.ByCursor(func(cursor string) ([]T, string, error) {
		if cursor != "" {
			query.Set("continuation_token", cursor)
		}
		var answer P
		err := a.get(ctx, path, version, query, &answer)
		if err != nil && !window.Gone(err) {
			return nil, "", err
		}
		return rows(answer), answer.next(), nil
	})
}

// get makes one call. The key stands in its URL, which is therefore in no error.
func (a *Adapter) get(ctx context.Context, path, version string, query url.Values, into any) error {
	all := url.Values{"version": {version}, "api_key": {a.cfg.Credentials["api_key"]}}
	maps.Copy(all, query)
	return a.api.Get(ctx, path, all, into)
}
