package provider

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// Streamer is a Provider whose vendor sends positions by itself for as long as a
// stream is held open. It goes with Info.Stream.
type Streamer interface {
	Provider

	// Stream opens the vendor's stream and hands on what it says, in any order and
	// as often as it says it, until ctx ends, the stream does, or take fails. It
	// calls take for the first time when the stream is open, with no record where
	// there is none yet: what the vendor has by then is polled, and nothing that
	// comes to it later may be left out. It returns an error in any case, that of ctx
	// or take among them.
	//
	// A message that cannot be read ends the stream: what it said is polled.
	//
	// It runs beside the other calls, and so shares nothing with them that changes.
	Stream(ctx context.Context, take func([]Position) error) error
}

// Stream is how a vendor sends positions by itself.
type Stream struct {
	// Poll is how often positions are polled while the stream is open: for what it
	// leaves out, and late records.
	Poll time.Duration
	// Freshness is how long after the vendor has a position it is read.
	Freshness time.Duration
	// Newest says that the stream says where each device is and not all that comes: what
	// comes late, or at the same moment, is polled.
	Newest bool
	// Needs names the credential without which there is no stream, where it takes one
	// that is not required.
	Needs string
}

// Streams opens the streams of an adapter.
type Streams = outbound.Streams

// Streams reports whether a connection with these credentials has a stream.
func (i Info) Streams(credentials Credentials) bool {
	return i.Stream != nil && (i.Stream.Needs == "" || credentials[i.Stream.Needs] != "")
}
