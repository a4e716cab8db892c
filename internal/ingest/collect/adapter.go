package collect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/redact"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// adapters keeps one adapter for each connection, with its session.
type adapters struct {
	mu   sync.Mutex
	open map[string]*adapter
}

// adapter is what this process holds of a connection between two turns.
type adapter struct {
	provider.Provider
	info   provider.Info
	sealed []byte     // the credentials that it was made with
	claim  work.Claim // of the run that uses it
	// credentials are the ones of sealed, and renewed the names of those among
	// them that the vendor renews.
	credentials provider.Credentials
	renewed     map[string]bool
	forms       observedForms
	uses        fileUses
	impossible  impossible
	watch       watch
	feed        feed
	// storing is held while a page is committed: what a push says is stored beside
	// what is polled.
	storing sync.Mutex
	newFile time.Time   // until when a new version of the provider's file is left alone
	tap     *redact.Tap // in the place of the transport, for a probe
	// rounds are when the round of a live job of positions that is under way began.
	rounds map[string]drover.Time
	// ended are the ends of trips that positions have shown, and the vendor has not been
	// asked for.
	ended endings
	// devices are ids by the vendor's id. They never change, so they are kept.
	devices map[string]string
}

// adapter returns the connection's adapter, made again where the credentials have
// changed, or the file that describes the provider.
func (c *Collector) adapter(ctx context.Context, conn drover.Connection, info provider.Info) (*adapter, error) {
	sealed, err := c.opts.Store.Fleet.Credentials(ctx, conn.TenantID, conn.ID)
	if err != nil {
		return nil, internal(err)
	}
	c.adapters.mu.Lock()
	a := c.adapters.open[conn.ID]
	c.adapters.mu.Unlock()
	if a != nil && versionOf(a.info) != versionOf(info) {
		a = nil
	}
	if a != nil && bytes.Equal(a.sealed, sealed) {
		return a, nil
	}
	credentials, err := c.openCredentials(ctx, conn, sealed)
	if err != nil {
		return nil, internal(err)
	}
	if a != nil && a.differsByTokens(credentials) {
		// Another process renewed a token. The session at hand is good all the
		// same, and the token is read again when it is needed.
		a.sealed, a.credentials = sealed, credentials
		return a, nil
	}
	if a, err = c.newAdapter(conn, info, sealed, credentials); err != nil {
		return nil, err
	}
	c.adapters.mu.Lock()
	defer c.adapters.mu.Unlock()
	if c.adapters.open == nil {
		c.adapters.open = map[string]*adapter{}
	}
	c.adapters.open[conn.ID] = a
	return a, nil
}

func (c *Collector) newAdapter(
	conn drover.Connection, info provider.Info, sealed []byte, credentials provider.Credentials,
) (*adapter, error) {
	if info.New == nil {
		return nil, provider.Errorf(provider.KindPermanent, "there is no adapter for %s", conn.IntegrationName)
	}
	a := &adapter{
		info: info, sealed: sealed, credentials: credentials, renewed: map[string]bool{}, rounds: map[string]drover.Time{},
		devices: map[string]string{},
	}
	var err error
	a.Provider, err = info.New(c.config(conn, info, credentials, a))
	return a, err
}

// differsByTokens reports whether credentials are the adapter's own but for what
// the vendor renews.
func (a *adapter) differsByTokens(credentials provider.Credentials) bool {
	if len(a.renewed) == 0 {
		return false
	}
	own, other := maps.Clone(a.credentials), maps.Clone(credentials)
	for name := range a.renewed {
		delete(own, name)
		delete(other, name)
	}
	return maps.Equal(own, other)
}

func (c *Collector) openCredentials(ctx context.Context, conn drover.Connection, sealed []byte) (provider.Credentials, error) {
	plain, err := c.opts.Vault.Open(ctx, sealed, conn.TenantID, conn.ID)
	if err != nil {
		return nil, fmt.Errorf("open credentials: %w", err)
	}
	var credentials provider.Credentials
	if err := json.Unmarshal(plain, &credentials); err != nil {
		return nil, errors.New("open credentials: the sealed text is no object")
	}
	return credentials, nil
}

