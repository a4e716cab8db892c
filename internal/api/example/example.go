// Package example has one example of every record of the interface, for the OpenAPI document.
package example

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

const (
	// ID is that of most examples.
	ID = openapi.ExampleID
	// Tenant is that of the tenant of the examples, and of what is not the example itself.
	Tenant = "01932f6e-7c1b-7a52-9d4e-3f1f6a6b8c02"
	// Token shows the form of one.
	Token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTkzMmY2ZSJ9.c2lnbmF0dXJl"
)

// Time is when all of it was.
var Time = drover.At(time.Date(2024, 5, 2, 10, 15, 30, 0, time.UTC))

// Records are one of every type of the root package that the interface shows or takes.
func Records() []any {
	connection := drover.Connection{
		IntegrationName: drover.Samsara, BusinessName: "Northern Haulage", ABN: new("51824753556"), Email: new("fleet@northern.example"),
		Active: true,
		ID:     ID, TenantID: Tenant, CollectionStartTime: Time,
		Configuration: drover.Configuration{PollIntervalSeconds: 30, Trips: drover.TripsNative, Health: drover.ConnectionHealthy},
	}
	sizes := drover.TripSizes{
		DistanceMetres: new(184230.5), DrivingSeconds: new(14400.0), IdlingSeconds: new(1800.0),
		AuxiliarySeconds: new(600.0),
	}
	sums := drover.TripSums{Trips: 12, ValidTrips: 11, TripSizes: sizes}
	odometer := drover.Reading{
		DeviceID: ID, ConnectionID: Tenant, Kind: drover.ReadingOdometer, Timestamp: Time, Value: 210454468, Source: new(drover.SourceVehicle),
		NativeName: "obdOdometerMeters",
	}
	out := []any{
		connection,
		drover.ConnectionView{Connection: connection},
		drover.ConnectionDetail{Connection: connection, ConnectionTags: []drover.Tag{{ID: Tenant, Name: "north"}}},
		drover.ConnectionCredentials{ConnectionID: ID, Credentials: map[string]string{"api_token": "…", "region": "eu"}},
		drover.Tag{ID: ID, Name: "north"},
		drover.AccountStorage{Storage: drover.Storage{
			Positions: drover.PositionStorage{
				Rows: 1_036_800, RowBytes: 77_760_000, Packed: 124_070_400, Blocks: 43_080, PackedBytes: 426_800_000,
				BytesPerPosition: new(3.44), PerDay: new(691_200.0),
			},
			Events: drover.EventStorage{Rows: 1_204_331, Bytes: 1_620_000_000}, GrowthBytesPerDay: new(int64(2_377_728)), GeneratedAt: Time,
		}, Retention: drover.Retention{EventDays: new(90), PositionEventDays: new(30)}},
		drover.AccountLimit{Name: drover.QuotaDevices, Limit: drover.QuotaDevices.Default(), Used: 240},
		drover.Share{
			ID: ID, ConnectionID: ID, OwnerTenantID: ID, TenantID: Tenant, State: drover.ShareAccepted, Scopes: drover.ShareScopes,
			CreatedAt: Time, AcceptedAt: &Time,
		},
		drover.ShareInput{TenantID: new(Tenant), Scopes: drover.ShareScopes, ExpiresAt: &Time},
		drover.ShareCode{Code: "K5XG4ZLTORSXG5DVONSXEIDB", ExpiresAt: Time},
		drover.Device{
			ID: ID, SystemDeviceID: "281474977075805", ConnectionID: Tenant, Description: new("Truck 12"), Registration: new("AB12 CDE"),
			Make: new("DAF"), Model: new("XF"), Year: new(2019), Active: true, Tags: []string{"north", "reefer"},
		},
		drover.Driver{
			ID: ID, ConnectionID: Tenant, SystemDriverID: "50012", Name: new("Ann Lee"), FirstName: new("Ann"), LastName: new("Lee"),
			EmployeeNumber: new("E-17"), Email: new("ann@northern.example"), Phone: new("+441632960001"), LicenceNumber: new("LEEAN706016AB9XX"),
			LicenceRegion: new("GB"), Keys: []drover.DriverKey{{Type: drover.KeyIButton, Value: "01A7C3F200000042"}}, Active: true,
			Tags: []string{"north"},
		},
		drover.DriverUpdate{Active: drover.Some(true), Tags: drover.Some([]string{"north"})},
		drover.DriverAssignment{
			ID: ID, DeviceID: ID, ConnectionID: Tenant, DriverID: new(Tenant), SystemDriverID: "50012", StartTime: Time,
			EndTime: new(drover.At(Time.Add(time.Hour))), Method: drover.ByDerived,
		},
		drover.DriverNotice{ID: ID, ConnectionID: Tenant, Active: true},
		odometer,
		drover.NewestReading{ID: ID, Reading: odometer},
		drover.SafetyEvent{
			ID: ID, DeviceID: ID, ConnectionID: Tenant, SystemEventID: "281474977-1752998400000", Type: drover.SafetyBraking, NativeType: "Braking",
			DriverID: drover.NewDriverID(new("D-77")), StartTime: Time, Latitude: new(53.92), Longitude: new(27.49), AccelerationG: new(-0.47),
			Status: drover.SafetyOpen, MediaAvailable: new(true),
		},
		drover.Note{ID: ID, DeviceID: ID, Author: "demo", AuthorID: ID, CreatedAt: Time, Text: "Fuel is missing since Sunday: ask the depot."},
		drover.NoteInput{Text: "Fuel is missing since Sunday: ask the depot."},
		drover.Fault{
			ID: ID, DeviceID: ID, ConnectionID: Tenant, Protocol: drover.FaultJ1939, Code: "SPN 3031 FMI 9", SPN: new(int64(3031)), FMI: new(int64(9)),
			SourceAddress: new(int64(0)), Description: new("Aftertreatment DEF tank temperature"), Lamps: []drover.Lamp{drover.LampAmber},
			Status: drover.FaultOpen, FirstSeenAt: Time, LastSeenAt: Time, Occurrences: new(int64(3)),
		},
		drover.AccountSummary{
			TenantID: Tenant, TenantName: "Northern Haulage", GeneratedAt: Time,
			Connections: drover.ConnectionCounts{Total: 2, Active: 2, ByProvider: map[drover.ProviderName]int{drover.Samsara: 2}},
			Devices:     drover.DeviceCounts{Total: 40, Active: 38, Reporting24h: 36},
			Trips:       drover.TripTotals{Total: 12, Valid: 11, TripSizes: sizes, LastEndedAt: &Time},
			Milestones:  map[drover.MilestoneStatus]int{drover.TripNotStarted: 1, drover.TripInProgress: 2, drover.TripEnded: 9},
			Webhooks:    drover.WebhookCounts{Total: 1, Enabled: 1},
		},
		sums,
		drover.ActivitySummary{
			Days: 14, From: Time, To: Time, Limit: 10, Totals: drover.ActivityTotals{TripSums: sums, Events: 31},
			TripsByDay: []drover.DayTrips{{Day: "2024-05-02", TripSums: sums}},
			TripsByConnection: []drover.ConnectionTrip{{
				ConnectionID: ID, BusinessName: "Northern Haulage", IntegrationName: drover.Samsara,
				TripSums: sums,
			}},
			EventsByType: []drover.EventCount{{Type: drover.EventTripCompleted, Count: 12}},
		},
	}
	return slices.Concat(out, moreExamples(), webhookExamples(), userExamples(), linkExamples(), deliveryExamples(), operatorExamples())
}

