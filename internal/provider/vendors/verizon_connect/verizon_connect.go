// Package verizonconnect reads from Verizon Connect Reveal, formerly Fleetmatics.
package verizonconnect

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
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
	// bulkSize is how many vehicles one call for newest locations is for. The
	// vendor's bound is not published; others ask for a hundred.
	bulkSize       = 100
	positionWindow = 24 * time.Hour
	// A call for segments covers 24 hours, of which the margin lies before the
	// window: whether a segment that crosses an edge comes whole is not documented.
	tripWindow = 18 * time.Hour
	tripMargin = 6 * time.Hour
	// tripLag is how long after a vehicle's last report its segment may come.
	tripLag = time.Hour

	speedField = "speed_unit"
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.VerizonConnect,
	Title:    "Verizon Connect",
	Homepage: "fim.us.fleetmatics.com",
	Fields: []provider.Field{
		{Name: "region", Title: "Region", Required: true, Options: []string{"us", "eu"}, Help: "Where the account is: us or eu."},
		{
			Name: "app_id", Title: "App ID", Required: true, Secret: true,
			Help: "From the Reveal Marketplace, such as fleetmatics-p-us-0123456789abcdef.",
		},
		{Name: "username", Account: true, Title: "User name", Required: true, Help: "The REST integration user of that app."},
		{Name: "password", Title: "Password", Required: true, Secret: true, Help: "Password of that user."},
		{
			Name: speedField, Title: "Unit of speed", Options: []string{"kph", "mph"},
			Help: "In which unit the account reports speeds, which follows its settings. Where it is empty, mph for us and kph for eu.",
		},
		{Name: provider.BaseURLField, Title: "Base URL", Help: "Replaces the address of the API, for a proxy or a test."},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Speed: true, Driver: true, Drivers: true, Odometer: true,
	},
	Readings: provider.Declared(readings),
	Faults:   faults,
	// The vendor's limits are not published; others keep to a few calls a second.
	Limits: []provider.Limit{{Requests: 3, Per: time.Second, Concurrent: 2}},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 3 * time.Minute,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Units: drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Assumed: map[string]string{
		drover.CheckSpeed: "Speeds of accounts in the US are taken to be in miles an hour and those in Europe in km/h, unless speed_unit says otherwise: that is what clients say, not the vendor.",
	},
	Notes: []string{
		"Add an integration in the Reveal Marketplace: it shows the App ID and makes the REST integration user.",
		"A vehicle is known by its vehicle number; one without a number is listed, but the vendor has no data for it.",
		"Every three minutes one call for 100 vehicles finds those with news, and one for each of them reads its positions.",
		"Positions have speed, driver and odometer; heading and ignition are reported for the newest position only and are left out.",
		"Trips are native, from ignition on to ignition off, with distance but without driving and idling time; private places and positions are left out.",
		"Readings are the odometer of positions. Unverified: the units of fuel, power take-off time and battery in the status of a vehicle, which takes a call for each of them; they are not read.",
		"Faults are the active codes of the whole fleet, read once an hour. Unverified: how codes are parted in their text.",
		"The limits of calls and the longest range of the history could not be verified.",
	},
	Notices: notices,
	New:     New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	miles             bool // speeds are in miles an hour
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	region := cfg.Credentials["region"]
	unit := cmp.Or(cfg.Credentials[speedField], map[string]string{"us": "mph"}[region])
	if cfg.BaseURL == "" && region != "us" && region != "eu" {
		return nil, provider.Errorf(provider.KindPermanent, "the region is neither us nor eu")
	}
	a := &Adapter{cfg: cfg, miles: unit == "mph"}
	a.api = client.New(cfg, "https://fim.api."+region+".fleetmatics.com", a.sign)
	a.api.HTTP = &wire.Answer{Doer: cfg.HTTP} // an empty list is answered with 204
	a.api.Session, a.api.Meaning = session.New(cfg.Now, a.login), meaning
	a.Provider = provider.Of(provider.Calls{
		Check:   client.Check[vehicles](a.api, "/cmd/v1/vehicles", nil),
		Devices: paging.Whole(a.vehicles),
		Drivers: paging.Whole(a.drivers),
		Positions: window.News[provider.Position]{
			Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Updates: a.updates,
		}.Page,
		Trips: window.News[provider.Trip]{
			Reader:  window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Batch: 1, Length: tripWindow, Before: tripMargin, Overlap: tripLag},
			Updates: a.updates, Lag: tripLag,
		}.Page,
	})
	return a, nil
}