// config gives an adapter what it works with: defaults filled in, an outbound
// client of its own, paced by the vendor's limits, that knows what to redact.
func (c *Collector) config(conn drover.Connection, info provider.Info, credentials provider.Credentials, a *adapter) provider.Config {
	full := maps.Clone(credentials)
	var secrets []string
	for _, f := range info.Fields {
		if full[f.Name] == "" && f.Default != "" {
			full[f.Name] = f.Default
		}
		if f.Secret && full[f.Name] != "" {
			secrets = append(secrets, full[f.Name])
		}
	}
	var origins *outbound.Origins
	if conn.TenantID != "" {
		origins = c.opts.Origins
	}
	transport := c.opts.Transport
	if a != nil && a.tap != nil {
		transport = a.tap
	} else if a != nil {
		transport = dated{transport, c.opts.Now, &a.watch.clock}
	}
	client := outbound.New(outbound.Options{
		Transport: transport, Now: c.opts.Now, Wait: c.opts.Wait, Rand: c.opts.Rand, Limits: c.limits(info, full), Secrets: secrets,
		UserAgent: c.opts.UserAgent, Timeout: info.Timeout,
		Budget: c.opts.Budget, Origins: origins, Tenant: conn.TenantID,
	})
	return provider.Config{
		Credentials: full,
		BaseURL:     strings.TrimRight(full[provider.BaseURLField], "/"),
		HTTP:        client,
		Pushes:      client,
		Tokens:      &tokenStore{c: c, conn: conn, adapter: a},
		Observed:    a.observe,
		Used:        a.use,
		Now:         c.opts.Now,
		Logger:      c.opts.Logger.With("connection", conn.ID, "provider", conn.IntegrationName),
	}
}

// limits are those of a vendor that is somewhere else.
func (c *Collector) limits(info provider.Info, credentials provider.Credentials) []provider.Limit {
	base, err := url.Parse(credentials[provider.BaseURLField])
	if err == nil && c.opts.Inside != nil && c.opts.Inside(base.Host) {
		return nil
	}
	return info.Limits
}

// keep takes over credentials that were renewed.
func (a *adapter) keep(sealed []byte, before, after provider.Credentials) {
	for name, value := range after {
		if before[name] != value {
			a.renewed[name] = true
		}
	}
	a.sealed, a.credentials = sealed, after
}

// tokenStore keeps renewed tokens with the credentials. Anyone who calls a vendor
// holds the connection's lease, so no other process renews meanwhile.
type tokenStore struct {
	c       *Collector
	conn    drover.Connection
	adapter *adapter
}

// Exchange implements provider.TokenStore. Only the one who holds the lease may use
// the token. The new one is stored before it is used, also where the lease has run
// out meanwhile: the vendor has taken the old one back.
func (t *tokenStore) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	err := t.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.HoldLease(ctx, t.adapter.claim, t.c.leaseEnd()) })
	if err != nil {
		return nil, internal(err)
	}
	sealed, err := t.c.opts.Store.Fleet.Credentials(ctx, t.conn.TenantID, t.conn.ID)
	if err != nil {
		return nil, internal(err)
	}
	current, err := t.c.openCredentials(ctx, t.conn, sealed)
	if err != nil {
		return nil, internal(err)
	}
	renewed, err := renew(ctx, maps.Clone(current))
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(renewed)
	if err != nil {
		return nil, errors.New("write credentials")
	}
	if sealed, err = t.c.opts.Vault.Seal(plain, t.conn.TenantID, t.conn.ID); err != nil {
		return nil, fmt.Errorf("seal credentials: %w", err)
	}
	// The vendor has answered: a caller who has gone must not lose the token.
	ctx = context.WithoutCancel(ctx)
	err = t.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Fleet.SetCredentials(ctx, store.Sealed{TenantID: t.conn.TenantID, ID: t.conn.ID, Sealed: sealed})
	})
	if err != nil {
		return nil, internal(err)
	}
	t.adapter.keep(sealed, current, renewed)
	return renewed, nil
}
