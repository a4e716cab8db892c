package fleet

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/fleet/notify"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Options are what a Service works with.
type Options struct {
	Store     *store.Store
	Vault     *vault.Vault
	Login     *auth.Login
	Throttle  *auth.Throttle
	Hasher    *auth.Hasher
	Providers map[drover.ProviderName]provider.Info
	// Vendors are those that files describe; nil where there are no files.
	Vendors provider.Files
	// CheckURL refuses a URL that must not be called.
	CheckURL func(ctx context.Context, url string) error
	Tracker  *track.Tracker
	// Streams hands events to those who wait for them.
	Streams *live.Hub
	Now     func() time.Time

	// Confirm calls an address that a provider wants to be called before it sends notices.
	Confirm func(ctx context.Context, url string) error
	// Accept stores positions that a provider's notice carried; nil leaves them to the
	// polls.
	Accept func(ctx context.Context, tenantID, connectionID string, records []provider.Position) error
	// Take stores records that a tenant's own program sent, and says what became of each.
	Take func(ctx context.Context, tenantID, connectionID string, records []drover.Record) ([]drover.RecordOutcome, error)
	// Try asks a provider whether credentials work, without storing anything.
	Try func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)

	// Consent completes credentials with what the code of a person's consent gives.
	Consent func(ctx context.Context, name drover.ProviderName, credentials map[string]string, code string) (map[string]string, error)

	// Exports makes files of records; nil where none are made.
	Exports Exporter

	// ShowDelivery makes the request of a delivery as it is sent at a time; nil where
	// there is none.
	ShowDelivery func(ctx context.Context, d drover.Delivery, at time.Time) (*drover.DeliveryRequest, error)

	// PollInterval is the operator's, instead of the providers' own; zero leaves those.
	PollInterval time.Duration

	// Retention is for how long things are kept, of tenants that have set nothing else.
	Retention drover.Retention

	// PublicURL is the address under which people reach the service; empty where it is
	// not known.
	PublicURL string

	// Issuers sends requests to the providers that people sign in at; it is guarded.
	Issuers http.RoundTripper

	// Wake tells the collector of this process that there is work; it may be nil.
	Wake func()

	AccessTokenLifetime  time.Duration
	RefreshTokenLifetime time.Duration
}

// Exporter makes the files of exports. It is what upkeep/export does, which is above this room.
type Exporter interface {
	// Check refuses filters that a list of the kind would refuse.
	Check(in drover.ExportInput) error
	// Wake tells the exporter of this process that there is a file to make.
	Wake()
	// Ended reports whether a share by which the records of an export were read has ended.
	Ended(ctx context.Context, e work.Export) (bool, error)
	// Open reads the file of an export that is done.
	Open(ctx context.Context, e work.Export) (io.ReadSeekCloser, error)
	// Remove forgets what an attempt has written, if anything.
	Remove(ctx context.Context, e work.Export, file string) error
}

// Service carries out the operations, as handles for what they are about. It is safe for
// concurrent use.
type Service struct {
	Identity    *identity.Directory
	Notify      *notify.Notifier
	Account     Account
	Connections Connections
	Shares      Shares
	Devices     Devices
	Vehicles    Vehicles
	Drivers     Drivers
	Trips       Trips
	Milestones  Milestones
	Exports     Exports
}

// The handles of a Service, one for each subject of the interface.
type (
	// Account is the tenant as a whole: settings, brand, limits, sums, search and changes.
	Account struct{ *core }
	// Connections are those to providers, with their collection, health, invitations and notices.
	Connections struct{ *core }
	// Shares are what tenants share with each other.
	Shares struct{ *core }
	// Devices are devices with their positions, tracks and tiles of the map.
	Devices struct{ *core }
	// Vehicles are readings, faults, safety events and notes.
	Vehicles struct{ *core }
	// Drivers are drivers, and who drove when.
	Drivers struct{ *core }
	// Trips are trips, stops and days with what is derived from them.
	Trips struct{ *core }
	// Milestones are milestones with the links to follow them.
	Milestones struct{ *core }
	// Exports are files made of records.
	Exports struct{ *core }
)

// core is what the handles work with.
type core struct {
	guard     *guard.Guard
	notify    *notify.Notifier
	store     *store.Store
	vault     *vault.Vault
	providers map[drover.ProviderName]provider.Info
	vendors   provider.Files // nil: none
	offered   atomic.Pointer[offered]
	checkURL  func(ctx context.Context, url string) error
	tracker   *track.Tracker
	clock     func() time.Time
	publicURL string
	// pollInterval is the operator's; zero for the providers' own.
	pollInterval time.Duration
	retention    drover.Retention
	wake         func()
	exports      Exporter
	tiles        tiles
	try          func(ctx context.Context, name drover.ProviderName, credentials map[string]string) (drover.ConnectionTrial, error)
	consent      func(ctx context.Context, name drover.ProviderName, credentials map[string]string, code string) (map[string]string, error)
	confirm      func(ctx context.Context, url string) error
	accept       func(ctx context.Context, tenantID, connectionID string, records []provider.Position) error
	take         func(ctx context.Context, tenantID, connectionID string, records []drover.Record) ([]drover.RecordOutcome, error)
}

// New makes a Service.
func New(o Options) *Service {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	g := guard.New(o.Store, o.Vault, o.Now)
	n := notify.New(notify.Options{
		Store: o.Store, Vault: o.Vault, Guard: g, CheckURL: o.CheckURL, Streams: o.Streams, ShowDelivery: o.ShowDelivery, Now: o.Now,
	})
	c := &core{
		guard: g, notify: n, store: o.Store, vault: o.Vault, providers: o.Providers, vendors: o.Vendors, checkURL: o.CheckURL, tracker: o.Tracker,
		clock: o.Now, publicURL: o.PublicURL, pollInterval: o.PollInterval, retention: o.Retention, wake: o.Wake,
		exports: o.Exports,
		tiles:   newTiles(), try: o.Try, consent: o.Consent, confirm: o.Confirm, accept: o.Accept, take: o.Take,
	}
	return &Service{
		Identity: identity.New(identity.Options{
			Store: o.Store, Vault: o.Vault, Guard: g, Login: o.Login, Throttle: o.Throttle, Hasher: o.Hasher, Now: o.Now,
			AccessTokenLifetime: o.AccessTokenLifetime, RefreshTokenLifetime: o.RefreshTokenLifetime, PublicURL: o.PublicURL,
			CheckURL: o.CheckURL, Issuers: o.Issuers,
		}),
		Notify:  n,
		Account: Account{c}, Connections: Connections{c}, Shares: Shares{c}, Devices: Devices{c}, Vehicles: Vehicles{c},
		Drivers: Drivers{c}, Trips: Trips{c}, Milestones: Milestones{c}, Exports: Exports{c},
	}
}

func (s *core) now() drover.Time { return drover.At(s.clock()) }
