// Package webfleet reads from Webfleet through WEBFLEET.connect: one address, at
// which a parameter picks the function.
package webfleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
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
	defaultBase = "https://csv.webfleet.com"

	// The functions that are called. Limits are declared by these names, as all
	// share one path.
	vehicleReport = "showVehicleReportExtern"
	driverReport  = "showDriverReportExtern"
	objectReport  = "showObjectReportExtern"
	tripReport    = "showTripReportExtern"
	tracks        = "showTracks"

	// trackWindow is the longest that showTracks answers for.
	trackWindow = 48 * time.Hour

	// A report of trips is for the whole fleet, as it may be asked for once a
	// minute only, and holds at most tripCap rows. Whether its range selects by
	// the start of a trip is not documented, so each is widened into the past by
	// as much as it is long.
	tripWindow  = 12 * time.Hour
	tripCap     = 10_000
	tripOverlap = time.Hour
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Webfleet,
	Title:    "Webfleet",
	Homepage: "www.webfleet.com/static/help/webfleet-connect/en_gb/index.html",
	Fields: []provider.Field{
		{Name: "account", Account: true, Title: "Account", Required: true, Help: "Name of the Webfleet account, as entered at the login."},
		{
			Name: "username", Account: true, Title: "User name", Required: true,
			Help: "A user of the account with the right to use WEBFLEET.connect. Make one for drover alone.",
		},
		{Name: "password", Title: "Password", Required: true, Secret: true, Help: "Password of that user."},
		{
			Name: "api_key", Title: "API key", Required: true, Secret: true,
			Help: "Key for WEBFLEET.connect, which Webfleet gives to an integrator on request.",
		},
		{
			Name: queueField, Title: "Message queue", Default: queueOff, Options: []string{queueOff, queueOn},
			Help: "Whether live positions are read from the user's message queue, which has all of them. It takes them from the queue, so that nothing else may read it: use a user for drover alone.",
		},
		{Name: provider.BaseURLField, Title: "Address", Help: "Replaces https://csv.webfleet.com."},
	},
	Features: provider.Features{
		Snapshot: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Drivers: true, DriversNeed: "the right to the action showDriverReportExtern", Ignition: true,
		Odometer: true, Idling: true,
	},
	Readings: provider.Declared(readings),
	Safety:   safety,
	// The defaults of an account. A user who calls twice at once is refused.
	Limits: []provider.Limit{
		{Concurrent: 1},
		{Path: objectReport, Requests: 6, Per: time.Minute},
		{Path: vehicleReport, Requests: 10, Per: time.Minute},
		{Path: driverReport, Requests: 10, Per: time.Minute},
		{Path: tracks, Requests: 10, Per: time.Minute},
		{Path: popQueue, Requests: 10, Per: time.Minute},
		{Path: ackQueue, Requests: 10, Per: time.Minute},
		{Path: tripReport, Requests: 1, Per: time.Minute},
		{Path: accelerations, Requests: 10, Per: time.Minute},
		{Path: speedings, Requests: 10, Per: time.Minute},
	},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 30 * time.Second,
		Trips:     15 * time.Minute,
		Window:    trackWindow,
	},
	Assumed: map[string]string{
		drover.CheckOdometer: "Where past positions have an odometer, it is taken to be in units of 100 m, as elsewhere.",
	},
	Notes: []string{
		"The user needs the right to use WEBFLEET.connect, and the API key is asked for from Webfleet.",
		"Live positions are the newest of each vehicle at every poll; those in between are read for past windows only, with driver, ignition and odometer where the rows of a track have them.",
		"With message_queue, live positions are all that the vehicles sent, from the user's message queue, from which they are taken.",
		"Make and model are not reported, and a vehicle counts as active unless its object is deleted.",
		"Work with a power take-off is part of a trip's idling.",
		"Safety events are harsh driving and speeding, by the thresholds of the account. Unverified: their columns, which are known from a client; a row that does not name its object is left out.",
		"Unverified: the error code of a refused login, the columns of a track and whether trips are selected by their start.",
	},
	New: New,
}

// Adapter reads one account.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	api               *client.Client
	redactor          *outbound.Redactor
	worked            bool          // a call succeeded: the credentials are good
	popped            string        // the messages that the queue handed out last, in short
	madeAt            time.Time     // when the queue was made
	span              time.Duration // of one report of trips
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{
		cfg:      cfg,
		redactor: outbound.NewRedactor([]string{cfg.Credentials["password"], cfg.Credentials["api_key"]}),
		span:     tripWindow,
	}
	a.api = &client.Client{
		HTTP: gateway{cfg.HTTP}, Base: client.Below(cmp.Or(cfg.BaseURL, defaultBase), "/extern"),
		Sign: a.sign, Meaning: forbidden,
	}
	live := window.Snapshot(cfg.Now, a.newest)
	if cfg.Credentials[queueField] == queueOn {
		live = a.queued
	}
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Whole(a.vehicles),
		// Live, it is one report for the whole fleet: tracks of each vehicle would take
		// 50 minutes for 500 of them.
		Positions: window.LiveAndPast(
			live,
			window.Reader[provider.Position]{Fetch: a.track, Now: cfg.Now, Batch: 1, Length: trackWindow}.Page,
		),
		Trips:   a.tripPage,
		Drivers: paging.Whole(a.drivers),
	})
	return a, nil
}

