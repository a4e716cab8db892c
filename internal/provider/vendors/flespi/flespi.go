// Package flespi reads from flespi, the telematics hub of Gurtam: devices,
// their messages, and the trips that a calculator of the customer's finds.
package flespi

import (
	"context"
	"fmt"
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
	vendorURL = "https://flespi.io"

	devicePage    = 100
	messageCount  = 1000
	intervalCount = 200

	// positionWindow bounds what one window of a tracker that reports every
	// second holds in memory.
	positionWindow = 6 * time.Hour

	// Whether intervals are selected by their begin, their end or both is not
	// documented, so each window reaches back by more than a trip lasts. What was
	// recalculated over late messages is read again by this, too.
	tripMargin = 24 * time.Hour
	// tripLag is how long an interval must not have grown to be over, where no
	// later one says so.
	tripLag = 10 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Flespi,
	Title:    "flespi",
	Homepage: "flespi.com/rest-api",
	Fields: []provider.Field{
		{
			Name: "token", Title: "Token", Required: true, Secret: true,
			Help: "ACL token that may GET gw/devices, and gw/calcs for native trips. Give it a ttl or an expiry years ahead.",
		},
		{Name: provider.BaseURLField, Title: "Server address", Help: "Address of a regional host; https://flespi.io where it is empty."},
		{Name: "cid", Title: "Subaccount", Help: "Number of the subaccount to read as; empty for the token's own account."},
		{Name: "trips_calc_id", Title: "Trip calculator", Help: "Number of the calculator whose intervals are trips."},
		counterField("distance", "Distance counter", "mileage", "the kilometres of a trip"),
		counterField("start", "Start counter", "start_location", "the first position of a trip"),
		counterField("end", "End counter", "end_location", "the last position of a trip"),
		counterField("driving", "Driving counter", "", "the seconds in motion"),
		counterField("idling", "Idling counter", "idle_time", "the seconds of standing with the engine on"),
		counterField("auxiliary", "Auxiliary counter", "", "the seconds of power take-off"),
		metadataField("registration", "Registration key"),
		metadataField("make", "Make key"),
		metadataField("model", "Model key"),
		metadataField("year", "Year key"),
	},
	Features: provider.Features{
		Backfill: true, Trips: true, TripsNeed: "trips_calc_id",
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true, Idling: true, Auxiliary: true,
	},
	Readings: provider.Declared(readings),
	// The limits depend on the account's plan and are not published; this rate
	// is ours.
	Limits: []provider.Limit{{Requests: 10, Per: time.Second, Concurrent: 4}},
	// A poll is one call for all devices, and one for each that has news.
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Push:  push,
	Units: drover.Units{Odometer: new("km"), TripDistance: new("km")},
	Assumed: map[string]string{
		drover.CheckOdometer: "Odometers are taken to be in kilometres.",
	},
	Notes: []string{
		"Make an ACL token in the flespi panel under Tokens, with GET on gw/devices and, for trips, on gw/calcs.",
		"A token that is not used for its ttl, or is past its expiry, is deleted by flespi.",
		"Trips are the intervals of the calculator named in trips_calc_id; distance, positions and times come from its counters, and what has no counter is not known.",
		"Messages come by flespi's MQTT broker where the token has the right for MQTT; while they do, they are polled every 5 minutes.",
		"Registration, make, model and year are read from the device's metadata, where the customer stored them.",
		"Driver, ignition, odometer and readings are there where the tracker reports them; the names of their parameters were seen in use and are unverified.",
		"The number of calls that flespi permits depends on the plan and is unverified; drover makes at most 10 a second.",
	},
	New: New,
}

func counterField(name, title, value, what string) provider.Field {
	return provider.Field{
		Name: "counter_" + name, Title: title, Default: value,
		Help: "Name of the calculator's counter with " + what + ".",
	}
}

func metadataField(name, title string) provider.Field {
	return provider.Field{
		Name: "metadata_" + name, Title: title, Default: name,
		Help: "Key of the device's metadata that holds the vehicle's " + name + ".",
	}
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	headers := []string{"Authorization", "FlespiToken " + cfg.Credentials["token"], "x-flespi-app", "drover"}
	if cid := cfg.Credentials["cid"]; cid != "" {
		headers = append(headers, "x-flespi-cid", cid)
	}
	a := &Adapter{cfg: cfg, api: client.New(cfg, vendorURL, client.Header(headers...))}
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Linked(a.devices),
		Positions: window.News[provider.Position]{
			Reader:  window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow},
			Updates: a.updates,
		}.Page,
		Trips: a.tripPage,
	})
	return a, nil
}

// check asks for what the token is for: /auth/info answers 200 for any token, also
// one that is unknown, switched off or without the right to read devices.
func (a *Adapter) check(ctx context.Context) error {
	_, err := get[device](ctx, a, "/gw/devices/all", url.Values{"fields": {"id"}, "limit": {"1"}})
	return err
}

