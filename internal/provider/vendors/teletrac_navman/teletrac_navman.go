// Package teletracnavman reads from TN360, the fleet platform of Teletrac Navman.
package teletracnavman

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// positionCap is how many positions a call returns, the oldest of its window.
	positionCap    = 100
	positionWindow = 24 * time.Hour

	// A query of events may be for 7 days.
	tripWindow = 24 * time.Hour
	// tripMargin is the longest trip: its start is looked for so long before.
	tripMargin = 24 * time.Hour
	// tripOverlap is how late the end of a trip may be reported.
	tripOverlap = 6 * time.Hour
	// eventRound is a number that answers cut short are likely to be a multiple of.
	eventRound = 100

	distanceField = "distance_unit"
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.TeletracNavman,
	Title:    "Teletrac Navman",
	Homepage: "docs-au.telematics.com",
	Fields: []provider.Field{
		{Name: "region", Title: "Region", Default: "au", Help: "Where the account is: au, nz, uk or us, or the part of the API's address that says so, such as au in api-au.telematics.com."},
		{
			Name: distanceField, Title: "Unit of distance", Options: []string{"km", "miles"},
			Help: "In which unit the account has odometers. Where it is empty, miles for uk and us and km elsewhere.",
		},
		{
			Name: "api_key", Title: "API key", Required: true, Secret: true,
			Help: "Key of an integration, made by an administrator in TN360 under Settings, API keys.",
		},
		{Name: provider.BaseURLField, Title: "Base URL", Help: "Replaces the address of the API, for other regions, a proxy or a test."},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true,
	},
	Safety: safety,
	// The vendor asks not to read the list of updates more often than every five
	// minutes; a second call leaves room for one that failed. Its other limits are
	// not published: two calls a second are a guess on the safe side.
	Limits: []provider.Limit{
		{Path: "updates", Requests: 2, Per: 10 * time.Minute},
		{Requests: 120, Per: time.Minute, Concurrent: 2},
	},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 5 * time.Minute,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Units: drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Assumed: map[string]string{
		drover.CheckSpeed: "Speeds are taken to be in km/h.",
	},
	Notes: []string{
		"An administrator makes the API key; one of the kind integration does not depend on a person.",
		"Every five minutes one call finds the vehicles that have news, and one call for each of them reads its positions.",
		"Positions have heading and speed; the driver, the ignition and the odometer are not part of the track.",
		"Trips are put together from the vendor's ignition events, at most 24 hours long, with the distance between the odometer readings.",
		"Safety events are what cameras saw, where an account has some. Unverified: their fields, which are known from clients; speed events, whose fields are not, are not read.",
		"Outside of au the addresses, the form of the key, which is found out, and that odometers are in miles are what clients say and not the vendor.",
		"The words for a vehicle's status and the limits of calls could not be verified.",
	},
	New: New,
}

// Adapter reads the vehicles that one key may see.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	miles             bool // odometers are in miles
	// plain says that the key is sent as a token of the older kind.
	plain bool
}

// hosts are those of the regions that have other names than the rest.
var hosts = map[string]string{
	"uk": "https://api-uk.nextgen.teletracnavman.net",
	"us": "https://api-us.nextgen.teletracnavman.net:8067",
}

var regionName = regexp.MustCompile(`^[a-z]{2,12}$`)

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	region := strings.ToLower(strings.TrimSpace(cfg.Credentials["region"]))
	if cfg.BaseURL == "" && !regionName.MatchString(region) {
		return nil, provider.Errorf(provider.KindPermanent, "the region is not one like au or nz")
	}
	base := cmp.Or(cfg.BaseURL, hosts[region], "https://api-"+region+".telematics.com")
	unit := cfg.Credentials[distanceField]
	a := &Adapter{cfg: cfg, miles: unit == "miles" || unit == "" && hosts[region] != ""}
	a.api = &client.Client{HTTP: cfg.HTTP, Base: client.Below(base, "/v1"), Sign: a.sign}
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Whole(a.vehicles),
		Positions: window.News[provider.Position]{
			Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Updates: a.updates,
		}.Page,
		// Events are for the whole fleet.
		Trips: window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Length: tripWindow, Before: tripMargin, Overlap: tripOverlap}.Page,
	})
	return a, nil
}

func (a *Adapter) check(ctx context.Context) error {
	_, err := get[vehicle](ctx, a, "/vehicles", nil)
	return err
}

// vehicles reads all vehicles: the list has no pages.
func (a *Adapter) vehicles(ctx context.Context) ([]provider.Device, error) {
	vehicles, err := get[vehicle](ctx, a, "/vehicles", url.Values{"status": {"ALL"}})
	return wire.All(vehicles, vehicle.record), err
}

// updates returns the vehicles of which the vendor has heard.
func (a *Adapter) updates(ctx context.Context, since time.Time, _ []string) (map[string]window.Update, error) {
	query := url.Values{"embed": {"vehicles"}, "gps": {"true"}, "last_updated": {wire.ISOMilli(since)}}
	stats, err := get[stat](outbound.WithOperation(ctx, "updates"), a, "/vehicles/stats", query)
	return window.Heard(stats, stat.heard), err
}

// positions fetches the positions of one vehicle, going on behind the newest one
// where the vendor has left some out.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	id := w.Devices[0]
	at := func(f fix) time.Time { return f.At.Time }
	rows, err := window.Onward(w.From, positionCap, at, func(from time.Time) ([]fix, error) {
		query := url.Values{"from": {wire.ISOMilli(from)}, "to": {wire.ISOMilli(w.To)}}
		return get[fix](ctx, a, "/vehicles/"+url.PathEscape(id)+"/positions", query)
	})
	return wire.Records(rows, func(f fix) (provider.Position, bool) { return f.record(id) }), window.UnlessGone(err)
}

// trips fetches the trips of the fleet that end within a window, from its events.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	events, err := a.events(ctx, "IGNITION", w.From, w.To)
	return tripsOf(events, a.miles), err
}

// events fetches the events of the fleet of some type. Whether the vendor cuts long
// answers is not documented; one that looks so is asked for again in halves.
func (a *Adapter) events(ctx context.Context, types string, from, to time.Time) ([]event, error) {
	return window.Halves(from, to, time.Minute, func(from, to time.Time) (events []event, cut bool, err error) {
		query := url.Values{"types": {types}, "from": {wire.ISOMilli(from)}, "to": {wire.ISOMilli(to)}, "pruning": {"ALL"}}
		events, err = get[event](ctx, a, "/events", query)
		return events, len(events) > 0 && len(events)%eventRound == 0, err
	})
}

// get makes one call for a list. Times in its query are ISO 8601; milliseconds since 1970
// are refused there. A server that refuses the key in one form is asked with the
// other: which one it takes depends on the region.
func get[T any](ctx context.Context, a *Adapter, path string, query url.Values) ([]T, error) {
	rows, err := client.Get[[]T](ctx, a.api, path, query)
	if provider.StatusOf(err) != http.StatusUnauthorized {
		return rows, err
	}
	a.plain = !a.plain
	rows, err = client.Get[[]T](ctx, a.api, path, query)
	if provider.StatusOf(err) == http.StatusUnauthorized {
		a.plain = !a.plain
	}
	return rows, err
}

func (a *Adapter) sign(req *http.Request, _ string) {
	key := "Bearer " + a.cfg.Credentials["api_key"]
	if a.plain {
		key = `Token token="` + a.cfg.Credentials["api_key"] + `"`
	}
	req.Header.Set("Authorization", key)
}
