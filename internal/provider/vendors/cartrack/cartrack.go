// Package cartrack reads from the Fleet API of Cartrack (Karooooo).
package cartrack

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
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
	pageSize = 100

	// The events of all vehicles span 24 hours at most; for one vehicle no limit
	// is documented, so the same is kept.
	positionWindow = 6 * time.Hour

	// Trips span 31 days at most. Whether they are selected by their start or
	// their end is not documented, so each window reaches back by more than a
	// trip lasts.
	tripWindow = 7 * 24 * time.Hour
	tripMargin = 24 * time.Hour
	// tripOverlap is for trackers that upload a trip late: the window is for the
	// whole fleet, whose newest trip says nothing of theirs.
	tripOverlap = 12 * time.Hour

	// freshFor is how long a vehicle that the list did not have is not looked
	// for again.
	freshFor = 10 * time.Minute

	// The calls that have limits of their own.
	eventsOfOne = "events of a vehicle"
	statusOfAll = "status of all vehicles"
	// keptYears is for how long the vendor keeps data: an older start is refused.
	keptYears = 5
)

// regions are those of the vendor's documentation.
var regions = []string{
	"au", "bw", "es", "hk", "id", "ke", "kh", "me", "mw", "my", "mz", "na", "ng", "nz", "ph", "pl", "pt", "rw", "sa", "sg",
	"sw", "th", "tz", "vn", "za", "zm", "znz", "zw",
}

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Cartrack,
	Title:    "Cartrack",
	Homepage: "developer.cartrack.com/docs/fleet-api-general",
	Fields: []provider.Field{
		{
			Name: "region", Title: "Region", Options: regions, RequiredUnless: []string{provider.BaseURLField},
			Help: "Country of the account. Another country's server refuses the password.",
		},
		{Name: "username", Account: true, Title: "User name", Required: true, Help: "Account or user of Fleetweb, such as ABCD00001."},
		{
			Name: "password", Title: "API password", Required: true, Secret: true,
			Help: "Made in Fleetweb under Settings, API Settings. It is not the password of the login.",
		},
		{
			Name: "timezone", Title: "Time zone", Required: true,
			Help: "Zone of the account by its IANA name, such as Africa/Johannesburg. Records are missed where it is wrong.",
		},
		{
			Name: provider.BaseURLField, Title: "Server address",
			Help: "Address of the API, such as https://fleetapi-za.cartrack.com/rest, in place of a region.",
		},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Ignition: true, Odometer: true, Idling: true,
	},
	Readings: provider.Declared(readings),
	Limits: []provider.Limit{
		{Requests: 1000, Per: time.Minute, Concurrent: 4},
		{Path: eventsOfOne, Requests: 200, Per: time.Minute},
		{Path: statusOfAll, Requests: 60, Per: time.Minute},
	},
	// A poll of positions is one call for all vehicles and, every few minutes, one
	// for each that moved; one of trips a call for each hundred trips of the last day
	// and a half.
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 15 * time.Second,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Notes: []string{
		"An administrator makes the API password in Fleetweb under Settings, API Settings.",
		"A refusal of right credentials usually means the wrong region.",
		"The time zone must be the account's: Cartrack takes times without an offset.",
		"Where the registration is a placeholder that starts with TEMP-, the vehicle's name is taken for it.",
		"A trip's distance is the difference of its odometers; without them it is taken as kilometres where that gives a plausible speed, else as metres.",
		"Driving time is the trip's duration less its idling; auxiliary time is not known.",
		"All vehicles count as active: Cartrack has no status of that kind.",
		"Readings come with events and states, where the vehicle has the part. Unverified: the unit of the fuel level and of the fuel consumed in a vehicle's state; they are not read.",
		"Field names come from public clients rather than from the vendor's own schema and are read tolerantly.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	zone              *time.Location
	// registrations are the vehicles' by their ids: events are asked for by them.
	registrations map[string]string
	listed        time.Time // when they were last read for a vehicle that lacked one
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	zone, err := wire.Zone(cfg.Credentials["timezone"])
	if err != nil {
		return nil, provider.Errorf(provider.KindPermanent, "read the credentials: %w", err)
	}
	region := cfg.Credentials["region"]
	if cfg.BaseURL == "" && region == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the region is missing")
	}
	sign := client.Basic(cfg.Credentials["username"], cfg.Credentials["password"])
	a := &Adapter{cfg: cfg, api: client.New(cfg, "https://"+host(region)+"/rest", sign), zone: zone, registrations: map[string]string{}}
	a.api.Meaning = meaning
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Numbered(a.vehicles),
		Drivers: paging.Numbered(a.drivers),
		Positions: window.Fresh{
			Reader: window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Newest: a.newest, Every: 3 * time.Minute,
		}.Page,
		Trips: window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Length: tripWindow, Before: tripMargin, Overlap: tripOverlap}.Page,
	})
	return a, nil
}

// host returns the server of a region. Those of Kenya and Saudi Arabia bear the
// name of the parent company.
func host(region string) string {
	if region == "ke" || region == "sa" {
		return "fleetapi-" + region + ".karooooo.com"
	}
	return "fleetapi-" + region + ".cartrack.com"
}

