package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

type doctorCommand struct {
	config.Store
	config.Log
	listing
}

func (doctorCommand) Help() string {
	return example("drover doctor --data /var/lib/drover", "drover doctor --json")
}

// finding is one check of the doctor.
type finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Words string `json:"words"`
}

// minFree is the free disk below which the doctor worries.
const minFree = 1 << 30

// namesCheck is the check whose words may name users.
const namesCheck = "user names"

// Run goes through all checks and prints each as it is made.
func (c *doctorCommand) Run(w world) error {
	failed := 0
	findings := c.examine(w, func(f finding) {
		mark := "ok"
		if !f.OK {
			failed++
			mark = "FAIL"
		}
		if !c.JSON {
			fmt.Fprintf(w.out, "%-5s %-12s %s\n", mark, f.Check, f.Words)
		}
	})
	if c.JSON {
		if err := printJSON(w, findings); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}

// examine makes all checks, also after one has failed, and changes nothing.
func (c *doctorCommand) examine(w world, found func(finding)) []finding {
	findings := []finding{}
	report := func(name string, err error, fine string) {
		f := finding{name, err == nil, fine}
		if err != nil {
			f.Words = err.Error()
		}
		findings = append(findings, f)
		found(f)
	}
	if c.usesFolder() {
		report("data folder", c.checkFolder(), c.Data)
	}
	if _, err := os.Stat(c.MasterKeyPath()); err == nil && c.KeyInFile() {
		report("key file", checkSecretFile(c.MasterKeyPath()), c.MasterKeyPath())
	}
	c.checkDatabase(w, report)
	report("clock", checkClock(), time.Now().UTC().Format(time.RFC3339))
	free, err := c.freeDisk()
	report("disk", err, fmt.Sprintf("%d MiB free", free>>20))
	return findings
}

// usesFolder reports whether anything lies in the data folder: the embedded
// database, or a master key that is given nowhere else.
func (c *doctorCommand) usesFolder() bool {
	embedded := c.Database == "" && c.DatabaseFile == ""
	return embedded || c.KeyInFile() && c.MasterKeyFile == ""
}

func (c *doctorCommand) checkFolder() error {
	info, err := os.Stat(c.Data)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s does not exist; drover serve creates it", c.Data)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", c.Data)
	case secret.OpenToOthers(info.Mode()):
		return fmt.Errorf("%s is open to others (mode %o); it should be 700", c.Data, info.Mode().Perm())
	}
	return nil
}

// checkSecretFile wants a file that its owner alone reads.
func checkSecretFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && secret.OpenToOthers(info.Mode()) {
		err = fmt.Errorf("%s is open to others (mode %o); it should be 600", path, info.Mode().Perm())
	}
	return err
}

// checkDatabase looks at the database and at what has to be in it.
func (c *doctorCommand) checkDatabase(w world, report func(name string, err error, fine string)) {
	s, err := openExisting(w, c.Store, c.Log)
	if err != nil {
		report("database", err, "")
		return
	}
	defer s.Close()
	report("database", s.Ping(w), s.Database())
	pending, err := s.PendingMigrations(w)
	if err == nil && pending > 0 {
		err = fmt.Errorf("%d migrations are pending: run drover migrate", pending)
	}
	report("migrations", err, "up to date")
	if err != nil {
		report("keys", errors.New("not checked before the migrations"), "")
		return
	}
	fine, err := c.checkKeys(w, s)
	report("keys", err, fine)
	report(namesCheck, checkNames(w, s), "none is another user's")
	report("pages", s.CheckPages(w), "none is damaged")
	report("clock skew", checkSkew(w, s), "the clock agrees with the database's")
	report("collection", checkOverdue(w, s), "nothing is overdue")
	fine, err = c.checkHistory(w, s)
	report("history", err, fine)
	if s.Distributed() {
		fine, err = checkServers(w, s)
		report("servers", err, fine)
	}
}

