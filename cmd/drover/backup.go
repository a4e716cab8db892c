package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/upkeep/backup"
)

type backupCommand struct {
	config.Store
	config.Log
	File string `arg:"" help:"File to create; it must not exist."`
}

func (backupCommand) Help() string {
	return example("drover backup /var/backups/drover-2026-11-15.tar.gz --data /var/lib/drover")
}

// Run copies the database while the service goes on.
func (c *backupCommand) Run(w world) error {
	url, err := c.DatabaseURL()
	if err != nil {
		return err
	}
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		m, err := backup.Create(w, s, url, c.File, backup.Manifest{Made: time.Now().UTC(), Drover: versionText()})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "%s holds %d bytes of %s, schema %d, SHA-256 %s\nThe master key is not in it: keep it elsewhere.\n", c.File,
			m.Size, m.Database, m.Schema, m.SHA256)
		return err
	})
}

type restoreCommand struct {
	config.Store
	config.Log
	File string `arg:"" help:"Backup to bring back."`
}

func (restoreCommand) Help() string {
	return example("drover restore /var/backups/drover-2026-11-15.tar.gz --data /var/lib/drover",
		"drover restore drover.tar.gz --database postgres://drover@db/drover_again")
}

// Run brings a backup back to where there is no database.
func (c *restoreCommand) Run(w world) error {
	url, err := c.DatabaseURL()
	if err != nil {
		return err
	}
	release, err := app.LockFolder(c.Store)
	if err != nil {
		return err
	}
	defer release()
	m, err := backup.Restore(w, c.File, backup.Target{URL: url, Path: c.DatabasePath()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "restored the %s database of %s, schema %d; put the master key back, then run drover verify\n", m.Database,
		m.Made.Format(time.RFC3339), m.Schema)
	return err
}

type verifyCommand struct {
	config.Store
	config.Log
}

func (verifyCommand) Help() string { return example("drover verify --data /var/lib/drover") }

// Run checks what is in the database, all of it. It changes nothing but the directory of
// tenants, where entries are wrong.
func (c *verifyCommand) Run(w world) error {
	if err := mustExist(c.Store); err != nil {
		return err
	}
	s, err := app.OpenPatient(w, c.Store)
	if err != nil {
		return err
	}
	defer s.Close()
	failed := 0
	report := func(name string, err error, fine string) {
		if err != nil {
			failed++
			fmt.Fprintf(w.out, "FAIL  %-10s %v\n", name, err)
			return
		}
		fmt.Fprintf(w.out, "ok    %-10s %s\n", name, fine)
	}
	pending, err := s.PendingMigrations(w)
	if err == nil && pending > 0 {
		err = fmt.Errorf("%d migrations are pending: run drover migrate", pending)
	}
	if report("schema", err, "up to date"); err != nil {
		return errors.New("nothing else was checked")
	}
	report("pages", s.CheckPages(w), "none is damaged")
	sealed, err := c.checkSealed(w, s)
	report("sealed", err, fmt.Sprintf("%d values open", sealed))
	report("sums", s.CheckSums(w), "they are those of the trips")
	mended, err := s.MendDirectory(w)
	report("directory", err, fmt.Sprintf("%d entries were wrong and are mended", mended))
	mended, err = s.Feed.MendTargets(w)
	report("targets", err, fmt.Sprintf("%d would have been looked at too late and are mended", mended))
	report("feeds", s.CheckFeeds(w), "none has a gap")
	report("records", s.CheckRecords(w), "readings, drivers, assignments, faults and safety events belong to what there is")
	blocks, err := s.CheckBlocks(w)
	report("blocks", err, fmt.Sprintf("%d can be unpacked", blocks))
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}

// checkSealed opens everything that is sealed, where there are keys: opening none
// would make them.
func (c *verifyCommand) checkSealed(w world, s *store.Store) (int, error) {
	keys, err := s.Accounts.Keys(w, account.DataKeys)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	v, err := app.OpenVault(w, c.Store, s, newLogger(w, c.Log), time.Now, time.Hour)
	if err != nil {
		return 0, err
	}
	return v.Verify(w)
}
