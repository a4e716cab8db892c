package provider

import (
	"context"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

// Provider reads one tenant's data from one vendor. The collector keeps one
// Provider for each connection for as long as its credentials stay the same, so
// an adapter may hold a session or an access token in memory. Calls for one
// connection come one at a time.
//
// Every error is of one of the kinds in errors.go; what is not is temporary.
// No error holds a credential, a token or a URL with either. What was being done
// is not said by the adapter: the table in package all adds it, once for all.
type Provider interface {
	// Check makes the vendor's cheapest authenticated call. It returns nil where
	// the credentials work and an error of KindCredentials where they do not.
	Check(ctx context.Context) error

	// Devices returns one page of the fleet, all of it over the pages. An empty
	// cursor starts from the first; Page.More says whether to call again with
	// Page.Cursor. A device that is missing from a full listing is gone.
	Devices(ctx context.Context, cursor string) (Page[Device], error)

	// Positions returns one page of positions.
	//
	// Live, with Query.To zero: what is new since Query.Cursor, or since
	// Query.From where the cursor is empty. Page.Cursor is never empty and is
	// handed back on the next call; Page.More asks for that call at once, its
	// absence for one after the poll interval. Late records come when the vendor
	// has them: an adapter that reads by time windows overlaps them. The same
	// record may come again; none may be left out.
	//
	// Historic, with both bounds set: every position in [From, To), paged by
	// the cursor until More is false.
	Positions(ctx context.Context, q Query) (Page[Position], error)

	// Trips returns one page of finished trips, with the same rules. It is
	// called only where Features.Trips says so. Trips are selected so that each
	// one that ends in [From, To) is in the answer; more may be.
	Trips(ctx context.Context, q Query) (Page[Trip], error)

	// Drivers returns one page of the persons who drive, with the rules of Devices. It is
	// called only where Features.Drivers says so.
	Drivers(ctx context.Context, cursor string) (Page[Driver], error)
}

// Query asks for positions or trips.
type Query struct {
	Cursor string
	From   time.Time // inclusive
	To     time.Time // exclusive; zero for the live job
	// Ahead is how far the vendor's times are ahead of UTC, where a person has said so:
	// From and To are moved by it, and so is the present up to which is asked.
	Ahead time.Duration
	// Devices are the vendor's ids of the devices known, in a stable order, for
	// vendors that must be asked device by device.
	Devices []string
}

// Live reports whether q asks for the live job.
func (q Query) Live() bool { return q.To.IsZero() }

// Page is one answer. Records, what follows from them and the cursor are
// committed together, so that a page that was cut short is asked for again.
type Page[T any] struct {
	Records []T
	Cursor  string
	More    bool
	// Readings are what came with a page of positions and belongs to none of them.
	Readings []DeviceReading
	// Whole is a time of which a page of assignments has all that share it: what was stated of
	// it before, and is not on the page, has been taken back. It is nil where that is not known.
	Whole *Span
}

// Device is a vehicle as the vendor knows it. Fields the vendor lacks are nil.
type Device struct {
	SystemDeviceID string
	Description    *string
	Registration   *string
	Make           *string
	Model          *string
	Year           *int
	Active         bool
}

// Position is a position of one of the vendor's devices.
type Position struct {
	SystemDeviceID string
	drover.Position
	// Readings are what the vendor says of the vehicle's instruments together with the
	// position.
	Readings []Reading `json:",omitempty"`
	// Faults is what the vendor says of the vehicle's faults together with the position,
	// of whose time it is; nil where it says nothing, which is no empty list.
	Faults *fault.Report `json:",omitempty"`
}

// Trip is a finished trip as the vendor reports it. Numbers the vendor lacks are
// nil; SystemTripID is stable over repeated reads.
type Trip struct {
	SystemDeviceID   string
	SystemTripID     string
	Start            *drover.Coordinate
	End              *drover.Coordinate
	StartTime        drover.Time
	EndTime          drover.Time
	DistanceMetres   *float64
	DrivingSeconds   *float64
	IdlingSeconds    *float64
	AuxiliarySeconds *float64
	DriverID         *string // the same as in positions
}

// Record is what a job consists of. Its key is the device that it is about and
// the time that it is selected by.
type Record interface {
	Position | Trip
	Key() (systemDeviceID string, at time.Time)
}

// Key returns the device and the time of the position.
func (p Position) Key() (systemDeviceID string, at time.Time) { return p.SystemDeviceID, p.Time.Time }

// Key returns the device and the end of the trip.
func (t Trip) Key() (systemDeviceID string, at time.Time) { return t.SystemDeviceID, t.EndTime.Time }

// Config is all that an adapter is given.
type Config struct {
	// Credentials are the connection's own, with the defaults of Info filled in.
	Credentials Credentials
	// BaseURL replaces the vendor's address where it is not empty. It has no
	// trailing slash.
	BaseURL string
	// HTTP sends the adapter's requests: it paces, retries, bounds and redacts.
	HTTP Doer
	// Pushes opens what the vendor sends by itself, in the same manner.
	Pushes Pushes
	// Tokens keeps what the vendor renews and must not be lost; see TokenStore.
	Tokens TokenStore
	// Now is the present.
	Now    func() time.Time
	Logger *slog.Logger
	// Observed is called with the form of something that the vendor was seen to use,
	// where its documentation leaves that open and the adapter reads several. It may
	// be nil; call Observe.
	Observed func(name, form string)
	// Named is called with the name of the account, where an answer that is read anyway
	// has it. It may be nil; call Name.
	Named func(account string)
	// Used is called with each call that an adapter of a file makes. It may be nil.
	Used func(Use)
}

// Name says which account the credentials are of, where the vendor names it.
func (c Config) Name(account string) {
	if c.Named != nil && account != "" {
		c.Named(account)
	}
}

// Observe records that the vendor uses a form of something: the unit of a trip's
// mileage, say. It is shown in the connection's configuration.
func (c Config) Observe(name, form string) {
	if c.Observed != nil {
		c.Observed(name, form)
	}
}

// WithheldForm begins the names of what an account may not read.
const WithheldForm = "withheld "

// WithheldRetry is how often it is tried whether an account may read something by now.
const WithheldRetry = 6 * time.Hour

// Withhold records that the account may not read something that the vendor has, and what it
// takes to read it: a scope, or a plan.
func (c Config) Withhold(field, need string) { c.Observe(WithheldForm+field, need) }

// Permit records that the account may read something: what was withheld before is so no longer.
func (c Config) Permit(field string) { c.Observe(WithheldForm+field, "") }

// Doer sends one request, within the vendor's limits.
type Doer = outbound.Doer

// Credentials are a connection's, by field name.
type Credentials map[string]string

// TokenStore keeps the tokens that a vendor renews, sealed with the
// connection's credentials. Exchange calls renew with the current credentials,
// with no other process inside Exchange for the same connection, and stores what
// it returns before it returns it: a refresh token that may be used once is
// never used twice.
type TokenStore interface {
	Exchange(ctx context.Context, renew func(ctx context.Context, current Credentials) (Credentials, error)) (Credentials, error)
}
