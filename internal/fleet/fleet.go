// Package fleet is what a tenant may do: the use cases behind every operation of
// the interface. It is the one place that authorises, and the one that turns the
// store's plain findings into the interface's exact words.
package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/auth"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/stream"
	"github.com/drover-fleet/drover/internal/track"
	"github.com/drover-fleet/drover/internal/vault"
)

// Options are what a Service works with.
type Options struct {
	Store     *store.Store
	Vault     *vault.Vault
	Login     *auth.Login
	Throttle  *auth.Throttle
	Providers map[drover.ProviderName]provider.Info
	// CheckURL refuses a URL that must not be called.
	CheckURL func(ctx context.Context, url string) error
	Tracker  *track.Tracker
	// Streams hands events to those who wait for them.
	Streams *stream.Hub
	Now     func() time.Time

	// Try asks a provider whether credentials work, without storing anything.
	Try func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)

	// Wake tells the collector of this process that there is work; it may be nil.
	Wake func()

	AccessTokenLifetime  time.Duration
	RefreshTokenLifetime time.Duration
}

// Service carries out the operations. It is safe for concurrent use.
type Service struct {
	store           *store.Store
	vault           *vault.Vault
	login           *auth.Login
	throttle        *auth.Throttle
	providers       map[drover.ProviderName]provider.Info
	checkURL        func(ctx context.Context, url string) error
	tracker         *track.Tracker
	streams         *stream.Hub
	clock           func() time.Time
	wake            func()
	try             func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)
	accessLifetime  time.Duration
	refreshLifetime time.Duration
	known           *knownTokens
}

// New makes a Service.
func New(o Options) *Service {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	return &Service{
		store: o.Store, vault: o.Vault, login: o.Login, throttle: o.Throttle, providers: o.Providers, checkURL: o.CheckURL,
		tracker: o.Tracker, streams: o.Streams, clock: o.Now, wake: o.Wake, try: o.Try,
		accessLifetime: o.AccessTokenLifetime, refreshLifetime: o.RefreshTokenLifetime, known: newKnownTokens(),
	}
}

func (s *Service) now() drover.Time { return drover.At(s.clock()) }

// readable lets a tenant read what is its own or shared with it.
func readable(p drover.Principal, a store.Access) error {
	if !grantOf(p, a).Records() {
		return drover.Forbidden()
	}
	return nil
}

// grantOf is what a tenant may read of a record's connection.
func grantOf(p drover.Principal, a store.Access) drover.Grant {
	if a.TenantID == p.TenantID {
		return drover.FullGrant
	}
	return a.Shared
}

// owned lets only the owner pass: sharing gives no more than reading.
func owned(p drover.Principal, tenantID string) error {
	if tenantID != p.TenantID {
		return drover.Forbidden()
	}
	return nil
}

// mayWrite refuses viewers. Every change asks it first, so that a viewer cannot
// find out by trying which records exist.
func mayWrite(p drover.Principal) error {
	if !p.Role.CanWrite() {
		return drover.Forbidden()
	}
	return nil
}

// mayAdminister refuses all but admins.
func mayAdminister(p drover.Principal) error {
	if p.Role != drover.RoleAdmin {
		return drover.Forbidden()
	}
	return nil
}

// orNotFound gives the absence of a record the words of its resource.
func orNotFound(err error, format string, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.Errorf(drover.KindNotFound, format, id)
	}
	return err
}

// The interface's words for what does not exist. Its two spellings of milestone
// are both meant.
const (
	UnknownConnection      = "Connection with ID %s not found"
	UnknownDevice          = "Device with ID %s not found"
	UnknownTrip            = "Trip with ID %s not found"
	UnknownMilestone       = "Unknown milestone id %s"
	UnknownMilestoneUpdate = "Unknown Milestone id %s"
	UnknownWebhook         = "Unknown webhook id %s"
	unknownJob             = "History job with ID %s not found"
	UnknownShare           = "Share with ID %s not found"
	unknownTenant          = "Tenant with ID %s not found"
)
