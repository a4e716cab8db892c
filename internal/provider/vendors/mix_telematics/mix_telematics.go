// Package mixtelematics reads from MiX Integrate, the API of MiX Telematics, which
// is now Powerfleet Unity.
package mixtelematics

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// assetBatch is how many assets one historic call is for.
	assetBatch = 50
	// positionWindow keeps the answer for a batch below the size of a body.
	positionWindow = 12 * time.Hour
	// A query may be for 7 days. Trips are asked for from a day before, as it is
	// not documented whether they are selected by their start or their end.
	tripWindow = 5 * 24 * time.Hour
	tripMargin = 24 * time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.MixTelematics,
	Title:    "MiX Telematics",
	Homepage: "integrate.om.mixtelematics.com",
	Fields: []provider.Field{
		{
			Name: "data_centre", Title: "Data centre", Required: true,
			Options: []string{"us", "uk", "za", "ent", "au", "om", "alg", "uat", "eu"},
			Help:    "The part of the vendor's addresses that says where the account is, such as uk in integrate.uk.mixtelematics.com.",
		},
		{Name: "client_id", Title: "Client id", Required: true, Help: "Id of the API client that the vendor's support makes for you."},
		{Name: "client_secret", Title: "Client secret", Required: true, Secret: true, Help: "Secret of that API client."},
		{Name: "username", Account: true, Title: "User name", Required: true, Help: "Login of a user with the right to use MiX Integrate."},
		{Name: "password", Title: "Password", Required: true, Secret: true, Help: "Password of that user."},
		{
			Name: "organisation_id", Title: "Organisation id",
			Help: "Id of the one organisation to read. Without it, all those that the user may see are read.",
		},
		{Name: provider.BaseURLField, Title: "Base URL", Help: "Replaces the vendor's addresses, for a proxy or a test."},
	},
	Features: provider.Features{
		Feed: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Odometer: true, Idling: true,
	},
	Readings: provider.Declared(readings),
	Safety:   safety,
	Faults:   faults,
	// The number comes from users' notes; the vendor publishes none.
	Limits: []provider.Limit{{Requests: 20, Per: time.Minute}},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,
		Trips:     5 * time.Minute,
		Window:    positionWindow,
	},
	Timeout: 60 * time.Second, // wide windows take long
	Units:   drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Notes: []string{
		"Ask the vendor's support for an API client, and for a user with the right to use MiX Integrate in your data centre.",
		"Positions and trips come from the vendor's feeds, for the whole organisation at once; after more than 7 days without a poll the gap is filled from the history.",
		"The vendor's stand-in for an unknown driver is left out where the user may list the drivers.",
		"Trips are native, standing time with a running engine counts as idling, and the ignition and auxiliary work are not reported.",
		"Readings are the odometer of positions. Unverified: by which id the vendor's ISO 15143-3 export, which has engine hours and fuel, names an asset; it is not read.",
		"Faults are the vendor's own records of trouble codes, read every 30 minutes. Unverified: the form of codes that are not of OBD, whose protocol is unknown.",
		"Safety events are those of the account's library, by what they are called there; connection settings (safety_types) say what a name of a fleet's own means. Sums over a period are not read, and neither is idling, which is in trips. Unverified: the names of a library.",
		"The limit of calls and the word for a vehicle out of service could not be verified; data centre eu is only claimed by a third party.",
	},
	New: New,
}

// Adapter reads one login.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	known             known
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, known: known{
		owner: map[string]string{}, strangers: map[string]*session.Kept[map[string]bool]{}, names: map[string]*session.Kept[map[string]string]{},
	}}
	a.api = client.New(cfg, "https://integrate."+cfg.Credentials["data_centre"]+".mixtelematics.com", client.Bearer)
	a.api.Base += "/api"
	a.api.Session = &session.Session{Login: a.login, Now: cfg.Now, Stale: refused}
	a.api.Meaning = a.meaning
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Linked(a.devices),
		Drivers: paging.Linked(a.drivers),
		Positions: job(a, a.newPositions, window.Reader[provider.Position]{
			Fetch: a.pastPositions, Now: cfg.Now, Batch: assetBatch, Length: positionWindow,
		}),
		Trips: job(a, a.newTrips, window.Reader[provider.Trip]{
			Fetch: a.pastTrips, Now: cfg.Now, Batch: assetBatch, Length: tripWindow, Before: tripMargin,
		}),
	})
	return a, nil
}