// checkServers says what of the tenants is on which of several servers.
func checkServers(w world, s *store.Store) (fine string, err error) {
	is, err := s.Servers(w, time.Now())
	if err != nil {
		return "", err
	}
	var each, wrong []string
	for _, on := range is.All {
		each = append(each, fmt.Sprintf("%s has %d tenants in %d shards, %s", on.Name(), on.Tenants, on.Shards, mebibytes(on.Bytes)))
		if !on.Answers {
			wrong = append(wrong, fmt.Sprintf("%s does not answer: its %d tenants wait", on.Name(), on.Tenants))
		}
	}
	if len(is.NotDistributed) > 0 {
		wrong = append(wrong, "not distributed: "+strings.Join(is.NotDistributed, ", ")+" (drover migrate --distribute)")
	}
	if is.MissingWeeks > 0 {
		wrong = append(wrong, fmt.Sprintf("%d of this week and the next cannot take positions while a server is down", is.MissingWeeks))
	}
	if len(wrong) > 0 {
		return "", errors.New(strings.Join(slices.Concat(wrong, each), "; "))
	}
	return strings.Join(each, "; "), nil
}

// checkNames finds users whose names or addresses are those of others: of two of them only
// one can log in.
func checkNames(w world, s *store.Store) error {
	clashes, err := s.Accounts.NameClashes(w)
	if err != nil || len(clashes) == 0 {
		return err
	}
	return errors.New(strings.Join(clashes, "; "))
}

// minDays is how long the disk should last at least.
const minDays = 14

// checkHistory says what the history takes, and worries where the disk is soon full.
func (c *doctorCommand) checkHistory(w world, s *store.Store) (fine string, err error) {
	r, err := (&storageCommand{Store: c.Store}).report(w, s)
	if err != nil {
		return "", err
	}
	var positions, bytes int64
	for _, t := range r.Tenants {
		positions += t.Positions.Rows + t.Positions.Packed
		bytes += t.Positions.RowBytes + t.Positions.PackedBytes + t.Events.Bytes
	}
	if r.DaysUntilFull != nil && *r.DaysUntilFull < minDays {
		return "", fmt.Errorf("the disk will be full in %.0f days at this rate: see drover storage", *r.DaysUntilFull)
	}
	return fmt.Sprintf("%d positions, %s with their events", positions, mebibytes(bytes)), nil
}

// checkSkew holds the clock against the database's.
func checkSkew(w world, s *store.Store) error {
	skew, err := s.Skew(w, time.Now)
	if err == nil && skew.Abs() > store.MaxSkew {
		err = fmt.Errorf("the clock differs from the database's by %s", skew.Abs().Round(time.Second))
	}
	return err
}

// overdueAfter is how late a connection may be read.
const overdueAfter = 10 * time.Minute

// checkOverdue looks for connections that no one reads.
func checkOverdue(w world, s *store.Store) error {
	n, err := s.Jobs.OverdueCollections(w, now(), overdueAfter)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d connections were due more than %s ago: is the service running, with a role that collects?", n, overdueAfter)
	}
	return err
}

// checkKeys opens the keys, where there are any: opening none would make them.
func (c *doctorCommand) checkKeys(w world, s *store.Store) (fine string, err error) {
	keys, err := s.Accounts.Keys(w, account.SigningKeys)
	if err != nil {
		return "", err
	}
	if len(keys) == 0 {
		return "none yet; drover serve makes them", nil
	}
	_, err = app.OpenVault(w, c.Store, s, newLogger(w, c.Log), time.Now, time.Hour)
	return "the master key opens them", err
}

// checkClock notices a clock that was never set: tokens would expire at once.
func checkClock() error {
	if year := time.Now().UTC().Year(); year < 2024 || year > 2100 {
		return fmt.Errorf("the clock says it is %d", year)
	}
	return nil
}

func (c *doctorCommand) freeDisk() (uint64, error) {
	folder := c.Data
	if _, err := os.Stat(folder); err != nil {
		folder = "."
	}
	free, err := freeBytes(folder)
	if err == nil && free < minFree {
		err = fmt.Errorf("only %d MiB free", free>>20)
	}
	return free, err
}