func (a *Adapter) check(ctx context.Context) error {
	_, err := get[vehicle](ctx, a, "/vehicles", url.Values{"limit": {"1"}})
	return err
}

// vehicles reads a page of the vehicles.
func (a *Adapter) vehicles(ctx context.Context, number int) ([]provider.Device, bool, error) {
	vehicles, more, err := page[vehicle](ctx, a, "/vehicles", nil, number)
	for _, v := range vehicles {
		a.registrations[v.ID.String()] = v.Registration.String()
	}
	return wire.All(vehicles, vehicle.record), more, err
}

// drivers reads a page of the drivers.
func (a *Adapter) drivers(ctx context.Context, number int) ([]provider.Driver, bool, error) {
	drivers, more, err := page[driver](ctx, a, "/drivers", nil, number)
	return wire.All(drivers, driver.record), more, err
}

// newest fetches the state of all vehicles.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	ctx = outbound.WithOperation(ctx, statusOfAll)
	answer, err := get[status](ctx, a, "/vehicles/status", url.Values{"odometer_in_km": {"false"}})
	if err != nil {
		return nil, err
	}
	return records(answer.Data, func(s status) (provider.Position, bool, error) { return s.newest().record(a.zone) })
}

// positions fetches the events of one vehicle. The endpoint for all vehicles
// would take fewer calls, but what a tracker stored while it was out of reach is
// older than the newest record of the others, and would be missed.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	registration, err := a.registration(ctx, w.Devices[0])
	if err != nil || registration == "" {
		return nil, err
	}
	ctx = outbound.WithOperation(ctx, eventsOfOne)
	events, err := list[event](ctx, a, "/vehicles/"+url.PathEscape(registration)+"/events", a.period(w))
	if err != nil {
		return nil, err
	}
	return records(events, func(e event) (provider.Position, bool, error) {
		r, ok, err := e.record(a.zone)
		return r, ok && r.SystemDeviceID == w.Devices[0], err
	})
}

// trips fetches the finished trips of all vehicles.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	trips, err := list[trip](ctx, a, "/trips", a.period(w))
	if err != nil {
		return nil, err
	}
	return records(trips, func(t trip) (provider.Trip, bool, error) { return t.record(a.zone) })
}

// registration returns that of a vehicle, empty where it has none or is gone.
func (a *Adapter) registration(ctx context.Context, id string) (string, error) {
	registration, known := a.registrations[id]
	if known || a.cfg.Now().Before(a.listed.Add(freshFor)) {
		return registration, nil
	}
	vehicles, err := list[vehicle](ctx, a, "/vehicles", nil)
	if err != nil {
		return "", err
	}
	a.listed = a.cfg.Now()
	for _, v := range vehicles {
		a.registrations[v.ID.String()] = v.Registration.String()
	}
	return a.registrations[id], nil
}

// period writes a window in the account's own time, to the whole second.
func (a *Adapter) period(w window.Window) url.Values {
	const layout = "2006-01-02 15:04:05"
	if oldest := a.cfg.Now().AddDate(-keptYears, 0, 1); w.From.Before(oldest) {
		w.From = oldest
	}
	from, to := wire.LocalBounds(w.From, wire.CeilSecond(w.To), a.zone)
	return url.Values{"start_timestamp": {from.Format(layout)}, "end_timestamp": {to.Format(layout)}}
}

// list fetches all pages of a list.
func list[T any](ctx context.Context, a *Adapter, path string, query url.Values) ([]T, error) {
	return paging.ByNumber(func(number int) ([]T, bool, error) { return page[T](ctx, a, path, query, number) })
}

// page fetches one page of a list and says whether there are more. Where the
// answer does not tell, a page that is not full is the last.
func page[T any](ctx context.Context, a *Adapter, path string, query url.Values, number int) (rows []T, more bool, err error) {
	all := url.Values{"page": {strconv.Itoa(number)}, "limit": {strconv.Itoa(pageSize)}}
	maps.Copy(all, query)
	answer, err := get[T](ctx, a, path, all)
	if err != nil {
		return nil, false, err
	}
	if last := answer.Meta.LastPage.Ptr(); last != nil {
		return answer.Data, float64(number) < *last, nil
	}
	return answer.Data, len(answer.Data) >= pageSize, nil
}

// get makes one call.
func get[T any](ctx context.Context, a *Adapter, path string, query url.Values) (envelope[T], error) {
	answer, err := client.Get[envelope[T]](ctx, a.api, path, query)
	if err == nil {
		err = answer.failure()
	}
	return answer, err
}

// meaning corrects the kind of an error: 409 asks for the same call later.
func meaning(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	switch {
	case ok && status.Status == http.StatusConflict:
		return provider.Errorf(provider.KindTemporary, "Cartrack asks to try again later: %w", status)
	case ok && status.Status == http.StatusUnauthorized:
		return provider.Errorf(provider.KindCredentials, "Cartrack refuses the credentials, or the account is of another region: %w", status)
	default:
		return err
	}
}