// devices reads a page of the devices: an organisation's. The cursor is the next one.
func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	if cursor == "" {
		a.known.organisations = nil // each listing looks for new ones
	}
	organisations, err := a.organisations(ctx)
	if err != nil || len(organisations) == 0 {
		return nil, "", err
	}
	turn := max(slices.Index(organisations, cursor), 0)
	assets, err := a.assets(ctx, organisations[turn])
	if turn+1 < len(organisations) {
		next = organisations[turn+1]
	}
	return wire.All(assets, asset.record), next, err
}

// drivers reads a page of the drivers: an organisation's, without those who stand for no one.
func (a *Adapter) drivers(ctx context.Context, cursor string) (records []provider.Driver, next string, err error) {
	organisations, err := a.organisations(ctx)
	if err != nil || len(organisations) == 0 {
		return nil, "", err
	}
	turn := max(slices.Index(organisations, cursor), 0)
	drivers, _, err := list[driver](ctx, a, "/drivers/organisation/"+organisations[turn], nil)
	if turn+1 < len(organisations) {
		next = organisations[turn+1]
	}
	return wire.Records(drivers, driver.record), next, err
}

// newPositions reads an organisation's feed on from token.
func (a *Adapter) newPositions(ctx context.Context, organisation, token string) ([]provider.Position, next, error) {
	path := "/positions/groups/createdsince/organisation/" + organisation + "/sincetoken/" + url.PathEscape(token) + "/quantity/1000"
	rows, answer, err := list[position](ctx, a, path, nil)
	if err != nil {
		return nil, next{}, err
	}
	records, err := a.positions(ctx, organisation, rows)
	return records, nextOf(answer, token), err
}

// newTrips reads an organisation's feed on from token.
func (a *Adapter) newTrips(ctx context.Context, organisation, token string) ([]provider.Trip, next, error) {
	path := "/trips/groups/createdsince/organisation/" + organisation + "/sincetoken/" + url.PathEscape(token) +
		"/quantity/1000?includeSubTrips=false"
	rows, answer, err := list[trip](ctx, a, path, nil)
	return trips(rows), nextOf(answer, token), err
}

func (a *Adapter) pastPositions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	path := fmt.Sprintf("/positions/assets/from/%s/to/%s", pathTime(w.From), pathTime(wire.CeilSecond(w.To)))
	return perOrganisation(ctx, a, w.Devices, func(organisation string, assets []string) ([]provider.Position, error) {
		rows, _, err := list[position](ctx, a, path, numbers(assets))
		if err != nil {
			return nil, err
		}
		return a.positions(ctx, organisation, rows)
	})
}

func (a *Adapter) pastTrips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	path := fmt.Sprintf("/trips/assets/from/%s/to/%s?includeSubTrips=false", pathTime(w.From), pathTime(wire.CeilSecond(w.To)))
	return perOrganisation(ctx, a, w.Devices, func(_ string, assets []string) ([]provider.Trip, error) {
		rows, _, err := list[trip](ctx, a, path, numbers(assets))
		return trips(rows), err
	})
}

// positions converts rows of one organisation.
func (a *Adapter) positions(ctx context.Context, organisation string, rows []position) ([]provider.Position, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	strangers, err := a.systemDrivers(ctx, organisation)
	if err != nil {
		return nil, err
	}
	return wire.Records(rows, func(p position) (provider.Position, bool) {
		if strangers[p.DriverID.String()] {
			p.DriverID = ""
		}
		return p.record()
	}), nil
}

// perOrganisation makes one call for the assets of each organisation: the vendor
// refuses ids of several in one.
func perOrganisation[T any](
	ctx context.Context,
	a *Adapter,
	assets []string,
	call func(organisation string, assets []string) ([]T, error),
) ([]T, error) {
	owners, err := a.owners(ctx, assets)
	if err != nil {
		return nil, err
	}
	var all []T
	for _, o := range owners {
		records, err := call(o.organisation, o.assets)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}
