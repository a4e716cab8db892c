package drover

// Trip is a recorded journey of a device. The times that a provider cannot tell
// are nil.
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
