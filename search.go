package drover

// SearchKind is the kind of record of a finding.
type SearchKind string

// The kinds of findings.
const (
	FoundDevice     SearchKind = "device"
	FoundConnection SearchKind = "connection"
	FoundTrip       SearchKind = "trip"
	FoundMilestone  SearchKind = "milestone"
	FoundDriver     SearchKind = "driver"
	FoundFault      SearchKind = "fault"
	FoundSafety     SearchKind = "safety_event"
)

// SearchKinds lists the closed set.
var SearchKinds = []SearchKind{FoundDevice, FoundConnection, FoundTrip, FoundMilestone, FoundDriver, FoundFault, FoundSafety}

// Finding is a record that a search has found.
type Finding struct {
	Kind   SearchKind `json:"kind"`
	ID     string     `json:"id"`
	Name   *string    `json:"name" doc:"A device's description, a connection's business name, a milestone's reference, a driver's name, a fault's code, or the type of a safety event."`
	Detail *string    `json:"detail" doc:"A device's registration, a connection's provider, a driver's id at the provider, or the id of the device of any other record."`
}
