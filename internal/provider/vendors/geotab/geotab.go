// Package geotab reads from MyGeotab, the fleet platform of Geotab.
package geotab

import (
	"context"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// rowCap is how many rows a Get returns at most; the rest is left out without
	// a word.
	rowCap = 5000
	// feedPage is how many rows a feed is asked for. Fewer mean that it has no
	// more for now.
	feedPage = 5000
	// statusPage is the same for the feed of all readings, of which a vehicle makes
	// hundreds in an hour. The vendor gives 50,000 at most.
	statusPage = 20_000
	// tripPage is small, as a trip may need a call of its own for its start.
	tripPage = 100

	positionWindow = 24 * time.Hour
	tripWindow     = 7 * 24 * time.Hour
	// tripMargin takes in the trip before the first one of a window: its end is
	// where the first one starts.
	tripMargin = 24 * time.Hour
	// startSpan is how far from its start a trip's first position may be.
	startSpan = time.Minute
)

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.Geotab,
	Title:    "Geotab",
	Homepage: "developers.geotab.com/myGeotab/apiReference",
	Fields: []provider.Field{
		{
			Name: "server", Title: "Server", Default: defaultServer,
			Help: "Host where the database is, as in the address bar after login. The vendor's default finds it.",
		},
		{
			Name: "database", Account: true, Title: "Database", Required: true,
			Help: "Name of the database, the part of the address after the host.",
		},
		{
			Name: "username", Account: true, Title: "User name", Required: true,
			Help: "Login of a user with read access. A service account is best: single sign-on does not work here.",
		},
		{Name: "password", Title: "Password", Required: true, Secret: true, Help: "Password of that user."},
		{Name: provider.BaseURLField, Title: "Base URL", Help: "Replaces the server's address, for a proxy or a test."},
	},
	Features: provider.Features{
		Feed: true, Backfill: true, Trips: true,
		Speed: true, Driver: true, Drivers: true, DriversNeed: "the clearance to view users", Ignition: true,
	},
	Readings:    provider.Declared(diagnostics),
	Faults:      faults,
	Safety:      safety,
	Assignments: assignments,
	// The vendor counts by method, entity and user. The quotas of Get are not
	// published; 650 a minute and more were seen.
	Limits: []provider.Limit{
		{Path: "Authenticate", Requests: 10, Per: time.Minute},
		{Path: "GetFeed LogRecord", Requests: 60, Per: time.Minute},
		{Path: "GetFeed StatusData", Requests: 60, Per: time.Minute},
		{Path: "GetFeed DriverChange", Requests: 60, Per: time.Minute},
		{Path: "GetFeed Trip", Requests: 60, Per: time.Minute},
		{Path: "Get LogRecord", Requests: 500, Per: time.Minute},
		{Path: "Get StatusData", Requests: 500, Per: time.Minute},
		{Path: "Get DriverChange", Requests: 500, Per: time.Minute},
		{Path: "Get Trip", Requests: 500, Per: time.Minute},
		{Path: "Get Device", Requests: 500, Per: time.Minute},
		{Path: "Get User", Requests: 500, Per: time.Minute},
	},
	Poll: provider.Poll{
		Devices:   time.Hour,
		Positions: 30 * time.Second,
		Trips:     5 * time.Minute,
		Window:    positionWindow,
	},
	Timeout: 5 * time.Minute, // as long as the vendor's own client waits
	Units:   drover.Units{TripDistance: new("km")},
	Notes: []string{
		"Safety events are exceptions of the stock rules for harsh driving, posted speed, seat belts and collisions; those of a fleet's own rules are other, unless the connection's safety_types say what they are. They have no place. A fleet that has switched a rule off has none.",
		"Faults are rows of observations, followed by a feed: one that is not repeated for 30 days is over. The code is the vendor's id of the diagnostic; faults of the tracker itself are of the protocol oem and raise no event.",
		"Who drove is a feed of changes, each of which ends the one before it. A change that was deleted at Geotab is not known of. Changes of the type DriverKey are by card; how Geotab knows of the others is unverified.",
		"Make a user of its own with the clearance to view devices, trips and drivers, and basic authentication.",
		"Positions come from the vendor's feed; the driver and the ignition are those that were last reported before a position, at most three days earlier.",
		"Positions have no heading and no odometer, and devices no make, model or year.",
		"Readings come from the vendor's feed of status data, of which a fixed list of diagnostics is kept, and only as they are made: readings of the past are not read.",
		"Unverified: the unit of the diagnostics for idle and power take-off hours, and of the electric range; they are not read. DiagnosticFuelLevelId is a raw number on some vehicles: DiagnosticFuelLevelPercentageId goes before it.",
		"Trips are native; a trip starts where the one before it ended, or at the position nearest to its start.",
		"All of a trip counts as driving: the vendor's idling time belongs to the stop after the trip and is left out.",
		"The length of a session, the quotas of single reads and the HTTP status of a quota that is used up could not be verified; both 200 and 429 are understood.",
	},
	New: New,
}

