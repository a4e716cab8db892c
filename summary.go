package drover

// AccountSummary is a tenant's data in numbers.
type AccountSummary struct {
	TenantID    string                  `json:"tenant_id"`
	TenantName  string                  `json:"tenant_name"`
	Connections ConnectionCounts        `json:"connections"`
	Devices     DeviceCounts            `json:"devices"`
	Trips       TripTotals              `json:"trips"`
	Milestones  map[MilestoneStatus]int `json:"milestones"`
	Webhooks    WebhookCounts           `json:"webhooks"`
	GeneratedAt Time                    `json:"generated_at"`
}

// ConnectionCounts counts connections.
type ConnectionCounts struct {
	Total      int                  `json:"total"`
	Active     int                  `json:"active"`
	Failing    int                  `json:"failing"`
	ByProvider map[ProviderName]int `json:"by_provider"`
}

// DeviceCounts counts devices.
type DeviceCounts struct {
	Total        int `json:"total"`
	Active       int `json:"active"`
	Reporting24h int `json:"reporting_24h"`
}

// TripTotals sums up all trips of a tenant.
type TripTotals struct {
	Total int64 `json:"total"`
	Valid int64 `json:"valid"`
	TripSizes
	LastEndedAt *Time `json:"last_ended_at"`
}

// WebhookCounts counts webhooks.
type WebhookCounts struct {
	Total   int `json:"total"`
	Enabled int `json:"enabled"`
	Failing int `json:"failing"`
}

// ActivitySummary is what happened to a tenant's fleet over the last days.
type ActivitySummary struct {
	Days              int              `json:"days"`
	From              Time             `json:"from"`
	To                Time             `json:"to"`
	Limit             int              `json:"limit"`
	Totals            ActivityTotals   `json:"totals"`
	TripsByDay        []DayTrips       `json:"trips_by_day"`
	TripsByConnection []ConnectionTrip `json:"trips_by_connection"`
	EventsByType      []EventCount     `json:"events_by_type"`
	Stops             *StopActivity    `json:"stops,omitempty" doc:"The stops that started in the window, where they are asked for."`
}

// StopActivity sums up stops over some days.
type StopActivity struct {
	StopSums
	ByDay []DayStops `json:"by_day"`
}

// StopSums sums up a set of stops.
type StopSums struct {
	Stops            int64   `json:"stops"`
	DurationSeconds  float64 `json:"duration_seconds"`
	EngineOnSeconds  float64 `json:"engine_on_seconds"`
	AuxiliarySeconds float64 `json:"auxiliary_seconds"`
}

// Add adds o to s.
func (s *StopSums) Add(o StopSums) {
	s.Stops += o.Stops
	s.DurationSeconds += o.DurationSeconds
	s.EngineOnSeconds += o.EngineOnSeconds
	s.AuxiliarySeconds += o.AuxiliarySeconds
}

// DayStops sums up one day in UTC.
type DayStops struct {
	Day string `json:"day" format:"date"`
	StopSums
}

// ActivityTotals sums up the window.
type ActivityTotals struct {
	TripSums
	Events int64 `json:"events"`
}

// TripSums sums up a set of trips.
type TripSums struct {
	Trips      int64 `json:"trips"`
	ValidTrips int64 `json:"valid_trips"`
	TripSizes
}

// TripSizes are sums over the valid trips of a set. A sum is nil if there are valid trips but
// none of them has the value, which is not the same as zero.
type TripSizes struct {
	DistanceMetres   *float64 `json:"distance_metres" doc:"Metres, over the valid trips; null where there are some and none of them says it."`
	DrivingSeconds   *float64 `json:"driving_seconds" doc:"Seconds driven, over the valid trips; null where there are some and none of them says it."`
	IdlingSeconds    *float64 `json:"idling_seconds" doc:"Seconds idled, over the valid trips; null where there are some and none of them says it."`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds" doc:"Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it."`
}

// DayTrips sums up one day in UTC.
type DayTrips struct {
	Day string `json:"day" format:"date"`
	TripSums
}

// ConnectionTrip sums up one connection.
type ConnectionTrip struct {
	ConnectionID    string       `json:"connection_id"`
	BusinessName    string       `json:"business_name"`
	IntegrationName ProviderName `json:"integration_name"`
	TripSums
}

// EventCount counts the events of one type.
type EventCount struct {
	Type  EventType `json:"type"`
	Count int64     `json:"count"`
}
