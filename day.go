package drover

// DeviceDay is what a device did on a day of its time zone. A trip or a stop over
// midnight is divided, and counted on the day on which it began.
type DeviceDay struct {
	Day              string  `json:"day" doc:"The date, such as 2026-03-29."`
	TimeZone         string  `json:"time_zone"`
	StartTime        Time    `json:"start_time" doc:"When the day began."`
	EndTime          Time    `json:"end_time" doc:"When it ended: 23 or 25 hours later where clocks were changed."`
	Trips            int64   `json:"trips" doc:"Trips that began on this day."`
	ValidTrips       int64   `json:"valid_trips" doc:"Those that are valid; the sums are of them alone."`
	DistanceMetres   float64 `json:"distance_metres"`
	DrivingSeconds   float64 `json:"driving_seconds"`
	IdlingSeconds    float64 `json:"idling_seconds" doc:"Within trips."`
	AuxiliarySeconds float64 `json:"auxiliary_seconds" doc:"Within trips."`
	Stops            int64   `json:"stops" doc:"Stops that began on this day and are over."`
	StandingSeconds  float64 `json:"standing_seconds"`
	// StopEngineOnSeconds and StopAuxiliarySeconds were seen at stops.
	StopEngineOnSeconds  float64 `json:"stop_engine_on_seconds"`
	StopAuxiliarySeconds float64 `json:"stop_auxiliary_seconds"`
	UnseenMetres         float64 `json:"unseen_metres" doc:"Ways that no position shows and no trip has, between two stops; they are not in the distance."`
	FirstStartTime       *Time   `json:"first_start_time" doc:"When the first trip of the day began."`
	LastEndTime          *Time   `json:"last_end_time" doc:"When the last trip ended."`
	Counters
}
