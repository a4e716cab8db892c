package drover

// Offer says whether a connection can have a kind of reading, or faults.
type Offer string

// The offers: the provider has it, it has not, and it has but the account may not read it.
const (
	OfferNative  Offer = "native"
	OfferNone    Offer = "not_offered"
	OfferRefused Offer = "needs_scope"
)

// Offers lists the closed set.
var Offers = []Offer{OfferNative, OfferNone, OfferRefused}

// FieldFault is the field of the coverage of faults, FieldAssignment that of what the provider
// states of who drove. FieldSafety begins those of safety events, each followed by a point and the
// type.
const (
	FieldFault      = "fault"
	FieldSafety     = "safety_event"
	FieldAssignment = "driver_assignment"
)

// Coverage is what a connection gives of one kind of reading, or of faults: what its provider is
// declared to have, held against what was seen.
type Coverage struct {
	Field       string          `json:"field" doc:"The kind of reading, such as fuel_level_percent, fault, driver (who drives, of trips), driver_assignment (who drove, as the provider states it), or safety_event and a type, such as safety_event.speeding."`
	Declared    Offer           `json:"declared" doc:"native where the provider has it, not_offered where nothing confirms that it does, needs_scope where it refused this account."`
	Need        *string         `json:"need" doc:"What the account lacks; null where nothing is known to be lacking."`
	NativeNames []string        `json:"native_names" doc:"What the provider calls it: those that were seen or, where none was, those that are declared."`
	Sources     []ReadingSource `json:"sources" doc:"Who measures or counts, of what was seen."`
	Devices     int             `json:"devices" doc:"The connection's devices."`
	DevicesWith int             `json:"devices_with" doc:"Those with a reading of this kind, or a fault, or a trip that names a driver, or a stated assignment, in the last days."`
	Share       *float64        `json:"share" doc:"The one by the other, from 0 to 1; null where there is no device."`
	NewestAt    *Time           `json:"newest_at" doc:"When the newest such reading was measured, or the newest fault seen, of all that are known, or the newest such trip of the last days or the newest assignment began; null where there was none."`
}

// CoverageLoss is the data of events about a connection of which some kinds of readings have
// stopped coming.
type CoverageLoss struct {
	Connection
	Fields []string `json:"fields" doc:"The kinds of readings that at least half of the devices had in the week before and none has had for a day, although they report positions."`
}
