package drover

// TrackKind says what a device did on a stretch of its way.
type TrackKind string

// The kinds of a stretch. A hole is one that nothing was reported of: the straight
// line between its ends is an estimate.
const (
	TrackDriving   TrackKind = "driving"
	TrackIdling    TrackKind = "idling"
	TrackAuxiliary TrackKind = "auxiliary"
	TrackStopped   TrackKind = "stopped"
	TrackHole      TrackKind = "hole"
)

// Track is the way of a device, simplified. Its points are lists of one length.
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

// TrackSegment is a stretch of a track: the points from First to Last, both
// included. The next one begins with the last point of this.
type TrackSegment struct {
	Kind      TrackKind `json:"kind" enum:"driving,idling,auxiliary,stopped,hole"`
	First     int       `json:"first"`
	Last      int       `json:"last"`
	StartTime Time      `json:"start_time"`
	EndTime   Time      `json:"end_time"`
	Unseen    *Unseen   `json:"unseen,omitempty" required:"false" doc:"Of a hole: how far the device got in it, and how that is known."`
}

// TrackFilter chooses a device's way: that of [From, To), to now without To.
type TrackFilter struct {
	From Time  `query:"from" required:"true" doc:"Positions at or after this time."`
	To   *Time `query:"to" doc:"Positions before this time; now otherwise. At most 31 days after from."`
	TrackTolerance
}

// TrackTolerance is how much of a way may be left out.
type TrackTolerance struct {
	Tolerance float64 `query:"tolerance" default:"10" minimum:"0" maximum:"10000" doc:"Metres by which a point that is left out may lie beside the line."`
}
