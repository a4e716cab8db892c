package drover

// Trip is a recorded journey of a device. Times that the provider does not report are nil.
type Trip struct {
	ID                 string   `json:"id"`
	DeviceID           string   `json:"device_id"`
	SystemTripID       string   `json:"system_trip_id"`
	StartLatitude      *float64 `json:"start_latitude"`
	StartLongitude     *float64 `json:"start_longitude"`
	EndLatitude        *float64 `json:"end_latitude"`
	EndLongitude       *float64 `json:"end_longitude"`
	StartTime          Time     `json:"start_time"`
	EndTime            Time     `json:"end_time"`
	DistanceMetres     *float64 `json:"distance_metres"`
	DurationSeconds    float64  `json:"duration_seconds"`
	DrivingSeconds     *float64 `json:"driving_seconds"`
	IdlingSeconds      *float64 `json:"idling_seconds"`
	AuxiliarySeconds   *float64 `json:"auxiliary_seconds"`
	IsValid            bool     `json:"is_valid"`
	ValidationComments *string  `json:"validation_comments"`
}

// TripView is a trip in a list, with its driver if requested.
type TripView struct {
	Trip
	DriverID Optional[DriverID] `json:"driver_id,omitzero" required:"false" doc:"Who drove; null where that is not known, or not shared. Only with include=driver."`
	Counters
}

// TripUpdate is a person's change of a trip. It overrides the rules, also when the trip is
// derived again.
type TripUpdate struct {
	IsValid Optional[bool]   `json:"is_valid" required:"false" doc:"Whether the trip is valid; null leaves it to the rules again."`
	Comment Optional[string] `json:"comment" required:"false" maxLength:"1000" doc:"Why: what validation_comments says then."`
}

// SameTrip reports whether two records of one trip are equal.
func SameTrip(a, b Trip) bool {
	return a.ID == b.ID && a.DeviceID == b.DeviceID && a.SystemTripID == b.SystemTripID &&
		same(a.StartLatitude, b.StartLatitude) && same(a.StartLongitude, b.StartLongitude) &&
		same(a.EndLatitude, b.EndLatitude) && same(a.EndLongitude, b.EndLongitude) &&
		a.StartTime.Equal(b.StartTime.Time) && a.EndTime.Equal(b.EndTime.Time) &&
		same(a.DistanceMetres, b.DistanceMetres) && a.DurationSeconds == b.DurationSeconds && same(a.DrivingSeconds, b.DrivingSeconds) &&
		same(a.IdlingSeconds, b.IdlingSeconds) && same(a.AuxiliarySeconds, b.AuxiliarySeconds) &&
		a.IsValid == b.IsValid && same(a.ValidationComments, b.ValidationComments)
}

// same compares two values that may be null.
func same[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}