// sign has the login in a header, so that the password is in no address.
func (a *Adapter) sign(req *http.Request, _ string) {
	client.AddQuery(req, "account", a.cfg.Credentials["account"], "apikey", a.cfg.Credentials["api_key"],
		"lang", "en", "outputformat", "json", "useUTF8", "true", "useISO8601", "true")
	req.SetBasicAuth(a.cfg.Credentials["username"], a.cfg.Credentials["password"])
}

func (a *Adapter) check(ctx context.Context) error {
	_, err := report[vehicle](ctx, a, vehicleReport, nil)
	return err
}

// vehicles reads the whole fleet: there are no pages.
func (a *Adapter) vehicles(ctx context.Context) ([]provider.Device, error) {
	vehicles, err := report[vehicle](ctx, a, vehicleReport, nil)
	if err != nil {
		return nil, err
	}
	objects, err := report[position](ctx, a, objectReport, nil)
	deleted := map[string]bool{}
	for _, o := range objects {
		deleted[o.ObjectUID.String()] = o.Deleted.Or(false)
	}
	return wire.All(vehicles, func(v vehicle) provider.Device { return v.record(!deleted[v.ObjectUID.String()]) }), err
}

// drivers reads all drivers: there are no pages.
func (a *Adapter) drivers(ctx context.Context) ([]provider.Driver, error) {
	rows, err := report[driver](ctx, a, driverReport, nil)
	return wire.All(rows, driver.record), err
}

// newest reads the newest position of each vehicle.
func (a *Adapter) newest(ctx context.Context) ([]provider.Position, error) {
	objects, err := report[position](ctx, a, objectReport, nil)
	return positions(objects, ""), err
}

// track fetches the positions of one vehicle.
func (a *Adapter) track(ctx context.Context, w window.Window) ([]provider.Position, error) {
	query := period(w)
	query.Set("objectuid", w.Devices[0])
	rows, err := report[position](ctx, a, tracks, query)
	return positions(rows, w.Devices[0]), err
}

func (a *Adapter) tripPage(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	return window.Reader[provider.Trip]{Fetch: a.trips, Now: a.cfg.Now, Length: a.span, Before: a.span, Overlap: tripOverlap}.Page(ctx, q)
}

// trips fetches the trips of the fleet. A report that is full may lack some: the
// next one is made for half the time.
func (a *Adapter) trips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	rows, err := report[trip](ctx, a, tripReport, period(w))
	if len(rows) >= tripCap && a.span > time.Hour {
		a.span /= 2
		return nil, provider.Errorf(provider.KindTemporary, "the report of trips is full, and asked for again in smaller parts")
	}
	return wire.Records(rows, trip.record), err
}

// report makes one call and returns the rows of its answer.
func report[T any](ctx context.Context, a *Adapter, action string, query url.Values) ([]T, error) {
	all := url.Values{"action": {action}}
	maps.Copy(all, query)
	got, err := client.Get[answer[T]](outbound.WithOperation(ctx, action), a.api, "", all)
	if err == nil {
		err = a.failure(got.fault)
	}
	a.worked = a.worked || err == nil
	return got.rows, err
}

// failure turns the error in an answer into one of the seam's kinds.
func (a *Adapter) failure(f fault) error {
	code, now := f.code(), a.cfg.Now()
	words := strings.TrimSpace(a.redactor.Redact(fmt.Sprintf("Webfleet answers %d %.200s", code, f.Message)))
	switch code {
	case 0, codeNoData:
		return nil
	case codeQuota:
		return &provider.Error{Kind: provider.KindRateLimited, Until: now.Truncate(time.Minute).Add(time.Minute), Err: errors.New(words)}
	case codeUserBusy:
		return &provider.Error{Kind: provider.KindRateLimited, Until: now.Add(10 * time.Second), Err: errors.New(words)}
	case codeResourceBusy:
		return &provider.Error{Kind: provider.KindRateLimited, Until: now.Add(30 * time.Second), Err: errors.New(words)}
	case codeNotAllowed:
		return provider.Errorf(provider.KindPermanent, "%s", words)
	case codeGeneral, codeUpstream:
		return provider.Errorf(provider.KindTemporary, "%s", words)
	case codeLogin:
		return provider.Errorf(provider.KindCredentials, "%s", words)
	}
	// The codes of refused credentials are not documented. Where nothing ever
	// worked, any other code is a matter of what was entered.
	if !a.worked {
		return provider.Errorf(provider.KindCredentials, "%s", words)
	}
	return provider.Errorf(provider.KindTemporary, "%s", words)
}

// forbidden corrects the kind of a 403, with which the gateway refuses a login.
func forbidden(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if ok && status.Status == http.StatusForbidden {
		return provider.Errorf(provider.KindCredentials, "Webfleet refuses the credentials: %w", status)
	}
	return err
}
