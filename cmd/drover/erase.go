package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/purge"
)

// eraseAll does what is waiting to be erased at once, beside a service that would.
func eraseAll(w world, s *store.Store) error {
	return purge.New(purge.Options{Store: s, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}).RunDue(w)
}

type tenantErase struct {
	tenantName
	Yes bool `help:"Confirm the erasure; it cannot be undone."`
}

func (tenantErase) Help() string { return example("drover tenant erase northern-haulage --yes") }

func (c *tenantErase) Run(w world) error {
	if !c.Yes {
		return misused("this permanently erases the tenant %q and all of its data: confirm with --yes", c.Name)
	}
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Name)
		if err != nil {
			return err
		}
		erasure, err := directory(s).EraseTenant(asking(w, "tenant.erase", "tenant", t.ID), identity.CommandLine, t.ID)
		if err != nil {
			return err
		}
		if err := eraseAll(w, s); err != nil {
			return err
		}
		fmt.Fprintf(w.out, "erased %s\n", t.ID)
		for _, words := range erasure.Kept {
			fmt.Fprintln(w.out, "kept:", words)
		}
		return nil
	})
}

type driverCommand struct {
	Erase driverErase `cmd:"" help:"Erase a driver: replace it by a pseudonym in all data of a tenant."`
}

type driverErase struct {
	config.Store
	config.Log
	Driver string `arg:"" help:"Id of the driver, as the provider names it."`
	Tenant string `required:"" help:"Name of the tenant." placeholder:"NAME"`
}

func (driverErase) Help() string {
	return example("drover driver erase D-17 --tenant northern-haulage") +
		"\n\nTo hand a person its data first: drover export trip -f driver_id=D-17 -f include=driver, and drover export position -f driver_id=D-17."
}

func (c *driverErase) Run(w world) error {
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Tenant)
		if err != nil {
			return err
		}
		cases := fleet.New(fleet.Options{Store: s, Now: time.Now})
		asked, err := cases.Drivers.EraseDriver(asking(w, "driver.delete", "", ""), operator(t.ID), c.Driver)
		if drover.ErrorKind(err) == drover.KindInvalid {
			return misused("a driver id must have 1 to 255 bytes")
		}
		if err != nil {
			return err
		}
		if err := eraseAll(w, s); err != nil {
			return err
		}
		done, err := cases.Drivers.DriverErasure(w, operator(t.ID), asked.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s: replaced in %d trips, %d positions and packed days, %d events\n"+
			"a service that runs looks once more in five minutes, for what was under way meanwhile\n", done.Pseudonym, done.Trips, done.Positions,
			done.Events)
		return err
	})
}
