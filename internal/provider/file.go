package provider

import (
	"time"

	"github.com/drover-fleet/drover"
)

// File is the text that an adapter comes of, which an operator has placed.
type File struct {
	// Version names the text: it is a hash of it, so that no one has to remember to change it.
	Version string
	Text    string
	// SeenAt is when this process found it, at its start when it was written: the later text counts.
	SeenAt time.Time
	// Cursors says how positions are read. Cursors fit as long as it stays the same.
	Cursors string
}

// Files are the vendors that files describe. They change while the service runs.
type Files interface {
	// Current are those that can be connected to. The caller must not change the table.
	Current() map[drover.ProviderName]Info
	// Read makes an adapter of a text that was kept.
	Read(text string) (Info, error)
}

// Use is a call that was made because of a part of a file.
type Use struct {
	Part     string // such as positions.newest
	From, To int    // lines
	Rows     int    // in the answer
}
