// Package declared makes adapters from files: a YAML file describes a vendor, which is then read
// like one with an adapter in Go. The file uses the vocabulary of the kit that adapters are made
// of; docs/any-vendor.md explains it.
//
// A file cannot do more than an adapter. Its calls go through Config.HTTP, which guards addresses,
// keeps limits and bounds answers. Values are selected by paths, so nothing in a file can loop.
// Secret credentials can be used only in the section login.
package declared

import (
	"cmp"
	"time"

	"github.com/drover-fleet/drover"
)

// File is what a file says.
type File struct {
	Name     string `yaml:"name"`
	Title    string `yaml:"title"`
	Homepage string `yaml:"homepage"`
	// Address stands before every path that is no address itself.
	Address     string       `yaml:"address"`
	Credentials []Credential `yaml:"credentials"`
	Login       Login        `yaml:"login"`
	// Zone is that of times that have none.
	Zone    string        `yaml:"zone"`
	Layout  string        `yaml:"layout"`
	Limits  []Limit       `yaml:"limits"`
	Errors  []Failure     `yaml:"errors"`
	Timeout time.Duration `yaml:"timeout"`
	Notes   []string      `yaml:"notes"`

	Check     Request   `yaml:"check"`
	Devices   Devices   `yaml:"devices"`
	Positions Positions `yaml:"positions"`
	Trips     *Trips    `yaml:"trips"`
}

// requests are the calls of a file by their keys.
func (f *File) requests() map[string]*Request {
	all := map[string]*Request{"check": &f.Check, "devices": &f.Devices.Request}
	if p := f.Positions; p.Newest != nil {
		all["positions.newest"] = p.Newest
	}
	if f.Positions.Past != nil {
		all["positions.backfill"] = f.Positions.Past
	}
	if f.Positions.Feed != nil {
		all["positions.feed"] = &f.Positions.Feed.Request
	}
	if f.Positions.News != nil {
		all["positions.updates"] = &f.Positions.News.Request
	}
	if f.Trips != nil {
		all["trips"] = &f.Trips.Request
	}
	return all
}

// cursors says what the cursors of live positions are like.
func (f *File) cursors() string {
	switch p := f.Positions; {
	case p.Feed != nil:
		return "feed " + p.Feed.Get + p.Feed.Post + " " + p.Feed.Next
	case p.News != nil:
		return "updates"
	case p.Newest != nil:
		return "newest"
	default:
		return "backfill"
	}
}

// Credential is one entry of the credentials object.
type Credential struct {
	Name     string   `yaml:"name"`
	Title    string   `yaml:"title"`
	Help     string   `yaml:"help"`
	Required bool     `yaml:"required"`
	Secret   bool     `yaml:"secret"`
	Account  bool     `yaml:"account"`
	Default  string   `yaml:"default"`
	Options  []string `yaml:"options"`
}

// Login is how calls are authenticated.
type Login struct {
	Basic  []string          `yaml:"basic"`  // name and password
	Header map[string]string `yaml:"header"` // {token} is that of Token
	Query  map[string]string `yaml:"query"`
	Token  *Token            `yaml:"token"`
}

// Token is the call that gives an access token.
type Token struct {
	Post  string            `yaml:"post"`
	Form  map[string]string `yaml:"form"`
	JSON  map[string]string `yaml:"json"`
	Basic []string          `yaml:"basic"`
	At    string            `yaml:"at"` // where it lies in the answer; access_token
}

// field is where the token lies in the answer.
func (t *Token) field() string { return cmp.Or(t.At, "access_token") }

// Limit is a rate that is kept.
type Limit struct {
	Path       string        `yaml:"path"`
	Requests   int           `yaml:"requests"`
	Per        time.Duration `yaml:"per"`
	Concurrent int           `yaml:"concurrent"`
}

// Failure is what an answer means that is none.
type Failure struct {
	Status   int      `yaml:"status"`
	Contains string   `yaml:"contains"`
	Path     string   `yaml:"path"` // in an answer of status 200
	Is       []string `yaml:"is"`
	Means    string   `yaml:"means"`
	Says     string   `yaml:"says"`
}

