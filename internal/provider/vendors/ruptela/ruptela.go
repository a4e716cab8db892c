// Package ruptela reads from TrustTrack (formerly FM-Track), the fleet platform of
// Ruptela.
package ruptela

import (
	"context"
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
		{Name: provider.BaseURLField, Title: "Server address", Help: "Address of the API; https://api.fm-track.com where it is empty."},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true, Auxiliary: true,
	},
	Readings: provider.Declared(readings),
	Safety:   safety,
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
	Push: push,
	Notes: []string{
		"Ask Ruptela or the reseller for an API key of a user who may see the objects.",
		"All objects count as active and have no year: TrustTrack reports neither.",
		"Ignition, odometer, driver and power take-off are there where the tracker reports them.",
		"Readings come with positions, where the tracker reports them; zeros are left out, as trackers send them for what they do not know. Unverified: the unit of the virtual odometers and of the calculated fuel level; they are no readings.",
		"Safety events are those that rules of the account have detected, by the names of the rules; connection settings (safety_types) say what a name of a fleet's own means. Idling is not read. Unverified: the names, and the longest time that one call may ask for.",
		"Positions come by TrustTrack's push of server-sent events; while it is open they are polled every 5 minutes.",
		"Trips tell their mileage and ends, but not how long the vehicle drove, idled or used its power take-off.",
		"The unit of a trip's mileage is disputed among public clients: it is taken as metres, and as kilometres where the trip's ends are further apart than that.",
		"Whether a trip under way is listed is unverified; one without an end is left out.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
}

// New makes an adapter. The key stands in the address of each call, which is
// therefore in no error.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, api: client.New(cfg, vendorURL, client.Query("api_key", cfg.Credentials["api_key"]))}
	a.Provider = provider.Of(provider.Calls{
		Check:   client.Check[newest](a.api, "/objects-last-coordinate", url.Values{"version": {latestVersion}, "limit": {"1"}}),
		Devices: paging.Whole(a.objects),
		Positions: window.News[provider.Position]{
			Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Updates: a.updates,
		}.Page,
		Trips: window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Batch: 1, Before: tripMargin, Overlap: time.Hour}.Page,
	})
	return a, nil
}

// objects reads the whole fleet.
func (a *Adapter) objects(ctx context.Context) ([]provider.Device, error) {
	objects, err := client.Get[[]object](ctx, a.api, "/objects", url.Values{"version": {objectsVersion}})
	return wire.All(objects, object.record), err
}

// updates returns when TrustTrack last heard of each object. Their places come
// without ignition and odometer there, so that these are read from the track.
func (a *Adapter) updates(ctx context.Context, _ time.Time, _ []string) (map[string]window.Update, error) {
	rows, err := read[newest](ctx, a, "/objects-last-coordinate", url.Values{"version": {latestVersion}})
	return window.Heard(rows, last.heard), err
}

// positions fetches the positions of one object.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	track, err := read[coordinates](ctx, a, pathOf(w, "coordinates"), period(w, coordinatesVersion))
	return wire.Records(track, func(c coordinate) (provider.Position, bool) { return c.record(w.Devices[0]) }), window.UnlessGone(err)
}

// trips fetches the finished trips of one object.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	list, err := read[trips](ctx, a, pathOf(w, "trips"), period(w, tripsVersion))
	for _, t := range list {
		if unit, ok := t.unit(); ok {
			a.cfg.Observe(unitField, unit)
		}
	}
	unit := a.cfg.Credentials[unitField]
	return wire.Records(list, func(t trip) (provider.Trip, bool) { return t.record(w.Devices[0], unit) }), window.UnlessGone(err)
}

func pathOf(w window.Window, resource string) string {
	return "/objects/" + url.PathEscape(w.Devices[0]) + "/" + resource
}

func period(w window.Window, version string) url.Values {
	return url.Values{"version": {version}, "from_datetime": {wire.ISOMilli(w.From)}, "to_datetime": {wire.ISOMilli(w.To)}}
}

// read reads all pages of a list. Whether the page after a continuation starts with
// the last record of the one before is not documented; a record may come twice.
func read[P page[T], T any](ctx context.Context, a *Adapter, path string, query url.Values) ([]T, error) {
	query.Set("limit", strconv.Itoa(pageSize))
	return paging.ByCursor(func(cursor string) ([]T, string, error) {
		if cursor != "" {
			query.Set("continuation_token", cursor)
		}
		answer, err := client.Get[P](ctx, a.api, path, query)
		return answer.rows(), answer.next(), err
	})
}
