package drover

// Verdict is how far the data of a connection can be trusted.
type Verdict string

// The verdicts.
const (
	VerdictVerified  Verdict = "verified"  // the data agree with themselves
	VerdictPlausible Verdict = "plausible" // nothing speaks against them, too little for them
	VerdictDoubtful  Verdict = "doubtful"  // they contradict themselves
)

// ConnectionQuality is the result of comparing the data of a connection with each other, which
// shows wrong units and time zones.
type ConnectionQuality struct {
	Verdict Verdict `json:"verdict" enum:"verified,plausible,doubtful"`
	// Reason describes what is doubtful; nil if nothing is.
	Reason *string `json:"reason"`
	Since  *Time   `json:"since" doc:"Since when it is measured; null before the first position."`
	// Positions is the number of positions that were checked, which may be a sample.
	Positions int64          `json:"positions"`
	Moving    int64          `json:"moving" doc:"Positions at the end of a stretch that was driven."`
	Checks    []QualityCheck `json:"checks"`
	Latency   QualityLatency `json:"latency"`
	Coverage  map[string]int `json:"coverage" doc:"Percent of the positions that have a field, by its name."`
	Repeated  int64          `json:"repeated" doc:"Positions that had been stored before."`
	Late      int64          `json:"late" doc:"Positions that came after a newer one of their device."`
}

// QualityCheck is one measurement of a connection's data.
type QualityCheck struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict" enum:"verified,plausible,doubtful"`
	Reason  *string `json:"reason" doc:"What is doubtful, in words."`
	Samples int64   `json:"samples"`
	// Measured is the median of the measurements: a ratio, degrees or seconds.
	Measured *float64 `json:"measured"`
	Unit     *string  `json:"unit" doc:"What measured is in."`
	// Suggestion is the setting of configuration.units that would explain it.
	Suggestion *string `json:"suggestion" doc:"The entry of configuration.units that would mend it."`
	Assumed    *string `json:"assumed" doc:"What drover takes for granted of this provider until it is measured."`
}

// QualityLatency is how old positions are when they arrive.
type QualityLatency struct {
	P50Seconds *float64 `json:"p50_seconds"`
	P95Seconds *float64 `json:"p95_seconds"`
}

// The names of the checks.
const (
	CheckSpeed       = "speed"
	CheckOdometer    = "odometer"
	CheckHeading     = "heading"
	CheckTrips       = "trip_distance"
	CheckTime        = "time"
	CheckClock       = "clock"
	CheckIgnition    = "ignition"
	CheckCoordinates = "coordinates"
	CheckIDs         = "ids"
	CheckSharing     = "sharing"
)

// Units are the units of the provider's numbers as a person has set them, instead of those that
// the adapter assumes. Unset ones keep the adapter's.
type Units struct {
	Speed             *string `json:"speed,omitempty" required:"false" nullable:"true" enum:"kmh,mph,knots,ms" doc:"The unit of the provider's speeds."`
	Odometer          *string `json:"odometer,omitempty" required:"false" nullable:"true" enum:"m,km,miles" doc:"The unit of the provider's odometers."`
	TripDistance      *string `json:"trip_distance,omitempty" required:"false" nullable:"true" enum:"m,km,miles" doc:"The unit of the distances of the provider's trips."`
	TimeOffsetMinutes *int    `json:"time_offset_minutes,omitempty" required:"false" nullable:"true" minimum:"-840" maximum:"840" doc:"How far the provider's times are ahead of UTC."`
	Coordinates       *string `json:"coordinates,omitempty" required:"false" nullable:"true" enum:"lat_lon,lon_lat" doc:"The order of the provider's coordinates."`
}

// SameUnits reports whether two settings are the same.
func SameUnits(a, b *Units) bool {
	if a == nil || b == nil {
		return a == b
	}
	return same(a.Speed, b.Speed) && same(a.Odometer, b.Odometer) && same(a.TripDistance, b.TripDistance) &&
		same(a.TimeOffsetMinutes, b.TimeOffsetMinutes) && same(a.Coordinates, b.Coordinates)
}

// Factors to km/h and metres by the name of a unit.
var (
	speedFactors    = map[string]float64{"kmh": 1, "mph": 1.609344, "knots": 1.852, "ms": 3.6}
	distanceFactors = map[string]float64{"m": 1, "km": 1000, "miles": 1609.344}
)

// SpeedFactor converts a speed in unit to km/h; it is 1 for an unknown unit.
func SpeedFactor(unit string) float64 { return factor(speedFactors, unit) }

// DistanceFactor converts a distance in unit to metres.
func DistanceFactor(unit string) float64 { return factor(distanceFactors, unit) }

func factor(of map[string]float64, unit string) float64 {
	if f, ok := of[unit]; ok {
		return f
	}
	return 1
}

// ConnectionDoubt is the data of events about a connection whose data are contradictory, or no
// longer are.
type ConnectionDoubt struct {
	Connection
	Reason *string  `json:"reason"`
	Checks []string `json:"checks" doc:"Names of the checks that are doubtful."`
}
