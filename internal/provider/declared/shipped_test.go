package declared_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/sim"
)

// shipped are the vendors that are described by files in docs.
const shipped = "../../../docs/vendors"

// TestShippedVendors holds the files that are shipped to the suite of the adapters, with a fake
// of each that answers in the shape of its recorded answers, and to the short suite of the
// command line.
func TestShippedVendors(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(shipped + "/*.yaml")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%v, %v", paths, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := declared.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if file.Name != name || len(file.Notes) == 0 || !strings.Contains(file.Notes[0], "not proved") {
				t.Errorf("%s: %v", file.Name, file.Notes)
			}
			recorded, err := file.Recorded(filepath.Join(shipped, "recorded", name))
			if err != nil || len(recorded) < 2 {
				t.Fatalf("%d answers are recorded, %v", len(recorded), err)
			}
			for _, p := range file.Suite(t.Context(), recorded) {
				if p.Error != "" {
					t.Errorf("%s: %s", p.Name, p.Error)
				}
			}
			fake := declared.NewFake(file, recorded)
			credentials := map[string]string{}
			for _, c := range file.Credentials {
				credentials[c.Name] = "fake-" + c.Name + "-1234"
			}
			providertest.Run(t, providertest.Harness{
				Info: file.Info(), Credentials: credentials, Vendor: fake.Vendor, TripDrivers: fake.HasTripDrivers(),
				ExpectDevice: fake.ExpectDevice, ExpectTrip: fake.ExpectTrip,
			})
		})
	}
}

// TestFakeOfTexts holds that the fake takes a value apart where the file puts it together.
func TestFakeOfTexts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(shipped + "/one_step_gps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	present := func() time.Time { return now }
	credentials := map[string]string{"api_key": "fake-api_key-1234"}
	fleet := sim.New(sim.Options{Vehicles: 5, Seed: 3})
	newest := func(text string) []provider.Position {
		file, mistakes := declared.Parse([]byte(text))
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		vendor := declared.NewFake(file, nil).Vendor(sim.NewAccount(fleet, present, credentials))
		return job(t, adapter(t, file.Info(), credentials, carried{vendor}, present).Positions, provider.Query{From: now.Add(-48 * time.Hour)})
	}
	parts := strings.NewReplacer("time: dt_tracker", `time: "{day} {/clock}"`, "latitude: lat", `latitude: "{degrees}.{decimals}"`, "heading: angle", `heading: "{angle}"`)
	same(t, "positions", newest(string(text)), newest(parts.Replace(string(text))))
}

// TestSuiteFinds holds that the short suite sees what is wrong in a file: a unit, a path, a
// list, ids.
func TestSuiteFinds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(shipped + "/mapon.yaml")
	if err != nil {
		t.Fatal(err)
	}
	right, _ := declared.Parse(text)
	recorded, err := right.Recorded(shipped + "/recorded/mapon")
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[[2]string]string{
		{"records: data.units\n", "records: data.vehicles\n"}:  "no list",
		{"time: last_update", "time: updated_at"}:              "has no record",
		{"latitude: lat\n", "latitude: label\n"}:               "no number",
		{"query: {key: \"{api_key}\"}", "header: {X: always}"}: "with a wrong api_key",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			wrong := strings.Replace(string(text), change[0], change[1], 1)
			file, mistakes := declared.Parse([]byte(wrong))
			if wrong == string(text) || len(mistakes) > 0 {
				t.Fatalf("%s: %v", change[1], mistakes)
			}
			var found strings.Builder
			for _, p := range file.Suite(t.Context(), recorded) {
				found.WriteString(p.Error + "\n")
			}
			if !strings.Contains(found.String(), want) {
				t.Errorf("%s: the suite says %q, want %q", change[1], found.String(), want)
			}
		})
	}
}
