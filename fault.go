package drover

// FaultProtocol is the language in which a vehicle reports a fault.
type FaultProtocol string

// The protocols: codes of cars and of trucks, lamps of the dashboard, what a maker or a
// provider words itself, and what is not said.
const (
	FaultOBD      FaultProtocol = "obd"
	FaultJ1939    FaultProtocol = "j1939"
	FaultJ1708    FaultProtocol = "j1708"
	FaultTellTale FaultProtocol = "tell_tale"
	FaultOEM      FaultProtocol = "oem"
	FaultUnknown  FaultProtocol = "unknown"
)

// FaultProtocols lists the closed set.
var FaultProtocols = []FaultProtocol{FaultOBD, FaultJ1939, FaultJ1708, FaultTellTale, FaultOEM, FaultUnknown}

// FaultStatus says whether a fault is there.
type FaultStatus string

// The states of a fault: a pending one is not confirmed yet.
const (
	FaultOpen    FaultStatus = "open"
	FaultPending FaultStatus = "pending"
	FaultClosed  FaultStatus = "closed"
)

// FaultStatuses lists the closed set.
var FaultStatuses = []FaultStatus{FaultOpen, FaultPending, FaultClosed}

// FaultSeverity is how bad a fault is, as the provider says.
type FaultSeverity string

// The severities of faults.
const (
	FaultLow      FaultSeverity = "low"
	FaultMedium   FaultSeverity = "medium"
	FaultHigh     FaultSeverity = "high"
	FaultCritical FaultSeverity = "critical"
)

// FaultSeverities lists the closed set.
var FaultSeverities = []FaultSeverity{FaultLow, FaultMedium, FaultHigh, FaultCritical}

// Lamp is a lamp of the dashboard that is lit for a fault.
type Lamp string

// The lamps of the dashboard.
const (
	LampMalfunction Lamp = "malfunction"
	LampAmber       Lamp = "amber"
	LampRedStop     Lamp = "red_stop"
	LampProtect     Lamp = "protect"
)

// Lamps lists the closed set.
var Lamps = []Lamp{LampMalfunction, LampAmber, LampRedStop, LampProtect}

// FaultClosing says by what a fault is known to be over.
type FaultClosing string

// Faults end because the provider says so, because a whole list has them no longer, or
// because no one has reported them for a long time.
const (
	ClosedByVendor  FaultClosing = "vendor"
	ClosedByAbsence FaultClosing = "absence"
	ClosedBySilence FaultClosing = "silence"
)

// FaultClosings lists the closed set.
var FaultClosings = []FaultClosing{ClosedByVendor, ClosedByAbsence, ClosedBySilence}

// Fault is something broken that a vehicle reports, from when it was seen first until it was
// over. The same fault that comes again later is another record.
type Fault struct {
	ID            string         `json:"id"`
	DeviceID      string         `json:"device_id"`
	ConnectionID  string         `json:"connection_id"`
	Protocol      FaultProtocol  `json:"protocol" doc:"The language of the code."`
	Code          string         `json:"code" doc:"As the protocol writes it: P0420, SPN 3031 FMI 9, the name of a tell-tale, or the provider's words."`
	SPN           *int64         `json:"spn" doc:"Suspect parameter number of J1939; null where the provider gives no such number."`
	FMI           *int64         `json:"fmi" doc:"Failure mode identifier of J1939; null where the provider gives no such number."`
	SourceAddress *int64         `json:"source_address" doc:"The control unit that reports it; null where the provider does not say."`
	Description   *string        `json:"description" doc:"The provider's words; null where it has none."`
	Severity      *FaultSeverity `json:"severity" doc:"As the provider says; null where it does not."`
	Lamps         []Lamp         `json:"lamps" doc:"The lamps of the dashboard that are lit for it."`
	Status        FaultStatus    `json:"status"`
	FirstSeenAt   Time           `json:"first_seen_at" doc:"When it was first reported, or began where the provider says that."`
	LastSeenAt    Time           `json:"last_seen_at" doc:"When it was last reported, to a quarter of an hour."`
	ClosedAt      *Time          `json:"closed_at" doc:"When it was known to be over; null while it is not."`
	Occurrences   *int64         `json:"occurrences" doc:"How often the vehicle has counted it; null where the provider does not say."`
	ClosedBy      *FaultClosing  `json:"closed_by" doc:"vendor where the provider says that it is over, absence where it is gone from a whole list, silence where nothing was reported for 30 days; null while it is open."`
}

func (f Fault) describe(e *Event) {
	e.ConnectionID, e.DeviceID = &f.ConnectionID, &f.DeviceID
	e.Subjects = []Subject{{ConnectionID: f.ConnectionID, DeviceID: f.DeviceID}}
}

// FaultFilter narrows the list of faults. Within a list one match is enough; all that are
// given must match.
type FaultFilter struct {
	DeviceIDs     []string        `query:"device_id" maxItems:"1000" doc:"Only faults of these devices."`
	ConnectionIDs []string        `query:"connection_id" maxItems:"1000" doc:"Only faults of these connections' devices."`
	Tags          []string        `query:"tag" maxItems:"100" doc:"Only faults of devices with one of these tags, their own or their connection's."`
	Statuses      []FaultStatus   `query:"status" maxItems:"3" doc:"Only faults of these states."`
	Protocols     []FaultProtocol `query:"protocol" maxItems:"6" doc:"Only faults of these protocols."`
	Codes         []string        `query:"code" maxItems:"100" maxLength:"255" doc:"Only faults with one of these codes."`
	From          *Time           `query:"from" doc:"Faults that were there at or after this time."`
	To            *Time           `query:"to" doc:"Faults that were seen first before this time."`
	// IDs are for lists of changes.
	IDs    []string
	Newest bool // first
}