// secret shows the form.
const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" // it is no one's

func webhookExample() drover.Webhook {
	return drover.Webhook{
		ID: ID, URL: "https://hooks.example/drover", Enabled: true, CreatedAt: Time, UpdatedAt: Time,
		Filters: drover.WebhookFilters{
			ConnectionIDs: []string{Tenant}, Tags: []string{}, DeviceIDs: []string{},
			ConnectionDevices: []drover.ConnectionDevices{},
		},
		Options: drover.WebhookOptions{IncludeSpeed: true},
	}
}

// webhookExamples are those of the webhooks' own operations.
func webhookExamples() []any {
	filters := drover.WebhookFiltersInput{
		EventTypes:   []drover.EventType{drover.EventTripCompleted, drover.EventReadingUpdated},
		ReadingKinds: []drover.ReadingKind{drover.ReadingOdometer}, ConnectionIDs: []string{Tenant}, Tags: []string{"north"},
		DeviceIDs:         []string{ID},
		ConnectionDevices: []drover.ConnectionDevicesInput{{ConnectionID: Tenant, SystemDeviceIDs: []string{"281474977075805"}}},
	}
	options := drover.WebhookOptionsInput{IncludeSpeed: true}
	return []any{
		drover.WebhookInput{URL: "https://hooks.example/drover", Enabled: new(true), Filters: &filters, Options: &options},
		drover.WebhookUpdate{
			URL: drover.Some("https://hooks.example/drover"), Enabled: drover.Some(true), Filters: drover.Some(filters),
			Options: drover.Some(options),
		},
		drover.WebhookCreated{Webhook: webhookExample(), Secret: secret},
		drover.WebhookSecret{Secret: secret, PreviousExpiresAt: &Time},
		drover.DeliveryAttempt{
			EventID: ID, Type: drover.EventTripCompleted, Sequence: new(int64(4711)), State: drover.DeliveryPending, CreatedAt: Time,
			NextAttemptAt: new(drover.At(Time.Add(5 * time.Second))), Attempt: 1, Time: &Time, Status: new(503), DurationMS: new(int64(41)),
			Error: new("the answer was 503 Service Unavailable"), Response: new("try again later"),
		},
		drover.ReplayInput{Since: &Time},
		drover.ReplayResult{Replayed: 12},
		timeUseExample(),
		drover.DeviceRegions{
			DeviceID: ID, ConnectionID: Tenant, Registration: new("AB12 CDE"), Description: new("Truck 12"), Trips: 41, DistanceMetres: 1250300,
			Regions: []drover.RegionDistance{
				{Country: new("US"), Region: new("US-NV"), Name: new("Nevada"), DistanceMetres: 900300, UnseenMetres: 12000},
				{Country: new("US"), Region: new("US-UT"), Name: new("Utah"), DistanceMetres: 350000},
			},
		},
		drover.ExportInput{
			Kind: drover.ExportTrips, Format: drover.ExportCSV,
			Filters: json.RawMessage(`{"from":"2024-05-01T00:00:00Z","to":"2024-06-01T00:00:00Z","is_valid":true}`),
		},
		drover.Export{
			ID: ID, Kind: drover.ExportTrips, Format: drover.ExportCSV, Filters: json.RawMessage(`{"from":"2024-05-01T00:00:00Z"}`),
			State:           drover.ExportDone,
			ProgressPercent: 100, Records: 4711, Bytes: 1048576, CreatedAt: Time, StartedAt: &Time, FinishedAt: &Time,
			ExpiresAt: new(drover.At(Time.Add(drover.ExportLifetime))),
		},
	}
}

