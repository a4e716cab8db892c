// Package johndeere reads from John Deere: the fleet as ISO 15143-3 has it, and
// tracks and engine hours from the Operations Center.
package johndeere

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// tripMargin is longer than any trip: an engine that runs at the edge of what
	// is asked for is read with another window.
	tripMargin = 12 * time.Hour
	// renewal is how often John Deere renews what changes seldom.
	renewal = time.Hour
	// tripSettle is how long an interval that nothing follows may go on: a machine
	// that runs has sent it up to its newest report only.
	tripSettle = 30 * time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.JohnDeere,
	Title:    "John Deere",
	Homepage: "developer.deere.com/dev-docs/aemp",
	Fields: []provider.Field{
		{Name: "client_id", Title: "Application id", Required: true, Help: "Id of the application that was made at developer.deere.com."},
		{Name: "client_secret", Title: "Secret", Required: true, Secret: true, Help: "Secret of the application."},
		{
			Name: session.RefreshField, Title: "Refresh token", Secret: true,
			Help: "Comes with drover connection authorize, once a person agrees. Where John Deere renews it, the new one is kept.",
		},
		{
			Name: "redirect_uri", Title: "Redirect URI", Required: true,
			Help: "The one that the application was registered with and the person was sent to.",
		},
		{
			Name: "environment", Title: "Environment", Default: live, Options: []string{live, sandbox},
			Help: "A new application has access to the sandbox only.",
		},
		{
			Name: "organization_id", Account: true, Title: "Organisation id",
			Help: "Reads tracks of one organisation only, where the person has several.",
		},
		{Name: provider.BaseURLField, Title: "Server address", Help: "Replaces every address of John Deere, for tests."},
	},
	Features: provider.Features{
		Backfill: true, Trips: true,
		Heading: true, Speed: true, Idling: true, Auxiliary: true,
	},
	Readings: iso15143.Declared,
	Faults:   faults,
	// John Deere publishes no numbers.
	Limits: []provider.Limit{{Requests: 5, Per: time.Second, Concurrent: 2}},
	Poll: provider.Poll{
		Devices:   6 * time.Hour, // the list is renewed hourly at most
		Positions: 15 * time.Minute,
		Trips:     30 * time.Minute,
		Window:    24 * time.Hour,
	},
	Timeout: 60 * time.Second, // large fleets are answered slowly
	OAuth: &provider.OAuth{
		AuthorizeURL: signInHost + signInPath + "/authorize", TokenURL: signInHost + signInPath + "/token",
		Scopes: []string{equipmentScope, refreshScope}, Field: session.RefreshField,
	},
	Notes: []string{
		"The refresh token comes from John Deere's sign-in with the scopes eq1 and offline_access; afterwards the person must connect the organisation to the application, or no machine is listed.",
		"Positions are breadcrumbs of the Operations Center, with speed and heading where the machine sends them; ignition, driver and odometer are not reported.",
		"Readings are those of the fleet's snapshot, which is renewed hourly, each with its own time; readings of the past are not read.",
		"Faults are the diagnostic trouble codes among the alerts of the Operations Center, read every 6 hours: one that is not repeated for 30 days is over. Unverified: the words of their severity, of which low, medium, high and critical are read.",
		"A machine that the Operations Center does not know, or whose track may not be read, is followed by the fleet's snapshot, which is renewed hourly.",
		"Trips are the intervals in which the engine ran; their distance, driving and idling are computed from the breadcrumbs, and auxiliary time is that of the rear power take-off.",
		"The registration is not reported.",
		"Not verified against the live service: the limits of calls, how long a refresh token is good, whether intervals are cut at the edges of a query, and the address of the equipment list for the sandbox.",
	},
	New: New,
}