func (a *Adapter) sign(req *http.Request, token string) {
	req.Header.Set("Authorization", "Atmosphere atmosphere_app_id="+a.cfg.Credentials["app_id"]+", Bearer "+token)
}

// vehicles reads all vehicles: the list has no pages.
func (a *Adapter) vehicles(ctx context.Context) ([]provider.Device, error) {
	list, err := client.Get[vehicles](ctx, a.api, "/cmd/v1/vehicles", nil)
	return wire.Records(list, vehicle.record), err
}

// drivers reads all drivers. One without a number is no one whom positions name.
func (a *Adapter) drivers(ctx context.Context) ([]provider.Driver, error) {
	list, err := client.Get[[]driverItem](ctx, a.api, "/cmd/v1/drivers", nil)
	return wire.Records(list, driverItem.record), err
}

// updates returns when each vehicle last reported.
func (a *Adapter) updates(ctx context.Context, _ time.Time, devices []string) (map[string]window.Update, error) {
	locations, err := a.locations(ctx, devices)
	return window.Heard(locations, location.heard), err
}

// locations fetches the newest position of each vehicle that has one.
func (a *Adapter) locations(ctx context.Context, devices []string) ([]location, error) {
	var all []location
	numbered := slices.DeleteFunc(slices.Clone(devices), func(id string) bool { return strings.HasPrefix(id, withoutNumber) })
	for batch := range slices.Chunk(numbered, bulkSize) {
		var answer []location
		if err := a.api.Post(ctx, "/rad/v1/vehicles/locations", batch, &answer); err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(answer, func(l location) bool { return l.position() == nil })...)
	}
	return all, nil
}

// positions fetches the positions of one vehicle.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	number := w.Devices[0]
	if strings.Contains(number, "/") {
		return a.newest(ctx, number)
	}
	query := url.Values{"startdatetimeutc": {timestamp(w.From)}, "enddatetimeutc": {timestamp(wire.CeilSecond(w.To))}}
	rows, err := ofVehicle[[]position](ctx, a, number, "status/history", query)
	return wire.Records(rows, func(p position) (provider.Position, bool) { return p.record(number, a.miles) }), err
}

// newest returns the one position that can be had of a vehicle whose number has a
// slash: it fits into a body, but into no path.
func (a *Adapter) newest(ctx context.Context, number string) ([]provider.Position, error) {
	locations, err := a.locations(ctx, []string{number})
	return wire.Records(locations, func(l location) (provider.Position, bool) { return l.position().record(number, a.miles) }), err
}

// trips fetches the segments of one vehicle, from ignition on to ignition off.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	number := w.Devices[0]
	if strings.Contains(number, "/") {
		return nil, nil
	}
	answer, err := ofVehicle[segments](ctx, a, number, "segments", url.Values{"startdateutc": {timestamp(w.From)}})
	return wire.Records(answer, func(s segment) (provider.Trip, bool) { return s.record(number) }), err
}

// ofVehicle reads from the path of one vehicle. One that the vendor does not know,
// or that the account has no plan for, has no records and must not hold up the
// others.
func ofVehicle[T any](ctx context.Context, a *Adapter, number, what string, query url.Values) (answer T, err error) {
	if strings.HasPrefix(number, withoutNumber) {
		return answer, nil
	}
	answer, err = client.Get[T](ctx, a.api, "/rad/v1/vehicles/"+escape(number)+"/"+what, query)
	if provider.StatusOf(err) == http.StatusBadRequest && provider.KindOf(err) == provider.KindPermanent {
		return answer, nil
	}
	return answer, window.UnlessGone(err)
}
