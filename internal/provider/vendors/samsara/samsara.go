// Package samsara reads from the Samsara REST API.
package samsara

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	vehiclePage = 512 // the vendor's largest; one more is refused
	idlingPage  = 200 // likewise

	positionWindow = 24 * time.Hour
	// tripWindow stays far below the 90 days that the vendor allows, so that one
	// answer stays small.
	tripWindow = 7 * 24 * time.Hour
)

// hosts are the vendor's addresses by region.
var hosts = map[string]string{
	"us": "https://api.samsara.com",
	"eu": "https://api.eu.samsara.com",
}

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Samsara,
	Title:    "Samsara",
	Homepage: "developers.samsara.com/reference",
	Fields: []provider.Field{
		{
			Name: "api_token", Title: "API token", Required: true, Secret: true,
			Help: "Made in the Samsara dashboard under Settings, API Tokens, with the read scopes for vehicles, statistics, trips, drivers, assignments and idling.",
		},
		{Name: "region", Title: "Region", Default: "us", Options: []string{"us", "eu"}, Help: "Where the organisation's data is kept: us or eu."},
		{
			Name: provider.WebhookSecretField, Title: "Webhook secret", Secret: true,
			Help: "The secret key of a Samsara webhook that calls this connection's inbound address; its notices are verified with it.",
		},
		{Name: provider.BaseURLField, Title: "API address", Help: "Replaces the address of the region, such as https://api.samsara.com."},
	},
	Features: provider.Features{
		Feed: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, DriversNeed: "Read Drivers", Ignition: true, Odometer: true,
		Idling: true, Auxiliary: true,
	},
	Readings:    slices.Concat(provider.Declared(decorated), provider.Declared(statistics)),
	Faults:      faults,
	Safety:      safety,
	Assignments: assignments,
	Limits: []provider.Limit{
		{Requests: 150, Per: time.Second},
		{Path: "/fleet/vehicles", Requests: 25, Per: time.Second},
		{Path: "/fleet/driver-vehicle-assignments", Requests: 5, Per: time.Second},
		{Path: "/fleet/drivers", Requests: 5, Per: time.Second},
		{Path: "/idling/events", Requests: 5, Per: time.Second},
		// The tier of the trips is not published: this is one of the lower ones.
		{Path: "/v1/fleet/trips", Requests: 5, Per: time.Second},
	},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 30 * time.Second,
		Trips:     30 * time.Minute, // one or two calls for each vehicle
		Window:    positionWindow,
	},
	Units: drover.Units{Speed: new("mph")},
	Notes: []string{
		"Safety events are read by the time of their last change, each minute, with what cameras saw; those of vehicles without a camera too. Idling is in trips, and defensive driving is no danger: neither is read.",
		"The API token is made in the Samsara dashboard; tokens of marketplace apps (OAuth) are not supported.",
		"Trips are Samsara's own, with idling and power take-off summed up from its idling events, which leave out short standstills.",
		"Who drove is read day by day, the last day again in each round and the last eight once a day: what Samsara takes back is dropped. Assignments of passengers are left out.",
		"A token without the scope for assignments gives no drivers, and one without the scope for idling no idling, auxiliary and driving times.",
		"The odometer is the one that the engine reports; a vehicle without gateway counts as not active.",
		"Readings come from four feeds of vehicle statistics, once a minute, and only as they are made: of the past there is the odometer alone. A feed that the token may not read, or that has a type Samsara does not know, is left out.",
		"Faults come from a feed of their own, the whole list at each change; lamps are those of the vehicle, as Samsara does not say which fault has lit one.",
		"Power take-off is not read: which auxiliary input it is depends on the vehicle's wiring.",
		"How long a feed's cursor stays good is unverified: one that is refused is replaced, and what came since is read from the history.",
	},
	Notices: notices,
	New:     New,
}

