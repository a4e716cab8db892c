package contract_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

// What says where alpha's device was, and who drove it. They are nowhere else: a trip's
// own ends, which every share shows, are others.
var (
	placeMark  = regexp.MustCompile(`\b(48\.[3459]|90\.5)\b|"region":"DE"`)
	driverMark = regexp.MustCompile(`\bD-1(7)?\b`)
	// safetyMark names a safety event of alpha's device.
	safetyMark = regexp.MustCompile(`\bev-47\b|"name":"harsh_braking"`)
	// readingMark is what the odometer of alpha's device says.
	readingMark = regexp.MustCompile(`\b4711[01]815\b`)
)

// shown is what an operation, a tool or a file shows of what is shared.
type shown struct {
	places, drivers, readings, safety bool
	// feed says that safety events are some of many records, so that places do not need them.
	feed bool
	// refused says that it is about one device, and refused without the scope for what it
	// shows; lists leave out.
	refused bool
	tile    bool   // what it shows are roads, which are no text
	path    string // instead of the operation's own
	other   *shown // with another path
}

var (
	nothingShared = shown{}
	inList        = shown{places: true, drivers: true}
	ofOne         = shown{places: true, drivers: true, refused: true}
	placesOfOne   = shown{places: true, refused: true}
	readingsOfOne = shown{readings: true, refused: true}
	ofFeed        = shown{places: true, drivers: true, readings: true, safety: true, feed: true}
	dangers       = shown{places: true, drivers: true, safety: true}
	searched      = shown{drivers: true, path: "/search?q=D-1", other: &shown{
		readings: true, path: "/search?q=4711", other: &shown{safety: true, path: "/search?q=$safety_event"},
	}}
	// sent are deliveries of what is shared, as they are shown again.
	sent = shown{places: true, drivers: true, path: "/delivery/$position_delivery", other: &shown{
		places: true, drivers: true, path: "/delivery/$milestone_delivery", other: &shown{
			readings: true, path: "/delivery/$fault_delivery", other: &shown{
				readings: true, path: "/delivery/$reading_delivery", other: &shown{
					places: true, drivers: true, safety: true, path: "/delivery/$safety_event_delivery",
				},
			},
		},
	}}
	tripsShared = shown{
		drivers: true, path: "/trip?include=driver", other: &shown{readings: true, path: "/trip?include=readings&device_id=$device"},
	}
)

