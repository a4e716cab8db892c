package match_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/match"
)

var noon = drover.At(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))

const (
	tenant = "tenant"
	conn   = "conn"
	url    = "https://shipper.example/"
)

// north and plain are two devices as matching knows them.
var (
	north = drover.Subject{ConnectionID: conn, DeviceID: "north", SystemDeviceID: "1", Tags: []string{"cold", "arctic"}}
	plain = drover.Subject{ConnectionID: conn, DeviceID: "plain", SystemDeviceID: "2", Tags: []string{"cold"}}
)

func about(typ drover.EventType, subjects ...drover.Subject) drover.Event {
	e := drover.Event{ID: string(typ), Sequence: 7, Type: typ, Timestamp: noon, Data: []byte(`{}`), Subjects: subjects}
	if len(subjects) > 0 {
		e.ConnectionID = new(conn)
	}
	return e
}

// received lists what a webhook with the filters gets: the numbers of the events,
// and the devices that the batch is narrowed to.
func received(filters drover.WebhookFilters, events []drover.Event) (numbers []int, devices []string) {
	r := match.Receivers{TenantID: tenant, Webhooks: []drover.Receiver{{ID: "hook", Enabled: true, Filter: filters.Compile()}}}
	for i := range events {
		for _, d := range r.Deliveries(events[i : i+1]) {
			numbers = append(numbers, i)
			if d.Type == drover.EventPositionUpdated {
				devices = d.Devices
			}
		}
	}
	return numbers, devices
}

