package all_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
)

var update = flag.Bool("update", false, "write docs/providers/index.md instead of comparing it")

const docs = "../../../docs/providers"

// intro stands above the table.
const intro = `<!-- Written by: make generate -->

# Providers

What each provider can report, as its adapter declares it. ` + "`GET /provider` and `drover provider show NAME`" +
	` show the same, with the help text of each
credential. The page of a provider says how to get its credentials, what is native and what is derived, and what could not be verified.
Without an account, ` + "`drover sandbox NAME`" + ` serves a fake of any of them, with a fleet that moves and faults on request.

- **Credentials** that must be given; others are optional, and ` + "`base_url`" + ` replaces the provider's address everywhere.
- **Devices**, **positions** and **trips**: how often each is read. A *feed* is followed by the provider's own cursor; others are read by time.
  *History* means that positions of the past can be read, so that a connection can begin before it was made.
- **Live within**: how long after the provider has a position it is read, for 95 of 100 positions of 500 devices, within the limits.
- **Trips** are *native*, reported by the provider, or *derived* from positions by [one rule](../motion.md).
- **Limits** are kept for each connection: the provider's own where it publishes them, caution where it does not.

| Provider | Credentials | Devices | Positions | Live within | Trips | Driver | Ignition | Odometer | Idling | PTO | Limits |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

func TestIndexIsWritten(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(intro)
	for _, name := range drover.ProviderNames {
		b.WriteString(row(all.Providers()[name]))
	}
	b.WriteString(standardsIntro)
	for _, info := range standards() {
		b.WriteString(row(info))
	}
	b.WriteString(readingsIntro)
	for _, name := range drover.ProviderNames {
		b.WriteString(readings(all.Providers()[name]))
	}
	for _, info := range standards() {
		b.WriteString(readings(info))
	}
	b.WriteString(faultsIntro)
	for _, name := range drover.ProviderNames {
		b.WriteString(faults(all.Providers()[name]))
	}
	for _, info := range standards() {
		b.WriteString(faults(info))
	}
	b.WriteString(safetyIntro)
	for _, name := range drover.ProviderNames {
		b.WriteString(safety(all.Providers()[name]))
	}
	b.WriteString(assignmentsIntro)
	for _, name := range drover.ProviderNames {
		b.WriteString(assignments(all.Providers()[name]))
	}
	path := filepath.Join(docs, "index.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(stored)); diff != "" {
		t.Errorf("docs/providers/index.md differs from the adapters; run make generate (-want +got):\n%s", diff)
	}
}

// TestEveryProviderHasAPage holds the hand-written pages to the credentials that
// the adapters take.
func TestEveryProviderHasAPage(t *testing.T) {
	t.Parallel()
	pages := all.Providers()
	for _, info := range standards() {
		pages[info.Name] = info
	}
	for name, info := range pages {
		page, err := os.ReadFile(filepath.Join(docs, string(name)+".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, f := range info.Fields {
			if !strings.Contains(string(page), "`"+f.Name+"`") {
				t.Errorf("docs/providers/%s.md does not tell of the credential %s", name, f.Name)
			}
		}
	}
}

// standardsIntro stands above the table of the providers that are standards.
const standardsIntro = `
## Standards

Any maker that serves one of these is read where the operator enables it with ` + "`--provider-extra`" + `. [A vendor that is not in the list](../any-vendor.md) has
the other ways.

| Provider | Credentials | Devices | Positions | Live within | Trips | Driver | Ignition | Odometer | Idling | PTO | Limits |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

// standards are the providers beyond the set that read from somewhere.
func standards() []provider.Info {
	var infos []provider.Info
	for _, name := range drover.ExtraProviderNames {
		if info := all.With(drover.ExtraProviderNames)[name]; !info.Records {
			infos = append(infos, info)
		}
	}
	return infos
}

// readingsIntro stands above the table of readings.
const readingsIntro = `
## Readings

What is read of a vehicle's instruments ([readings](../readings.md)), with the provider's own names. Which of them a vehicle has depends on the vehicle and on its tracker. A provider
that is not listed has none that is confirmed.

| Provider | Readings |
|---|---|
`

// safetyIntro stands above the table of safety events.
const safetyIntro = `
## Safety events

Who reports [safety events](../safety.md), and of which types, besides other. A provider that is not listed reports none that is read.

| Provider | Types | Read |
|---|---|---|
`

// assignmentsIntro stands above the table of assignments.
const assignmentsIntro = `
## Assignments of drivers

Who states by itself [who drove what when](../interface.md#drivers), by which name, and how often that is read. Changes end with the next one of the vehicle. Of a provider that is
not listed, assignments are derived from its trips and positions.

| Provider | Assignments | Form | Read |
|---|---|---|---|
`

