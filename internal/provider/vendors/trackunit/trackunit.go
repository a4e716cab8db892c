// Package trackunit reads from Trackunit: machines of any make, as ISO 15143-3 has
// them, with speeds and names from Trackunit's own APIs.
package trackunit

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// renewal is how often one address of the export may be read.
	renewal = 15 * time.Minute
	// fresh is how long a page of the fleet that was just read is not read again:
	// all parts of the adapter want the same pages.
	fresh = time.Minute
	// longestSeries is the longest span of one series.
	longestSeries = 14 * 24 * time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Trackunit,
	Title:    "Trackunit",
	Homepage: "developers.trackunit.com",
	Fields: []provider.Field{
		{
			Name: "auth_version", Title: "Kind of credentials", Default: tokensV2, Options: []string{tokensV2, tokensV1},
			Help: "v2 for an API token of Trackunit Manager; v1 for a classic API user.",
		},
		{Name: "client_id", Title: "Client id", Required: true, Help: "Id of the API token or API client."},
		{Name: "client_secret", Title: "Client secret", Required: true, Secret: true, Help: "Secret of the API token or API client."},
		{Name: "username", Account: true, Title: "User name", Help: "Name of the API user; for v1 only."},
		{Name: "password", Title: "Password", Secret: true, Help: "Password of the API user; for v1 only."},
		{Name: "scope", Title: "Scopes", Help: "Replaces the scopes that are asked for, separated by blanks. The API token must allow each of them."},
		{Name: provider.BaseURLField, Title: "Server address", Help: "Replaces every address of Trackunit, for tests."},
	},
	Features: provider.Features{
		Snapshot: true, Backfill: true,
		Heading: true, Speed: true, Ignition: true, Odometer: true,
	},
	Readings: iso15143.Declared,
	// Beside these, each address of the export may be read once in 15 minutes,
	// which the intervals below keep.
	Limits: []provider.Limit{
		{Path: exportPath, Requests: 50, Per: time.Second},
		{Path: "/api/location", Requests: 1, Per: time.Second},
	},
	Poll: provider.Poll{
		Devices:   6 * time.Hour,
		Positions: renewal,
		Window:    longestSeries,
	},
	Notes: []string{
		"An API token (v2) is made in Trackunit Manager and must allow the scopes api.iso15143.snapshot and api.iso15143.timeseries, and asset.view for names; a classic API user (v1) is made by Trackunit.",
		"A machine is known by Trackunit's own id, or else by its serial number: the equipment id is a name that customers give and change.",
		"Live positions are the newest of each machine every 15 minutes, which is how often the export may be read; speed and heading are added from the Location API where the token may read it.",
		"Positions of the past have time and place only, and need a subscription that includes time series; a machine's come a hundred at a time, every 15 minutes once the 50 calls are used up that Trackunit grants beyond.",
		"Readings come with the snapshot, each with its own time: operating and idle hours, distance, fuel used, and what is left of fuel and DEF. Unverified: the form of Trackunit's extended data, such as battery and coolant, and the unit of its power take-off hours; they are not read.",
		"Trips are derived from positions.",
		"The description is the asset's name, or else the equipment id; the registration is not reported, and a machine is active as long as it is listed.",
		"Not verified against the live service: where the Location API has the id of an asset, and the name of the list of locations in a series; every likely form is read.",
	},
	New: New,
}

// Adapter reads one customer's machines.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client // Trackunit's own APIs
	iso               *iso15143.Client

	pages  iso15143.Pages
	keys   map[string]string // what series are asked by, by device
	assets map[string]asset  // by id and by serial number
	places map[string]place  // by asset
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	login, host, err := loginOf(cfg)
	if err != nil {
		return nil, err
	}
	a := &Adapter{cfg: cfg, keys: map[string]string{}}
	a.api = &client.Client{HTTP: cfg.HTTP, Base: host, Session: session.New(cfg.Now, login), Sign: client.Bearer}
	a.iso = iso15143.New(iso15143.Options{
		HTTP: cfg.HTTP, Base: host + exportPath, Accept: iso15143.JSON, Authorize: a.api.Session.Bearer,
		Query: map[string][]string{"addMetadata": {"true"}},
	})
	a.pages = iso15143.Pages{Client: a.iso, Now: cfg.Now}
	a.Provider = provider.Of(provider.Calls{
		Check:     a.check,
		Devices:   paging.Numbered(a.devices),
		Positions: window.LiveAndPast(paging.Numbered(a.snapshot).Rounds, a.series),
		Trips:     noTrips,
	})
	return a, nil
}

func (a *Adapter) check(ctx context.Context) error {
	_, err := a.fleet(ctx, iso15143.FirstPage, fresh)
	return err
}

// devices reads a page of the machines. One that was read for positions serves here
// too.
func (a *Adapter) devices(ctx context.Context, number int) ([]provider.Device, bool, error) {
	if err := a.readAssets(ctx, number); err != nil {
		return nil, false, err
	}
	p, err := a.fleet(ctx, number, renewal)
	return wire.Records(p.Fleet.Equipment, func(e iso15143.Equipment) (provider.Device, bool) { return device(e, a.assets) }), p.More, err
}

// snapshot reads a page of the newest positions.
func (a *Adapter) snapshot(ctx context.Context, number int) (records []provider.Position, more bool, err error) {
	p, err := a.fleet(ctx, number, fresh)
	if err != nil {
		return nil, false, err
	}
	err = a.readPlaces(ctx, number)
	for _, e := range p.Fleet.Equipment {
		records = append(records, positions(e, a.places)...)
	}
	return records, p.More, err
}

func noTrips(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
	return provider.Page[provider.Trip]{}, provider.Errorf(provider.KindPermanent, "Trackunit has no trips")
}
