package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/provider/declared"
)

// providersWith are all providers, with those that files of a folder describe.
func providersWith(w world, dir string) (map[drover.ProviderName]provider.Info, error) {
	return withFiles(w, all.With(drover.ExtraProviderNames), dir)
}

// withFiles adds the vendors that the files of a folder describe. A file with a mistake is left out, and said.
func withFiles(w world, table map[drover.ProviderName]provider.Info, dir string) (map[drover.ProviderName]provider.Info, error) {
	if dir == "" {
		return table, nil
	}
	infos, broken, err := declared.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, err := range broken {
		fmt.Fprintln(w.err, err)
	}
	all.Add(table, infos)
	return table, nil
}

type providerCheck struct {
	File string `arg:"" help:"File that describes a vendor."`
}

func (providerCheck) Help() string { return example("drover provider check acme.yaml") }

func (c providerCheck) Run(w world) error {
	file, err := declared.ReadFile(c.File)
	if err != nil {
		return err
	}
	info := file.Info()
	_, err = fmt.Fprintf(w.out, "%s describes %s (%s): positions every %s, trips %s, %d credentials, %d readings\n", c.File, info.Title, info.Name,
		info.Poll.Positions, trips(info), len(info.Fields), len(info.Readings))
	return err
}

type providerTry struct {
	File         string         `arg:"" help:"File that describes a vendor."`
	Credentials  string         `help:"File with the credentials, a JSON object; - is standard input." required:"" placeholder:"FILE"`
	AllowNetwork []netip.Prefix `help:"Private or special network in which the vendor may be called; repeatable." env:"DROVER_ALLOW_NETWORK" placeholder:"CIDR"`
	JSON         bool           `help:"Print all of it as JSON."`
}

func (providerTry) Help() string {
	return example("drover provider try acme.yaml --credentials credentials.json") +
		"\n\nReads the fleet, and positions and trips of a few devices. Nothing is stored."
}

// maxCredentials bounds a file of credentials.
const maxCredentials = 64 << 10

func (c providerTry) Run(w world) error {
	file, err := declared.ReadFile(c.File)
	if err != nil {
		return err
	}
	credentials, err := c.credentials(w)
	if err != nil {
		return err
	}
	trial, err := file.Try(w, credentials, outbound.NewTransport(outbound.NewGuard(c.AllowNetwork)), time.Now)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(w, trial)
	} else {
		err = printTrial(w, trial)
	}
	for _, s := range trial.Steps {
		if s.Error != "" {
			return errors.Join(err, fmt.Errorf("%s failed: %s", s.Name, s.Error))
		}
	}
	return err
}

// credentials reads them. The words of the decoder quote what they are about, and so are not
// shown.
func (c providerTry) credentials(w world) (provider.Credentials, error) {
	in := w.in
	if c.Credentials != "-" {
		file, err := os.Open(c.Credentials)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxCredentials))
	if err != nil {
		return nil, err
	}
	var credentials provider.Credentials
	if json.Unmarshal(text, &credentials) != nil {
		return nil, misused("the credentials are not a JSON object of strings")
	}
	return credentials, nil
}

// printTrial writes a trial for people.
func printTrial(w world, t declared.Trial) error {
	for _, s := range t.Steps {
		outcome := "ok"
		if s.Error != "" {
			outcome = s.Kind
		}
		fmt.Fprintf(w.out, "%s: %s, %d records\n", s.Name, outcome, s.Records)
		for _, call := range s.Calls {
			fmt.Fprintf(w.out, "  %s\n", call)
		}
		for _, record := range s.Shown {
			text, err := json.Marshal(record)
			if err != nil {
				return err
			}
			fmt.Fprintf(w.out, "  %s\n", text)
		}
	}
	for _, l := range t.Limits {
		fmt.Fprintf(w.out, "limit: %d calls %sin %s allowed, %d made\n", l.Allowed, strings.TrimPrefix(" of "+l.Path+" ", " of  "),
			time.Duration(l.Seconds*float64(time.Second)), l.Most)
	}
	if len(t.Readings) > 0 {
		fmt.Fprintf(w.out, "readings, by devices that have them: %s\n", counted(t.Readings))
	}
	if t.Quality == nil {
		return nil
	}
	fmt.Fprintf(w.out, "data: %s, of %d positions, %d of them moving\n", t.Quality.Verdict, t.Quality.Positions, t.Quality.Moving)
	for _, check := range t.Quality.Checks {
		line := fmt.Sprintf("  %s: %s, %d samples", check.Name, check.Verdict, check.Samples)
		if check.Reason != nil {
			line += ": " + *check.Reason
		}
		fmt.Fprintln(w.out, line)
	}
	_, err := fmt.Fprintf(w.out, "  filled: %s percent\n", strings.TrimSpace(counted(t.Quality.Coverage)))
	return err
}

type providerNew struct {
	Source string `arg:"" help:"OpenAPI document, or a recorded answer of the vendor, in JSON or YAML; - is standard input."`
	Name   string `help:"Name of the provider, in lower case." required:"" placeholder:"NAME"`
	Output string `help:"File to write; standard output otherwise." short:"o" placeholder:"FILE"`
}

func (providerNew) Help() string {
	return example("drover provider new openapi.json --name acme -o vendors/acme.yaml", "curl ... | drover provider new - --name acme") +
		"\n\nSays what it guessed. What it does not know says TODO, which drover provider check reports with its line."
}

// maxSource bounds what a first file is made of.
const maxSource = 8<<20 + 1

func (c providerNew) Run(w world) error {
	in := w.in
	if c.Source != "-" {
		file, err := os.Open(c.Source)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	source, err := io.ReadAll(io.LimitReader(in, maxSource))
	if err != nil {
		return err
	}
	text, guessed, err := declared.Draft(c.Name, source)
	if err != nil {
		return misused("%s: %s", c.Source, err)
	}
	for _, line := range guessed {
		fmt.Fprintln(w.err, line)
	}
	if c.Output == "" {
		_, err = io.WriteString(w.out, text)
		return err
	}
	file, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // never over one that is there
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}

type providerSuite struct {
	File string `arg:"" help:"File that describes a vendor."`
	Fake string `help:"Folder with recorded answers: devices.json for the call devices, positions.newest.json and so on." placeholder:"DIR"`
	JSON bool   `help:"Print all of it as JSON."`
}

func (providerSuite) Help() string {
	return example("drover provider suite acme.yaml --fake recorded/acme") +
		"\n\nThe fake serves a simulated fleet in the shape of the recorded answers, with each value where the file reads it. Without answers it has the " +
		"shape that the file says."
}

func (c providerSuite) Run(w world) error {
	file, err := declared.ReadFile(c.File)
	if err != nil {
		return err
	}
	recorded := map[string]any{}
	if c.Fake != "" {
		if recorded, err = file.Recorded(c.Fake); err != nil {
			return err
		}
		if len(recorded) == 0 {
			return misused("%s has no recorded answer: devices.json is that of the call devices", c.Fake)
		}
	}
	found, failed := file.Suite(w, recorded), 0
	for _, p := range found {
		if p.Error != "" {
			failed++
		}
	}
	if c.JSON {
		err = printJSON(w, found)
	} else {
		for _, p := range found {
			verdict, words := "ok", p.Found
			if p.Error != "" {
				verdict, words = "failed", p.Error
			}
			fmt.Fprintln(w.out, strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", verdict, p.Name, words), ": "))
		}
	}
	if failed > 0 {
		return errors.Join(err, fmt.Errorf("%d of %d properties failed", failed, len(found)))
	}
	return err
}
