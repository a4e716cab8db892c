package drover_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

var noon = drover.At(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))

func exampleMilestone() drover.Milestone {
	return drover.Milestone{
		ID: "m", TenantID: "t", DeviceID: "d", StartPoint: drover.Coordinate{Latitude: 1, Longitude: 2},
		EndPoint:  drover.Coordinate{Latitude: 3, Longitude: 4},
		StartTime: noon, CreatedAt: noon, UpdatedAt: noon, Status: drover.TripNotStarted, WebhookURL: new("https://h.example/"),
		WebhookEnabled: true,
	}
}

const (
	milestoneText = `"id":"m","tenant_id":"t","device_id":"d","start_point":{"latitude":1,"longitude":2},"end_point":{"latitude":3,"longitude":4},` +
		`"start_time":"2026-11-15T12:00:00Z","end_time":null,"created_at":"2026-11-15T12:00:00Z","updated_at":"2026-11-15T12:00:00Z","status":"trip_not_started",` +
		`"webhook_url":"https://h.example/","webhook_enabled":true,"webhook_error_count":0,"last_webhook_error":null,"last_webhook_error_at":null`
	positionText   = `"timestamp":"2026-11-15T12:00:00Z","longitude":2,"latitude":1,"heading":90,"speed":{"speed_kph":50},"driver_id":{"format":"text","value":"x"}`
	connectionText = `"integration_name":"samsara","business_name":"b","abn":null,"email":null,"active":true,"id":"c","tenant_id":"t","collection_start_time":"2026-11-15T12:00:00Z",` +
		`"collection_end_time":null,"configuration":{"poll_interval_seconds":30,"trips":"native","base_url":null,"health":"healthy"}`
	webhookText = `"id":"w","url":"https://h.example/","enabled":false,"error_count":1,"last_error":null,"last_error_at":null,"created_at":"2026-11-15T12:00:00Z",` +
		`"updated_at":"2026-11-15T12:00:00Z","filters":{"connection_ids":null,"tags":["a"],"device_ids":null,"connection_devices":[{"connection_id":"c","system_device_ids":["1"]}]},` +
		`"options":{"include_speed":true,"include_driver_id":false}`
)

func examplePosition() drover.Position {
	return drover.Position{
		Time: noon, Latitude: 1, Longitude: 2, Heading: new(90.0), SpeedKPH: new(50.0), DriverID: new("x"), Ignition: new(true),
		Auxiliary: new(false), OdometerMetres: new(7.5),
	}
}

