package drover

// SearchKind is what a finding is.
type SearchKind string

// The kinds of findings.
const (
	FoundDevice     SearchKind = "device"
	FoundConnection SearchKind = "connection"
	FoundTrip       SearchKind = "trip"
	FoundMilestone  SearchKind = "milestone"
)

// SearchKinds lists the closed set.
var SearchKinds = []SearchKind{FoundDevice, FoundConnection, FoundTrip, FoundMilestone}

// Finding is a record that a search has found.
type Finding struct {
	Kind   SearchKind `json:"kind"`
	ID     string     `json:"id"`
	Name   *string    `json:"name" doc:"A device's description, a connection's business name, or a milestone's reference."`
	Detail *string    `json:"detail" doc:"A device's registration, a connection's provider, or the id of the device of a trip or milestone."`
}
