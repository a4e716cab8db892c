// Package traccar reads from a Traccar server: an open-source GPS server, hosted
// by the vendor or by the customer.
package traccar

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// positionWindow keeps an answer of a tracker that reports every second well
	// below the size of a body.
	positionWindow = 6 * time.Hour

	// A report over more than a day is computed by a less exact method. Trips are
	// cut at the edges of a report, so each is made wider than the window it is
	// for, on both sides.
	tripWindow = 8 * time.Hour
	tripMargin = 8 * time.Hour
	// tripGap is the standstill after which a server ends a trip. One that ends
	// closer to the end of a report may be under way still.
	tripGap = 5 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Traccar,
	Title:    "Traccar",
	Homepage: "www.traccar.org/api-reference",
	Fields: []provider.Field{
		{
			Name: provider.BaseURLField, Title: "Server address", Required: true,
			Help: "Address of the server's API, such as https://demo.traccar.org/api.",
		},
		{
			Name: "token", Title: "Token", Secret: true, RequiredUnless: []string{"password"},
			Help: "Made in the web application under Settings, Preferences, Token. Choose an expiry years ahead.",
		},
		{Name: "email", Account: true, Title: "E-mail", RequiredUnless: []string{"token"}, Help: "Login of the account, where no token is used."},
		{
			Name: "password", Title: "Password", Secret: true, RequiredUnless: []string{"token"},
			Help: "Password of the account. Not possible with two-factor login.",
		},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Ignition: true, Odometer: true,
	},
	Readings: provider.Declared(readings),
	Faults:   &provider.Besides{Names: []string{"dtcs"}},
	Safety:   safety,
	// Servers have no limit of their own. This one is kept for the sake of small
	// ones.
	Limits: []provider.Limit{{Requests: 20, Per: time.Second, Concurrent: 4}},
	Poll: provider.Poll{
		Devices:    time.Hour,
		Positions:  15 * time.Second,
		Trips:      15 * time.Minute,
		TripsAfter: tripGap,
		Window:     positionWindow,
	},
	Push:    push,
	Timeout: 60 * time.Second, // reports are calculated while one waits
	Units:   drover.Units{Speed: new("knots")},
	Notes: []string{
		"Safety events are alarms of the tracker and overspeed events of the server, without a place. A server can be set to make alarms of any two positions (event.behavior): these cannot be told apart from the tracker's own.",
		"A token that was made without an expiry ends after 7 days.",
		"The registration is read from the device's attribute \"registration\"; make and year are not known, and the server's model is that of the tracker.",
		"Ignition, driver, odometer and readings are there where the tracker reports them.",
		"Unverified: obdOdometer, whose unit differs between server versions, is not read; a server that is fed by flespi has percent in fuel and km in odometer.",
		"Faults are the codes in the attribute dtcs of a position; a number alone, which some trackers send, is a count and is not read.",
		"Positions come by the server's websocket, for which a session is opened; while it is open they are polled every 5 minutes.",
		"All of a trip counts as driving: the server ends a trip when the vehicle stops.",
	},
	New: New,
}

// Adapter reads one account of one server.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	worked            bool        // a call succeeded: the credentials are good
	trip              window.Span // of one report of trips
	most              int         // positions in the largest answer: the server's setting for that is not known
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	if cfg.BaseURL == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is missing")
	}
	sign := client.Basic(cfg.Credentials["email"], cfg.Credentials["password"])
	if token := cfg.Credentials["token"]; token != "" {
		sign = client.Header("Authorization", "Bearer "+token)
	}
	a := &Adapter{cfg: cfg, trip: window.Span{Length: tripWindow, Margin: tripMargin}}
	a.api = &client.Client{HTTP: cfg.HTTP, Base: client.Below(cfg.BaseURL, "/api"), Sign: sign, Meaning: a.meaning}
	a.Provider = provider.Of(provider.Calls{
		Check:   client.Check[[]device](a.api, "/devices", url.Values{"limit": {"1"}}),
		Devices: paging.Whole(a.devices),
		Positions: window.Fresh{
			Reader: window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Newest: a.newest,
		}.Page,
		Trips:   window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Batch: 20, Span: &a.trip, Overlap: time.Hour}.Page,
		Drivers: paging.Whole(a.drivers),
	})
	return a, nil
}

// devices reads all devices at once: a server sorts its pages by name alone, so that
// of two devices of one name at an edge one may be missing.
func (a *Adapter) devices(ctx context.Context) ([]provider.Device, error) {
	devices, err := client.Get[[]device](ctx, a.api, "/devices", nil)
	return wire.All(devices, func(d device) provider.Device { return d.record(a.cfg.Now()) }), err
}

// drivers reads the drivers that the account sees.
func (a *Adapter) drivers(ctx context.Context) ([]provider.Driver, error) {
	drivers, err := client.Get[[]driver](ctx, a.api, "/drivers", nil)
	return wire.All(drivers, driver.record), err
}

// newest fetches the newest position of each device: all, where none is asked for.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	positions, err := client.Get[[]position](ctx, a.api, "/positions", nil)
	return wire.Records(positions, position.record), err
}

// positions fetches the positions of one device, going on behind the last one: a
// server leaves the rest of a window out without a word, and how much it answers
// with at the most is its operator's choice.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	at := func(p position) time.Time { return p.FixTime.Time }
	positions, err := window.OnwardBelow(w.From, &a.most, at, func(from time.Time) ([]position, error) {
		return client.Get[[]position](ctx, a.api, "/positions", period(w.Devices, from, w.To))
	})
	return wire.Records(positions, position.record), err
}

// trips fetches the trips of a few devices, without those that the edges of the
// report have cut.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	trips, err := client.Get[[]trip](ctx, a.api, "/reports/trips", period(w.Devices, w.From, w.To))
	if provider.StatusOf(err) == http.StatusBadRequest && a.trip.Narrow() {
		return nil, provider.Errorf(provider.KindTemporary, "the server has shorter reports: asked for again in smaller parts: %w", err)
	}
	return window.Uncut(wire.All(trips, trip.record), w, a.trip.Margin, tripGap), err
}

func period(devices []string, from, to time.Time) url.Values {
	return url.Values{"deviceId": devices, "from": {wire.ISOMilli(from)}, "to": {wire.ISOMilli(to)}}
}

// meaning corrects the kind of an error: a server fails with 500 over a token that
// it cannot decode.
func (a *Adapter) meaning(err error) error {
	a.worked = a.worked || err == nil
	status, ok := errors.AsType[*provider.StatusError](err)
	if ok && status.Status == http.StatusInternalServerError && !a.worked && a.cfg.Credentials["token"] != "" {
		return provider.Errorf(provider.KindCredentials, "the server cannot read the token: %w", status)
	}
	return err
}