// devices reads a page of the devices. The cursor is the number of devices read.
func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	offset, _ := strconv.Atoi(cursor)
	answer, err := get[device](ctx, a, "/gw/devices/all", url.Values{
		// Not all of these are in an answer that does not ask for them.
		"fields": {"id,name,enabled,metadata"},
		"limit":  {strconv.Itoa(devicePage)},
		"offset": {strconv.Itoa(offset)},
	})
	read := map[string]bool{}
	for _, d := range answer.Result {
		read[d.ID.String()] = true
		records = append(records, d.record(a.cfg.Credentials))
	}
	offset += len(read)
	// The largest page is not documented: where it is smaller than ours, only
	// the total says that there is more.
	if len(read) > 0 && (len(read) >= devicePage || float64(offset) < answer.Pagination.Count.Or(0)) {
		next = strconv.Itoa(offset)
	}
	return records, next, err
}

// updates returns when flespi last heard of each device, from the telemetry of all.
func (a *Adapter) updates(ctx context.Context, _ time.Time, _ []string) (map[string]window.Update, error) {
	answer, err := get[telemetry](ctx, a, "/gw/devices/all/telemetry/server.timestamp,timestamp", nil)
	return window.Heard(answer.Result, telemetry.heard), err
}

// positions fetches the positions of one device. An answer that is full goes on
// with the second of its newest message: there is no cursor.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	path := "/gw/devices/" + url.PathEscape(w.Devices[0]) + "/messages"
	at := func(m message) time.Time { return m.Timestamp.Time }
	messages, err := window.Onward(w.From, messageCount, at, func(from time.Time) ([]message, error) {
		answer, err := get[message](ctx, a, path, data(map[string]any{
			"from": from.Unix(), "to": wire.CeilSecond(w.To).Unix(), "count": messageCount, "fields": messageFields,
		}))
		return answer.Result, err
	})
	return wire.Records(messages, func(m message) (provider.Position, bool) { return m.record(w.Devices[0]) }), window.UnlessGone(err)
}

func (a *Adapter) tripPage(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	if a.cfg.Credentials["trips_calc_id"] == "" {
		return provider.Page[provider.Trip]{}, provider.Errorf(provider.KindPermanent,
			"flespi has trips only where trips_calc_id names a calculator")
	}
	return window.Reader[provider.Trip]{Fetch: a.trips, Now: a.cfg.Now, Batch: 1, Before: tripMargin, Overlap: time.Hour}.Page(ctx, q)
}

// trips fetches the finished trips of one device.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	intervals, err := a.intervals(ctx, w)
	var last time.Time // begin of the last interval
	for _, i := range intervals {
		if i.begin.After(last) {
			last = i.begin.Time
		}
	}
	return wire.Records(intervals, func(i interval) (provider.Trip, bool) {
		// The last interval may be under way: it grows with each message.
		over := i.begin.Before(last) || i.end.Before(a.cfg.Now().Add(-tripLag))
		return i.record(a.cfg.Credentials, w.Devices[0]), over && !i.end.IsZero()
	}), err
}

// intervals fetches the intervals of one device. An answer that is full goes on
// with the begin of its last interval.
func (a *Adapter) intervals(ctx context.Context, w window.Window) ([]interval, error) {
	path := a.calculatorPath() + "/devices/" + url.PathEscape(w.Devices[0]) + "/intervals/all"
	at := func(i interval) time.Time { return i.begin.Time }
	all, err := window.Onward(w.From, intervalCount, at, func(begin time.Time) ([]interval, error) {
		answer, err := get[interval](ctx, a, path, data(map[string]any{
			"begin": begin.Unix(), "end": wire.CeilSecond(w.To).Unix(), "count": intervalCount,
		}))
		return answer.Result, err
	})
	if window.Gone(err) {
		return nil, a.calculator(ctx)
	}
	return all, err
}

// calculator fails where there is no calculator of the number given. A device that
// is not assigned to one has no intervals and is refused in the same way, but is
// no reason to fail.
func (a *Adapter) calculator(ctx context.Context) error {
	if _, err := get[device](ctx, a, a.calculatorPath(), url.Values{"fields": {"id"}}); err != nil {
		return fmt.Errorf("find the calculator of trips_calc_id: %w", err)
	}
	return nil
}

func (a *Adapter) calculatorPath() string {
	return "/gw/calcs/" + url.PathEscape(a.cfg.Credentials["trips_calc_id"])
}

// get makes one call whose result is a list of T.
func get[T any](ctx context.Context, a *Adapter, path string, query url.Values) (envelope[T], error) {
	answer, err := client.Get[envelope[T]](ctx, a.api, path, query)
	if err == nil {
		err = answer.failure()
	}
	return answer, err
}
