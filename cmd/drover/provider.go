package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
)

type providerCommand struct {
	List  providerList  `cmd:"" help:"List all providers."`
	Show  providerShow  `cmd:"" help:"Show one provider: credentials, features, limits."`
	Check providerCheck `cmd:"" help:"Check a file that describes a vendor, and print errors with their lines."`
	Try   providerTry   `cmd:"" help:"Read from the vendor of a file, and print the records."`
	New   providerNew   `cmd:"" help:"Write a first file from an OpenAPI document or a recorded answer."`
	Suite providerSuite `cmd:"" help:"Run the adapter test suite on a file, with a fake made of it and of recorded answers."`
}

// providerFolder is where files describe further vendors.
type providerFolder struct {
	ProviderDir string `help:"Folder with files that describe further vendors, as for drover serve." env:"DROVER_PROVIDER_DIR" placeholder:"DIR"`
}

type providerList struct {
	listing
	providerFolder
	ProviderExtra []drover.ProviderName `help:"Further provider to list, as for drover serve; repeatable." env:"DROVER_PROVIDER_EXTRA" placeholder:"NAME"`
}

func (providerList) Help() string {
	return example("drover provider list", "drover provider list --json", "drover provider list --provider-extra push --provider-dir vendors") +
		"\n\nWith the settings of the service it lists what the service lets tenants connect to: those of the interface, then those that the settings add."
}

// Run lists the providers of the interface in its order, and behind them those that are added, by name.
func (c providerList) Run(w world) error {
	for _, name := range c.ProviderExtra {
		if !slices.Contains(drover.ExtraProviderNames, name) {
			return misused("--provider-extra: unknown provider %q; known are %q", name, drover.ExtraProviderNames)
		}
	}
	providers, err := withFiles(w, all.With(c.ProviderExtra), c.ProviderDir)
	if err != nil {
		return err
	}
	added := slices.DeleteFunc(slices.Sorted(maps.Keys(providers)), func(name drover.ProviderName) bool {
		return slices.Contains(drover.ProviderNames, name)
	})
	records := []listedProvider{}
	rows := [][]string{{"NAME", "TITLE", "TRIPS", "POLL", "CREDENTIALS"}}
	for _, name := range slices.Concat(drover.ProviderNames, added) {
		info, ok := providers[name]
		if !ok {
			continue
		}
		fields := []string{}
		for _, f := range info.Fields {
			fields = append(fields, f.Name)
		}
		rows = append(rows, []string{string(info.Name), info.Title, trips(info), info.Poll.Positions.String(), strings.Join(fields, ", ")})
		records = append(records, listedProvider{info.Name, info.Title, trips(info), info.Poll.Positions.Seconds(), fields})
	}
	return c.print(w, rows, records)
}

// listedProvider is a provider as a program reads it; GET /provider has all of it.
type listedProvider struct {
	Name        drover.ProviderName `json:"name"`
	Title       string              `json:"title"`
	Trips       string              `json:"trips"`
	PollSeconds float64             `json:"poll_seconds"`
	Credentials []string            `json:"credentials"`
}

func trips(info provider.Info) string {
	switch f := info.Features; {
	case !f.Trips:
		return string(drover.TripsDerived)
	case f.TripsNeed != "":
		return "native with " + f.TripsNeed
	}
	return string(drover.TripsNative)
}

type providerShow struct {
	Name string `arg:"" help:"Name of the provider."`
	providerFolder
}

func (providerShow) Help() string {
	return example("drover provider show samsara", "drover provider show acme --provider-dir vendors")
}

func (c providerShow) Run(w world) error {
	providers, err := providersWith(w, c.ProviderDir)
	if err != nil {
		return err
	}
	info, ok := providers[drover.ProviderName(c.Name)]
	if !ok {
		return misused("there is no provider named %q; see drover provider list", c.Name)
	}
	fmt.Fprintf(w.out, "%s (%s)\n%s\n\n", info.Title, info.Name, info.Homepage)
	rows := [][]string{{"CREDENTIAL", "REQUIRED", "SECRET", "DEFAULT", "VALUES", "HELP"}}
	for _, f := range info.Fields {
		rows = append(rows, []string{
			f.Name, requirement(f), yes(f.Secret), cmp.Or(f.Default, "-"),
			cmp.Or(strings.Join(f.Options, ", "), "any"), f.Help,
		})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	f := info.Features
	fmt.Fprintln(w.out)
	return table(w, append([][]string{
		{"trips", trips(info)},
		{"position feed", yes(f.Feed)},
		{"newest position alone", yes(f.Snapshot)},
		{"backfill", yes(f.Backfill)},
		{"heading", yes(f.Heading)},
		{"speed", yes(f.Speed)},
		{"driver", yes(f.Driver)},
		{"ignition", yes(f.Ignition)},
		{"odometer", yes(f.Odometer)},
		{"idling", yes(f.Idling)},
		{"auxiliary", yes(f.Auxiliary)},
		{"devices polled every", info.Poll.Devices.String()},
		{"positions polled every", info.Poll.Positions.String()},
	}, notes(info)...))
}

func notes(info provider.Info) [][]string {
	var rows [][]string
	if info.Features.Trips {
		rows = append(rows, []string{"trips polled every", info.Poll.Trips.String()})
	}
	for _, l := range info.Limits {
		path := l.Path
		if path == "" {
			path = "all calls"
		}
		if l.Requests > 0 {
			rows = append(rows, []string{"limit", fmt.Sprintf("%d calls in %s (%s)", l.Requests, l.Per, path)})
		}
		if l.Concurrent > 0 {
			rows = append(rows, []string{"limit", fmt.Sprintf("%d calls at once (%s)", l.Concurrent, path)})
		}
	}
	for _, note := range info.Hints() {
		rows = append(rows, []string{"note", note})
	}
	return rows
}

func requirement(f provider.Field) string {
	if len(f.RequiredUnless) > 0 {
		return "unless " + strings.Join(f.RequiredUnless, " or ")
	}
	return yes(f.Required)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
