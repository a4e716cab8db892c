package drover

import "encoding/json"

// ChangeKind is a kind of records of which a program can keep a copy.
type ChangeKind string

// The kinds of records with a list of changes.
const (
	ChangedConnections ChangeKind = "connection"
	ChangedDevices     ChangeKind = "device"
	ChangedTrips       ChangeKind = "trip"
	ChangedStops       ChangeKind = "stop"
	ChangedMilestones  ChangeKind = "milestone"
	ChangedFaults      ChangeKind = "fault"
	ChangedDrivers     ChangeKind = "driver"

	ChangedSafetyEvents ChangeKind = "safety_event"
	ChangedReadings     ChangeKind = "reading"
)

// ChangeCursor is a position in the list of changes of one kind. It is valid for as long as
// deletions are kept.
type ChangeCursor struct {
	Kind ChangeKind `json:"k"`
	// Epoch identifies the numbering: a restored database starts another, and so does a standby that is promoted.
	Epoch string `json:"e"`
	// Number and ID are the last change that was read.
	Number int64  `json:"n"`
	ID     string `json:"i"`
	// Part is how many of the readings of the device ID were read; 0 is all.
	Part int `json:"p,omitempty"`
	// From is the number at which the copy began: it never had records that were
	// deleted before.
	From int64 `json:"f"`
	// Shares is a checksum of the shares that the tenant had when the copy began.
	Shares string `json:"s,omitempty"`
}

// Valid reports whether c can be the end of a list.
func (c ChangeCursor) Valid() bool {
	return c.Kind != "" && c.Number >= 0 && c.Part >= 0 && c.From >= 0 && IsID(c.ID)
}

// Known is the number up to which a copy has seen all deletions.
func (c ChangeCursor) Known() int64 { return max(c.Number, c.From) }

// Change is one row of a list of changes: a record as it is now, or a deletion.
type Change struct {
	ID        string
	Record    any
	DeletedAt *Time
}

// MarshalJSON writes the record, or the id and deleted_at of a deleted one.
func (c Change) MarshalJSON() ([]byte, error) {
	if c.Record != nil {
		return json.Marshal(c.Record)
	}
	return json.Marshal(DeletedRecord{c.ID, *c.DeletedAt})
}

// DeletedRecord is the row of a deleted record in a list of changes.
type DeletedRecord struct {
	ID        string `json:"id"`
	DeletedAt Time   `json:"deleted_at" doc:"When it was deleted, or could be read for the last time."`
}

// ChangeList is a page of changes. Next continues the list, at the end later.
type ChangeList struct {
	Changes []Change
	Next    ChangeCursor
	End     bool
}
