// Package notify has the use cases of events and webhooks: the feed, live streams, webhooks, and
// their deliveries.
package notify

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
)

// Options are what a Notifier works with.
type Options struct {
	Store *store.Store
	Vault *vault.Vault
	Guard *guard.Guard
	// CheckURL refuses a URL that must not be called.
	CheckURL func(ctx context.Context, url string) error
	// Streams hands events to those who wait for them.
	Streams *live.Hub
	// ShowDelivery makes the request of a delivery as it is sent at a time; nil where
	// there is none.
	ShowDelivery func(ctx context.Context, d drover.Delivery, at time.Time) (*drover.DeliveryRequest, error)
	Now          func() time.Time
}

// Notifier has the feeds and webhooks of tenants. It is safe for concurrent use.
type Notifier struct {
	store        *store.Store
	vault        *vault.Vault
	guard        *guard.Guard
	checkURL     func(ctx context.Context, url string) error
	streams      *live.Hub
	showDelivery func(ctx context.Context, d drover.Delivery, at time.Time) (*drover.DeliveryRequest, error)
	clock        func() time.Time
}

// New makes a Notifier.
func New(o Options) *Notifier {
	return &Notifier{
		store: o.Store, vault: o.Vault, guard: o.Guard, checkURL: o.CheckURL, streams: o.Streams, showDelivery: o.ShowDelivery,
		clock: o.Now,
	}
}

func (s *Notifier) now() drover.Time { return drover.At(s.clock()) }
