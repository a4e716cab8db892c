package window

// fleet is the key of Seen where windows are for the whole fleet.
const fleet = ""

// cursor is where a job stands. Times are milliseconds since 1970; names are
// short, as it is stored with every page.
type cursor struct {
	From int64 `json:"f"`           // where the job began
	Last int64 `json:"l,omitempty"` // end of the last complete round
	// Seen is the time of the newest record of each device.
	Seen map[string]int64 `json:"s,omitempty"`

	// The round under way: it reads every device up to To.
	To   int64  `json:"t,omitempty"`
	Next string `json:"n,omitempty"` // device to go on with
	At   int64  `json:"a,omitempty"` // start of its next window; zero: not begun
	Done bool   `json:"d,omitempty"`
}

// finish ends the round.
func (c *cursor) finish() {
	c.Last, c.To, c.Next, c.At, c.Done = c.To, 0, "", 0, false
}
