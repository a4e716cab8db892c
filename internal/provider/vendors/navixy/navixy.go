// Package navixy reads from the Navixy platform, hosted by the vendor or on a
// server of its customers.
package navixy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
	vehiclePage  = 100
	employeePage = 100

	// positionWindow keeps the points of a tracker that reports every second
	// below the size of an answer. The longest window that the vendor takes is
	// not published; a day is known to work.
	positionWindow = 12 * time.Hour

	// Tracks may be cut at the edges of what is asked for, so each window is made
	// wider than the time it is for, on both sides.
	tripWindow = 8 * time.Hour
	tripMargin = 8 * time.Hour
	// shortestSpan is what any tariff answers for.
	shortestSpan = time.Hour
	tripOverlap  = time.Hour
	// tripGap is longer than the parking after which a track ends, unless the
	// account is set up otherwise.
	tripGap = 10 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Navixy,
	Title:    "Navixy",
	Homepage: "github.com/Navixy/navixy-public-docs",
	Fields: []provider.Field{
		{
			Name: "api_key", Title: "API key", Required: true, Secret: true,
			Help: "Made by the owner of the account in the web application, under API keys.",
		},
		{
			Name: "region", Title: "Region", Default: "eu", Options: []string{"eu", "us", "me"},
			Help: "Where the account is hosted: Europe, North America or the Middle East.",
		},
		{
			Name: provider.BaseURLField, Title: "Server address",
			Help: "Address of the API of a server of your own, such as https://api.example.com. It replaces the region.",
		},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Drivers: true,
	},
	Readings: declared,
	Safety:   safety,
	Faults:   faults,
	Limits:   []provider.Limit{{Requests: 50, Per: time.Second}},
	Poll: provider.Poll{
		Devices:    time.Hour,
		Positions:  2 * time.Minute,
		Trips:      15 * time.Minute,
		TripsAfter: tripGap,
		Window:     positionWindow,
	},
	Push:  push,
	Units: drover.Units{TripDistance: new("km")},
	Notes: []string{
		"An API key is made by the owner of the account and does not end by itself; an account has at most 20.",
		"Registration, model and year are those of the vehicle that a tracker is assigned to; make and model are one text.",
		"Driver and ignition are known of the present only and are not read. Drivers are the account's employees; who drove what is not known.",
		"Readings are the newest of each tracker at every poll of positions: the platform's counters of odometer and engine hours, and sensors of fuel and temperature whose unit the account says to be litres, percent or degrees Celsius. Unverified: the units of raw fields of the vehicle's bus; they are not read, and neither are readings of the past.",
		"Faults are the codes of OBD in the state obd_dtc_codes of a tracker, read every 15 minutes; one that is gone from it is over. Unverified: how codes stand in that text; what is not of the form of OBD is left out, and so are codes of trucks.",
		"Safety events are those that rules of the account have written to its history. Unverified: the text of harsh_driving, which alone says what it was; it is other where the text does not say, in English.",
		"Newest positions come by the platform's websocket; while it is open, tracks are polled every 5 minutes, for what lies between.",
		"Trips are the platform's tracks, split by the account's own detection of parking; all of a trip counts as driving.",
		"The rate of 50 calls a second is counted for the key and for the address, which all connections to Navixy share.",
		"Unverified: the status with which a refused key comes, and whether tracks are cut at the edges of a window.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	redactor          *outbound.Redactor
	trip              window.Span // of one report of trips
	beside            window.Beside
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{
		cfg:      cfg,
		redactor: outbound.NewRedactor([]string{cfg.Credentials["api_key"]}),
		trip:     window.Span{Length: tripWindow, Margin: tripMargin},
	}
	host := fmt.Sprintf("https://api.%s.navixy.com/v2", cmp.Or(cfg.Credentials["region"], "eu"))
	// Without the second header, times are in the user's zone, which no answer names.
	a.api = client.New(cfg, host, client.Header("Authorization", "NVX "+cfg.Credentials["api_key"], "NVX-ISO-DateTime", "true"))
	a.api.Open = a.open
	a.api.Meaning = func(err error) error { return client.InBody(err, a.open) } // most codes share the status 400
	a.beside = window.Beside{Read: a.instruments, Every: readingsEvery, Series: declared, Need: "an API key that may read trackers", Config: cfg}
	a.Provider = provider.Of(provider.Calls{
		Check:     func(ctx context.Context) error { return a.api.Post(ctx, "/user/settings/read", object{}, nil) },
		Devices:   paging.Whole(a.trackers),
		Positions: a.beside.Of(window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1, Length: positionWindow}.Page),
		Trips:     window.Reader[provider.Trip]{Fetch: a.trips, Now: cfg.Now, Batch: 1, Span: &a.trip, Overlap: tripOverlap}.Page,
		Drivers:   paging.Linked(a.employees),
	})
	return a, nil
}