// Adapter reads one database.
type Adapter struct {
	provider.Provider // as New declares it
	cfg               provider.Config
	server            string // where the database is; the login may move it
	session           *session.Session

	// What the live job knows of the devices between positions. It is read
	// again after a restart.
	drivers  timeline[*string]
	ignition timeline[*bool]
	said     said
	// ignitionRead are the devices whose ignition before their first position was
	// read.
	ignitionRead map[string]bool
}

// New makes an adapter. The live cursors are versions of the vendor's feeds, that of positions with the
// number of a page.
func New(cfg provider.Config) (provider.Provider, error) {
	a := &Adapter{cfg: cfg, server: hostOf(cfg.Credentials["server"]), ignitionRead: map[string]bool{}}
	a.session = session.New(cfg.Now, a.login)
	a.Provider = provider.Of(provider.Calls{
		Check:   a.check,
		Devices: paging.Linked(a.devices),
		Positions: window.LiveAndPast(
			a.feedPositions,
			window.Reader[provider.Position]{Fetch: a.pastPositions, Now: cfg.Now, Batch: 1, Length: positionWindow}.Page,
		),
		Trips: window.LiveAndPast(
			a.feedTrips,
			window.Reader[provider.Trip]{Fetch: a.pastTrips, Now: cfg.Now, Batch: 1, Length: tripWindow, Before: tripMargin}.Page,
		),
		Drivers: paging.Linked(a.users),
	})
	return a, nil
}

func (a *Adapter) check(ctx context.Context) error {
	return a.call(ctx, "Get", "Device", object{"resultsLimit": 1}, &[]device{})
}

// devices reads a page of the devices. The cursor is the id of the last device. An
// empty page ends the list: a short one may only be capped lower than asked.
func (a *Adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	sort := object{"sortBy": "id", "sortDirection": "asc", "offset": wire.NonZero(cursor)}
	var devices []device
	err = a.call(ctx, "Get", "Device", object{"resultsLimit": rowCap, "sort": sort}, &devices)
	if n := len(devices); n > 0 && devices[n-1].ID.String() != cursor {
		next = devices[n-1].ID.String()
	}
	return wire.All(devices, func(d device) provider.Device { return d.record(a.cfg.Now()) }), next, err
}

// users reads a page of the users who drive, as devices reads those of the devices.
func (a *Adapter) users(ctx context.Context, cursor string) (records []provider.Driver, next string, err error) {
	sort := object{"sortBy": "id", "sortDirection": "asc", "offset": wire.NonZero(cursor)}
	var rows []user
	err = a.call(ctx, "Get", "User", object{"resultsLimit": rowCap, "search": object{"isDriver": true}, "sort": sort}, &rows)
	if n := len(rows); n > 0 && rows[n-1].ID.String() != cursor {
		next = rows[n-1].ID.String()
	}
	return wire.All(rows, func(u user) provider.Driver { return u.record(a.cfg.Now()) }), next, err
}

