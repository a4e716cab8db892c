package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

type connectionCommand struct {
	List      connectionList      `cmd:"" help:"List connections with their state."`
	Check     connectionCheck     `cmd:"" help:"Check a connection's credentials at its provider."`
	Probe     connectionProbe     `cmd:"" help:"Probe a connection's provider and write a report without private data."`
	Sync      connectionSync      `cmd:"" help:"Collect a connection now, or backfill a window of the past."`
	Recompute connectionRecompute `cmd:"" help:"Derive a connection's trips of a window again, or list such jobs."`
	Authorize connectionAuthorize `cmd:"" help:"Guide a person through the consent of a provider."`
}

// connections is what the commands about connections work with.
type connections struct {
	config.Store
	config.Log
	providerFolder
	AllowNetwork []netip.Prefix `help:"Private or special network in which a provider may be called; repeatable." env:"DROVER_ALLOW_NETWORK" placeholder:"CIDR"`
}

// tokenLifetime is the default of the service. The commands hand out no token.
const tokenLifetime = 720 * time.Hour

// read is for what only reads, and neither needs keys nor makes them.
func (c *connections) read(w world, f func(s *store.Store, cases *fleet.Service) error) error {
	providers, err := providersWith(w, c.ProviderDir)
	if err != nil {
		return err
	}
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		return f(s, fleet.New(fleet.Options{Store: s, Providers: providers, Now: time.Now}))
	})
}

// with puts the service together without running it. It goes on beside one that
// runs: anyone who calls a provider holds the connection's lease.
func (c *connections) with(w world, f func(a *app.App) error) error {
	a, err := app.New(w, config.Serve{
		Store: c.Store, Log: c.Log, AllowNetwork: c.AllowNetwork, ProviderExtra: drover.ExtraProviderNames, ProviderDir: c.ProviderDir,
		Role: "api", MaxInFlight: 1, MaxStreams: 1, StreamHeartbeat: time.Minute,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: tokenLifetime, MilestoneTimeout: time.Hour, MilestoneRadius: 1,
	}, app.Options{Logger: newLogger(w, c.Log), Version: versionText()})
	if err != nil {
		return err
	}
	defer a.Close()
	return f(a)
}

// operator is who the command line acts as: an admin of the connection's tenant.
func operator(tenantID string) drover.Principal {
	return drover.Principal{TenantID: tenantID, Role: drover.RoleAdmin}
}

type connectionList struct {
	connections
	listing
	Tenant string `help:"Name of the tenant; default all." placeholder:"NAME"`
}

func (connectionList) Help() string {
	return example("drover connection list", "drover connection list --tenant northern-haulage --json")
}

// listedConnection is a connection as a program reads it.
type listedConnection struct {
	drover.Connection
	TenantName string                  `json:"tenant_name"`
	Health     drover.ConnectionHealth `json:"health"`
}

func (c *connectionList) Run(w world) error {
	return c.read(w, func(s *store.Store, cases *fleet.Service) error {
		tenants, err := c.tenants(w, s)
		if err != nil {
			return err
		}
		records := []listedConnection{}
		rows := [][]string{{"ID", "TENANT", "PROVIDER", "BUSINESS", "STATE", "LAST SUCCESS", "NEXT RUN", "PROBLEM"}}
		for _, t := range tenants {
			list, err := s.Fleet.Connections(w, t.ID, "")
			if err != nil {
				return err
			}
			for _, conn := range list {
				if conn.TenantID != t.ID { // shared with it: it is in its owner's list
					continue
				}
				h, err := cases.Connections.ConnectionHealth(w, operator(t.ID), conn.ID)
				if err != nil {
					return err
				}
				rows = append(rows, []string{
					conn.ID, t.Name, string(conn.IntegrationName), conn.BusinessName, string(h.State), orDash(h.LastSuccessAt), orDash(h.NextRunAt),
					problem(h.ConnectionHealth),
				})
				records = append(records, listedConnection{conn, t.Name, h.ConnectionHealth})
			}
		}
		return c.print(w, rows, records)
	})
}

func (c *connectionList) tenants(ctx context.Context, s *store.Store) ([]drover.Tenant, error) {
	every, err := s.Accounts.Tenants(ctx)
	if err != nil || c.Tenant == "" {
		return every, err
	}
	one := slices.DeleteFunc(every, func(t drover.Tenant) bool { return t.Name != c.Tenant })
	if len(one) == 0 {
		return nil, fmt.Errorf("there is no tenant named %q", c.Tenant)
	}
	return one, nil
}

func orDash(t *drover.Time) string {
	if t == nil {
		return "-"
	}
	return t.String()
}

func problem(h drover.ConnectionHealth) string {
	if h.Message == nil {
		return "-"
	}
	return *h.Message
}

// connectionID names a connection.
type connectionID struct {
	connections
	ID string `arg:"" help:"Id of the connection, or its business name."`
}