func TestFilters(t *testing.T) {
	t.Parallel()
	events := []drover.Event{
		about(drover.EventDeviceUpdated, north), about(drover.EventDeviceUpdated, plain),
		about(drover.EventConnectionUpdated, drover.Subject{ConnectionID: conn, Tags: []string{"cold"}}),
		about(drover.EventWebhookDisabled), about(drover.EventPositionUpdated, north, plain),
	}
	for name, c := range map[string]struct {
		filters drover.WebhookFilters
		numbers []int
		devices []string // nil is all
	}{
		"Types": {filters: drover.WebhookFilters{EventTypes: []drover.EventType{
			drover.EventDeviceUpdated,
			drover.EventWebhookDisabled,
		}}, numbers: []int{0, 1, 3}},
		"TypesAndDevices": {filters: drover.WebhookFilters{
			EventTypes: []drover.EventType{drover.EventDeviceUpdated},
			DeviceIDs:  []string{"north"},
		}, numbers: []int{0}},
		"TypeOfPositions": {filters: drover.WebhookFilters{EventTypes: []drover.EventType{drover.EventPositionUpdated}}, numbers: []int{4}},
		"Empty":           {drover.WebhookFilters{}, []int{0, 1, 2, 3, 4}, nil},
		"Connection":      {drover.WebhookFilters{ConnectionIDs: []string{conn}}, []int{0, 1, 2, 4}, nil},
		"OtherConnection": {drover.WebhookFilters{ConnectionIDs: []string{"other"}}, nil, nil},
		"DeviceTag":       {drover.WebhookFilters{Tags: []string{"arctic"}}, []int{0, 4}, []string{"north"}},
		"ConnectionTag":   {drover.WebhookFilters{Tags: []string{"cold"}}, []int{0, 1, 2, 4}, nil},
		"Device":          {drover.WebhookFilters{DeviceIDs: []string{"plain"}}, []int{1, 4}, []string{"plain"}},
		"Named": {drover.WebhookFilters{ConnectionDevices: []drover.ConnectionDevices{{
			ConnectionID:    conn,
			SystemDeviceIDs: []string{"1"},
		}}}, []int{0, 4}, []string{"north"}},
		"NamedElsewhere": {drover.WebhookFilters{ConnectionDevices: []drover.ConnectionDevices{{
			ConnectionID:    "other",
			SystemDeviceIDs: []string{"1"},
		}}}, nil, nil},
		"NamedNoOne":      {drover.WebhookFilters{ConnectionDevices: []drover.ConnectionDevices{{ConnectionID: conn}}}, nil, nil},
		"AnyListIsEnough": {drover.WebhookFilters{DeviceIDs: []string{"plain"}, Tags: []string{"arctic"}}, []int{0, 1, 4}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			numbers, devices := received(c.filters, events)
			if diff := cmp.Diff(c.numbers, numbers); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.devices, devices); diff != "" {
				t.Errorf("devices of the batch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadings sends readings to webhooks that ask for their kinds by name, and to them alone.
func TestReadings(t *testing.T) {
	t.Parallel()
	const odometer, fuel, charge = drover.ReadingOdometer, drover.ReadingFuelPercent, drover.ReadingCharge
	driven, charged := north, plain
	driven.Kinds, charged.Kinds = []drover.ReadingKind{odometer, fuel}, []drover.ReadingKind{charge}
	e := about(drover.EventReadingUpdated, driven, charged)
	for name, c := range map[string]struct {
		filters drover.WebhookFilters
		sent    int
		devices []string
		kinds   []drover.ReadingKind
	}{
		"ByDefaultNone": {},
		"NoneByType":    {filters: drover.WebhookFilters{EventTypes: []drover.EventType{drover.EventReadingUpdated}}},
		"NotOfTypes": {filters: drover.WebhookFilters{
			EventTypes: []drover.EventType{drover.EventTripCompleted}, ReadingKinds: []drover.ReadingKind{odometer},
		}},
		"AnotherKind": {filters: drover.WebhookFilters{ReadingKinds: []drover.ReadingKind{drover.ReadingDEF}}},
		"AllKinds":    {filters: drover.WebhookFilters{ReadingKinds: drover.ReadingKinds}, sent: 1},
		"OneKind": {
			filters: drover.WebhookFilters{ReadingKinds: []drover.ReadingKind{fuel}}, sent: 1,
			devices: []string{"north"}, kinds: []drover.ReadingKind{fuel},
		},
		"OfADevice": {
			filters: drover.WebhookFilters{ReadingKinds: drover.ReadingKinds, DeviceIDs: []string{"plain"}}, sent: 1, devices: []string{"plain"},
		},
		"OfADeviceWithout": {filters: drover.WebhookFilters{ReadingKinds: []drover.ReadingKind{fuel}, DeviceIDs: []string{"plain"}}},
		"KindsOfEach": {
			filters: drover.WebhookFilters{ReadingKinds: []drover.ReadingKind{charge, odometer}}, sent: 1,
			kinds: []drover.ReadingKind{charge, odometer},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := match.Receivers{TenantID: tenant, Webhooks: []drover.Receiver{{ID: "hook", Enabled: true, Filter: c.filters.Compile()}}}
			got := r.Deliveries([]drover.Event{e})
			if len(got) != c.sent {
				t.Fatalf("%d deliveries, want %d", len(got), c.sent)
			}
			for _, d := range got {
				if diff := cmp.Diff(c.devices, d.Devices) + cmp.Diff(c.kinds, d.Kinds); diff != "" || d.ConnectionID != conn {
					t.Errorf("of %s: %s", d.ConnectionID, diff)
				}
			}
		})
	}
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	options := drover.WebhookOptions{IncludeSpeed: true}
	r := match.Receivers{TenantID: tenant, Webhooks: []drover.Receiver{{ID: "on", Enabled: true, Options: options}, {ID: "off"}}}
	e := about(drover.EventDeviceUpdated, north)
	want := drover.Delivery{
		Target: drover.Target{TenantID: tenant, ID: "on"}, Kind: drover.TargetWebhook, EventID: e.ID, Sequence: 7, Type: e.Type,
		State:        drover.DeliveryPending,
		ConnectionID: conn, DeviceID: "north", Options: options, CreatedAt: noon, DueAt: noon, Timestamp: noon, Data: e.Data,
	}
	off := want
	off.ID, off.State, off.Options = "off", drover.DeliverySkipped, drover.WebhookOptions{}
	if diff := cmp.Diff([]drover.Delivery{want, off}, r.Deliveries([]drover.Event{e})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOwn holds what the webhook of a milestone receives: its own events, and the
// positions of its device once it has begun.
func TestOwn(t *testing.T) {
	t.Parallel()
	milestone := drover.OwnReceiver{MilestoneID: "m", DeviceID: "north", StartTime: noon, URL: new(url)}
	own := about(drover.EventMilestoneStarted, north)
	own.MilestoneID, own.OwnURL = new("m"), new(url)
	silent := own
	silent.OwnURL = nil
	early := about(drover.EventPositionUpdated, north)
	early.Timestamp = drover.At(noon.Add(-time.Millisecond))
	for name, c := range map[string]struct {
		event   drover.Event
		want    int
		devices []string
	}{
		"Event":            {own, 1, nil},
		"SwitchedOff":      {silent, 0, nil},
		"Alone":            {about(drover.EventPositionUpdated, north), 1, nil},
		"AmongOthers":      {about(drover.EventPositionUpdated, plain, north), 1, []string{"north"}},
		"AnotherDevice":    {about(drover.EventPositionUpdated, plain), 0, nil},
		"BeforeItsStart":   {early, 0, nil},
		"EventOfTheDevice": {about(drover.EventDeviceUpdated, north), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := match.Receivers{TenantID: tenant, Milestones: []drover.OwnReceiver{milestone}}.Deliveries([]drover.Event{c.event})
			if len(got) != c.want {
				t.Fatalf("%d deliveries, want %d", len(got), c.want)
			}
			if c.want == 0 {
				return
			}
			d := got[0]
			if d.ID != "m" || d.Kind != drover.TargetMilestone || d.URL == nil || *d.URL != url || d.ConnectionID != conn {
				t.Errorf("it is %+v", d)
			}
			if diff := cmp.Diff(c.devices, d.Devices); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLeftOfEvents holds what a share leaves of the events of milestones and of safety, and of such as cannot be read.
func TestLeftOfEvents(t *testing.T) {
	t.Parallel()
	some := drover.GrantRecords | drover.GrantPositions
	const late = `"eta":null,"eta_p10":null,"eta_p90":null,"late_by_seconds":null`
	for _, tt := range []struct {
		event      drover.EventType
		grant      drover.Grant
		data, want string
	}{
		{drover.EventMilestoneStarted, some, `{"a":1}`, `{"a":1}`},
		{drover.EventMilestoneStarted, some, `[`, `{"position":null}`},
		{drover.EventMilestoneStarted, some, `null`, `{}`},
		{drover.EventMilestoneStarted, drover.GrantRecords, `{"a":1,"position":{}}`, `{"a":1,"position":null}`},
		{drover.EventMilestoneLate, some, `{"a":1,"eta":"x"}`, `{"a":1,"eta":"x"}`},
		{drover.EventMilestoneLate, drover.GrantRecords, `{"a":1,"eta":"x"}`, `{"a":1,` + late + `}`},
		{drover.EventMilestoneLate, drover.GrantRecords, `null`, `{` + late + `}`},
		{drover.EventMilestoneLate, drover.GrantRecords, `[`, `{` + late + `}`},
	} {
		got, ok := match.Readable(drover.Event{Type: tt.event, Data: []byte(tt.data)}, tt.grant)
		if !ok || string(got.Data) != tt.want {
			t.Errorf("%s %s: %s, %v", tt.event, tt.data, got.Data, ok)
		}
	}
	if _, ok := match.Readable(drover.Event{Type: drover.EventSafetyRecorded, Data: []byte(`[`)}, drover.GrantRecords|drover.GrantSafety); ok {
		t.Error("a safety event that cannot be read may be")
	}
}

// TestAbout holds that an event is about its connection, or about a device where it has none.
func TestAbout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event                drover.Event
		connection, deviceID string
	}{
		"Connection": {drover.Event{ConnectionID: new("c"), DeviceID: new("d")}, "c", ""},
		"Device":     {drover.Event{DeviceID: new("d")}, "", "d"},
		"Own":        {drover.Event{}, "", ""},
	} {
		if connection, device := match.About(tt.event); connection != tt.connection || device != tt.deviceID {
			t.Errorf("%s: about %q and %q", name, connection, device)
		}
	}
}
