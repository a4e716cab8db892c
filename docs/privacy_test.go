package docs_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/upkeep/export"
)

// TestPersonsData holds that what the page says of a person's data can be asked for as it says,
// and that it names each kind of records that a driver can be asked for by.
func TestPersonsData(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(read(t, "privacy.md"), "## Handing a person its data")
	section, _, _ = strings.Cut(section, "\n## ")
	asked := map[drover.ExportKind]bool{}
	check := func(in drover.ExportInput) {
		if err := new(export.Runner).Check(in); err != nil {
			t.Errorf("%s with %s: %v", in.Kind, in.Filters, err)
		}
		asked[in.Kind] = strings.Contains(string(in.Filters), `"D-17"`)
	}
	for line := range strings.Lines(section) {
		words := strings.Fields(line)
		if command, ok := strings.CutPrefix(line, "drover export "); ok {
			in, filters := drover.ExportInput{Kind: drover.ExportKind(strings.Fields(command)[0]), Format: drover.ExportCSV}, map[string]string{}
			for i, word := range words {
				switch word {
				case "-f":
					name, value, _ := strings.Cut(words[i+1], "=")
					filters[name] = value
				case "--format":
					in.Format = drover.ExportFormat(words[i+1])
				}
			}
			in.Filters, _ = json.Marshal(filters) // texts can be written
			check(in)
		}
		if _, body, ok := strings.Cut(line, "`POST /export` with `"); ok {
			body, _, _ = strings.Cut(body, "`")
			var in drover.ExportInput
			if err := json.Unmarshal([]byte(body), &in); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			check(in)
		}
	}
	want := []drover.ExportKind{drover.ExportDrivers, drover.ExportPositions, drover.ExportSafety, drover.ExportTrips}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, want) || slices.Contains(slices.Collect(maps.Values(asked)), false) {
		t.Errorf("the page asks for %v of a driver, want %v", asked, want)
	}
}
