// Package wialon reads from Wialon Hosting or a Wialon Local server through the
// Remote API: one address, at which a field of the form names the service.
package wialon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
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
	defaultBase = "https://hst-api.wialon.com"
	endpoint    = "/wialon/ajax.html"

	loginService    = "token/login"
	searchService   = "core/search_items"
	messagesService = "messages/load_interval"
	tripsService    = "unit/get_trips"

	unitPage = 200
	// sensorsFor is how long the sensors of the units are taken for the same.
	sensorsFor = time.Hour

	// positionWindow keeps the messages of a tracker that reports every second
	// below the size of an answer.
	positionWindow = 12 * time.Hour
	allMessages    = 1<<32 - 1

	// Trips are found in the messages of a window and cut at its edges, so each
	// is made wider than the time it is for, on both sides.
	tripWindow  = 8 * time.Hour
	tripMargin  = 8 * time.Hour
	tripOverlap = time.Hour
	// tripGap is longer than the standstill after which a trip ends, unless the
	// unit is set up otherwise.
	tripGap = 10 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Wialon,
	Title:    "Wialon",
	Homepage: "help.wialon.com/en/api/user-guide",
	Fields: []provider.Field{
		{
			Name: "token", Title: "Token", Required: true, Secret: true,
			Help: "Made at login.html of the monitoring site with access_type=-1 and duration=0, so that it reads messages and does not run out.",
		},
		{Name: "operate_as", Account: true, Title: "Operate as", Help: "Name of a user below the token's own, to see only that user's units."},
		{
			Name: provider.BaseURLField, Title: "Server address",
			Help: "Replaces https://hst-api.wialon.com, for other data centres and for Wialon Local.",
		},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, DriversNeed: "the right to view the drivers of resources", Ignition: true,
	},
	Readings: slices.Concat(provider.Declared(counted), provider.Declared(parameters)),
	// There is no limit of rate but that of logins; the first one is kept for the
	// sake of small servers. A session has one loader of messages, so its calls go
	// one after the other. Ten failed logins in a minute block an address.
	Limits: []provider.Limit{
		{Requests: 20, Per: time.Second, Concurrent: 1},
		{Path: loginService, Requests: 10, Per: time.Minute},
	},
	Poll: provider.Poll{
		Devices:    time.Hour,
		Positions:  30 * time.Second,
		Trips:      15 * time.Minute,
		TripsAfter: tripGap,
		Window:     positionWindow,
	},
	Assumed: map[string]string{
		drover.CheckSpeed: "Speeds of units that are set to miles are taken to be in km/h.",
	},
	Notes: []string{
		"The token needs the right to read messages and reports; the basic access that the login page suggests is not enough.",
		"A token that is not used for 100 days is deleted, and one made without a duration ends after 30 days.",
		"Registration, make, model and year are the unit's profile fields.",
		"Ignition is read where the unit has a sensor of the type engine operation on an input or on a plain parameter; its conversion table is not applied.",
		"Readings are the unit's counters of mileage and engine hours, as of its newest message, and the vehicle's voltage where the tracker reports pwr_ext. Unverified: units and types of the unit's sensors, which are free texts; they are not read.",
		"All of a trip counts as driving, and odometers of past positions are not reported.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	address           string
	session           *session.Session

	sensors session.Kept[map[string]sensor] // of the ignition, by unit
	failing failing
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, address: client.Below(cmp.Or(cfg.BaseURL, defaultBase), endpoint)}
	a.session = &session.Session{Login: a.login, Now: cfg.Now, Stale: sessionEnded}
	a.sensors = session.Kept[map[string]sensor]{Read: a.readSensors, Now: cfg.Now, For: sensorsFor}
	a.Provider = provider.Of(provider.Calls{
		Check: a.check, Devices: paging.Linked(a.devices), Positions: a.positionPage, Trips: a.tripPage, Drivers: paging.Whole(a.drivers),
	})
	return a, nil
}

// check reads messages too: a token with basic access lists the units and reads none
// of their messages, which would go unnoticed later, as a unit that denies access is
// passed over.
func (a *Adapter) check(ctx context.Context) error {
	found, err := a.units(ctx, 0, 1)
	if err == nil && len(found.Items) > 0 {
		now := a.cfg.Now()
		_, err = a.load(ctx, window.Window{Devices: []string{found.Items[0].ID.String()}, From: now.Add(-time.Hour), To: now}, 1)
	}
	if err != nil && codeOf(err) != codeNoMessages {
		return err
	}
	return nil
}

// devices reads a page of the units. The cursor is the number of units read.
func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	first, _ := strconv.Atoi(cursor)
	found, err := a.units(ctx, first, unitPage)
	if first+unitPage < found.Total {
		next = strconv.Itoa(first + unitPage)
	}
	return wire.All(found.Items, unit.record), next, err
}

func (a *Adapter) positionPage(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	fetch := func(ctx context.Context, w window.Window) ([]provider.Position, error) {
		records, err := a.positions(ctx, w)
		return records, a.failing.ofOneUnit(err, w.Devices[0], q.Live())
	}
	return window.Fresh{
		Reader: window.Reader[provider.Position]{Fetch: fetch, Now: a.cfg.Now, Batch: 1, Length: positionWindow},
		Newest: a.newest,
	}.Page(ctx, q)
}

func (a *Adapter) tripPage(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	fetch := func(ctx context.Context, w window.Window) ([]provider.Trip, error) {
		records, err := a.trips(ctx, w)
		return records, a.failing.ofOneUnit(err, w.Devices[0], q.Live())
	}
	return window.Reader[provider.Trip]{
		Fetch: fetch, Now: a.cfg.Now,
		Batch: 1, Length: tripWindow, Before: tripMargin, After: tripMargin, Overlap: tripOverlap,
	}.Page(ctx, q)
}

