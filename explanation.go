package drover

// TripExplanation explains how a trip was derived.
type TripExplanation struct {
	TripID   string       `json:"trip_id"`
	Trips    TripSource   `json:"trips" doc:"Whether the provider reported the trip (native) or it was derived from positions."`
	DriverID *DriverID    `json:"driver_id" doc:"Who drove: as the provider says of the trip, else the driver that most of its positions name; null where that is not known, or not shared."`
	Start    TripDecision `json:"start"`
	End      TripDecision `json:"end"`
	Unseen   TripUnseen   `json:"unseen"`
	// WorkingSeconds is a part of the trip's driving_seconds.
	WorkingSeconds float64 `json:"working_seconds" doc:"How much of driving_seconds was slow work: in motion, below the speed from which on a vehicle moves."`
}

// TripDecision is why a trip began or ended.
type TripDecision struct {
	Cause     string             `json:"cause" doc:"ignition, movement, hole or jump for a start; stop, idle, hole or jump for an end; vendor where the provider reported the trip; unknown where it is no longer known."`
	Rule      string             `json:"rule" doc:"The rule that decided, in words."`
	Value     *float64           `json:"value" doc:"The rule's threshold."`
	Unit      *string            `json:"unit" doc:"What the threshold counts."`
	Positions []DetailedPosition `json:"positions" doc:"The positions that decided, oldest first, as far as they are kept."`
}

// TripUnseen is the part of a trip without positions: the vehicle drove, but did not report.
type TripUnseen struct {
	DistanceMetres float64  `json:"distance_metres"`
	Seconds        float64  `json:"seconds"`
	Parts          []Unseen `json:"parts" doc:"Each hole, as far as the positions are kept."`
}

// KnownBy is the source of a distance without positions.
type KnownBy string

// The sources of such a distance.
const (
	ByStraightLine KnownBy = "straight_line"
	ByOdometer     KnownBy = "odometer"
)

// Unseen is a part of a route without positions.
type Unseen struct {
	StartTime      Time    `json:"start_time"`
	EndTime        Time    `json:"end_time"`
	DistanceMetres float64 `json:"distance_metres" doc:"How far the device got meanwhile."`
	KnownBy        KnownBy `json:"known_by" enum:"straight_line,odometer" doc:"How that is known: by the straight line between the ends, which is the least, or by the odometer."`
}
