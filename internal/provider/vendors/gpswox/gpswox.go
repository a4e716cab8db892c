// Package gpswox reads from a GPSWOX server, hosted by the vendor or by one of its
// resellers. Servers speak the same API in many versions: numbers come as text and
// the reverse, and times are in the zone of the user.
package gpswox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	devicePage  = 100
	messagePage = 400 // the largest of the sizes that servers offer

	// positionWindow keeps the pages of one window few.
	positionWindow = 6 * time.Hour

	// Trips are found in the points of a window and cut at its edges, so each is
	// made wider than the time it is for, on both sides; together a little less
	// than a day.
	tripWindow  = 8 * time.Hour
	tripMargin  = 7 * time.Hour
	tripOverlap = time.Hour
	// tripGap is longer than the stop after which a drive ends, unless the device
	// is set up otherwise.
	tripGap = 10 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.GPSWOX,
	Title:    "GPSWOX",
	Homepage: "www.gpswox.com",
	Fields: []provider.Field{
		{
			Name: provider.BaseURLField, Title: "Server address", Required: true,
			Help: "Address of the server, as in the browser, such as https://track.example.com.",
		},
		{
			Name: "user_api_hash", Title: "API hash", Secret: true, RequiredUnless: []string{"password"},
			Help: "The hash that the server gives for a login; it changes with the password.",
		},
		{
			Name: "email", Account: true, Title: "E-mail", RequiredUnless: []string{"user_api_hash"},
			Help: "Login of the account, where no hash is used.",
		},
		{
			Name: "password", Title: "Password", Secret: true, RequiredUnless: []string{"user_api_hash"},
			Help: "Password of the account, where no hash is used.",
		},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, Ignition: true, Odometer: true,
	},
	Readings: provider.Declared(readings),
	// Servers declare no limit. This one is kept for the sake of small ones.
	Limits: []provider.Limit{{Requests: 10, Per: time.Second, Concurrent: 2}},
	Poll: provider.Poll{
		Devices:    time.Hour,
		Positions:  time.Minute, // one call, and one for each device that has news
		Trips:      30 * time.Minute,
		TripsAfter: tripGap,
		Window:     positionWindow,
	},
	Timeout: 60 * time.Second, // history takes long
	Assumed: map[string]string{
		drover.CheckSpeed: "Speeds in the history are taken to follow the user's setting of kilometres or miles.",
	},
	Notes: []string{
		"With e-mail and password drover logs in by itself; with the hash alone, a new password means a new hash.",
		"The model is what was entered for the device, which may be that of the tracker; make and year are not known.",
		"Ignition, driver and odometer are there where the tracker reports them. A driver is known by the code of the key, which is in the server's list of drivers.",
		"Readings are a message's attributes by the names of the server's engine: metres, milliseconds, litres, percent and volts. Sensors that were set up in the server are not read, as their values are texts in the user's unit.",
		"All of a trip counts as driving: the server ends a drive when the vehicle stops.",
		"Distances and speeds follow the user's own setting of kilometres or miles.",
		"Unverified: the name of the ignition among a message's attributes, and the longest window that servers answer.",
	},
	New: New,
}

// Adapter reads one account of one server.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	settings          session.Kept[settings]
	// offsets are the zones of devices that turned out to have one of their own.
	offsets map[string]time.Duration
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	if cfg.BaseURL == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is missing")
	}
	a := &Adapter{cfg: cfg, offsets: map[string]time.Duration{}}
	a.api = &client.Client{
		HTTP: cfg.HTTP, Base: client.Below(cfg.BaseURL, "/api"), Session: session.New(cfg.Now, a.login), Open: open,
		Sign: func(req *http.Request, hash string) { client.AddQuery(req, "user_api_hash", hash, "lang", "en") },
	}
	a.settings = session.Kept[settings]{Read: a.readSettings, Now: cfg.Now, For: settingsFor}
	a.Provider = provider.Of(provider.Calls{
		Check:   client.Check[[]group](a.api, "/get_devices", url.Values{"limit": {"1"}, "page": {"1"}}),
		Devices: paging.Linked(a.devices),
		Positions: window.News[provider.Position]{
			Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Updates: a.updates,
		}.Page,
		Trips: window.Reader[provider.Trip]{
			Fetch: a.trips, Now: cfg.Now,
			Batch: 1, Length: tripWindow, Before: tripMargin, After: tripMargin, Overlap: tripOverlap,
		}.Page,
		Drivers: paging.Numbered(a.drivers),
	})
	return a, nil
}