// units reads a part of the fleet.
func (a *Adapter) units(ctx context.Context, first, count int) (units, error) {
	return get[units](ctx, a, searchService, search("avl_unit", unitFlags, first, first+count-1))
}

// drivers reads the drivers of all resources. A code that several have is one driver.
func (a *Adapter) drivers(ctx context.Context) (records []provider.Driver, err error) {
	all, err := paging.ByNumber(func(number int) ([]resource, bool, error) {
		first := (number - 1) * unitPage
		found, err := get[resources](ctx, a, searchService, search("avl_resource", resourceFlags, first, first+unitPage-1))
		return found.Items, number*unitPage < found.Total, err
	})
	seen := map[string]bool{}
	for _, r := range all {
		for _, number := range slices.Sorted(maps.Keys(r.Drivers)) {
			if d, ok := r.Drivers[number].record(); ok && !seen[d.SystemDriverID] {
				seen[d.SystemDriverID] = true
				records = append(records, d)
			}
		}
	}
	return records, err
}

// allUnits reads the whole fleet.
func (a *Adapter) allUnits(ctx context.Context) ([]unit, error) {
	return paging.ByNumber(func(number int) ([]unit, bool, error) {
		found, err := a.units(ctx, (number-1)*unitPage, unitPage)
		return found.Items, number*unitPage < found.Total, err
	})
}

// newest reads the last message of each unit, which comes with the list of them.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	var records []provider.Position
	all, err := a.allUnits(ctx)
	for _, u := range all {
		if u.Last != nil {
			last := messages{Messages: []message{*u.Last}}.records(u.ID.String(), u.ignition())
			for i := range last {
				last[i].Readings = append(last[i].Readings, provider.Readings(u.counters, counted)...)
			}
			records = append(records, last...)
		}
	}
	return records, err
}

// readSensors learns from which sensor the ignition of each unit is read.
func (a *Adapter) readSensors(ctx context.Context) (map[string]sensor, error) {
	sensors := map[string]sensor{}
	all, err := a.allUnits(ctx)
	for _, u := range all {
		sensors[u.ID.String()] = u.ignition()
	}
	return sensors, err
}

// positions fetches the positions of one unit. A window with more messages than a
// server loads at once is read in halves.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	sensors, err := a.sensors.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("read sensors: %w", err)
	}
	unit := w.Devices[0]
	return window.Halves(w.From, w.To, time.Minute, func(from, to time.Time) ([]provider.Position, bool, error) {
		got, err := a.load(ctx, window.Window{Devices: w.Devices, From: from, To: to}, allMessages)
		if codeOf(err) == codeTooMany && to.Sub(from) > time.Minute {
			return nil, true, nil
		}
		if codeOf(err) == codeNoMessages {
			return nil, false, nil
		}
		return got.records(unit, sensors[unit]), false, err
	})
}

// load returns the first messages of a unit in a window.
func (a *Adapter) load(ctx context.Context, w window.Window, count int64) (messages, error) {
	return get[messages](ctx, a, messagesService, interval(w, count))
}

// trips fetches the trips of one unit: they are found in the messages that the
// same session has loaded before.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	var got trips
	err := a.session.Do(ctx, func(ctx context.Context, sid string) error {
		got = nil
		if err := a.call(ctx, sid, messagesService, interval(w, 1), nil); err != nil {
			return err
		}
		return a.call(ctx, sid, tripsService, tripsOf(w), &got)
	})
	return window.Uncut(got.records(w.Devices[0]), w, tripMargin, tripGap), err
}

// login opens a session.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	params := map[string]any{"token": a.cfg.Credentials["token"], "fl": 1}
	if user := a.cfg.Credentials["operate_as"]; user != "" {
		params["operateAs"] = user
	}
	var answer struct {
		SessionID string `json:"eid"`
		User      struct {
			Name string `json:"nm"`
		} `json:"user"`
	}
	err := a.call(ctx, "", loginService, params, &answer)
	switch codeOf(err) {
	case codeInvalidInput, codeDenied, codeWrongToken:
		return session.Token{}, provider.Errorf(provider.KindCredentials, "log in: %w", err)
	}
	if err != nil {
		return session.Token{}, fmt.Errorf("log in: %w", err)
	}
	if answer.SessionID == "" {
		return session.Token{}, provider.Errorf(provider.KindTemporary, "log in: the answer has no session")
	}
	a.cfg.Name(answer.User.Name)
	return session.Token{Value: answer.SessionID}, nil
}

// get calls a service of a session, and returns what it says.
func get[T any](ctx context.Context, a *Adapter, service string, params any) (got T, err error) {
	err = a.session.Do(ctx, func(ctx context.Context, sid string) error { return a.call(ctx, sid, service, params, &got) })
	return got, err
}

// call calls a service. Every one that is used only reads. That errors come with
// status 200 is what clients expect and no documentation says.
func (a *Adapter) call(ctx context.Context, sid, service string, params, into any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("write the parameters of %s: %w", service, err)
	}
	form := url.Values{"svc": {service}, "params": {string(text)}}
	if sid != "" {
		form.Set("sid", sid)
	}
	req, err := wire.PostForm(ctx, a.address, form)
	if err != nil {
		return err
	}
	ctx = outbound.WithRetry(outbound.WithOperation(ctx, service))
	return client.InBody(client.JSON(ctx, a.cfg.HTTP, req, into, open), open)
}