// trackers reads all trackers, which come in one answer.
func (a *Adapter) trackers(ctx context.Context) ([]provider.Device, error) {
	var trackers list[tracker]
	if err := a.api.Post(ctx, "/tracker/list", object{}, &trackers); err != nil {
		return nil, err
	}
	vehicles, err := a.vehicles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list vehicles: %w", err)
	}
	return wire.All(trackers.List, func(t tracker) provider.Device { return t.record(vehicles[t.ID.String()]) }), nil
}

// vehicles returns the vehicles by their tracker; none where the user may not see
// them. How many a page holds at most is not documented, so the last page is the
// one that brings nothing new.
func (a *Adapter) vehicles(ctx context.Context) (map[string]vehicle, error) {
	seen, byTracker := map[wire.Text]bool{}, map[string]vehicle{}
	for {
		read := len(seen)
		var page list[vehicle]
		err := a.api.Post(ctx, "/vehicle/list", object{"limit": vehiclePage, "offset": read}, &page)
		if provider.KindOf(err) == provider.KindPermanent {
			return byTracker, nil
		}
		if err != nil {
			return nil, err
		}
		for _, v := range page.List {
			seen[v.ID], byTracker[v.TrackerID.String()] = true, v
		}
		if len(seen) == read {
			return byTracker, nil
		}
	}
}

// employees reads a page of the employees, who are the drivers. The place counts those that were
// read. How many a page holds at most is not documented, so the last one is the one that is empty.
func (a *Adapter) employees(ctx context.Context, cursor string) (records []provider.Driver, next string, err error) {
	place := paging.PlaceOf(cursor)
	var page list[employee]
	err = a.api.Post(ctx, "/employee/list", object{"limit": employeePage, "offset": place.Read}, &page)
	if err != nil || len(page.List) == 0 {
		return nil, "", err
	}
	next, ok := place.Next(page.List[0].ID.String(), len(page.List))
	if !ok {
		return nil, "", nil
	}
	return wire.All(page.List, employee.record), next, nil
}

// positions fetches the points of one tracker. The vendor starts behind the first
// instant of a window, so that it is asked for from a second before.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	points, err := window.Halves(w.From, w.To, shortestSpan, func(from, to time.Time) ([]point, bool, error) {
		var points list[point]
		err := a.api.Post(ctx, "/track/read", object{
			"tracker_id": json.Number(w.Devices[0]), "from": timestamp(from.Add(-time.Second)), "to": timestamp(to),
			"simplify": false, "filter": false, "include_gsm_lbs": false,
		}, &points)
		if codeOf(err) == codeTooLong && to.Sub(from) > shortestSpan {
			return nil, true, nil
		}
		return points.List, false, err
	})
	return wire.Records(points, func(p point) (provider.Position, bool) { return p.record(w.Devices[0]) }), ofOneTracker(err)
}

// trips fetches the tracks of one tracker. Where they begin and end is known from
// their points alone, of which two are enough.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	var tracks list[track]
	err := a.api.Post(ctx, "/track/list", object{
		"tracker_id": json.Number(w.Devices[0]), "from": timestamp(w.From), "to": timestamp(w.To),
		"filter": false, "split": true, "include_gsm_lbs": false,
		"with_points": true, "point_limit": 2, "omit_addresses": true,
	}, &tracks)
	if codeOf(err) == codeTooLong && a.trip.Narrow() {
		return nil, provider.Errorf(provider.KindTemporary, "the tariff has shorter reports: asked for again in smaller parts: %w", err)
	}
	records := wire.Records(tracks.List, func(t track) (provider.Trip, bool) { return t.record(w.Devices[0]) })
	return window.Uncut(records, w, a.trip.Margin, tripGap), ofOneTracker(err)
}

// ofOneTracker drops the errors that say that one tracker has nothing to tell: it
// was blocked or removed since the fleet was listed. It must not hold up all
// others.
func ofOneTracker(err error) error {
	switch codeOf(err) {
	case codeNotInDatabase, codeNotFound, codeBlocked, codeUnknownIDs:
		return nil
	default:
		return err
	}
}