// TestStoredEvents holds the text of every event's data: it lies in databases and
// goes to receivers, who would lose a key that is renamed.
func TestStoredEvents(t *testing.T) {
	t.Parallel()
	connection := drover.Connection{
		IntegrationName: "samsara", BusinessName: "b", Active: true, ID: "c", TenantID: "t", CollectionStartTime: noon,
		Configuration: drover.Configuration{PollIntervalSeconds: 30, Trips: drover.TripsNative, Health: drover.ConnectionHealthy},
	}
	webhook := drover.Webhook{
		ID: "w", URL: "https://h.example/", ErrorCount: 1, CreatedAt: noon, UpdatedAt: noon, Options: drover.WebhookOptions{IncludeSpeed: true},
		Filters: drover.WebhookFilters{
			Tags:              []string{"a"},
			ConnectionDevices: []drover.ConnectionDevices{{ConnectionID: "c", SystemDeviceIDs: []string{"1"}}},
		},
	}
	milestone, device := exampleMilestone(), drover.Subject{ConnectionID: "c", DeviceID: "d", SystemDeviceID: "1"}
	tagged := device
	tagged.Tags = []string{"a"}
	for name, c := range map[string]struct {
		data  drover.EventData
		text  string
		event drover.Event // what it knows of itself
	}{
		"Device": {
			drover.Device{ID: "d", SystemDeviceID: "1", ConnectionID: "c", Year: new(2020), Active: true, Tags: []string{"a"}},
			`{"id":"d","system_device_id":"1","connection_id":"c","description":null,"registration":null,"make":null,"model":null,"year":2020,"active":true,"tags":["a"]}`,
			drover.Event{ConnectionID: new("c"), DeviceID: new("d"), Subjects: []drover.Subject{tagged}},
		},
		"Positions": {
			drover.PositionBatch{ConnectionID: "c", Positions: []drover.DevicePosition{{
				DeviceID: "d", SystemDeviceID: "1",
				CurrentPosition: *examplePosition().View(),
			}}},
			`{"connection_id":"c","positions":[{"device_id":"d","system_device_id":"1",` + positionText + `}]}`,
			drover.Event{ConnectionID: new("c"), Subjects: []drover.Subject{device}},
		},
		"Trip": {
			drover.TripData{
				Trip:         drover.Trip{ID: "x", DeviceID: "d", SystemTripID: "s", StartTime: noon, EndTime: noon, IsValid: true},
				ConnectionID: "c",
			},
			`{"id":"x","device_id":"d","system_trip_id":"s","start_latitude":null,"start_longitude":null,"end_latitude":null,"end_longitude":null,` +
				`"start_time":"2026-11-15T12:00:00Z","end_time":"2026-11-15T12:00:00Z","distance_metres":null,"duration_seconds":0,"driving_seconds":null,` +
				`"idling_seconds":null,"auxiliary_seconds":null,"is_valid":true,"validation_comments":null}`,
			drover.Event{ConnectionID: new("c"), DeviceID: new("d"), Subjects: []drover.Subject{{ConnectionID: "c", DeviceID: "d"}}},
		},
		"Milestone": {
			milestone, `{` + milestoneText + `}`,
			drover.Event{MilestoneID: new("m"), DeviceID: new("d"), Subjects: []drover.Subject{{DeviceID: "d"}}, OwnURL: milestone.WebhookURL},
		},
		"MilestoneStep": {
			drover.MilestoneStep{Milestone: milestone, OccurredAt: noon, Position: examplePosition().View()},
			`{` + milestoneText + `,"occurred_at":"2026-11-15T12:00:00Z","position":{` + positionText + `}}`,
			drover.Event{MilestoneID: new("m"), DeviceID: new("d"), Subjects: []drover.Subject{{DeviceID: "d"}}, OwnURL: milestone.WebhookURL},
		},
		"Connection": {
			connection, `{` + connectionText + `}`,
			drover.Event{ConnectionID: new("c"), Subjects: []drover.Subject{{ConnectionID: "c"}}},
		},
		"ConnectionFailure": {
			drover.ConnectionFailure{Connection: connection, Reason: new("refused")},
			`{` + connectionText + `,"reason":"refused"}`,
			drover.Event{ConnectionID: new("c"), Subjects: []drover.Subject{{ConnectionID: "c"}}},
		},
		"WebhookDisabled": {
			drover.WebhookDisabled{Webhook: &webhook, Reason: "gone"},
			`{"webhook":{` + webhookText + `},"milestone":null,"reason":"gone"}`,
			drover.Event{},
		},
		"MilestoneWebhookDisabled": {
			drover.WebhookDisabled{Milestone: &milestone, Reason: "gone"},
			`{"webhook":null,"milestone":{` + milestoneText + `},"reason":"gone"}`,
			drover.Event{MilestoneID: new("m")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := drover.NewEvent(drover.EventDeviceCreated, noon, c.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.text, string(e.Data)); diff != "" {
				t.Errorf("its text (-want +got):\n%s", diff)
			}
			c.event.Type, c.event.Timestamp, c.event.Data = e.Type, e.Timestamp, e.Data
			if diff := cmp.Diff(c.event, e); diff != "" {
				t.Errorf("what it knows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStoredPosition holds the text of a device's newest position: databases have
// it, and a field that is renamed would be lost.
func TestStoredPosition(t *testing.T) {
	t.Parallel()
	const full = `{"Time":"2026-11-15T12:00:00Z","Latitude":1,"Longitude":2,"Heading":90,"SpeedKPH":50,"DriverID":"x","Ignition":true,"Auxiliary":false,"OdometerMetres":7.5}`
	const bare = `{"Time":"2026-11-15T12:00:00Z","Latitude":1,"Longitude":2,"Heading":null,"SpeedKPH":null,"DriverID":null,"Ignition":null,"Auxiliary":null,"OdometerMetres":null}`
	for text, p := range map[string]drover.Position{full: examplePosition(), bare: {Time: noon, Latitude: 1, Longitude: 2}} {
		got, err := json.Marshal(p)
		if err != nil || string(got) != text {
			t.Errorf("%v: it is %s, want %s", err, got, text)
		}
		var read drover.Position
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, read); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}
}

func TestSentPosition(t *testing.T) {
	t.Parallel()
	const always = `"timestamp":"2026-11-15T12:00:00Z","longitude":2,"latitude":1,"heading":90`
	bare := examplePosition()
	bare.SpeedKPH, bare.DriverID = nil, nil
	for name, c := range map[string]struct {
		position drover.Position
		options  drover.WebhookOptions
		want     string
	}{
		"Neither": {examplePosition(), drover.WebhookOptions{}, `{` + always + `}`},
		"Speed":   {examplePosition(), drover.WebhookOptions{IncludeSpeed: true}, `{` + always + `,"speed":{"speed_kph":50}}`},
		"Driver": {
			examplePosition(),
			drover.WebhookOptions{IncludeDriverID: true},
			`{` + always + `,"driver_id":{"format":"text","value":"x"}}`,
		},
		"UnknownIsNull": {
			bare,
			drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true},
			`{` + always + `,"speed":null,"driver_id":null}`,
		},
	} {
		got, err := json.Marshal(c.position.View().Sent(c.options))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v: it is %s, want %s", name, err, got, c.want)
		}
	}
}

// TestSubjectIsStored holds the form of what an event is about, as it is stored while
// the event is on its way to another tenant.
func TestSubjectIsStored(t *testing.T) {
	t.Parallel()
	const golden = `[{"connection_id":"c","device_id":"d","system_device_id":"s","tags":["north"]},{"connection_id":"c","tags":null}]`
	subjects := []drover.Subject{{ConnectionID: "c", DeviceID: "d", SystemDeviceID: "s", Tags: []string{"north"}}, {ConnectionID: "c"}}
	text, err := json.Marshal(subjects)
	if err != nil || string(text) != golden {
		t.Errorf("%s, %v, want %s", text, err, golden)
	}
	var back []drover.Subject
	if err := json.Unmarshal([]byte(golden), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(subjects, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}