// Request is a call, and where the records lie in its answer.
type Request struct {
	Get   string            `yaml:"get"`
	Post  string            `yaml:"post"`
	Query map[string]string `yaml:"query"`
	Body  map[string]string `yaml:"body"`
	Pages *Pages            `yaml:"pages"`
	// Records is the list, Record the object within each of its rows, and Within the one
	// in which fields lie: a path that begins with a slash leaves it again.
	Records string `yaml:"records"`
	Record  string `yaml:"record"`
	Within  string `yaml:"within"`
	// Device is the id of the device that a record is about.
	Device *Value `yaml:"device"`
	// Where and Unless choose records by values.
	Where  map[string][]string `yaml:"where"`
	Unless map[string][]string `yaml:"unless"`
	// MissingIsEmpty says that 404 means that there are no records.
	MissingIsEmpty bool `yaml:"missing_is_empty"`

	// Window is the longest span of one call, Before and After what a span is widened by,
	// and Overlap how much is read again for late records.
	Window  time.Duration `yaml:"window"`
	Before  time.Duration `yaml:"before"`
	After   time.Duration `yaml:"after"`
	Overlap time.Duration `yaml:"overlap"`

	part     string // its key
	from, to int    // its lines
}

// Pages is how a list is paged: by exactly one of Number, Skip and Cursor, which are the
// parameters.
type Pages struct {
	Number string `yaml:"number"`
	Skip   string `yaml:"skip"`
	Cursor string `yaml:"cursor"`
	Size   int    `yaml:"size"`
	Total  string `yaml:"total"` // how many records there are
	Next   string `yaml:"next"`  // the cursor of the next page
	More   string `yaml:"more"`  // whether there is one
}

// Devices is the list of the fleet.
type Devices struct {
	Request `yaml:",inline"`
	Every   time.Duration `yaml:"every"`
	Fields  DeviceFields  `yaml:"fields"`
}

// DeviceFields are those of a device.
type DeviceFields struct {
	Description  *Value `yaml:"description"`
	Registration *Value `yaml:"registration"`
	Make         *Value `yaml:"make"`
	Model        *Value `yaml:"model"`
	Year         *Value `yaml:"year"`
	Active       *Value `yaml:"active"`
}

// Positions are how positions are read, which is said by the calls there are: newest alone,
// backfill with or without newest or updates, or a feed.
type Positions struct {
	Every  time.Duration  `yaml:"every"`
	Newest *Request       `yaml:"newest"`
	Feed   *Feed          `yaml:"feed"`
	Past   *Request       `yaml:"backfill"`
	News   *Updates       `yaml:"updates"`
	Fields PositionFields `yaml:"fields"`
	// Readings are of the vehicle's instruments.
	Readings []Reading `yaml:"readings"`
}

// Feed is a call that has a cursor of the vendor's.
type Feed struct {
	Request `yaml:",inline"`
	Next    string `yaml:"next"`
	More    string `yaml:"more"`
}

// Updates is a call that says of which devices there is something new.
type Updates struct {
	Request `yaml:",inline"`
	Time    *Value `yaml:"time"`
}

// PositionFields are those of a position.
type PositionFields struct {
	Time      *Value `yaml:"time"`
	Latitude  *Value `yaml:"latitude"`
	Longitude *Value `yaml:"longitude"`
	Heading   *Value `yaml:"heading"`
	Speed     *Value `yaml:"speed"`
	Driver    *Value `yaml:"driver"`
	Ignition  *Value `yaml:"ignition"`
	Auxiliary *Value `yaml:"auxiliary"`
	Odometer  *Value `yaml:"odometer"`
}

// Reading is one of a vehicle's instruments.
type Reading struct {
	Kind      drover.ReadingKind   `yaml:"kind"`
	Name      string               `yaml:"name"`
	Value     *Value               `yaml:"value"`
	Source    drover.ReadingSource `yaml:"source"`
	Channel   string               `yaml:"channel"`
	NeverZero bool                 `yaml:"never_zero"`
}

// Trips are how trips are read: by windows.
type Trips struct {
	Request `yaml:",inline"`
	Every   time.Duration `yaml:"every"`
	Fields  TripFields    `yaml:"fields"`
}

// TripFields are those of a trip.
type TripFields struct {
	ID             *Value `yaml:"id"`
	Start          *Value `yaml:"start"`
	End            *Value `yaml:"end"`
	StartLatitude  *Value `yaml:"start_latitude"`
	StartLongitude *Value `yaml:"start_longitude"`
	EndLatitude    *Value `yaml:"end_latitude"`
	EndLongitude   *Value `yaml:"end_longitude"`
	Distance       *Value `yaml:"distance"`
	Driving        *Value `yaml:"driving"`
	Idling         *Value `yaml:"idling"`
	Auxiliary      *Value `yaml:"auxiliary"`
	Driver         *Value `yaml:"driver"`
}
