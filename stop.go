package drover

// Stop is the time between two trips of a device, at the place where the first one ended.
// Unreported fields are nil.
type Stop struct {
	ID              string   `json:"id"`
	DeviceID        string   `json:"device_id"`
	Latitude        *float64 `json:"latitude"`
	Longitude       *float64 `json:"longitude"`
	StartTime       Time     `json:"start_time"`
	EndTime         *Time    `json:"end_time" doc:"When it ends; null while it goes on."`
	DurationSeconds float64  `json:"duration_seconds" doc:"How long it lasts: until now while it goes on."`
	// EngineOnSeconds and AuxiliarySeconds were seen; silences are in neither. They are
	// counted once the trip after the stop is stored, and nil until then.
	EngineOnSeconds  *float64 `json:"engine_on_seconds"`
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"`
	Unseen           *Unseen  `json:"unseen" doc:"The way after the stop that no position shows and no trip has: the device was seen next elsewhere. Null where there is none. A stop without a duration is where it was last seen before such a way."`
}

// SameStop reports whether two stops are equal. How long one lasts follows from its
// times.
func SameStop(a, b Stop) bool {
	return a.ID == b.ID && a.DeviceID == b.DeviceID && same(a.Latitude, b.Latitude) && same(a.Longitude, b.Longitude) &&
		a.StartTime.Equal(b.StartTime.Time) && sameTime(a.EndTime, b.EndTime) &&
		same(a.EngineOnSeconds, b.EngineOnSeconds) && same(a.AuxiliarySeconds, b.AuxiliarySeconds) && sameUnseen(a.Unseen, b.Unseen)
}

func sameUnseen(a, b *Unseen) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.StartTime.Equal(b.StartTime.Time) && a.EndTime.Equal(b.EndTime.Time) && a.DistanceMetres == b.DistanceMetres &&
		a.KnownBy == b.KnownBy
}

func sameTime(a, b *Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b.Time)
}
