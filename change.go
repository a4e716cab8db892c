package drover

import "encoding/json"

// ChangeKind is a kind of records of which a program can keep a copy.
type ChangeKind string

// The kinds of records that a copy can be kept of.
const (
	ChangedConnections ChangeKind = "connection"
	ChangedDevices     ChangeKind = "device"
	ChangedTrips       ChangeKind = "trip"
	ChangedStops       ChangeKind = "stop"
	ChangedMilestones  ChangeKind = "milestone"
	ChangedFaults      ChangeKind = "fault"
	ChangedDrivers     ChangeKind = "driver"

	ChangedSafetyEvents ChangeKind = "safety_event"
)

// ChangeCursor is a place in the list of a kind's changes. It stays good until it is
// older than deletions are kept for.
type ChangeCursor struct {
	Kind ChangeKind `json:"k"`
	// Epoch names the numbers: those of a restored database are others.
	Epoch string `json:"e"`
	// Number and ID are the last change that was read.
	Number int64  `json:"n"`
	ID     string `json:"i"`
	// From is the number at which the copy began: what was deleted before that, it
	// never had.
	From int64 `json:"f"`
	// Shares sums up what others shared when the copy began.
	Shares string `json:"s,omitempty"`
}

// Valid reports whether a list could have ended there.
func (c ChangeCursor) Valid() bool { return c.Kind != "" && c.Number >= 0 && c.From >= 0 && IsID(c.ID) }

// Known is the number up to which a copy knows of everything that was deleted.
func (c ChangeCursor) Known() int64 { return max(c.Number, c.From) }

// Change is one row of a list of changes: a record as it is now, or that it is gone.
type Change struct {
	ID        string
	Record    any
	DeletedAt *Time
}

// MarshalJSON writes the record, or of a deleted one its id and deleted_at.
func (c Change) MarshalJSON() ([]byte, error) {
	if c.Record != nil {
		return json.Marshal(c.Record)
	}
	return json.Marshal(DeletedRecord{c.ID, *c.DeletedAt})
}

// DeletedRecord is the row of a list of changes whose record is gone.
type DeletedRecord struct {
	ID        string `json:"id"`
	DeletedAt Time   `json:"deleted_at" doc:"When it was deleted, or could be read for the last time."`
}

// ChangeList is a page of changes. Next is where to go on, now or, at the end, later.
type ChangeList struct {
	Changes []Change
	Next    ChangeCursor
	End     bool
}
