package provider

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// Pusher is a Provider whose vendor sends positions by itself for as long as a
// push is held open. It goes with Info.Push.
type Pusher interface {
	Provider

	// Push opens the vendor's push and hands on what it says, in any order and
	// as often as it says it, until ctx ends, the push does, or take fails. It
	// calls take for the first time when the push is open, with no record where
	// there is none yet: what the vendor has by then is polled, and nothing that
	// comes to it later may be left out. It returns an error in any case, that of ctx
	// or take among them.
	//
	// A message that cannot be read ends the push: what it said is polled.
	//
	// It runs beside the other calls, and so shares nothing with them that changes.
	Push(ctx context.Context, take func([]Position) error) error
}

// Push is how a vendor sends positions by itself.
type Push struct {
	// Poll is how often positions are polled while the push is open: for what it
	// leaves out, and late records.
	Poll time.Duration
	// Freshness is how long after the vendor has a position it is read.
	Freshness time.Duration
	// Newest says that the push says where each device is and not all that comes: what
	// comes late, or at the same moment, is polled.
	Newest bool
	// Needs names the credential without which there is no push, where it takes one
	// that is not required.
	Needs string
}

// Pushes opens the pushes of an adapter.
type Pushes = outbound.Pushes

// Pushes reports whether a connection with these credentials has a push.
func (i Info) Pushes(credentials Credentials) bool {
	return i.Push != nil && (i.Push.Needs == "" || credentials[i.Push.Needs] != "")
}
