package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
)

// withStore opens the database for one command. A database that was never
// migrated is: a first tenant can be added before the service first starts.
func withStore(w world, c config.Store, l config.Log, f func(s *store.Store) error) error {
	s, err := app.OpenStore(w, c, newLogger(w, l))
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Migrate(w); err != nil {
		return err
	}
	return f(s)
}

// withExisting opens a database that is there for a command that only reads: it
// makes no folder, no file and no schema.
func withExisting(w world, c config.Store, l config.Log, f func(s *store.Store) error) error {
	s, err := openExisting(w, c, l)
	if err != nil {
		return err
	}
	defer s.Close()
	pending, err := s.PendingMigrations(w)
	if err != nil {
		return err
	}
	if pending > 0 {
		return fmt.Errorf("the database is not up to date (%d steps): run drover migrate", pending)
	}
	return f(s)
}

// openExisting opens a database that is there; opening SQLite would make it.
func openExisting(w world, c config.Store, l config.Log) (*store.Store, error) {
	if err := mustExist(c); err != nil {
		return nil, err
	}
	return app.OpenStore(w, c, newLogger(w, l))
}

// mustExist refuses a folder without a database, which may be mistyped.
func mustExist(c config.Store) error {
	url, err := c.DatabaseURL()
	if err != nil || url != "" {
		return err
	}
	if _, err := os.Stat(c.DatabasePath()); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s does not exist; name the folder with --data, or create a database there with drover migrate", c.DatabasePath())
	}
	return nil
}

// withVault opens the database and its keys for one command. Keep is how long a
// token may live.
func withVault(w world, c config.Store, l config.Log, keep time.Duration, f func(s *store.Store, v *vault.Vault) error) error {
	return withStore(w, c, l, func(s *store.Store) error {
		v, err := app.OpenVault(w, c, s, newLogger(w, l), time.Now, keep)
		if err != nil {
			return err
		}
		return f(s, v)
	})
}

func now() drover.Time { return drover.At(time.Now()) }

type migrateCommand struct {
	config.Store
	config.Log
	Distribute bool `help:"Then distribute the tables of PostgreSQL over the servers of Citus, by tenant."`
	Shards     int  `default:"64" help:"With --distribute: in how many parts. To change that later, all tables are rewritten."`
}

func (migrateCommand) Help() string {
	return example("drover migrate --database postgres://drover@db/drover", "drover migrate --distribute --database postgres://drover@coordinator/drover")
}

func (c *migrateCommand) Run(w world) error {
	if c.Shards < 1 || c.Shards > database.MaxShards {
		return misused("--shards must be 1 to %d", database.MaxShards)
	}
	s, err := app.OpenStore(w, c.Store, newLogger(w, c.Log))
	if err != nil {
		return err
	}
	defer s.Close()
	n, err := s.Migrate(w)
	if err != nil {
		return err
	}
	var done database.Distribution
	if c.Distribute {
		if done, err = s.Distribute(w, c.Shards); err != nil {
			return err
		}
		if err := s.History.MakeWeeks(w, time.Now()); err != nil {
			return err
		}
	}
	if _, err = fmt.Fprintf(w.out, "%d migrations applied to %s\n", n, s.Database()); err != nil || !c.Distribute {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%d tables distributed by tenant, %d copied to every server, %d were already: %d shards on %d servers\n",
		len(done.Distributed), len(done.Copied), done.Before, done.Shards, done.Workers)
	return err
}

type tenantCommand struct {
	Add       tenantAdd       `cmd:"" help:"Add a tenant and print its id."`
	List      tenantList      `cmd:"" help:"List all tenants."`
	Suspend   tenantSuspend   `cmd:"" help:"Block a tenant's users and refuse their tokens."`
	Resume    tenantResume    `cmd:"" help:"Resume a suspended tenant."`
	Erase     tenantErase     `cmd:"" help:"Permanently erase a tenant with all of its data."`
	Retention tenantRetention `cmd:"" help:"Show or set a tenant's retention of positions."`
	Limit     tenantLimit     `cmd:"" help:"Show or set a tenant's limits."`
	SSO       tenantSSO       `cmd:"" name:"sso" help:"Show or set a tenant's single sign-on."`
}

func tenantAction(t drover.Tenant, verb string) action {
	return action{t.ID, "tenant." + verb, "tenant", t.ID}
}

type tenantAdd struct {
	config.Store
	config.Log
	Name string `arg:"" help:"Name of the tenant."`
}

func (tenantAdd) Help() string { return example("drover tenant add northern-haulage") }

func (c *tenantAdd) Run(w world) error {
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := directory(s).CreateTenant(asking(w, "tenant.create", "tenant", ""), identity.CommandLine, drover.TenantInput{Name: c.Name})
		if drover.ErrorKind(err) == drover.KindConflict {
			return fmt.Errorf("a tenant named %q exists already", c.Name)
		}
		if drover.ErrorKind(err) == drover.KindInvalid {
			return misused("a tenant name must have 1 to 255 characters")
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w.out, t.ID)
		return err
	})
}

type tenantList struct {
	config.Store
	config.Log
	listing
}

func (tenantList) Help() string { return example("drover tenant list", "drover tenant list --json") }

// listedTenant is a tenant as a program reads it.
type listedTenant struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	State     string      `json:"state"`
	CreatedAt drover.Time `json:"created_at"`
}

func (c *tenantList) Run(w world) error {
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		tenants, err := s.Accounts.Tenants(w)
		if err != nil {
			return err
		}
		rows, records := [][]string{{"ID", "NAME", "STATE", "CREATED"}}, []listedTenant{}
		for _, t := range tenants {
			state := string(t.State())
			rows = append(rows, []string{t.ID, t.Name, state, t.CreatedAt.String()})
			records = append(records, listedTenant{t.ID, t.Name, state, t.CreatedAt})
		}
		return c.print(w, rows, records)
	})
}

type tenantName struct {
	config.Store
	config.Log
	Name string `arg:"" help:"Name of the tenant."`
}

func (c *tenantName) suspend(w world, suspended bool) error {
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Name)
		if err != nil {
			return err
		}
		verb := "resume"
		if suspended {
			verb = "suspend"
		}
		_, err = directory(s).UpdateTenant(asking(w, "tenant."+verb, "tenant", t.ID), identity.CommandLine, t.ID,
			drover.TenantUpdate{Suspended: drover.Some(suspended)})
		return err
	})
}

func findTenant(w world, s *store.Store, name string) (drover.Tenant, error) {
	t, err := s.Accounts.TenantByName(w, name)
	if errors.Is(err, store.ErrNotFound) {
		return t, fmt.Errorf("there is no tenant named %q", name)
	}
	return t, err
}

type tenantSuspend struct{ tenantName }

func (tenantSuspend) Help() string { return example("drover tenant suspend northern-haulage") }

func (c *tenantSuspend) Run(w world) error { return c.suspend(w, true) }

type tenantResume struct{ tenantName }

func (tenantResume) Help() string { return example("drover tenant resume northern-haulage") }

func (c *tenantResume) Run(w world) error { return c.suspend(w, false) }
