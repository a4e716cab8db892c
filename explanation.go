package drover

// TripExplanation tells why a trip is as it is.
type TripExplanation struct {
	TripID    string       `json:"trip_id"`
	Trips     TripSource   `json:"trips" doc:"Whether the provider reported the trip (native) or it was derived from positions."`
	DriverID  *DriverID    `json:"driver_id" doc:"Who drove: as the provider says of the trip, else the driver that most of its positions name; null where that is not known, or not shared."`
	Start     TripDecision `json:"start"`
	End       TripDecision `json:"end"`
	Estimated TripEstimate `json:"estimated"`
}

// TripDecision is why a trip began or ended.
type TripDecision struct {
	Cause     string             `json:"cause" doc:"ignition, movement, hole or jump for a start; stop, idle, hole or jump for an end; vendor where the provider reported the trip; unknown where it is no longer known."`
	Rule      string             `json:"rule" doc:"The rule that decided, in words."`
	Value     *float64           `json:"value" doc:"The rule's threshold."`
	Unit      *string            `json:"unit" doc:"What the threshold counts."`
	Positions []DetailedPosition `json:"positions" doc:"The positions that decided, oldest first, as far as they are kept."`
}

// TripEstimate is the part of a trip that nobody saw: holes in the reports that the
// vehicle drove through, in a straight line.
type TripEstimate struct {
	DistanceMetres float64    `json:"distance_metres"`
	Seconds        float64    `json:"seconds"`
	Holes          []TripHole `json:"holes" doc:"Each of them, as far as the positions are kept."`
}

// TripHole is a silence that a vehicle drove through.
type TripHole struct {
	StartTime      Time    `json:"start_time"`
	EndTime        Time    `json:"end_time"`
	DistanceMetres float64 `json:"distance_metres"`
}