func healthExample() drover.ConnectionHealth {
	jobs := []drover.JobHealth{{
		ID: Tenant, Kind: "positions", State: "active", LastRunAt: &Time, LastSuccessAt: &Time, NextRunAt: &Time,
		LagSeconds: new(12.0), Records: 2048,
	}}
	return drover.ConnectionHealth{
		ConnectionID: ID, State: drover.ConnectionHealthy, LastSuccessAt: &Time, NextRunAt: &Time, Jobs: jobs, Streams: jobs,
	}
}

func moreExamples() []any {
	start, end := drover.Coordinate{Latitude: 53.9205, Longitude: 27.4921}, drover.Coordinate{Latitude: 53.95, Longitude: 27.61}
	position := drover.CurrentPosition{
		Timestamp: Time, Longitude: 27.4921, Latitude: 53.9205, Heading: new(102.0),
		Speed: &drover.Speed{SpeedKPH: 54}, DriverID: &drover.DriverID{Format: "text", Value: "D-77"},
	}
	detailed := drover.DetailedPosition{CurrentPosition: position, Ignition: new(true), OdometerMetres: new(123456789.0)}
	trip := drover.Trip{
		ID: ID, DeviceID: Tenant, SystemTripID: "91823312", StartLatitude: &start.Latitude, StartLongitude: &start.Longitude,
		EndLatitude: &end.Latitude, EndLongitude: &end.Longitude, StartTime: Time, EndTime: drover.At(Time.Add(20 * time.Minute)),
		DistanceMetres: new(15230.4), DurationSeconds: 1200, DrivingSeconds: new(1100.0), IdlingSeconds: new(100.0), IsValid: true,
	}
	return []any{
		trip,
		drover.TripView{Trip: trip},
		drover.TripExplanation{
			TripID: ID, Trips: drover.TripsDerived, DriverID: position.DriverID,
			Start: drover.TripDecision{
				Cause: "ignition", Rule: "the ignition went on, or an auxiliary started, in a vehicle that stood",
				Positions: []drover.DetailedPosition{detailed},
			},
			End: drover.TripDecision{
				Cause: "stop", Rule: "the vehicle stood in one place for this time with nothing running", Value: new(5.0),
				Unit: new("minutes"), Positions: []drover.DetailedPosition{detailed},
			},
			Unseen: drover.TripUnseen{Parts: []drover.Unseen{}},
		},
		drover.Stop{
			ID: ID, DeviceID: Tenant, Latitude: &end.Latitude, Longitude: &end.Longitude, StartTime: Time,
			EndTime: new(drover.At(Time.Add(20 * time.Minute))), DurationSeconds: 1200, EngineOnSeconds: new(300.0),
			Unseen: &drover.Unseen{
				StartTime: drover.At(Time.Add(20 * time.Minute)), EndTime: drover.At(Time.Add(50 * time.Minute)),
				DistanceMetres: 18_400, KnownBy: drover.ByOdometer,
			},
		},
		milestoneExample(),
		drover.MilestoneProgress{
			MilestoneID: ID, ConnectionID: Tenant, DeviceID: ID, SystemDeviceID: "281474977075805", ETA: &Time,
			DistanceToDestinationKM: new(12.4), LastUpdatedAt: &Time,
			CurrentPosition: &position,
		},
		drover.MilestoneUpdateEntry{
			MilestoneProgress: drover.MilestoneProgress{
				MilestoneID: ID, ConnectionID: Tenant, DeviceID: ID, SystemDeviceID: "281474977075805", ETA: &Time,
				DistanceToDestinationKM: new(12.4), LastUpdatedAt: &Time, CurrentPosition: &position,
			},
			Status: drover.TripInProgress, LateBySeconds: new(1080.0), Progress: new(0.82),
		},
		webhookExample(),
		eventExample(),
		drover.ETAPrediction{
			PredictedAt: Time, ETA: drover.At(Time.Add(41 * time.Minute)), DistanceToDestinationKM: 35.2,
			ETAP10: new(drover.At(Time.Add(33 * time.Minute))), ETAP90: new(drover.At(Time.Add(55 * time.Minute))),
			ArrivedAt: new(drover.At(Time.Add(40 * time.Minute))), ErrorSeconds: new(60.0),
		},
		drover.SyncInput{From: &Time, To: new(drover.At(Time.Add(24 * time.Hour)))},
		healthExample(),
		drover.ConnectionFile{
			ConnectionID: ID, Version: new("1f0c9a3d5b7e"), Since: &Time, Text: new("name: acme\ntitle: Acme Telematics\n…"),
			FileUsed: drover.FileUsed{
				Parts:   []drover.FilePart{{Part: "positions.newest", FromLine: 18, ToLine: 23, Calls: 1, Rows: 40, At: Time}},
				Records: []drover.FileRecords{{Kind: "positions", Records: 39, At: Time}},
			},
		},
		drover.Coverage{
			Field: string(drover.ReadingFuelPercent), Declared: drover.OfferNative, NativeNames: []string{"fuelPercents"},
			Sources: []drover.ReadingSource{drover.SourceVehicle}, Devices: 40, DevicesWith: 31, Share: new(0.775), NewestAt: &Time,
		},
		drover.InboundAddress{
			ConnectionID: ID, URL: "https://drover.example/inbound/" + ID + "/…", Help: "Where the provider takes the address.", Signed: true,
			CreatedAt: Time,
		},
		drover.RecomputeInput{
			From: Time, To: drover.At(Time.Add(7 * 24 * time.Hour)), ConnectionID: new(ID), DeviceID: new(Tenant),
			Notify: new(true),
		},
		drover.Recompute{
			ID: ID, State: drover.JobRunning, From: Time, To: drover.At(Time.Add(7 * 24 * time.Hour)), ConnectionID: new(ID), Notify: true,
			DevicesTotal: 40, DevicesDone: 10, DonePercent: 25, TripsAdded: 1, TripsChanged: 12, TripsRemoved: 3, CreatedAt: Time, StartedAt: &Time,
		},
		drover.DeviceDay{
			Day: "2026-03-01", TimeZone: "Europe/Berlin", StartTime: Time, EndTime: drover.At(Time.Add(24 * time.Hour)), Trips: 3, ValidTrips: 3,
			DistanceMetres: 184_300.5,
			DrivingSeconds: 11_400, IdlingSeconds: 600, Stops: 3, StandingSeconds: 74_400, StopEngineOnSeconds: 900, UnseenMetres: 18_400,
			FirstStartTime: &Time, LastEndTime: new(drover.At(Time.Add(9 * time.Hour))),
		},
		drover.AccountSettings{
			TimeZone: new("Europe/Berlin"), TripRules: rulesExample().Apply(drover.TripRules{}),
			EffectiveTripRules: drover.EffectiveTripRules{}.Narrow(rulesExample().Apply(drover.TripRules{}), drover.FromTenant),
		},
		drover.AccountSettingsUpdate{TimeZone: drover.Some("Europe/Berlin"), TripRules: drover.Some(rulesExample())},
		drover.ConnectionSettings{
			ConnectionID: ID, Trips: drover.TripsDerived,
			TimeZone:           drover.ChosenZone{Value: "Europe/Berlin", Source: drover.FromConnection},
			TripRules:          rulesExample().Apply(drover.TripRules{}),
			EffectiveTripRules: drover.EffectiveTripRules{}.Narrow(rulesExample().Apply(drover.TripRules{}), drover.FromConnection),
		},
		drover.DeviceSettings{
			DeviceID: ID, Trips: drover.TripsDerived,
			TimeZone:           drover.ChosenZone{Value: "Europe/Berlin", Source: drover.FromTenant},
			EffectiveTripRules: drover.EffectiveTripRules{}.Narrow(rulesExample().Apply(drover.TripRules{}), drover.FromTenant),
		},
		drover.DeviceSettingsUpdate{TripRules: drover.Some(rulesExample())},
		drover.ConnectionDiagnosis{
			ConnectionHealth: healthExample(),
			Runs:             []drover.JobHour{{Kind: "positions", Hour: Time, Runs: 120, Failures: 1, Records: 2048}},
			Inbound:          &drover.InboundState{CreatedAt: Time, LastNoticeAt: &Time}, Push: &drover.Push{State: drover.PushOpen, Since: &Time},
			Quality: qualityExample(),
		},
		drover.ConnectionUpdate{
			Credentials: drover.Some(map[string]string{"api_token": "…"}), BusinessName: drover.Some("Northern Haulage"),
			ABN: drover.Some("51824753556"), Email: drover.Some("fleet@northern.example"),
			Active: drover.Some(true), CollectionStartTime: drover.Some(Time), CollectionEndTime: drover.Null[drover.Time](),
			Tags: drover.Some([]string{"north"}),
			Configuration: drover.Some(drover.ConfigurationUpdate{
				Trips: drover.Some(drover.TripsDerived), TripRules: drover.Some(rulesExample()),
				TimeZone: drover.Some("Europe/Berlin"), Units: drover.Some(drover.Units{Speed: new("mph")}),
			}),
		},
		drover.Track{
			DeviceID: ID, From: Time, To: drover.At(Time.Add(time.Minute)), ToleranceMetres: 10,
			Points: drover.TrackPoints{
				Timestamp: []drover.Time{Time, drover.At(Time.Add(time.Minute))}, Longitude: []float64{27.4921, 27.5},
				Latitude: []float64{53.9205, 53.921},
				Heading:  []*float64{new(102.0), nil}, SpeedKPH: []*float64{new(54.0), new(50.0)},
			},
			Segments: []drover.TrackSegment{{
				Kind: drover.TrackDriving, First: 0, Last: 1, StartTime: Time,
				EndTime: drover.At(Time.Add(time.Minute)),
			}},
		},
		drover.Record{
			Type: drover.RecordPosition, SystemDeviceID: "truck-7", Timestamp: new(Time), Latitude: new(53.9205), Longitude: new(27.4921),
			Heading: new(102.0), Speed: &drover.Speed{SpeedKPH: 54}, Ignition: new(true),
		},
		drover.RecordResult{Received: 1, Stored: 1, Records: []drover.RecordOutcome{{Outcome: drover.RecordStored}}},
		drover.ConnectionTrialInput{IntegrationName: drover.Samsara, Credentials: map[string]string{"api_token": "…"}},
		drover.ConnectionTrial{
			OK: true, Account: new("Northern Haulage"), Devices: 12,
			Position: &drover.TrialPosition{SystemDeviceID: "281474977075805", CurrentPosition: position},
		},
		drover.HistoricPosition{DetailedPosition: detailed},
		drover.NewestPosition{
			DeviceID: ID, ConnectionID: Tenant, Description: new("Truck 12"), Registration: new("AB12 CDE"),
			DeviceStatus: drover.DeviceStatus{State: drover.DeviceDriving, StateSince: &Time}, Position: &detailed,
		},
		&position,
		drover.DeviceUpdate{
			Description: drover.Some("Truck 12"), Registration: drover.Some("AB12 CDE"), Make: drover.Some("DAF"), Model: drover.Some("XF"),
			Year: drover.Some(2019), Active: drover.Some(true), Tags: drover.Some([]string{"north"}),
		},
		drover.MilestoneInput{
			DeviceID: ID, StartPoint: start, EndPoint: end, StartTime: &Time, WebhookURL: new("https://hooks.example/drover"),
			WebhookEnabled: new(true),
		},
		drover.MilestoneUpdate{
			DeviceID: drover.Some(ID), StartPoint: drover.Some(start), EndPoint: drover.Some(end), StartTime: drover.Some(Time),
			EndTime: drover.Null[drover.Time](), WebhookURL: drover.Some("https://hooks.example/drover"), WebhookEnabled: drover.Some(true),
		},
		drover.ConnectionInput{
			IntegrationName: drover.Samsara, BusinessName: "Northern Haulage", Credentials: map[string]string{"api_token": "…"}, Active: new(true),
			ABN: new("51824753556"), Email: new("fleet@northern.example"), CollectionStartTime: &Time, Tags: []string{"north"},
			TenantID: new(Tenant),
		},
	}
}