// sharedBy says what each operation that reads shows of what is shared. One that is not
// known here fails the test: anyone who adds it says what it shows.
var sharedBy = map[string]shown{
	"/account/activity-summary":               nothingShared,
	"/account/sso":                            nothingShared,
	"/account/brand":                          nothingShared,
	"/account/limits":                         nothingShared,
	"/account/second-factor":                  nothingShared,
	"/account/settings":                       nothingShared,
	"/account/storage":                        nothingShared,
	"/account/summary":                        nothingShared,
	"/account/webhook-secret":                 nothingShared,
	"/api-key":                                nothingShared,
	"/audit":                                  nothingShared,
	"/connection":                             nothingShared,
	"/connection-link":                        nothingShared,
	"/connection-tag":                         nothingShared,
	"/connection/{connection_id}":             nothingShared,
	"/connection/{connection_id}/coverage":    nothingShared,
	"/connection/{connection_id}/credentials": nothingShared,
	"/connection/{connection_id}/file":        nothingShared,
	"/connection/{connection_id}/health":      nothingShared,
	"/connection/{connection_id}/run":         nothingShared,
	"/connection/{connection_id}/settings":    nothingShared,
	"/connection/{connection_id}/share":       nothingShared,
	"/delivery":                               nothingShared,
	"/delivery/{delivery_id}":                 sent,
	"/device":                                 nothingShared,
	"/device/{device_id}":                     nothingShared,
	"/device/{device_id}/day":                 {readings: true, path: "/device/$device/day?include=readings"},
	"/device/{device_id}/position":            ofOne,
	"/device/{device_id}/positions":           ofOne,
	"/device/{device_id}/reading":             readingsOfOne,
	"/device/{device_id}/readings":            readingsOfOne,
	"/device/{device_id}/settings":            nothingShared,
	"/device/{device_id}/track":               placesOfOne,
	"/driver":                                 {drivers: true},
	"/driver-assignment":                      {drivers: true, refused: true, path: "/driver-assignment?device_id=$device&from=2024-05-02T00:00:00Z"},
	"/device/{device_id}/driver":              {drivers: true, refused: true},
	"/driver/{driver_id}":                     {drivers: true, refused: true},
	"/driver-erasure/{erasure_id}":            nothingShared,
	"/event":                                  ofFeed,
	"/export":                                 nothingShared,
	"/export/{export_id}":                     nothingShared,
	"/export/{export_id}/file":                nothingShared, // those of the reader's own are below
	"/fault":                                  {readings: true},
	"/fault/{fault_id}":                       readingsOfOne,
	"/milestone":                              nothingShared,
	"/milestone/update":                       inList,
	"/milestone/{milestone_id}":               nothingShared,
	"/milestone/{milestone_id}/eta-history":   placesOfOne,
	"/milestone/{milestone_id}/event":         inList,
	"/milestone/{milestone_id}/share":         nothingShared,
	"/milestone/{milestone_id}/update":        ofOne,
	"/position":                               inList,
	"/provider":                               nothingShared,
	"/reading":                                {readings: true},
	"/report/distance-by-region":              {places: true, path: "/report/distance-by-region?from=2024-05-01T00:00:00Z&to=2024-06-01T00:00:00Z"},
	"/report/time-use":                        nothingShared,
	"/safety-event":                           dangers,
	"/safety-event/{safety_event_id}":         {places: true, drivers: true, safety: true, refused: true},
	"/search":                                 searched,
	"/session":                                nothingShared,
	"/share":                                  nothingShared,
	"/stop":                                   {places: true},
	"/stream":                                 ofFeed,
	"/tile/{z}/{x}/{y}":                       {places: true, tile: true},
	"/trip":                                   tripsShared,
	"/device/{device_id}/note":                nothingShared,
	"/trip-recompute":                         nothingShared,
	"/trip-recompute/{recompute_id}":          nothingShared,
	"/trip/totals":                            nothingShared,
	"/trip/{trip_id}":                         nothingShared,
	"/trip/{trip_id}/explanation":             ofOne,
	"/trip/{trip_id}/path":                    placesOfOne,
	"/user":                                   nothingShared,
	"/user/me/second-factor":                  nothingShared,
	"/user/me/session":                        nothingShared,
	"/webhook":                                nothingShared,
	"/webhook/{webhook_id}":                   nothingShared,
	"/webhook/{webhook_id}/delivery":          nothingShared,
}

// sharedByTool is the same for the tools of agents.
var sharedByTool = map[string]struct {
	shown
	arguments string
}{
	"explain_trip":     {ofOne, `{"trip_id":"$trip"}`},
	"find":             {shown{drivers: true}, `{"text":"D-1"}`},
	"get_connection":   {nothingShared, `{"connection_id":"$conn"}`},
	"get_delivery":     {nothingShared, `{"delivery_id":"$position_delivery"}`}, // the body is left out
	"get_milestone":    {ofOne, `{"milestone_id":"$gamma_milestone"}`},
	"list_connections": {nothingShared, `{}`},
	"list_deliveries":  {nothingShared, `{}`},
	"list_devices":     {nothingShared, `{}`},
	"list_milestones":  {nothingShared, `{}`},
	"list_positions":   {ofOne, `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`},
	"list_trips":       {shown{drivers: true}, `{}`},
	"list_driver_assignments": {
		shown{drivers: true, refused: true}, `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`,
	},
	"list_drivers":       {shown{drivers: true}, `{}`},
	"list_faults":        {shown{readings: true}, `{}`},
	"list_readings":      {readingsOfOne, `{"device_id":"$device","from":"2024-05-02T00:00:00Z"}`},
	"list_safety_events": {dangers, `{}`},
	"newest_readings":    {shown{readings: true}, `{}`},
	"newest_positions":   {inList, `{}`},
	"sum_trips":          {nothingShared, `{}`},
}

