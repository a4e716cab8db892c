// Package fleet is what a tenant may do: the use cases behind every operation of
// the interface. It is the one place that authorises, and the one that turns the
// store's plain findings into the interface's exact words.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/auth"
	"github.com/drover-fleet/drover/internal/export"
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
	Hasher    *auth.Hasher
	Providers map[drover.ProviderName]provider.Info
	// CheckURL refuses a URL that must not be called.
	CheckURL func(ctx context.Context, url string) error
	Tracker  *track.Tracker
	// Streams hands events to those who wait for them.
	Streams *stream.Hub
	Now     func() time.Time

	// Confirm calls an address that a provider wants to be called before it sends notices.
	Confirm func(ctx context.Context, url string) error
	// Try asks a provider whether credentials work, without storing anything.
	Try func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)

	// Files has the files of exports, and WakeExports tells the runner of this process
	// that there is one to make; it may be nil.
	Files       export.Files
	WakeExports func()

	// ShowDelivery makes the request of a delivery as it is sent at a time; nil where
	// there is none.
	ShowDelivery func(ctx context.Context, d drover.Delivery, at time.Time) (*drover.DeliveryRequest, error)

	// PublicURL is the address under which people reach the service; empty where it is
	// not known.
	PublicURL string

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
	hasher          *auth.Hasher
	providers       map[drover.ProviderName]provider.Info
	checkURL        func(ctx context.Context, url string) error
	tracker         *track.Tracker
	streams         *stream.Hub
	clock           func() time.Time
	publicURL       string
	showDelivery    func(ctx context.Context, d drover.Delivery, at time.Time) (*drover.DeliveryRequest, error)
	wake            func()
	files           export.Files
	wakeExports     func()
	try             func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)
	confirm         func(ctx context.Context, url string) error
	accessLifetime  time.Duration
	refreshLifetime time.Duration
	known           *knownTokens
}

// New makes a Service.
func New(o Options) *Service {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	if o.WakeExports == nil {
		o.WakeExports = func() {}
	}
	return &Service{
		store: o.Store, vault: o.Vault, login: o.Login, throttle: o.Throttle, hasher: o.Hasher, providers: o.Providers, checkURL: o.CheckURL,
		tracker: o.Tracker, streams: o.Streams, clock: o.Now, publicURL: o.PublicURL, showDelivery: o.ShowDelivery, wake: o.Wake, try: o.Try, confirm: o.Confirm, files: o.Files, wakeExports: o.WakeExports,
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
	if !p.Can(drover.PermissionWrite) {
		return drover.Forbidden()
	}
	return nil
}

// mayAdminister refuses all but those who may change users, keys and shares.
func mayAdminister(p drover.Principal) error {
	if !p.Can(drover.PermissionAdmin) {
		return drover.Forbidden()
	}
	return nil
}

// mayReadSecrets refuses all but those who may read credentials and signing
// secrets.
func mayReadSecrets(p drover.Principal) error {
	if !p.Can(drover.PermissionSecrets) {
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

// orUnknown gives the absence of a record that a body names the words of its resource.
func orUnknown(err error, format, id, field string) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(format, id), "body", field)
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
	UnknownUser            = "User with ID %s not found"
	UnknownAPIKey          = "API key with ID %s not found"
	UnknownDelivery        = "Delivery with ID %s not found"
	UnknownLink            = "Link with ID %s not found"
	UnknownSession         = "Session with ID %s not found"
	UnknownRecompute       = "Recompute job with ID %s not found"
	UnknownExport          = "Export with ID %s not found"
	unknownTenant          = "Tenant with ID %s not found"
)

// asInvalid is the absence of a record that a list in a body names.
func asInvalid(err error, format, id string, index int) error {
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(format, id), "body", "device_ids", index)
	}
	return err
}
