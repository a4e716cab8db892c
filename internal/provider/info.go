package provider

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// Info describes an adapter. It is data, the same for every connection.
type Info struct {
	Name     drover.ProviderName
	Title    string // the vendor's own spelling
	Homepage string // host and path of the vendor's API documentation, for people
	Fields   []Field
	Features Features
	// Readings are the instruments of which the vendor says something, those that only
	// some vehicles have among them.
	Readings []drover.ReadingSeries
	// Faults says how the vendor reports faults; nil where it does not.
	Faults *Besides
	// Safety says how the vendor reports safety events; nil where it does not.
	Safety *Safety
	// Assignments says how the vendor states who drove; nil where it does not.
	Assignments *Assignments
	Limits      []Limit
	Poll        Poll
	// Push is how the vendor sends positions by itself; nil where it does not.
	Push *Push
	// Units are those that the adapter takes the vendor's numbers to be in, where they
	// are not km/h and metres.
	Units drover.Units
	// Assumed are what the vendor's documentation leaves open and the adapter takes
	// for granted, one sentence each, by the check of the data that will show it: the
	// verdict takes the sentence's place.
	Assumed map[string]string
	// Notices are those that the vendor sends by itself; nil where it sends none.
	Notices *Notices
	// Records says that there is no vendor to ask: a tenant's own programs send records.
	Records bool
	// OAuth is how a person agrees to the access, for vendors that want that.
	OAuth *OAuth
	// Timeout bounds each call, for vendors that take long to answer; zero is the
	// 30 seconds that others get.
	Timeout time.Duration
	// Notes are what a user should know: how to get credentials, what is
	// derived, what could not be verified. One sentence each.
	Notes []string
	// File is the text that the adapter comes of; nil for those in Go.
	File *File
	// New makes an adapter for one connection. It does no network call.
	New func(Config) (Provider, error)
}

// Field is one entry of the credentials object.
type Field struct {
	Name     string
	Title    string
	Help     string
	Required bool
	Secret   bool
	Account  bool     // names the account at the vendor, in full or in part
	Address  bool     // is called: checked as BaseURLField is
	Default  string   // used where the field is absent
	Options  []string // the closed set of values, where there is one
	// RequiredUnless names fields of which any one makes this one optional: a
	// token or a password, say.
	RequiredUnless []string
}

// BaseURLField is the name of the field that replaces a vendor's address. Every
// adapter accepts it.
const BaseURLField = "base_url"

// Features says what a vendor can report. What it cannot is null in the records.
type Features struct {
	Feed     bool // positions by a cursor of the vendor's own, rather than by time
	Backfill bool // positions of a past window can be read
	// Snapshot says that the live push tells only the newest position of each
	// device. Where there is history, the track between two polls is read from it
	// every hour.
	Snapshot bool
	Trips    bool // trips are native; otherwise derived from positions
	// TripsNeed names the credential without which trips are derived all the same.
	TripsNeed string
	Heading   bool
	Speed     bool
	Driver    bool
	// Drivers says that the persons who drive are listed, and DriversNeed what the account
	// needs for that.
	Drivers     bool
	DriversNeed string
	Ignition    bool
	Odometer    bool
	Idling      bool
	Auxiliary   bool
}

// Limit is a rate that the vendor declares, or that we keep out of caution.
type Limit = outbound.Limit

// Poll is how often each push is read. A Trips of zero means that trips are
// derived.
type Poll struct {
	Devices   time.Duration
	Positions time.Duration
	Trips     time.Duration
	// TripsAfter is how long after its end a trip is reported at the earliest: the vendor, or
	// the adapter, waits whether the vehicle goes on.
	TripsAfter time.Duration
	// Window is the largest span of one historic query; zero means a day.
	Window time.Duration
}

// Fresh returns how old a position may be when it is read, for nearly all positions of a
// fleet of 500 within the limits: from the push, where there is one, and otherwise once
// in an interval.
func (i Info) Fresh() time.Duration {
	if i.Push != nil {
		return i.Push.Freshness
	}
	return i.Poll.Positions
}

// PollSeconds is how often positions are asked for where the vendor does not send them
// itself; an interval of the operator's, which is not zero, goes before the provider's.
func (i Info) PollSeconds(chosen time.Duration) int {
	return int(math.Ceil(cmp.Or(chosen, i.Poll.Positions).Seconds()))
}

// Reading is how the data of a connection are read that has units of its own, for
// the judgement of what they say.
func (i Info) Reading(set *drover.Units) quality.Context {
	if set == nil {
		set = &drover.Units{}
	}
	return quality.Reading(i.Units, *set, i.Assumed)
}

// Account is the account as the credentials name it; nil where they do not.
func (i Info) Account(credentials Credentials) *string {
	var names []string
	for _, f := range i.Fields {
		if name := strings.TrimSpace(credentials[f.Name]); f.Account && name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return new(strings.Join(names, ", "))
}

// Hints are the notes with what is assumed, for people.
func (i Info) Hints() []string {
	hints := slices.Clone(i.Notes)
	for _, check := range slices.Sorted(maps.Keys(i.Assumed)) {
		hints = append(hints, i.Assumed[check]+" A connection's health says what its data show.")
	}
	return hints
}

// NativeTrips reports whether a connection with these credentials reads trips
// from the vendor.
func (i Info) NativeTrips(credentials Credentials) bool {
	need := i.Features.TripsNeed
	return i.Features.Trips && (need == "" || credentials[need] != "")
}
