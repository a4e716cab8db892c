// Package wialon reads from Wialon Hosting or a Wialon Local server through the
// Remote API: one address, at which a field of the form names the service.
package wialon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
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
		{
			Name: "operate_as", Title: "Operate as",
			Help: "Name of a user below the token's own, to see only that user's units.",
		},
		{
			Name: provider.BaseURLField, Title: "Server address",
			Help: "Replaces https://hst-api.wialon.com, for other data centres and for Wialon Local.",
		},
	},
	Features: provider.Features{
		History: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Ignition: true,
	},
	// There is no limit of rate but that of logins; the first one is kept for the
	// sake of small servers. A session has one loader of messages, so its calls go
	// one after the other. Ten failed logins in a minute block an address.
	Limits: []provider.Limit{
		{Requests: 20, Per: time.Second, Concurrent: 1},
		{Path: loginService, Requests: 10, Per: time.Minute},
	},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 30 * time.Second,
		Trips:     15 * time.Minute,
		Window:    positionWindow,
	},
	Assumed: map[string]string{
		drover.CheckSpeed: "Speeds of units that are set to miles are taken to be in km/h.",
	},
	Notes: []string{
		"The token needs the right to read messages and reports; the basic access that the login page suggests is not enough.",
		"A token that is not used for 100 days is deleted, and one made without a duration ends after 30 days.",
		"Registration, make, model and year are the unit's profile fields.",
		"Ignition is read where the unit has a sensor of the type engine operation on an input or on a plain parameter; its conversion table is not applied.",
		"All of a trip counts as driving, and odometers of past positions are not told.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	cfg     provider.Config
	base    string
	session *session.Session

	sensors session.Kept[map[string]sensor] // of the ignition, by unit
	failing failing
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, base: strings.TrimSuffix(cmp.Or(cfg.BaseURL, defaultBase), endpoint)}
	a.session = &session.Session{Login: a.login, Now: cfg.Now, Stale: sessionEnded}
	a.sensors = session.Kept[map[string]sensor]{Read: a.readSensors, Now: cfg.Now, For: sensorsFor}
	return a, nil
}

// Check implements provider.Provider. A token with basic access lists the units
// and reads none of their messages, which would go unnoticed later: a unit that
// denies access is passed over. So the check reads messages too.
func (a *Adapter) Check(ctx context.Context) error {
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

// Devices implements provider.Provider. The cursor is the number of units read.
func (a *Adapter) Devices(ctx context.Context, cursor string) (provider.Page[provider.Device], error) {
	first, _ := strconv.Atoi(cursor)
	found, err := a.units(ctx, first, unitPage)
	if err != nil {
		return provider.Page[provider.Device]{}, err
	}
	page := provider.Page[provider.Device]{Records: wire.All(found.Items, unit.record)}
	next := first + unitPage
	page.Cursor, page.More = strconv.Itoa(next), next < found.Total
	return page, nil
}

// Positions implements provider.Provider.
func (a *Adapter) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	fetch := func(ctx context.Context, w window.Window) ([]provider.Position, error) {
		records, err := a.positions(ctx, w)
		return records, a.failing.ofOneUnit(err, w.Devices[0], q.Live())
	}
	return window.Fresh{
		Reader: window.Reader[provider.Position]{Fetch: fetch, Now: a.cfg.Now, Batch: 1, Length: positionWindow},
		Newest: a.newest,
	}.Page(ctx, q)
}

// Trips implements provider.Provider.
func (a *Adapter) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
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
func (a *Adapter) units(ctx context.Context, first, count int) (found units, err error) {
	err = a.session.Do(ctx, func(ctx context.Context, sid string) error {
		found = units{}
		return a.call(ctx, sid, searchService, search(first, first+count-1), &found)
	})
	return found, err
}

// newest reads the last message of each unit, which comes with the list of them.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	var records []provider.Position
	for first, total := 0, 1; first < total; first += unitPage {
		found, err := a.units(ctx, first, unitPage)
		if err != nil {
			return nil, err
		}
		for _, u := range found.Items {
			if u.Last != nil {
				records = append(records, messages{Messages: []message{*u.Last}}.records(u.ID.String(), u.ignition())...)
			}
		}
		total = found.Total
	}
	return records, nil
}

// readSensors learns how each unit tells its ignition.
func (a *Adapter) readSensors(ctx context.Context) (map[string]sensor, error) {
	sensors := map[string]sensor{}
	for first, total := 0, 1; first < total; first += unitPage {
		found, err := a.units(ctx, first, unitPage)
		if err != nil {
			return nil, err
		}
		for _, u := range found.Items {
			sensors[u.ID.String()] = u.ignition()
		}
		total = found.Total
	}
	return sensors, nil
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
func (a *Adapter) load(ctx context.Context, w window.Window, count int64) (got messages, err error) {
	err = a.session.Do(ctx, func(ctx context.Context, sid string) error {
		got = messages{}
		return a.call(ctx, sid, messagesService, interval(w, count), &got)
	})
	return got, err
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
	if err != nil {
		return nil, err
	}
	return window.Uncut(got.records(w.Devices[0]), w, tripMargin, tripGap), nil
}

// login opens a session.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	params := map[string]any{"token": a.cfg.Credentials["token"], "fl": 1}
	if user := a.cfg.Credentials["operate_as"]; user != "" {
		params["operateAs"] = user
	}
	var answer struct {
		SessionID string `json:"eid"`
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
	return session.Token{Value: answer.SessionID}, nil
}

// call calls a service. Every one that is used only reads.
func (a *Adapter) call(ctx context.Context, sid, service string, params, into any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("write the parameters of %s: %w", service, err)
	}
	form := url.Values{"svc": {service}, "params": {string(text)}}
	if sid != "" {
		form.Set("sid", sid)
	}
	req, err := wire.PostForm(ctx, a.base+endpoint, form)
	if err != nil {
		return err
	}
	answer := answer{Into: into}
	err = outbound.JSON(outbound.WithRetry(outbound.WithOperation(ctx, service)), a.cfg.HTTP, req, &answer)
	if err != nil {
		return meaning(err)
	}
	return kind(answer.code)
}

// meaning reads the code in an answer with a status of its own. That errors come
// with status 200 is what clients expect and no documentation says.
func meaning(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if !ok {
		return err
	}
	var answer answer
	if json.Unmarshal([]byte(status.Body), &answer) != nil || answer.code == 0 {
		return err
	}
	return kind(answer.code)
}
