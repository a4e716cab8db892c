package contract_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/history"
)

// The users of a world. All have the same password.
const (
	password = "correct horse battery staple"

	alice = "alice" // admin of alpha, whose records no test changes
	mark  = "mark"  // member of alpha
	vera  = "vera"  // viewer of alpha
	bob   = "bob"   // admin of beta, which has nothing to do with alpha
	carol = "carol" // admin of gamma, with which alpha shares a connection
	wanda = "wanda" // admin of work, whose records are there to be changed
	will  = "will"  // member of work
	dora  = "dora"  // disabled user of alpha
	sam   = "sam"   // user of a suspended tenant

	operator = "operator" // a key of the operator with all scopes
)

// publicURL needs no name server and lies in no private network.
const publicURL = "https://93.184.216.34/api"

// The end points of every milestone: Munich to Nuremberg.
var (
	munich    = drover.Coordinate{Latitude: 48.137154, Longitude: 11.576124}
	nuremberg = drover.Coordinate{Latitude: 49.452103, Longitude: 11.076665}
)

// world is the records of a service. Their ids are known by name, such as
// $device in a table's path or body.
type world struct {
	service *service
	tokens  map[string]identity.Tokens
	ids     map[string]string
}

// onceHash hashes the password once for all worlds: it is made to be slow.
var onceHash = sync.OnceValues(func() (string, error) { return auth.Hash(password, rand.Reader) })

func newWorld(tb testing.TB, s *service) *world {
	tb.Helper()
	w := &world{service: s, tokens: map[string]identity.Tokens{}, ids: map[string]string{
		"unknown": "01900000-0000-7000-8000-000000000000",
	}}
	w.addTenants(tb)
	w.addUsers(tb)
	w.addAlpha(tb)
	w.addOthers(tb)
	w.addTokens(tb)
	w.addOperators(tb)
	return w
}

func (w *world) update(tb testing.TB, f func(tx *store.Tx) error) {
	tb.Helper()
	if err := w.service.app.Store.Update(tb.Context(), f); err != nil {
		tb.Fatal(err)
	}
}

// name gives a new id a name.
func (w *world) name(name string) string {
	id := store.NewID()
	w.ids[name] = id
	return id
}