// sharedByFile is the same for the kinds of exports.
var sharedByFile = map[drover.ExportKind]struct {
	shown
	format  drover.ExportFormat
	filters string
}{
	drover.ExportDevices:    {shown{places: true}, drover.ExportGeoJSON, `{}`},
	drover.ExportPositions:  {inList, drover.ExportJSONL, `{}`},
	drover.ExportTrips:      {shown{drivers: true}, drover.ExportJSONL, `{"include":"driver"}`},
	drover.ExportStops:      {shown{places: true}, drover.ExportJSONL, `{}`},
	drover.ExportMilestones: {nothingShared, drover.ExportJSONL, `{}`},
	drover.ExportEvents:     {ofFeed, drover.ExportJSONL, `{}`},
	drover.ExportReadings:   {shown{readings: true}, drover.ExportJSONL, `{}`},
	drover.ExportDrivers:    {shown{drivers: true}, drover.ExportCSV, `{}`},
	drover.ExportFaults:     {shown{readings: true}, drover.ExportCSV, `{}`},
	drover.ExportSafety:     {dangers, drover.ExportJSONL, `{}`},
}

// scopeWorld is a service in which alpha shares with gamma in turn as each set of scopes
// says.
type scopeWorld struct {
	*service
	scopes []drover.ShareScope // nil is an ended share
	ended  bool
}

// TestScopes reads everything that there is, as a tenant that a connection is shared
// with, with each set of scopes and once the share has ended.
func TestScopes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		w := &scopeWorld{service: s}
		w.prepare(t)
		for _, scopes := range append(setsOf(drover.ShareScopes), nil) {
			w.share(t, scopes)
			name := strings.ReplaceAll(strings.Trim(jsonText(scopes), "[]"), `"`, "")
			switch {
			case scopes == nil:
				name = "ended"
			case name == "":
				name = "none"
			}
			t.Run(name, func(t *testing.T) {
				w.checkOperations(t)
				w.checkStreams(t)
				w.checkTools(t)
				w.checkFiles(t)
			})
		}
	})
}

// setsOf are all subsets.
func setsOf(scopes []drover.ShareScope) [][]drover.ShareScope {
	sets := [][]drover.ShareScope{{}}
	for _, scope := range scopes {
		for _, set := range sets {
			sets = append(sets, append(slices.Clone(set), scope))
		}
	}
	return sets
}