func rulesExample() drover.TripRulesUpdate {
	return drover.TripRulesUpdate{
		StopSeconds: drover.Some(600), IdleSeconds: drover.Some(1800), GapSeconds: drover.Some(900), RadiusMetres: drover.Some(80.0),
		MinDistanceMetres: drover.Some(250.0), MovingKPH: drover.Some(5.0),
	}
}

func eventExample() drover.Event {
	m := drover.MilestoneStep{Milestone: milestoneExample(), OccurredAt: Time}
	text, _ := json.Marshal(m) // it is one of the examples, which are all written
	return drover.Event{
		ID: ID, Sequence: 42, Type: drover.EventMilestoneStarted, Timestamp: Time, DeviceID: new(ID), MilestoneID: new(Tenant), Data: text,
	}
}

func milestoneExample() drover.Milestone {
	return drover.Milestone{
		ID: Tenant, TenantID: Tenant, DeviceID: ID, StartPoint: drover.Coordinate{Latitude: 53.9205, Longitude: 27.4921},
		EndPoint: drover.Coordinate{Latitude: 53.95, Longitude: 27.61}, StartTime: Time,
		CreatedAt: Time, UpdatedAt: Time, Status: drover.TripInProgress, WebhookURL: new("https://hooks.example/drover"), WebhookEnabled: true,
		Reference: new("order 4711"), Metadata: map[string]string{"customer": "Acme"},
	}
}

