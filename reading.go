package drover

// ReadingKind is what a reading measures. The unit is in its name.
type ReadingKind string

// The kinds of readings: counters, which only grow, levels, and states, which are 1 or 0.
const (
	ReadingOdometer    ReadingKind = "odometer_metres"
	ReadingEngine      ReadingKind = "engine_seconds"
	ReadingIdle        ReadingKind = "idle_seconds"
	ReadingPTO         ReadingKind = "pto_seconds"
	ReadingFuelUsed    ReadingKind = "fuel_used_litres"
	ReadingFuelPercent ReadingKind = "fuel_level_percent"
	ReadingFuelLitres  ReadingKind = "fuel_level_litres"
	ReadingDEF         ReadingKind = "def_level_percent"
	ReadingCharge      ReadingKind = "charge_percent"
	ReadingSupply      ReadingKind = "supply_volts"
	ReadingCoolant     ReadingKind = "coolant_celsius"
	ReadingAmbient     ReadingKind = "ambient_celsius"
	ReadingProbe       ReadingKind = "probe_celsius"
	ReadingDoor        ReadingKind = "door_open"
	ReadingPTOActive   ReadingKind = "pto_active"
)

// ReadingKinds lists them. Clients ignore kinds that they do not know: more may come.
var ReadingKinds = []ReadingKind{
	ReadingOdometer, ReadingEngine, ReadingIdle, ReadingPTO, ReadingFuelUsed,
	ReadingFuelPercent, ReadingFuelLitres, ReadingDEF, ReadingCharge, ReadingSupply,
	ReadingCoolant, ReadingAmbient, ReadingProbe, ReadingDoor, ReadingPTOActive,
}

// ReadingSource is the origin of a reading.
type ReadingSource string

// The sources: the vehicle's bus, an added sensor, the tracker, and the provider, which
// computes the value or lets a person set it.
const (
	SourceVehicle  ReadingSource = "vehicle"
	SourceSensor   ReadingSource = "sensor"
	SourceTracker  ReadingSource = "tracker"
	SourcePlatform ReadingSource = "platform"
)

// ReadingSources lists the closed set.
var ReadingSources = []ReadingSource{SourceVehicle, SourceSensor, SourceTracker, SourcePlatform}

// Reading is a value that a vehicle measured at one instant.
type Reading struct {
	DeviceID     string         `json:"device_id"`
	ConnectionID string         `json:"connection_id"`
	Kind         ReadingKind    `json:"kind"`
	Channel      *string        `json:"channel" doc:"Which of several, such as the number of a probe or the place of a door; null where there is one."`
	Timestamp    Time           `json:"timestamp" doc:"When the value itself was measured, which need not be the time of a position."`
	Value        float64        `json:"value" doc:"In the unit that the kind names; states are 1 and 0."`
	Source       *ReadingSource `json:"source" doc:"Who measures or counts; null where the provider does not say."`
	NativeName   string         `json:"native_name" doc:"What the provider calls it."`
	Suspect      *string        `json:"suspect" doc:"Why the value is not believed: range, zero, backwards or jump; null where it is."`
}

// NewestReading is what a device shows of a kind and channel: the newest value of the best of
// its series. ID is the same for as long as the device is there.
type NewestReading struct {
	ID string `json:"id" doc:"Names the device's readings of this kind and channel: the newest one has it, whatever it says."`
	Reading
}

// ReadingSeries identifies a series of values that can be compared with each other. Values of
// different sources or names are different series.
type ReadingSeries struct {
	Kind       ReadingKind
	Channel    string // empty where there is one
	Source     ReadingSource
	NativeName string
}

// Reading is a value of the series as the interface shows it.
func (s ReadingSeries) Reading(deviceID, connectionID string, at Time, value float64, suspect string) Reading {
	r := Reading{DeviceID: deviceID, ConnectionID: connectionID, Kind: s.Kind, Timestamp: at, Value: value, NativeName: s.NativeName}
	if s.Channel != "" {
		r.Channel = &s.Channel
	}
	if s.Source != "" {
		r.Source = &s.Source
	}
	if suspect != "" {
		r.Suspect = &suspect
	}
	return r
}

// ReadingValue is one value of a series. At is milliseconds since 1970.
type ReadingValue struct {
	At    int64
	Value float64
}

// ReadingRow is a value of one of a device's series, which are numbered.
type ReadingRow struct {
	Series int64
	ReadingValue
}

// Counters are differences of a vehicle's counters over a trip or a day. Each is absent if it
// was not requested, and null if no series has it or it is not shared.
type Counters struct {
	FuelUsedLitres      Optional[float64] `json:"fuel_used_litres,omitzero" required:"false" doc:"By how much the counter of fuel grew; null where none shows it. Only with include=readings."`
	EngineSeconds       Optional[float64] `json:"engine_seconds,omitzero" required:"false" doc:"By how much the counter of engine time grew; null where none shows it. Only with include=readings."`
	OdometerStartMetres Optional[float64] `json:"odometer_start_metres,omitzero" required:"false" doc:"The odometer at the start; null where none shows it. Only with include=readings."`
	OdometerEndMetres   Optional[float64] `json:"odometer_end_metres,omitzero" required:"false" doc:"The odometer at the end; null where none shows it. It may be of another line than that at the start, after a reset. Only with include=readings."`
}

// ReadingFilter narrows the newest readings of devices. Within a list one match is
// enough; all lists that are given must match.
type ReadingFilter struct {
	DeviceIDs     []string      `query:"device_id" maxItems:"1000" doc:"Only readings of these devices."`
	ConnectionIDs []string      `query:"connection_id" maxItems:"1000" doc:"Only readings of these connections' devices."`
	Tags          []string      `query:"tag" maxItems:"100" doc:"Only readings of devices with one of these tags, their own or their connection's."`
	Kinds         []ReadingKind `query:"kind" maxItems:"100" doc:"Only readings of these kinds."`
	// IDs are for lists of changes.
	IDs []string
}

// ReadingHistoryFilter chooses readings of a device's history: those of [From, To), to
// now without To.
type ReadingHistoryFilter struct {
	Kinds   []ReadingKind `query:"kind" maxItems:"100" doc:"Only readings of these kinds."`
	From    Time          `query:"from" required:"true" doc:"Readings at or after this time."`
	To      *Time         `query:"to" doc:"Readings before this time; now otherwise."`
	Order   EventOrder    `query:"order" enum:"asc,desc" default:"asc" doc:"desc is newest first."`
	Suspect bool          `query:"suspect" doc:"Also those that are not believed."`
	Every   int           `query:"every" minimum:"0" maximum:"86400" default:"0" doc:"At most one reading of a series in so many seconds, the first of each such span; 0 is all that is kept."`
}

// ReadingCursor is a place in the newest readings, which are ordered by device, kind and
// channel.
type ReadingCursor struct {
	DeviceID string      `json:"d"`
	Kind     ReadingKind `json:"k"`
	Channel  string      `json:"c"`
}

// Valid reports whether c can be the end of a list.
func (c ReadingCursor) Valid() bool { return IsID(c.DeviceID) && c.Kind != "" }

// ReadingTimeCursor is a place in a device's history of readings.
type ReadingTimeCursor struct {
	Time   Time  `json:"t"`
	Series int64 `json:"s"`
}

// Valid reports whether c can be the end of a list.
func (c ReadingTimeCursor) Valid() bool { return !c.Time.IsZero() && c.Series > 0 }
