package providertest

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// began is when the clock of each rig starts: a Monday at an hour when some
// vehicles are under way and some are parked.
var began = time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC)

// rig is a fleet, the vendor that serves it, and all that an adapter is given.
type rig struct {
	h       *Harness
	clock   *clocktest.Clock
	fleet   *sim.Fleet
	account *sim.Account
	network *network
	tokens  *tokenStore
	logs    bytes.Buffer
	limits  []provider.Limit
	ages    map[string]time.Duration // of positions when they were first read
	push    *held                    // that is open while others are read

	mu   sync.Mutex
	errs []error
	said []provider.DeviceReading
	// pushed says that all came by the vendor's push, which has no readings where they come
	// by themselves.
	pushed bool
}

// late bounds the delay of records where a test is about late ones. Adapters that
// read by windows must overlap them by more.
const late = 6 * time.Minute

func newRig(t *testing.T, h *Harness, opts sim.Options) *rig {
	t.Helper()
	if opts.Vehicles == 0 {
		opts.Vehicles = 8 // of which one is laid up
	}
	opts.Seed = 11
	r := &rig{h: h, clock: clocktest.New(began), fleet: sim.New(opts)}
	r.account = sim.NewAccount(r.fleet, r.clock.Now, h.Credentials)
	r.network = &network{handler: h.Vendor(r.account), now: r.clock.Now}
	r.tokens = &tokenStore{credentials: r.credentials()}
	t.Cleanup(func() { r.checkSecrets(t) })
	return r
}

// credentials returns the accepted ones, completed as the service does it.
func (r *rig) credentials() provider.Credentials {
	all := provider.Credentials{}
	for _, f := range r.h.Info.Fields {
		if f.Default != "" {
			all[f.Name] = f.Default
		}
	}
	maps.Copy(all, r.h.Credentials)
	all[provider.BaseURLField] = r.baseURL()
	return all
}

func (r *rig) baseURL() string { return "https://vendor.test" + r.h.BasePath }

// adapter makes a new adapter: as after a restart of the process.
func (r *rig) adapter(t *testing.T) provider.Provider {
	t.Helper()
	return r.adapterWith(t, r.tokens.credentials)
}

func (r *rig) adapterWith(t *testing.T, credentials provider.Credentials) provider.Provider {
	t.Helper()
	client := outbound.New(outbound.Options{
		Transport: r.network,
		Now:       r.clock.Now,
		Wait:      func(ctx context.Context, d time.Duration) error { r.pass(t, d); return ctx.Err() },
		Limits:    r.limits,
		Timeout:   10 * time.Minute, // of the machine's time: no vendor of the suite is slow, a busy machine is
		Secrets:   r.h.secrets(credentials),
		Rand:      func() float64 { return 0.5 },
	})
	p, err := r.h.Info.New(provider.Config{
		Credentials: maps.Clone(credentials),
		BaseURL:     r.baseURL(),
		HTTP:        client,
		Pushes:      client,
		Tokens:      r.tokens,
		Now:         r.clock.Now,
		Logger:      slog.New(slog.NewTextHandler(&r.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return &noting{p, r}
}

func (h *Harness) secrets(credentials provider.Credentials) []string {
	var secrets []string
	for _, f := range h.Info.Fields {
		if f.Secret && credentials[f.Name] != "" {
			secrets = append(secrets, credentials[f.Name])
		}
	}
	return secrets
}

// ids returns the vendor's ids of the fleet, as the collector hands them in.
func (r *rig) ids() []string {
	var ids []string
	for _, v := range r.fleet.Vehicles() {
		ids = append(ids, r.h.ID(v))
	}
	return ids
}

// checkSecrets looks for secrets in every error and log of the rig.
func (r *rig) checkSecrets(t *testing.T) {
	t.Helper()
	secrets := append(r.h.secrets(r.h.Credentials), r.account.Tokens()...)
	redactor := outbound.NewRedactor(append(secrets, r.h.secrets(r.tokens.credentials)...))
	texts := []string{r.logs.String()}
	for _, err := range r.errs {
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if clean := redactor.Redact(text); clean != text {
			t.Errorf("a secret in an error or a log: %s", clean)
		}
	}
}

// noting is an adapter whose errors are kept.
type noting struct {
	provider.Provider
	rig *rig
}

func (n *noting) note(err error) {
	if err != nil {
		n.rig.mu.Lock()
		defer n.rig.mu.Unlock()
		n.rig.errs = append(n.rig.errs, err)
	}
}

func (n *noting) Check(ctx context.Context) error {
	err := n.Provider.Check(ctx)
	n.note(err)
	return err
}

func (n *noting) Devices(ctx context.Context, cursor string) (provider.Page[provider.Device], error) {
	page, err := n.Provider.Devices(ctx, cursor)
	n.note(err)
	return page, err
}

func (n *noting) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	page, err := n.Provider.Positions(ctx, q)
	n.note(err)
	n.rig.hear(page.Readings)
	return page, err
}

func (n *noting) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	page, err := n.Provider.Trips(ctx, q)
	n.note(err)
	return page, err
}

func (n *noting) Drivers(ctx context.Context, cursor string) (provider.Page[provider.Driver], error) {
	page, err := n.Provider.Drivers(ctx, cursor)
	n.note(err)
	return page, err
}

// tokenStore keeps credentials over the restarts of an adapter.
type tokenStore struct{ credentials provider.Credentials }

// Exchange implements provider.TokenStore.
func (s *tokenStore) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	renewed, err := renew(ctx, maps.Clone(s.credentials))
	if err != nil {
		return nil, err
	}
	s.credentials = maps.Clone(renewed)
	return renewed, nil
}

var _ http.RoundTripper = (*network)(nil)