// Frame is an event as a stream shows it.
func Frame() string {
	text, _ := json.Marshal(eventExample()) // it is one of the examples, which are all written
	return "id: 42\nevent: milestone.started\ndata: " + string(text) + "\n\n"
}

func timeUseExample() drover.TimeUse {
	sums := drover.TimeUseSeconds{Trips: 41, DrivingSeconds: new(180000.0), IdlingSeconds: new(7200.0)}
	return drover.TimeUse{
		Month: "2024-05", TimeZone: "Europe/Berlin", From: Time, To: drover.At(Time.AddDate(0, 1, 0)), Totals: sums,
		Vehicles: []drover.TimeUseRow{{
			ABN: new("51824753556"), BusinessName: "Northern Haulage", ConnectionID: Tenant, DeviceID: ID, Registration: new("AB12 CDE"),
			Description: new("Truck 12"), TimeUseSeconds: sums,
		}},
		LeftOut: []drover.TimeUseTrip{{
			TripID: ID, DeviceID: ID, ABN: new("51824753556"), Registration: new("AB12 CDE"), StartTime: Time, EndTime: Time,
			Reason: new("The trip has no duration."),
		}},
	}
}

// qualityExample is the verdict on speeds that are in another unit.
func qualityExample() *drover.ConnectionQuality {
	reason := "The speeds seem to be in miles per hour but are read as km/h: what is driven is 1.61 times what they say."
	return &drover.ConnectionQuality{
		Verdict: drover.VerdictDoubtful, Reason: &reason, Since: &Time, Positions: 2048, Moving: 812, Repeated: 12, Late: 3,
		Checks: []drover.QualityCheck{
			{
				Name: drover.CheckSpeed, Verdict: drover.VerdictDoubtful, Reason: &reason, Samples: 640, Measured: new(1.61), Unit: new("ratio"),
				Suggestion: new("speed=mph"),
			},
		},
		Latency: drover.QualityLatency{P50Seconds: new(12.0), P95Seconds: new(40.0)}, Coverage: map[string]int{"speed": 100, "heading": 98},
	}
}
