package drover

// Stand is the time between two trips of a device, in which it stood where the
// first one ended. What a provider cannot tell is nil.
type Stand struct {
	ID              string   `json:"id"`
	DeviceID        string   `json:"device_id"`
	Latitude        *float64 `json:"latitude"`
	Longitude       *float64 `json:"longitude"`
	StartTime       Time     `json:"start_time"`
	EndTime         Time     `json:"end_time"`
	DurationSeconds float64  `json:"duration_seconds"`
	// EngineOnSeconds and AuxiliarySeconds were seen; silences are in neither.
	EngineOnSeconds  *float64 `json:"engine_on_seconds"`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"`
}

// SameStand reports whether two stands tell the same.
func SameStand(a, b Stand) bool {
	return a.ID == b.ID && a.DeviceID == b.DeviceID && same(a.Latitude, b.Latitude) && same(a.Longitude, b.Longitude) &&
		a.StartTime.Equal(b.StartTime.Time) && a.EndTime.Equal(b.EndTime.Time) && a.DurationSeconds == b.DurationSeconds &&
		same(a.EngineOnSeconds, b.EngineOnSeconds) && same(a.AuxiliarySeconds, b.AuxiliarySeconds)
}
