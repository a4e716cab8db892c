package sim

import (
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Account is a fleet as one customer of a vendor sees it there: what the vendor
// has received up to now, behind the credentials that it accepts. Fakes of
// vendors' APIs serve an Account and know nothing else.
type Account struct {
	fleet *Fleet
	now   func() time.Time

	mu          sync.Mutex
	credentials map[string]string
	sessions    map[string]time.Time
	issued      int
	disturbed   Disturbance
	tick        func(ctx context.Context) error
}

// NewAccount returns the account of a fleet. The credentials are those that the
// vendor accepts, by the name of their field.
func NewAccount(fleet *Fleet, now func() time.Time, credentials map[string]string) *Account {
	return &Account{
		fleet:       fleet,
		now:         now,
		credentials: maps.Clone(credentials),
		sessions:    map[string]time.Time{},
	}
}

// Now is the vendor's present.
func (a *Account) Now() time.Time { return a.now() }

// Vehicles returns all vehicles, those that are laid up too.
func (a *Account) Vehicles() []Vehicle { return a.fleet.Vehicles() }

// Vehicle returns the vehicle for which key gives id, such as
// func(v Vehicle) string { return v.VIN }; a nil key is Vehicle.ID.
func (a *Account) Vehicle(id string, key func(Vehicle) string) (Vehicle, bool) {
	for _, v := range a.fleet.Vehicles() {
		if key == nil && v.ID == id || key != nil && key(v) == id {
			return v, true
		}
	}
	return Vehicle{}, false
}

// Positions returns the samples of v with a time in [from, to) that the vendor
// has by now, oldest first.
func (a *Account) Positions(v Vehicle, from, to time.Time) []Sample {
	now := a.now()
	return slices.DeleteFunc(a.fleet.Positions(v, from, earliest(to, now.Add(time.Second))), func(s Sample) bool {
		return s.Received.After(now)
	})
}

// Arrived returns the samples of v that the vendor received in [from, to) and by
// now, in the order of arrival: the shape of a vendor's feed.
func (a *Account) Arrived(v Vehicle, from, to time.Time) []Sample {
	return a.fleet.Arrived(v, from, earliest(to, a.now().Add(time.Nanosecond)))
}

// Latest returns the sample of v with the newest time that the vendor has.
func (a *Account) Latest(v Vehicle) (Sample, bool) {
	now := a.now()
	for back := time.Hour; back <= 10*24*time.Hour; back *= 3 {
		if found := a.Positions(v, now.Add(-back), now.Add(time.Second)); len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return Sample{}, false
}

// Trips returns the trips of v that end in [from, to) and that the vendor has by
// now, oldest first.
func (a *Account) Trips(v Vehicle, from, to time.Time) []Trip {
	now := a.now()
	return slices.DeleteFunc(a.fleet.Trips(v, from, earliest(to, now.Add(time.Second))), func(t Trip) bool {
		return t.Received.After(now)
	})
}

// Accepts reports whether value is the right one of the credential field. A
// field that the account does not have accepts nothing.
func (a *Account) Accepts(field, value string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	want, ok := a.credentials[field]
	return ok && subtle.ConstantTimeCompare([]byte(want), []byte(value)) == 1
}

// Rotate replaces the accepted value of a credential, as vendors do with refresh
// tokens, and returns the new one. The old one is refused from then on.
func (a *Account) Rotate(field string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued++
	a.credentials[field] = fmt.Sprintf("rotated-%s-%06d", field, a.issued)
	return a.credentials[field]
}

// Login opens a session that lasts for lifetime and returns its token.
func (a *Account) Login(lifetime time.Duration) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued++
	token := fmt.Sprintf("session-%032x", mix(a.fleet.opts.Seed, uint64(a.issued)))
	a.sessions[token] = a.now().Add(lifetime)
	return token
}

// LoggedIn reports whether token is of a session that has not ended.
func (a *Account) LoggedIn(token string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	ends, ok := a.sessions[token]
	return ok && a.now().Before(ends)
}

// EndSessions ends all sessions: every token handed out so far is refused.
func (a *Account) EndSessions() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for token := range a.sessions {
		a.sessions[token] = time.Time{}
	}
}

// Tokens returns the tokens of all sessions that ever were, for a check that none
// of them shows up where it must not.
func (a *Account) Tokens() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.sessions))
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Drivers are all who take turns with the vehicles, each once.
func (a *Account) Drivers() []string {
	var ids []string
	for _, v := range a.Vehicles() {
		for _, id := range v.Drivers {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// The names of drivers of a fleet to look at. The numbers of first and of last ones have no common
// divisor, so that few drivers have both in common.
var (
	firstNames = [...]string{
		"Amelia", "Jack", "Mei", "Arjun", "Olivia", "Liam", "Sofia", "Noah", "Zahra", "Tom", "Grace", "Minh", "Ruby", "Ethan", "Leila", "Callum",
		"Hannah", "Daniel", "Ines", "Patrick", "Yuki", "Omar", "Freya",
	}
	lastNames = [...]string{
		"Walker", "Nguyen", "Singh", "Kelly", "Rossi", "Brown", "Chen", "Taylor", "Haddad", "Murphy", "Papadopoulos", "Jones", "Sharma",
		"O'Brien", "Schmidt", "Martin", "Kaya", "Campbell", "Silva",
	}
)

// DriverName is what a driver is called; in a fleet that is not busy, by the id.
func (a *Account) DriverName(id string) string {
	n, err := strconv.Atoi(id)
	if err != nil || a.fleet.opts.Busy == nil {
		return "Driver " + id
	}
	n += int(a.fleet.opts.Seed%1000) * 41
	return firstNames[n%len(firstNames)] + " " + lastNames[n%len(lastNames)]
}
