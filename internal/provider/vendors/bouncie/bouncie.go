// Package bouncie reads from the Bouncie API.
package bouncie

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
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
	apiHost  = "https://api.bouncie.dev"
	authHost = "https://auth.bouncie.com"

	codeField = "authorization_code"

	vehiclePage = 100

	// A question for trips may span a week. It is answered with those that lie
	// within it altogether, so that it starts longestTrip before the window.
	tripWindow  = 5 * 24 * time.Hour
	longestTrip = 12 * time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Bouncie,
	Title:    "Bouncie",
	Homepage: "docs.bouncie.dev",
	Fields: []provider.Field{
		{Name: "client_id", Title: "Client id", Required: true, Help: "Of the application registered in the Bouncie developer portal."},
		{Name: "client_secret", Title: "Client secret", Required: true, Secret: true, Help: "Of the same application."},
		{Name: "redirect_uri", Title: "Redirect URI", Required: true, Help: "One of those registered for the application, letter by letter."},
		{
			Name: codeField, Title: "Authorization code", Secret: true,
			Help: "The code that Bouncie hands to the redirect URI when the owner of the vehicles consents; drover connection authorize takes it. It stays good until the next consent.",
		},
		{
			Name: provider.WebhookSecretField, Title: "Webhook secret", Secret: true,
			Help: "The authorization key of the Bouncie webhook that calls this connection's inbound address; notices must carry it.",
		},
		{Name: provider.BaseURLField, Title: "API address", Help: "Replaces both https://api.bouncie.dev and https://auth.bouncie.com."},
	},
	Features: provider.Features{
		Snapshot: true, Trips: true,
		Heading: true, Speed: true, Ignition: true, Odometer: true,
		Idling: true,
	},
	Readings: provider.Declared(readings),
	Faults:   &provider.Besides{Names: []string{"qualifiedDtcList"}},
	// No rate is published; clients report refusals when calls come closer than
	// this or at the same time.
	Limits: []provider.Limit{{Requests: 4, Per: time.Second, Concurrent: 1}},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: time.Minute,
		Trips:     30 * time.Minute, // one call for each vehicle
		Window:    tripWindow,
	},
	OAuth: &provider.OAuth{AuthorizeURL: authHost + "/dialog/authorize", Field: codeField},
	Units: drover.Units{Speed: new("mph"), Odometer: new("miles"), TripDistance: new("miles")},
	Assumed: map[string]string{
		drover.CheckSpeed: "The speed of the latest position is taken to be in miles an hour, as that of trips is.",
	},
	Notes: []string{
		"Faults are the list of codes in the stats of a vehicle; one that is gone from it is over.",
		"Credentials come from an application in the Bouncie developer portal and the consent of the vehicles' owner, whose authorization code stays good until the next consent.",
		"Positions are the newest of each vehicle at every poll: Bouncie has no history of positions.",
		"The time of a position is that of the vehicle's last update, which can be newer than its fix.",
		"Trips are native, with their idling; those of before 21 May 2020 are not there.",
		"That pages have up to 100 vehicles is unverified.",
	},
	Notices: notices,
	New:     New,
}

// Adapter reads the vehicles of one consent.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, api: client.New(cfg, apiHost, sign)}
	a.api.Session = session.New(cfg.Now, a.login)
	a.Provider = provider.Of(provider.Calls{
		Check:     client.Check[[]vehicle](a.api, "/v1/vehicles", url.Values{"limit": {"1"}}),
		Devices:   paging.Linked(a.devices),
		Positions: window.LiveAndPast(window.Snapshot(cfg.Now, a.newest), window.Nothing[provider.Position]),
		Trips: window.Reader[provider.Trip]{
			Fetch: a.trips, Now: cfg.Now,
			Batch: 1, Length: tripWindow, Before: longestTrip, Overlap: time.Hour,
		}.Page,
	})
	return a, nil
}

func sign(req *http.Request, token string) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", token) // alone: with the word Bearer it is refused
}

// login trades the authorization code for an access token. The code may be used
// again and again, so that no refresh token, which may be used once, is needed.
func (a *Adapter) login(ctx context.Context) (session.Token, error) {
	if a.cfg.Credentials[codeField] == "" {
		return session.Token{}, session.NoConsent()
	}
	req, err := wire.PostJSON(outbound.WithRetry(ctx), cmp.Or(a.cfg.BaseURL, authHost)+"/oauth/token", map[string]string{
		"grant_type":    "authorization_code",
		"client_id":     a.cfg.Credentials["client_id"],
		"client_secret": a.cfg.Credentials["client_secret"],
		"redirect_uri":  a.cfg.Credentials["redirect_uri"],
		"code":          a.cfg.Credentials[codeField],
	})
	if err != nil {
		return session.Token{}, err
	}
	grant, err := session.Endpoint{HTTP: a.cfg.HTTP, Now: a.cfg.Now}.Send(req)
	return grant.Token, err
}

func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	vehicles, next, err := a.vehicles(ctx, cursor)
	return wire.All(vehicles, vehicle.record), next, err
}

// newest reads the newest position of each vehicle.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	vehicles, err := paging.ByCursor(func(cursor string) ([]vehicle, string, error) { return a.vehicles(ctx, cursor) })
	return wire.Records(vehicles, vehicle.position), err
}

// vehicles reads one page of the vehicles, and returns the cursor of the next:
// empty behind the last. The cursor is how many were read and the first of them.
//
// Neither the largest page nor a total is documented, so that only an empty page
// is the last, or one that starts from the first again.
func (a *Adapter) vehicles(ctx context.Context, cursor string) (page []vehicle, next string, err error) {
	place := paging.PlaceOf(cursor)
	query := url.Values{"limit": {strconv.Itoa(vehiclePage)}}
	if place.Read > 0 {
		query.Set("skip", strconv.Itoa(place.Read)) // zero is refused
	}
	if err := a.api.Get(ctx, "/v1/vehicles", query, &page); err != nil {
		return nil, "", err
	}
	if len(page) == 0 {
		return nil, "", nil
	}
	next, ok := place.Next(page[0].IMEI.String(), distinct(page))
	if !ok {
		return nil, "", nil
	}
	return page, next, nil
}

// trips fetches the finished trips of one vehicle.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	trips, err := client.Get[[]trip](ctx, a.api, "/v1/trips", url.Values{
		"imei": w.Devices, "gps-format": {"geojson"},
		"starts-after": {wire.ISOMilli(w.From)}, "ends-before": {wire.ISOMilli(w.To)},
	})
	return wire.Records(trips, func(t trip) (provider.Trip, bool) { return t.record(w.Devices[0]) }), err
}