// devices reads a page of the devices. The place counts pages. Older servers ignore
// the paging.
func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	place := paging.PlaceOf(cursor)
	query := url.Values{"limit": {strconv.Itoa(devicePage)}, "page": {strconv.Itoa(place.Read + 1)}}
	groups, err := client.Get[[]group](ctx, a.api, "/get_devices", query)
	for _, g := range groups {
		records = append(records, wire.All(g.Items, func(d device) provider.Device { return d.record(a.cfg.Now()) })...)
	}
	if err != nil || len(records) == 0 {
		return nil, "", err
	}
	next, ok := place.Next(records[0].SystemDeviceID, 1)
	if !ok {
		return nil, "", nil
	}
	return records, next, nil
}

// drivers reads a page of the drivers.
func (a *Adapter) drivers(ctx context.Context, number int) ([]provider.Driver, bool, error) {
	page, err := client.Get[drivers](ctx, a.api, "/get_user_drivers", url.Values{"page": {strconv.Itoa(number)}})
	list := page.Items.Drivers
	return wire.Records(list.Data, driver.record), len(list.Data) > 0 && float64(number) < list.LastPage.Or(0), err
}

// updates returns the devices that have changed since an instant. By when is the
// server's matter: that they are listed is what counts.
func (a *Adapter) updates(ctx context.Context, since time.Time, _ []string) (map[string]window.Update, error) {
	var changed struct {
		Items []device `json:"items" required:"true"`
	}
	err := a.api.Get(ctx, "/get_devices_latest", url.Values{"time": {strconv.FormatInt(since.Unix(), 10)}}, &changed)
	return window.Heard(changed.Items, func(d device) (string, window.Update) { return d.changed(a.cfg.Now()) }), err
}

// positions fetches the messages of one device, page by page.
func (a *Adapter) positions(ctx context.Context, w window.Window) (records []provider.Position, err error) {
	settings, err := a.settings.Get(ctx)
	if err != nil {
		return nil, err
	}
	device := w.Devices[0]
	err = a.inZone(device, settings, func(offset time.Duration) (*time.Duration, error) {
		var found *time.Duration
		query := period(w, offset)
		query.Set("limit", strconv.Itoa(messagePage))
		records, err = paging.ByNumber(func(number int) ([]provider.Position, bool, error) {
			query.Set("page", strconv.Itoa(number))
			got, err := client.Get[history](ctx, a.api, "/get_history_messages", query)
			found = wire.First(found, got.offset())
			return got.records(device, settings.miles), float64(number) < got.Messages.LastPage.Or(0), ofOneDevice(err)
		})
		return found, err
	})
	return records, err
}

// trips fetches the drives of one device.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	settings, err := a.settings.Get(ctx)
	if err != nil {
		return nil, err
	}
	var got drives
	err = a.inZone(w.Devices[0], settings, func(offset time.Duration) (*time.Duration, error) {
		got, err = client.Get[drives](ctx, a.api, "/get_history", period(w, offset))
		return got.offset(), ofOneDevice(err)
	})
	records := got.records(w.Devices[0], a.offset(w.Devices[0], settings), settings.miles)
	return window.Uncut(records, w, tripMargin, tripGap), err
}

// ofOneDevice drops the errors that say that one device is gone since the fleet
// was listed. It must not hold up all others.
func ofOneDevice(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if !ok {
		return err
	}
	unknown := status.Status == http.StatusBadRequest && strings.Contains(status.Body, "device_id")
	if unknown || status.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// login returns the hash that goes with every call: the one that was entered, or
// the one for e-mail and password.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	if hash := a.cfg.Credentials["user_api_hash"]; hash != "" {
		return session.Token{Value: hash}, nil
	}
	form := url.Values{"email": {a.cfg.Credentials["email"]}, "password": {a.cfg.Credentials["password"]}}
	req, err := wire.PostForm(ctx, a.api.Base+"/login", form)
	if err != nil {
		return session.Token{}, err
	}
	var got struct {
		Hash string `json:"user_api_hash"`
	}
	err = client.JSON(outbound.WithRetry(ctx), a.cfg.HTTP, req, &got, open)
	switch {
	case errors.Is(err, errRefused), err == nil && got.Hash == "":
		return session.Token{}, provider.Errorf(provider.KindCredentials, "the server refuses the login")
	case err != nil:
		return session.Token{}, fmt.Errorf("log in: %w", err)
	}
	return session.Token{Value: got.Hash}, nil
}