// Adapter reads what one person at John Deere may see.
type Adapter struct {
	provider.Provider   // as New declares it
	cfg                 provider.Config
	iso                 *iso15143.Client
	platform, equipment *client.Client // the two APIs of the Operations Center

	machines session.Kept[map[string]machine]
	newest   session.Kept[map[string]provider.Position]
	// instruments are read from the snapshot, as tracks do not have them.
	instruments window.Beside
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg}
	tokens := session.New(cfg.Now, session.Refreshing(cfg.Tokens, a.grant))
	hosts := hostsOf(cfg.Credentials["environment"], cfg.BaseURL)
	a.iso = iso15143.New(iso15143.Options{HTTP: cfg.HTTP, Base: hosts.fleet, Accept: iso15143.XML, Authorize: tokens.Bearer})
	a.platform = &client.Client{HTTP: cfg.HTTP, Base: hosts.platform, Session: tokens, Sign: signPlatform}
	a.equipment = &client.Client{HTTP: cfg.HTTP, Base: hosts.equipment, Session: tokens, Sign: client.Bearer}
	a.machines = session.Kept[map[string]machine]{Read: a.readMachines, Now: cfg.Now, For: renewal}
	a.newest = session.Kept[map[string]provider.Position]{Read: a.readNewest, Now: cfg.Now, For: renewal}
	a.instruments = window.Beside{Read: a.readings, Every: renewal, Series: iso15143.Declared, Need: "access to the fleet snapshot", Config: cfg}
	a.Provider = provider.Of(provider.Calls{
		Check:     a.check,
		Devices:   paging.Numbered(a.devices),
		Positions: a.instruments.Of(window.Reader[provider.Position]{Fetch: a.positions, Now: cfg.Now, Batch: 1}.Page),
		Trips: window.Reader[provider.Trip]{
			Fetch: a.trips, Now: cfg.Now,
			Batch: 1, Before: tripMargin, After: tripMargin, Overlap: tripSettle,
		}.Page,
	})
	return a, nil
}

// grant trades the refresh token for an access token.
func (a *Adapter) grant(ctx context.Context, current provider.Credentials) (session.Grant, error) {
	if current[session.RefreshField] == "" {
		return session.Grant{}, session.NoConsent()
	}
	endpoint := session.Endpoint{
		HTTP: a.cfg.HTTP, Now: a.cfg.Now, URL: cmp.Or(a.cfg.BaseURL, signInHost) + signInPath + "/token",
		ClientID: current["client_id"], ClientSecret: current["client_secret"],
	}
	return endpoint.Request(ctx, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {current[session.RefreshField]},
		"scope":         {equipmentScope + " " + refreshScope},
		"redirect_uri":  {current["redirect_uri"]},
	})
}

func (a *Adapter) check(ctx context.Context) error {
	_, _, err := a.fleet(ctx, iso15143.FirstPage)
	return err
}

// devices reads a page of the machines.
func (a *Adapter) devices(ctx context.Context, number int) ([]provider.Device, bool, error) {
	machines, err := a.machines.Get(ctx)
	if err != nil {
		return nil, false, err
	}
	fleet, more, err := a.fleet(ctx, number)
	return wire.Records(fleet.Equipment, func(e iso15143.Equipment) (provider.Device, bool) { return device(e, machines) }), more, err
}

// positions fetches the positions of one machine.
func (a *Adapter) positions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	id := w.Devices[0]
	crumbs, err := a.breadcrumbs(ctx, id, w.From, w.To)
	if withoutTrack(err) {
		return a.latest(ctx, id, w)
	}
	return wire.All(crumbs, func(c breadcrumb) provider.Position { return c.record(id) }), err
}

// latest returns the newest position of a machine without a track.
func (a *Adapter) latest(ctx context.Context, id string, w window.Window) ([]provider.Position, error) {
	newest, err := a.newest.Get(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := newest[id]
	if !ok || p.Time.Before(w.From) {
		return nil, nil
	}
	return []provider.Position{p}, nil
}

// trips fetches the trips of one machine.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	id := w.Devices[0]
	hours, err := a.hours(ctx, id, "", w.From, w.To)
	if withoutTrack(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ran := whole(hours, w)
	if len(ran) == 0 {
		return nil, nil
	}
	from, to := ran[0].Start.Time, ran[len(ran)-1].End.Add(time.Second)
	crumbs, err := a.breadcrumbs(ctx, id, from, to)
	if err != nil && !withoutTrack(err) {
		return nil, err
	}
	takeOff, err := a.hours(ctx, id, "RearPTOEngagement", from, to)
	if err != nil && !withoutTrack(err) {
		return nil, err
	}
	machines, err := a.machines.Get(ctx)
	return wire.All(ran, func(i interval) provider.Trip { return i.trip(id, machines[id].principal(), crumbs, takeOff) }), err
}