func (w *world) addTenants(tb testing.TB) {
	tb.Helper()
	w.update(tb, func(tx *store.Tx) error {
		for _, name := range []string{"alpha", "beta", "gamma", "work", "closed"} {
			tenant := drover.Tenant{ID: w.name(name), Name: name, Suspended: name == "closed", CreatedAt: drover.At(present)}
			if err := tx.Accounts.AddTenant(tb.Context(), tenant); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *world) addUsers(tb testing.TB) {
	tb.Helper()
	hash, err := onceHash()
	if err != nil {
		tb.Fatal(err)
	}
	w.update(tb, func(tx *store.Tx) error {
		for _, u := range []drover.User{
			{Username: alice, TenantID: w.ids["alpha"], Role: drover.RoleAdmin},
			{Username: mark, TenantID: w.ids["alpha"], Role: drover.RoleMember},
			{Username: vera, TenantID: w.ids["alpha"], Role: drover.RoleViewer},
			{Username: dora, TenantID: w.ids["alpha"], Role: drover.RoleMember, Disabled: true},
			{Username: bob, TenantID: w.ids["beta"], Role: drover.RoleAdmin},
			{Username: carol, TenantID: w.ids["gamma"], Role: drover.RoleAdmin},
			{Username: wanda, TenantID: w.ids["work"], Role: drover.RoleAdmin},
			{Username: will, TenantID: w.ids["work"], Role: drover.RoleMember},
			{Username: sam, TenantID: w.ids["closed"], Role: drover.RoleAdmin},
		} {
			u.ID, u.Email, u.CreatedAt = w.name(u.Username+"_sub"), u.Username+"@Mail.example", drover.At(present)
			if err := tx.Accounts.AddUser(tb.Context(), u, hash); err != nil {
				return err
			}
		}
		return tx.SignIn.AddPasskey(tb.Context(), account.Passkey{
			Passkey:  drover.Passkey{ID: w.name("passkey"), Name: "Laptop", CreatedAt: drover.At(present)},
			TenantID: w.ids["alpha"], UserID: w.ids[alice+"_sub"], Credential: "YWxpY2U", PublicKey: []byte("none"),
		})
	})
	w.addKeys(tb)
	for user, tenant := range map[string]string{
		alice: "alpha", mark: "alpha", vera: "alpha", bob: "beta", carol: "gamma", wanda: "work", will: "work",
	} {
		w.tokens[user] = w.openSession(tb, tenant, user)
		w.ids[user+"_access"], w.ids[user+"_refresh"] = w.tokens[user].AccessToken, w.tokens[user].RefreshToken
	}
}

// addUser adds a user with the password of all.
func (w *world) addUser(tb testing.TB, u drover.User) string {
	tb.Helper()
	hash, err := onceHash()
	if err != nil {
		tb.Fatal(err)
	}
	u.ID, u.Email, u.CreatedAt = store.NewID(), u.Username+"@Mail.example", drover.At(present)
	w.update(tb, func(tx *store.Tx) error { return tx.Accounts.AddUser(tb.Context(), u, hash) })
	return u.ID
}

// addKeys makes API keys: one of alpha that may only read, and others of work.
func (w *world) addKeys(tb testing.TB) {
	tb.Helper()
	for _, k := range []struct {
		tenant, name string
		in           drover.APIKeyInput
	}{
		{"alpha", "api_key", drover.APIKeyInput{Name: "reader", Scopes: []drover.Permission{drover.PermissionRead}}},
		{"alpha", "other_key", drover.APIKeyInput{Name: "other", Role: new(drover.RoleMember)}},
		{"work", "writer_key", drover.APIKeyInput{Name: "writer", Scopes: []drover.Permission{drover.PermissionWrite}}},
		{"work", "admin_key", drover.APIKeyInput{Name: "admin", Role: new(drover.RoleAdmin)}},
		{"work", "keeper_key", drover.APIKeyInput{Name: "keeper", Scopes: []drover.Permission{drover.PermissionAdmin}}},
		{"work", "bound_admin_key", drover.APIKeyInput{
			Name: "bound admin", Role: new(drover.RoleAdmin), Networks: []string{"10.0.0.0/8"}, ExpiresAt: new(drover.At(present.Add(time.Hour))),
		}},
		{"work", "short_key", drover.APIKeyInput{
			Name: "short", Role: new(drover.RoleViewer),
			ExpiresAt: new(drover.At(present.Add(time.Minute))),
		}},
		{"work", "bound_key", drover.APIKeyInput{Name: "bound", Role: new(drover.RoleViewer), Networks: []string{"10.0.0.0/8"}}},
		{"work", "astray_key", drover.APIKeyInput{Name: "astray", Role: new(drover.RoleViewer), Networks: []string{"192.0.2.1"}}},
		{"closed", "closed_key", drover.APIKeyInput{Name: "closed", Role: new(drover.RoleViewer)}},
	} {
		created, err := w.service.app.Fleet.Identity.CreateAPIKey(tb.Context(), w.admin(k.tenant), k.in)
		if err != nil {
			tb.Fatal(err)
		}
		w.ids[k.name], w.ids[k.name+"_secret"] = created.ID, created.Key
	}
}

// admin is the principal of a tenant's administrator.
func (w *world) admin(tenant string) drover.Principal {
	return drover.Principal{TenantID: w.ids[tenant], Role: drover.RoleAdmin}
}

// addConnection goes through the same door as a tenant's own.
func (w *world) addConnection(tb testing.TB, tenant, name string, in drover.ConnectionInput) string {
	tb.Helper()
	in.IntegrationName = drover.Traccar
	in.Credentials = map[string]string{"base_url": publicURL, "token": tenant + "-secret"}
	c, err := w.service.app.Fleet.Connections.CreateConnection(tb.Context(), w.admin(tenant), in)
	if err != nil {
		tb.Fatal(err)
	}
	w.ids[name] = c.ID
	return c.ID
}

func (w *world) addDevice(tb testing.TB, tenant, name, connection string, d drover.Device) string {
	tb.Helper()
	d.ID, d.ConnectionID = w.name(name), w.ids[connection]
	if d.SystemDeviceID == "" {
		d.SystemDeviceID = "system-" + d.ID
	}
	w.update(tb, func(tx *store.Tx) error {
		return tx.Fleet.AddDevice(tb.Context(), w.ids[tenant], d, drover.At(present))
	})
	return d.ID
}

func (w *world) addTrip(tb testing.TB, tenant, name, connection, device string, trip drover.Trip) store.Trip {
	tb.Helper()
	trip.ID, trip.DeviceID, trip.SystemTripID = w.name(name), w.ids[device], "system-"+name
	stored := store.Trip{Trip: trip, Access: store.Access{TenantID: w.ids[tenant]}, ConnectionID: w.ids[connection]}
	w.update(tb, func(tx *store.Tx) error { return tx.Trips.AddTrip(tb.Context(), stored) })
	return stored
}

// addHistory stores positions of a device from which nothing follows.
func (w *world) addHistory(tb testing.TB, tenant, device string, positions ...drover.Position) {
	tb.Helper()
	rows := make([]history.Position, len(positions))
	for i, p := range positions {
		rows[i] = history.Of(w.ids[device], p)
	}
	w.update(tb, func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(tb.Context(), w.ids[tenant], rows)
		return err
	})
}

// changeTrip stores more of a trip: why it is as it is, or who drove.
func (w *world) changeTrip(tb testing.TB, t store.Trip, change func(*store.Trip)) {
	tb.Helper()
	after := t
	change(&after)
	w.update(tb, func(tx *store.Tx) error { return tx.Trips.SetTrip(tb.Context(), t, after) })
}

func (w *world) addStop(tb testing.TB, tenant, name, connection, device string, stop drover.Stop) {
	tb.Helper()
	stop.ID, stop.DeviceID = w.name(name), w.ids[device]
	w.update(tb, func(tx *store.Tx) error {
		return tx.Trips.AddStop(tb.Context(), w.ids[tenant], w.ids[connection], store.Stop{Stop: stop})
	})
}

// setOpenStop adds a stop that goes on.
func (w *world) setOpenStop(tb testing.TB, tenant, name, connection, device string, stop drover.Stop) {
	tb.Helper()
	stop.ID, stop.DeviceID = w.name(name), w.ids[device]
	w.update(tb, func(tx *store.Tx) error {
		return tx.Trips.SetOpenStop(tb.Context(), w.ids[tenant], w.ids[connection], stop)
	})
}

// addMilestone tracks a device of owner for a tenant.
func (w *world) addMilestone(tb testing.TB, tenant, owner, name, device string, m drover.Milestone) string {
	tb.Helper()
	m.ID, m.TenantID, m.DeviceID = w.name(name), w.ids[tenant], w.ids[device]
	m.StartPoint, m.EndPoint, m.StartTime = munich, nuremberg, drover.At(present.Add(-2*time.Hour))
	m.CreatedAt, m.UpdatedAt = drover.At(present.Add(-3*time.Hour)), drover.At(present.Add(-3*time.Hour))
	state := milestone.Fresh()
	if m.Status != "" {
		state.Status, state.StartedAt = m.Status, &m.StartTime
	}
	if m.Status == drover.TripEnded {
		state.EndedAt = drover.TimePtr(present.Add(-time.Hour))
	}
	m.Status = state.Status
	text, err := json.Marshal(state)
	if err != nil {
		tb.Fatal(err)
	}
	w.update(tb, func(tx *store.Tx) error {
		d, err := tx.Fleet.Device(tb.Context(), w.ids[owner], m.DeviceID)
		return errors.Join(err, tx.Trips.AddMilestone(tb.Context(), store.Milestone{
			Milestone: m, DeviceTenantID: w.ids[owner], ConnectionID: &d.ConnectionID, State: text,
		}))
	})
	return m.ID
}

func (w *world) addWebhook(tb testing.TB, tenant, name string, h drover.Webhook) {
	tb.Helper()
	h.ID, h.CreatedAt, h.UpdatedAt = w.name(name), drover.At(present.Add(-time.Hour)), drover.At(present)
	sealed, err := w.service.app.Vault.Seal([]byte(`[{"secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}]`), w.ids[tenant], h.ID)
	if err != nil {
		tb.Fatal(err)
	}
	w.update(tb, func(tx *store.Tx) error {
		return tx.Webhooks.AddWebhook(tb.Context(), store.Webhook{Webhook: h, TenantID: w.ids[tenant]}, sealed)
	})
}

// noFilters is a webhook's filters that let everything pass.
func noFilters() drover.WebhookFilters {
	return drover.WebhookFilters{
		ConnectionIDs: []string{}, Tags: []string{}, DeviceIDs: []string{},
		ConnectionDevices: []drover.ConnectionDevices{},
	}
}