// Adapter reads one organisation.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	// shifts are the assignments read last: the pages of one historic window
	// share them.
	shifts shifts
	// unread are the feeds of readings that the vendor refused, by their number.
	unread map[int]refusal
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, unread: map[int]refusal{}, api: client.New(cfg, hosts[cmp.Or(cfg.Credentials["region"], "us")],
		client.Header("Authorization", "Bearer "+cfg.Credentials["api_token"]))}
	if a.api.Base == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the region must be us or eu")
	}
	a.Provider = provider.Of(provider.Calls{
		Check:     client.Check[list[vehicle]](a.api, "/fleet/vehicles", url.Values{"limit": {"1"}}),
		Devices:   paging.Linked(a.vehicles),
		Positions: a.readStats, // live ones from the vendor's feed, past ones from its history
		Trips: window.Reader[provider.Trip]{
			Fetch: a.trips, Now: cfg.Now,
			Batch: 1, Length: tripWindow, Overlap: time.Hour,
			Before: time.Minute, // a trip that ends where the window begins may not overlap it
		}.Page,
		Drivers: paging.Linked(a.drivers),
	})
	return a, nil
}

// vehicles reads a page of the vehicles.
func (a *Adapter) vehicles(ctx context.Context, cursor string) ([]provider.Device, string, error) {
	vehicles, next, err := page[vehicle](ctx, a, "/fleet/vehicles", url.Values{"limit": {strconv.Itoa(vehiclePage)}}, cursor)
	return wire.All(vehicles, vehicle.record), next, err
}

// drivers reads a page of the drivers: first those that are active, then the others, which
// the vendor lists only where they are asked for.
func (a *Adapter) drivers(ctx context.Context, cursor string) ([]provider.Driver, string, error) {
	status, after, _ := strings.Cut(cmp.Or(cursor, activeDriver+" "), " ")
	query := url.Values{"driverActivationStatus": {status}, "limit": {strconv.Itoa(vehiclePage)}}
	drivers, next, err := page[driver](ctx, a, "/fleet/drivers", query, after)
	switch {
	case next != "":
		next = status + " " + next
	case status == activeDriver:
		next = "deactivated "
	}
	return wire.All(drivers, driver.record), next, err
}

// trips fetches the finished trips of one vehicle that overlap the window.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	var answer struct {
		Trips []trip `json:"trips" required:"true"`
	}
	query := url.Values{"vehicleId": w.Devices, "startMs": {millis(w.From)}, "endMs": {millis(w.To)}}
	if err := a.api.Get(ctx, "/v1/fleet/trips", query, &answer); err != nil {
		return nil, err
	}
	records := wire.Records(answer.Trips, func(t trip) (provider.Trip, bool) { return t.record(w.Devices[0]), t.over() })
	return records, a.addIdling(ctx, w.Devices[0], records)
}

// addIdling fills in how long the engine ran at standstill during the trips of
// one vehicle.
func (a *Adapter) addIdling(ctx context.Context, device string, trips []provider.Trip) error {
	if len(trips) == 0 {
		return nil
	}
	from, to := trips[0].StartTime.Time, trips[0].EndTime.Time
	for _, t := range trips[1:] {
		from, to = earlier(from, t.StartTime.Time), later(to, t.EndTime.Time)
	}
	events, err := all[idling](ctx, a, "/idling/events", url.Values{
		"startTime": {wire.ISOMilli(from)}, "endTime": {wire.ISOMilli(to)},
		"assetIds": {device}, "limit": {strconv.Itoa(idlingPage)},
	})
	if notPermitted(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read idling: %w", err)
	}
	for i := range trips {
		setIdling(&trips[i], events)
	}
	return nil
}

// all reads every page of a list.
func all[T any](ctx context.Context, a *Adapter, path string, query url.Values) ([]T, error) {
	return paging.ByCursor(func(cursor string) ([]T, string, error) { return page[T](ctx, a, path, query, cursor) })
}

// page reads a page of a list. Behind the last one, the next cursor is empty.
func page[T any](ctx context.Context, a *Adapter, path string, query url.Values, cursor string) (rows []T, next string, err error) {
	if cursor != "" {
		query.Set("after", cursor)
	}
	answer, err := client.Get[list[T]](ctx, a.api, path, query)
	next, more := answer.Pagination.next(cursor)
	if !more {
		next = ""
	}
	return answer.Data, next, err
}

// notPermitted reports whether the token lacks the scope of a call. Another call
// with it has succeeded just before, so that 401 does not mean a wrong token.
func notPermitted(err error) bool {
	status := provider.StatusOf(err)
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}