// assignments are the names of a provider's assignments of drivers.
func assignments(info provider.Info) string {
	if info.Assignments == nil {
		return ""
	}
	form := "from one time to another"
	if info.Assignments.Changes {
		form = "changes"
	}
	return fmt.Sprintf("| [%s](%s.md) | `%s` | %s | %s |\n", info.Title, info.Name, strings.Join(info.Assignments.Names, "`, `"), form,
		every(info.Assignments.Every))
}

// safety are the types of a provider's safety events.
func safety(info provider.Info) string {
	if info.Safety == nil {
		return ""
	}
	types := make([]string, len(info.Safety.Types))
	for i, typ := range info.Safety.Types {
		types[i] = string(typ)
	}
	return fmt.Sprintf("| [%s](%s.md) | %s | %s |\n", info.Title, info.Name, strings.Join(types, ", "), every(info.Safety.Every))
}

// faultsIntro stands above the table of faults.
const faultsIntro = `
## Faults

Who reports [faults](../faults.md), by which name, and how often they are read. A provider that is not listed reports none that is confirmed.

| Provider | Faults | Read |
|---|---|---|
`

// faults are the names of what a provider reports as faults.
func faults(info provider.Info) string {
	if info.Faults == nil {
		return ""
	}
	read := "with positions"
	if info.Faults.Asked() {
		read = every(info.Faults.Every)
	}
	return fmt.Sprintf("| [%s](%s.md) | `%s` | %s |\n", info.Title, info.Name, strings.Join(info.Faults.Names, "`, `"), read)
}

// readings are the kinds of a provider with its own names.
func readings(info provider.Info) string {
	if len(info.Readings) == 0 {
		return ""
	}
	names := map[drover.ReadingKind][]string{}
	for _, r := range info.Readings {
		names[r.Kind] = append(names[r.Kind], "`"+r.NativeName+"`")
	}
	var kinds []string
	for _, k := range drover.ReadingKinds {
		if len(names[k]) > 0 {
			kinds = append(kinds, fmt.Sprintf("%s (%s)", k, strings.Join(names[k], ", ")))
		}
	}
	return fmt.Sprintf("| [%s](%s.md) | %s |\n", info.Title, info.Name, strings.Join(kinds, "; "))
}

func row(info provider.Info) string {
	f := info.Features
	cells := []string{
		fmt.Sprintf("[%s](%s.md)", info.Title, info.Name), credentials(info), every(info.Poll.Devices), positions(info), every(info.Fresh()),
		trips(info),
		yes(f.Driver), yes(f.Ignition), yes(f.Odometer), yes(f.Idling), yes(f.Auxiliary), limits(info.Limits),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// credentials lists what must be given, and what may stand in for it.
func credentials(info provider.Info) string {
	var out []string
	for _, f := range info.Fields {
		switch {
		case f.Required:
			out = append(out, "`"+f.Name+"`")
		case len(f.RequiredUnless) > 0:
			out = append(out, fmt.Sprintf("`%s` (or `%s`)", f.Name, strings.Join(f.RequiredUnless, "`, `")))
		}
	}
	return strings.Join(out, ", ")
}

func positions(info provider.Info) string {
	out := every(info.Poll.Positions)
	if info.Features.Feed {
		out += ", feed"
	}
	if info.Features.Backfill {
		return out + ", backfill"
	}
	return out + ", no backfill"
}

func trips(info provider.Info) string {
	switch need := info.Features.TripsNeed; {
	case !info.Features.Trips:
		return "derived"
	case need != "":
		return fmt.Sprintf("native, %s, with `%s`; else derived", every(info.Poll.Trips), need)
	}
	return "native, " + every(info.Poll.Trips)
}

// limits lists rates; calls with the same rate, each by itself, are listed once.
func limits(list []provider.Limit) string {
	var out, rates []string
	paths := map[string][]string{}
	for _, l := range list {
		r := rate(l)
		if l.Path == "" {
			out = append(out, r)
			continue
		}
		if !slices.Contains(rates, r) {
			rates = append(rates, r)
		}
		paths[r] = append(paths[r], "`"+l.Path+"`")
	}
	for _, r := range rates {
		each := ""
		if len(paths[r]) > 1 {
			each = " each"
		}
		out = append(out, fmt.Sprintf("%s%s: %s", r, each, strings.Join(paths[r], ", ")))
	}
	return strings.Join(out, "; ")
}

func rate(l provider.Limit) string {
	var out []string
	if l.Requests > 0 {
		out = append(out, fmt.Sprintf("%d in %s", l.Requests, every(l.Per)))
	}
	if l.Concurrent > 0 {
		out = append(out, fmt.Sprintf("%d at once", l.Concurrent))
	}
	return strings.Join(out, ", ")
}

// every prints a time in its largest whole unit.
func every(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