func (a *Adapter) feedPositions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	at := cursorOf(q.Cursor)
	rows, next, err := feed[logRecord](ctx, a, "LogRecord", at.version, object{"fromDate": wire.ISOMilli(q.From)}, feedPage)
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	a.said.stored(at.page)
	page := provider.Page[provider.Position]{More: len(rows) >= feedPage}
	if page.Records = records(rows); len(page.Records) > 0 {
		err = a.followStates(ctx, page.Records)
	} else if a.ignition.version != "" { // parked vehicles that are charged say something too
		err = a.followStatus(ctx, time.Time{})
	}
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	addStates(page.Records, &a.drivers, &a.ignition)
	at.version = next
	page.Readings, at.page = a.said.give(at.page)
	page.Cursor = at.String()
	return page, nil
}

// pastPositions fetches the positions of one device, and what its driver and
// ignition were.
func (a *Adapter) pastPositions(ctx context.Context, w window.Window) ([]provider.Position, error) {
	id := w.Devices[0]
	rows, err := a.logRecords(ctx, id, w.From, w.To)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var (
		drivers  timeline[*string]
		ignition timeline[*bool]
	)
	since := w.From.Add(-stateReach)
	if err := readState[driverChange](ctx, a, &drivers, "DriverChange", span(id, since, w.To)); err != nil {
		return nil, err
	}
	if err := readState[statusData](ctx, a, &ignition, "StatusData", withIgnition(span(id, since, w.To))); err != nil {
		return nil, err
	}
	positions := records(rows)
	addStates(positions, &drivers, &ignition)
	return positions, nil
}

// logRecords returns the positions of a device. A full answer may have been cut,
// and in no known order: its halves are asked for instead.
func (a *Adapter) logRecords(ctx context.Context, id string, from, to time.Time) ([]logRecord, error) {
	return window.Halves(from, to, 2*time.Second, func(from, to time.Time) (rows []logRecord, cut bool, err error) {
		err = a.call(ctx, "Get", "LogRecord", object{"search": span(id, from, to), "resultsLimit": rowCap}, &rows)
		return rows, len(rows) >= rowCap, err
	})
}

func (a *Adapter) feedTrips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	rows, next, err := feed[trip](ctx, a, "Trip", q.Cursor, object{"fromDate": wire.ISOMilli(q.From)}, tripPage)
	if err != nil {
		return provider.Page[provider.Trip]{}, err
	}
	trips, err := a.withStarts(ctx, rows)
	if err != nil {
		return provider.Page[provider.Trip]{}, err
	}
	return provider.Page[provider.Trip]{Records: trips, Cursor: next, More: len(rows) >= tripPage}, nil
}

func (a *Adapter) pastTrips(ctx context.Context, w window.Window) ([]provider.Trip, error) {
	search := span(w.Devices[0], w.From, w.To)
	search["includeOverlappedTrips"] = false // a trip belongs to the window it stops in
	var rows []trip
	if err := a.call(ctx, "Get", "Trip", object{"search": search, "resultsLimit": rowCap}, &rows); err != nil {
		return nil, err
	}
	return a.withStarts(ctx, rows)
}

// withStarts returns the trips with the places where they start, which the vendor
// leaves out: where the trip before ended or, where that one is not at hand, the
// position nearest to the start.
func (a *Adapter) withStarts(ctx context.Context, rows []trip) ([]provider.Trip, error) {
	var trips []provider.Trip
	for _, t := range rows {
		record, ok := t.record()
		if !ok {
			continue
		}
		if record.Start = t.startAfter(rows); record.Start == nil {
			near, err := a.logRecords(ctx, record.SystemDeviceID, t.Start.Add(-startSpan), t.Start.Add(startSpan))
			if err != nil {
				return nil, err
			}
			record.Start = nearest(near, t.Start.Time)
		}
		trips = append(trips, record)
	}
	return trips, nil
}

// span selects the rows of one device in a span of time.
func span(device string, from, to time.Time) object {
	return object{"deviceSearch": object{"id": device}, "fromDate": wire.ISOMilli(from), "toDate": wire.ISOMilli(to)}
}

func hostOf(server string) string {
	_, host, found := strings.Cut(server, "://")
	if !found {
		host = server
	}
	host, _, _ = strings.Cut(strings.TrimSpace(host), "/")
	if host == "" {
		return defaultServer
	}
	return host
}
