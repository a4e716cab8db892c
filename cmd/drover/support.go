package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/store"
)

type supportCommand struct {
	config.Serve
	File string `arg:"" optional:"" help:"File to write, by default drover-support.zip." default:"drover-support.zip"`
	Show bool   `help:"Print what would be in the file, and write nothing."`
	Yes  bool   `help:"Write the file without a prompt."`
}

func (supportCommand) Help() string {
	return example("drover support-bundle --data /var/lib/drover", "drover support-bundle --show", "drover support-bundle bundle.zip --yes") +
		"\n\nIt changes nothing, and sends nothing to anyone. Settings are masked; no credentials, names, addresses, plates or places are in it, and " +
		"no texts that providers or receivers sent."
}

// sheet is a file of the bundle.
type sheet struct {
	name, about string
	text        []byte
}

// Run collects all sheets, shows which they are, and writes them if that is wanted. What cannot be
// found out is said in its sheet: a bundle is made when something is wrong.
func (c *supportCommand) Run(w world) error {
	if err := mustExist(c.Store); err != nil {
		return err
	}
	sheets := c.sheets(w)
	if c.Show {
		for _, s := range sheets {
			if _, err := fmt.Fprintf(w.out, "=== %s: %s\n%s\n", s.name, s.about, s.text); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(w.out, "%s is to have:\n", c.File)
	for _, s := range sheets {
		fmt.Fprintf(w.out, "  %-15s %6d bytes  %s\n", s.name, len(s.text), s.about)
	}
	if !c.Yes {
		fmt.Fprint(w.out, "drover support-bundle --show prints all of it. Write it? [y/N] ")
		var answer string
		if _, _ = fmt.Fscanln(w.in, &answer); !strings.EqualFold(answer, "y") && !strings.EqualFold(answer, "yes") {
			return errors.New("nothing was written")
		}
	}
	return c.write(w, sheets)
}

// write makes a file that is not there yet, for its owner alone.
func (c *supportCommand) write(w world, sheets []sheet) error {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, s := range sheets {
		f, err := z.CreateHeader(&zip.FileHeader{Name: s.name, Method: zip.Deflate, Modified: time.Now()})
		if err != nil {
			return err
		}
		if _, err := f.Write(s.text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	file, err := os.OpenFile(c.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already", c.File)
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(packed.Bytes()); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%s is written\n", c.File)
	return err
}

// sheets are what the bundle has.
func (c *supportCommand) sheets(w world) []sheet {
	var settings bytes.Buffer
	if err := config.Print(&settings, &c.Serve); err != nil {
		settings.WriteString(err.Error())
	}
	out := []sheet{
		{"version.txt", "the program and the machine", fmt.Appendf(nil, "drover %s, %s, %s/%s, %d processors, at %s\n",
			versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), now())},
		{"settings.txt", "settings, secrets masked", settings.Bytes()},
		{"doctor.json", "what drover doctor finds", inJSON(c.findings(w))},
		{"schema.json", "the version of the schema", inJSON(c.schema(w))},
		{"plans.json", "how PostgreSQL reads the tables: whole or by index", inJSON(c.tableReads(w))},
		{"collection.json", "connections by number: provider, state, kinds of errors", inJSON(c.collection(w))},
		{"storage.json", "what the history takes, without names", inJSON(c.storage(w))},
		{"ready.json", "what /readyz answers", c.asked(w, "/readyz")},
		{"metrics.txt", "what /metrics answers", c.asked(w, "/metrics")},
	}
	home, _ := os.UserHomeDir()
	for i := range out {
		out[i].text = scrub(out[i].text, home)
	}
	return out
}

var (
	mailAddress = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)
	userInURL   = regexp.MustCompile(`://[^/@\s"]+@`)
)

// scrub takes out what errors may hold although they should not: the passwords of addresses, and whose the
// machine is.
func scrub(text []byte, home string) []byte {
	text = userInURL.ReplaceAll(text, []byte("://…@"))
	text = mailAddress.ReplaceAll(text, []byte("…"))
	if len(home) > 1 {
		text = bytes.ReplaceAll(text, []byte(home), []byte("~"))
	}
	return text
}

// inJSON writes a sheet, or why it is missing.
func inJSON(value any, err error) []byte {
	if err != nil {
		value = map[string]string{"error": err.Error()}
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return []byte(err.Error())
	}
	return append(text, '\n')
}

// findings are the doctor's. The names that it finds to be several users' are theirs.
func (c *supportCommand) findings(w world) ([]finding, error) {
	findings := (&doctorCommand{Store: c.Store, Log: c.Log}).examine(w, func(finding) {})
	for i, f := range findings {
		if f.Check == namesCheck && !f.OK {
			findings[i].Words = "some names are those of several users; drover doctor says which"
		}
	}
	return findings, nil
}

func (c *supportCommand) schema(w world) (out map[string]any, err error) {
	s, err := openExisting(w, c.Store, c.Log)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	has, known, err := s.Schema(w)
	return map[string]any{"database": s.Database(), "has": has, "known": known}, err
}

func (c *supportCommand) tableReads(w world) (reads []store.TableReads, err error) {
	err = withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		reads, err = s.TableReads(w)
		return err
	})
	return reads, err
}

// supportConnection is a connection without its names, and without the texts of its provider.
type supportConnection struct {
	Number   int                    `json:"number"`
	Provider drover.ProviderName    `json:"provider"`
	Active   bool                   `json:"active"`
	State    drover.ConnectionState `json:"state"`
	Acts     *drover.Party          `json:"acts"`
	Jobs     []supportJob           `json:"jobs"`
}

type supportJob struct {
	Kind              string       `json:"kind"`
	State             string       `json:"state"`
	Backfill          bool         `json:"backfill"`
	Records           int64        `json:"records"`
	ConsecutiveErrors int          `json:"consecutive_errors"`
	LastErrorKind     *string      `json:"last_error_kind"`
	LastErrorAt       *drover.Time `json:"last_error_at"`
	LastSuccessAt     *drover.Time `json:"last_success_at"`
	NextRunAt         *drover.Time `json:"next_run_at"`
}

// supportConnections is how many connections are looked at.
const supportConnections = 1000

func (c *supportCommand) collection(w world) (out []supportConnection, err error) {
	out = []supportConnection{}
	from := connections{Store: c.Store, Log: c.Log}
	err = from.read(w, func(s *store.Store, cases *fleet.Service) error {
		tenants, err := s.Accounts.Tenants(w)
		if err != nil {
			return err
		}
		for _, t := range tenants {
			if len(out) == supportConnections {
				return nil
			}
			list, err := s.Fleet.Connections(w, t.ID, "")
			if err != nil {
				return err
			}
			for _, conn := range list {
				if conn.TenantID != t.ID || len(out) == supportConnections {
					continue
				}
				h, err := cases.Connections.ConnectionHealth(w, operator(t.ID), conn.ID)
				if err != nil {
					return err
				}
				one := supportConnection{Number: len(out) + 1, Provider: conn.IntegrationName, Active: conn.Active, State: h.State, Acts: h.Acts}
				for _, j := range h.Jobs {
					one.Jobs = append(one.Jobs, supportJob{
						j.Kind, j.State, j.Backfill != nil, j.Records, j.ConsecutiveErrors, j.LastErrorKind, j.LastErrorAt, j.LastSuccessAt, j.NextRunAt,
					})
				}
				out = append(out, one)
			}
		}
		return nil
	})
	return out, err
}

func (c *supportCommand) storage(w world) (r storageReport, err error) {
	err = withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		r, err = (&storageCommand{Store: c.Store}).report(w, s)
		for i := range r.Tenants {
			r.Tenants[i].Tenant = fmt.Sprint("tenant ", i+1)
		}
		return err
	})
	return r, err
}

// asked is what the service that runs on this machine answers.
func (c *supportCommand) asked(w world, path string) []byte {
	ctx, cancel := context.WithTimeout(w, healthTimeout)
	defer cancel()
	status, text, err := askService(ctx, c.Listen, c.OperatorListen, c.TLSCert, path)
	switch {
	case err != nil:
		return fmt.Appendf(nil, "the service does not answer: %v\n", err)
	case status != http.StatusOK:
		return fmt.Appendf(nil, "status %d\n%s", status, text)
	}
	return text
}
