package drover

// TrackKind is what a device did on a segment of its track.
type TrackKind string

// The kinds of a segment. A hole has no positions: the straight line between its ends is an
// estimate.
const (
	TrackDriving   TrackKind = "driving"
	TrackIdling    TrackKind = "idling"
	TrackAuxiliary TrackKind = "auxiliary"
	TrackStopped   TrackKind = "stopped"
	TrackHole      TrackKind = "hole"
)

// Track is the simplified route of a device. Its points are lists of equal length.
type Track struct {
	DeviceID        string         `json:"device_id"`
	From            Time           `json:"from"`
	To              Time           `json:"to"`
	ToleranceMetres float64        `json:"tolerance_metres" doc:"By how much a point that was left out may lie beside the line; more than was asked for where there were too many points."`
	Points          TrackPoints    `json:"points"`
	Segments        []TrackSegment `json:"segments"`
}

// TrackPoints are the points of a track, one list for each field.
type TrackPoints struct {
	Timestamp []Time     `json:"timestamp"`
	Longitude []float64  `json:"longitude"`
	Latitude  []float64  `json:"latitude"`
	Heading   []*float64 `json:"heading"`
	SpeedKPH  []*float64 `json:"speed_kph"`
}

// TrackSegment is a part of a track: the points from First to Last, both included. The next
// segment begins with the last point of this one.
type TrackSegment struct {
	Kind      TrackKind `json:"kind" enum:"driving,idling,auxiliary,stopped,hole"`
	First     int       `json:"first"`
	Last      int       `json:"last"`
	StartTime Time      `json:"start_time"`
	EndTime   Time      `json:"end_time"`
	Unseen    *Unseen   `json:"unseen,omitempty" required:"false" doc:"Of a hole: how far the device got in it, and how that is known."`
}

// TrackFilter selects a device's track in [From, To); without To, until now.
type TrackFilter struct {
	From Time  `query:"from" required:"true" doc:"Positions at or after this time."`
	To   *Time `query:"to" doc:"Positions before this time; now otherwise. At most 31 days after from."`
	TrackTolerance
}

// TrackTolerance is how far an omitted point may be from the simplified line.
type TrackTolerance struct {
	Tolerance float64 `query:"tolerance" default:"10" minimum:"0" maximum:"10000" doc:"Metres by which a point that is left out may lie beside the line."`
}