// prepare gives gamma a feed, a webhook to which it is sent, predictions, and a trip whose explanation names positions.
func (w *scopeWorld) prepare(t *testing.T) {
	t.Helper()
	ctx, a := t.Context(), w.app
	driven, err := a.Store.Trips.Trip(ctx, w.ids["alpha"], w.ids["trip"])
	if err != nil {
		t.Fatal(err)
	}
	why := `{"began":"movement","ended":"stop"}`
	w.changeTrip(t, driven, func(trip *store.Trip) { trip.Why = &why })
	end := drover.Position{Time: driven.EndTime, Latitude: 48.4, Longitude: 11.5, DriverID: new("D-17")}
	w.addHistory(t, "alpha", "device", end)
	_, w.ids["gamma_share_token"] = w.shareMilestone(t, "gamma", w.ids["gamma_milestone"])
	w.addRoads(t)
	m, err := a.Store.Trips.Milestone(ctx, w.ids["gamma"], w.ids["gamma_milestone"])
	if err != nil {
		t.Fatal(err)
	}
	f, err := a.Store.Vehicles.Fault(ctx, w.ids["alpha"], w.ids["fault"])
	if err != nil {
		t.Fatal(err)
	}
	danger, err := a.Store.Vehicles.SafetyEvent(ctx, w.ids["alpha"], w.ids["safety_event"])
	if err != nil {
		t.Fatal(err)
	}
	w.addFault(t, "alpha", "scope_fault", "device", "conn", drover.Fault{
		Protocol: drover.FaultOEM, Code: "47110815", Status: drover.FaultOpen, FirstSeenAt: end.Time, LastSeenAt: end.Time,
	})
	filters := noFilters()
	filters.ReadingKinds = []drover.ReadingKind{drover.ReadingOdometer}
	odometer := drover.ReadingSeries{Kind: drover.ReadingOdometer, NativeName: "odo"}
	w.addWebhook(t, "gamma", "gamma_webhook", drover.Webhook{
		URL: "https://hooks.example/gamma", Enabled: true, Filters: filters, Options: drover.WebhookOptions{IncludeDriverID: true},
	})
	var events []drover.Event
	for typ, data := range map[drover.EventType]drover.EventData{
		drover.EventPositionUpdated: drover.PositionBatch{ConnectionID: w.ids["conn"], Positions: []drover.DevicePosition{
			{DeviceID: w.ids["device"], SystemDeviceID: "truck-12", CurrentPosition: *end.View()},
		}},
		drover.EventReadingUpdated: drover.ReadingBatch{ConnectionID: w.ids["conn"], Readings: []drover.NewestReading{
			{ID: w.ids["device"], Reading: odometer.Reading(w.ids["device"], w.ids["conn"], end.Time, 47110815, "")},
		}},
		drover.EventFaultOpened:      f.Fault,
		drover.EventSafetyRecorded:   danger.SafetyEvent,
		drover.EventMilestoneStarted: drover.MilestoneStep{Milestone: m.Milestone, OccurredAt: end.Time, Position: end.View()},
	} {
		e, err := drover.NewEvent(typ, drover.At(present), data)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	at := drover.At(present.Add(-time.Minute))
	counted := func(at drover.Time, metres float64) store.ReadingRow { // of the vehicle's own odometer
		value := drover.ReadingValue{At: at.UnixMilli(), Value: metres}
		return store.ReadingRow{DeviceID: w.ids["device"], ReadingRow: drover.ReadingRow{Series: 2, ReadingValue: value}}
	}
	w.update(t, func(tx *store.Tx) error {
		err := tx.Vehicles.AddReadings(ctx, w.ids["alpha"], []store.ReadingRow{counted(driven.StartTime, 47110815), counted(driven.EndTime, 47110815)})
		if err != nil {
			return err
		}
		if err := tx.Trips.AddPrediction(ctx, w.ids["gamma"], m.ID, store.Prediction{Time: at, ETA: at, DistanceKM: 90.5}); err != nil {
			return err
		}
		return journal.AppendOf(ctx, tx, w.ids["gamma"], w.ids["alpha"], events)
	})
	deliveries, err := a.Fleet.Notify.Deliveries(ctx, w.admin("gamma"), drover.DeliveryFilter{}, drover.DeliveryCursor{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deliveries {
		kind, _, _ := strings.Cut(string(d.Type), ".")
		w.ids[kind+"_delivery"] = d.ID
	}
}

// share ends the share that there is, and makes one with the scopes; nil makes none.
func (w *scopeWorld) share(t *testing.T, scopes []drover.ShareScope) {
	t.Helper()
	ctx, f := t.Context(), w.app.Fleet
	if err := f.Shares.Unshare(ctx, w.admin("alpha"), w.ids["conn"], w.ids["gamma"]); err != nil {
		t.Fatal(err)
	}
	if w.scopes, w.ended = scopes, scopes == nil; !w.ended {
		w.give(t, scopes)
	}
}

// give offers a share with the scopes, and accepts it.
func (w *scopeWorld) give(t *testing.T, scopes []drover.ShareScope) {
	t.Helper()
	ctx, f := t.Context(), w.app.Fleet
	offered, err := f.Shares.OfferShare(ctx, w.admin("alpha"), w.ids["conn"], drover.ShareInput{TenantID: new(w.ids["gamma"]), Scopes: scopes})
	if err == nil {
		_, err = f.Shares.AcceptShare(ctx, w.admin("gamma"), offered.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check holds a text against what it is said to show with the scopes of now.
func (w *scopeWorld) check(t *testing.T, what, text string, s shown) {
	t.Helper()
	safety := s.safety && slices.Contains(w.scopes, drover.ScopeSafety)
	places := s.places && slices.Contains(w.scopes, drover.ScopePositions) && (safety || !s.safety || s.feed)
	drivers := s.drivers && slices.Contains(w.scopes, drover.ScopeDrivers) && (places || !s.places || safety)
	if got := safetyMark.MatchString(text); got != safety {
		t.Errorf("%s shows a safety event: %t, want %t: %s", what, got, safety, cut(text))
	}
	if got := placeMark.MatchString(text); got != places {
		t.Errorf("%s says where the device was: %t, want %t: %s", what, got, places, cut(text))
	}
	if got := driverMark.MatchString(text); got != drivers {
		t.Errorf("%s says who drove: %t, want %t: %s", what, got, drivers, cut(text))
	}
	if got, want := readingMark.MatchString(text), s.readings && slices.Contains(w.scopes, drover.ScopeReadings); got != want {
		t.Errorf("%s says what the odometer shows: %t, want %t: %s", what, got, want, cut(text))
	}
	if w.ended && strings.Contains(text, "truck-12") {
		t.Errorf("%s shows a device of a share that has ended: %s", what, cut(text))
	}
}

// refused reports whether one record is refused for the scope that is missing.
func (w *scopeWorld) refused(s shown) bool {
	return s.refused && !slices.Contains(w.scopes, s.scope())
}

// scope is what one record is refused without.
func (s shown) scope() drover.ShareScope {
	if s.safety {
		return drover.ScopeSafety
	}
	if s.readings {
		return drover.ScopeReadings
	}
	if s.drivers && !s.places {
		return drover.ScopeDrivers
	}
	return drover.ScopePositions
}

func (w *scopeWorld) checkOperations(t *testing.T) {
	t.Helper()
	for _, o := range w.doc().operations() {
		if o.method != "GET" || o.streams() || o.public() || o.operator() { // what operators read is no tenant's
			continue
		}
		s, known := sharedBy[o.path]
		if !known {
			t.Errorf("%s: say in sharedBy what it shows of what is shared", o)
			continue
		}
		for part := &s; part != nil; part = part.other {
			w.checkOperation(t, o, *part)
		}
	}
}

func (w *scopeWorld) checkOperation(t *testing.T, o operation, s shown) {
	t.Helper()
	path := s.path
	if path == "" {
		path = strings.NewReplacer("$milestone", "$gamma_milestone", "$webhook", "$gamma_webhook").Replace(pathOf(t, o))
	}
	names := &names{t: t, world: w.world, fresh: map[string]string{}}
	resp := w.send(t, request{method: "GET", path: names.resolve(path), header: w.authorized(t, carol)})
	if s.tile {
		if got, want := resp.body != "", slices.Contains(w.scopes, drover.ScopePositions); got != want {
			t.Errorf("%s shows roads: %t, want %t", o, got, want)
		}
		return
	}
	w.check(t, o.String(), resp.body, s)
	if w.ended && onCitus(t) && notFoundApart(resp.status, resp.body) {
		return
	}
	if w.refused(s) && (resp.status != 403 || !w.ended && resp.header.Get("X-Required-Scope") != string(s.scope())) {
		t.Errorf("%s: status %d, header %q", o, resp.status, resp.header.Get("X-Required-Scope"))
	}
	gone := w.ended && strings.Contains(path, "$device") // which is not shown any more
	if s != nothingShared && !w.refused(s) && resp.status != 200 && !gone {
		t.Errorf("%s: status %d, body %s", o, resp.status, cut(resp.body))
	}
}

func (w *scopeWorld) checkTools(t *testing.T) {
	t.Helper()
	session, err := agentSession(t, w.server.URL, w.token(t, carol))
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		s, known := sharedByTool[tool.Name]
		if !known {
			t.Errorf("%s: say in sharedByTool what it shows of what is shared", tool.Name)
			continue
		}
		text, failed := use(t, session, tool.Name, os.Expand(s.arguments, func(name string) string { return w.ids[name] }))
		w.check(t, tool.Name, text, s.shown)
		if failed != w.refused(s.shown) && s.shown != nothingShared {
			t.Errorf("%s: refused is %t: %s", tool.Name, failed, text)
		}
	}
}

func (w *scopeWorld) checkFiles(t *testing.T) {
	t.Helper()
	for _, kind := range drover.ExportKinds {
		s, known := sharedByFile[kind]
		if !known {
			t.Errorf("%s: say in sharedByFile what it shows of what is shared", kind)
			continue
		}
		w.check(t, "a file of "+string(kind), w.file(t, kind, s.format, s.filters).body, s.shown)
	}
}

// file makes an export of gamma and reads its file.
func (w *scopeWorld) file(t *testing.T, kind drover.ExportKind, format drover.ExportFormat, filters string) response {
	t.Helper()
	e, err := w.app.Fleet.Exports.CreateExport(t.Context(), w.admin("gamma"),
		drover.ExportInput{Kind: kind, Format: format, Filters: json.RawMessage(filters)})
	if err != nil {
		t.Fatal(err)
	}
	if worked, err := w.app.Exports.Next(t.Context()); !worked || err != nil {
		t.Fatalf("the export was not made: %v", err)
	}
	file := w.send(t, request{method: "GET", path: "/export/" + e.ID + "/file", header: w.authorized(t, carol)})
	if err := w.app.Fleet.Exports.DeleteExport(t.Context(), w.admin("gamma"), e.ID); err != nil { // they are few
		t.Fatal(err)
	}
	return file
}