// find runs f with the connection, no matter who owns it. The service is put together only
// where there is one: doing so makes the keys of an installation that has none.
func (c *connectionID) find(w world, f func(a *app.App, conn drover.Connection) error) error {
	var found drover.Connection
	err := c.read(w, func(s *store.Store, _ *fleet.Service) (err error) {
		found, err = c.lookUp(w, s)
		return err
	})
	if err != nil {
		return err
	}
	return c.with(w, func(a *app.App) error { return f(a, found) })
}

func (c *connectionID) lookUp(ctx context.Context, s *store.Store) (drover.Connection, error) {
	conn, err := s.Fleet.Connection(ctx, store.NewID(), c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return c.named(ctx, s)
	}
	return conn.Connection, err
}

// named finds the one connection of that business name.
func (c *connectionID) named(ctx context.Context, s *store.Store) (found drover.Connection, err error) {
	tenants, err := s.Accounts.Tenants(ctx)
	if err != nil {
		return found, err
	}
	n := 0
	for _, t := range tenants {
		list, err := s.Fleet.Connections(ctx, t.ID, "")
		if err != nil {
			return found, err
		}
		for _, conn := range list {
			if conn.TenantID == t.ID && conn.BusinessName == c.ID {
				found, n = conn, n+1
			}
		}
	}
	switch n {
	case 0:
		return found, fmt.Errorf("there is no connection with the id %s; see drover connection list", c.ID)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("%d connections are named %q; give the id of one, see drover connection list", n, c.ID)
}

type connectionCheck struct{ connectionID }

func (connectionCheck) Help() string {
	return example("drover connection check 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d") +
		"\n\nThe exit code is 0 where the provider accepts the credentials, and 1 otherwise."
}

func (c *connectionCheck) Run(w world) error {
	return c.find(w, func(a *app.App, conn drover.Connection) error {
		if err := a.Collector.Check(w, conn.TenantID, conn.ID); err != nil {
			return fmt.Errorf("%s: %w", advice(conn, err), err)
		}
		_, err := fmt.Fprintf(w.out, "%s accepts the credentials of %s\n", conn.IntegrationName, conn.BusinessName)
		return err
	})
}

// advice says in words who has to do something about a failed check.
func advice(conn drover.Connection, err error) string {
	if errors.Is(err, outbound.ErrRefused) { // by us, not by the vendor
		return fmt.Sprintf("drover did not call %s", conn.IntegrationName)
	}
	refused, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return fmt.Sprintf("%s could not be asked", conn.IntegrationName)
	}
	return map[provider.Kind]string{
		provider.KindCredentials: fmt.Sprintf("%s does not accept the credentials, which have to be changed", conn.IntegrationName),
		provider.KindPermanent:   fmt.Sprintf("%s refuses, and will until something is changed there", conn.IntegrationName),
		provider.KindRateLimited: fmt.Sprintf("%s wants fewer calls; try again later", conn.IntegrationName),
		provider.KindTemporary:   fmt.Sprintf("%s cannot be reached now; try again later", conn.IntegrationName),
	}[refused.Kind]
}

type connectionSync struct {
	connectionID
	listing
	From string `help:"Start of the window to backfill, such as 2026-03-01T00:00:00Z." placeholder:"TIME"`
	To   string `help:"End of the window; default now." placeholder:"TIME"`
}

func (connectionSync) Help() string {
	return example("drover connection sync 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d",
		"drover connection sync 0197a3c4-7d5e-7b1a-9c2d-3e4f5a6b7c8d --from 2026-03-01T00:00:00Z --to 2026-03-08T00:00:00Z") +
		"\n\nA running worker takes it up within a second; drover connection list says how it goes."
}

func (c *connectionSync) Run(w world) error {
	in, err := c.window()
	if err != nil {
		return err
	}
	return c.find(w, func(a *app.App, conn drover.Connection) error {
		h, err := a.Fleet.Connections.Sync(asking(w, "connection.sync.create", "connection", conn.ID), operator(conn.TenantID), conn.ID, in)
		if err != nil {
			return err
		}
		rows := [][]string{{"JOB", "STATE", "NEXT RUN", "BACKFILL"}}
		for _, s := range h.Jobs {
			backfill := "-"
			if s.Backfill != nil {
				backfill = fmt.Sprintf("%s to %s, %g %% done", s.Backfill.From, s.Backfill.To, s.Backfill.DonePercent)
			}
			rows = append(rows, []string{s.Kind, s.State, orDash(s.NextRunAt), backfill})
		}
		return c.print(w, rows, h)
	})
}

func (c *connectionSync) window() (in drover.SyncInput, err error) {
	if c.From == "" && c.To == "" {
		return in, nil
	}
	if c.From == "" {
		return in, misused("--to needs --from")
	}
	from, err := readTime(c.From)
	if err != nil {
		return in, err
	}
	to := now()
	if c.To != "" {
		to, err = readTime(c.To)
	}
	return drover.SyncInput{From: &from, To: &to}, err
}

func readTime(text string) (drover.Time, error) {
	at, err := drover.ParseTime(text)
	if err != nil {
		return at, misused("%q is not a time such as 2026-03-01T00:00:00Z", text)
	}
	return at, nil
}
