package collect_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestProbe looks at each of the twenty providers: every step works, nothing is
// otherwise than expected, and nothing private is in the report.
func TestProbe(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		r := newRig(t, s)
		providers := all.Providers()
		if strings.HasSuffix(t.Name(), "/postgres") {
			// What becomes of a vendor's answer does not depend on the database.
			providers = map[drover.ProviderName]provider.Info{drover.Samsara: providers[drover.Samsara]}
		}
		for _, info := range providers {
			info.Limits = nil // time stands still
			r.options.Providers[info.Name] = info
			t.Run(string(info.Name), func(t *testing.T) { r.probe(t, info) })
		}
	})
}

func (r *rig) probe(t *testing.T, info provider.Info) {
	t.Helper()
	vendor, err := sandbox.New(sandbox.Options{Provider: info.Name, Vehicles: probed, Seed: probed, Now: r.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	host := strings.ReplaceAll(string(info.Name), "_", "-") + ".invalid"
	r.network.serve(host, vendor)
	credentials := vendor.Credentials("https://" + host)
	conn := r.connect(info.Name, noon, credentials)
	report, err := r.collector.Probe(t.Context(), r.principal.TenantID, conn.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := 3
	if info.NativeTrips(credentials) {
		want++
	}
	if len(report.Steps) != want {
		t.Errorf("%d steps, want %d", len(report.Steps), want)
	}
	for _, step := range report.Steps {
		if step.Error != nil || len(step.Calls) == 0 && step.Name != "login" {
			t.Errorf("%s: %d calls, %v", step.Name, len(step.Calls), step.Error)
		}
		for i := range step.Calls {
			step.Calls[i].Bytes = 0 // a size may hold the digits of a vehicle's id
		}
	}
	if len(report.Deviations) > 0 {
		t.Errorf("deviations: %q", report.Deviations)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range r.private(info, credentials) {
		if strings.Contains(string(text), word) {
			t.Errorf("the report shows %q: %s", word, text)
		}
	}
}

// probed is how many vehicles a sandbox has, and the seed of its fleet.
const probed = 3

// private are the words that no report may show.
func (r *rig) private(info provider.Info, credentials map[string]string) []string {
	var words []string
	for _, f := range info.Fields {
		if f.Secret && len(credentials[f.Name]) > 3 {
			words = append(words, credentials[f.Name])
		}
	}
	fleet := sim.New(sim.Options{Vehicles: probed, Seed: probed, Busy: &sim.Busy{Roads: sim.CountryRoads}})
	for _, v := range fleet.Vehicles() {
		words = append(words, v.ID, v.VIN, v.Registration, v.Name)
		words = append(words, v.Drivers...)
		if s, ok := fleet.At(v, noon); ok {
			words = append(words, strconv.FormatFloat(s.Latitude, 'f', 4, 64), strconv.FormatFloat(s.Longitude, 'f', 4, 64))
		}
	}
	return words
}

// TestProbeOfRefused says what the provider refused.
func TestProbeOfRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		vendor, err := sandbox.New(sandbox.Options{Provider: drover.Traccar, Vehicles: 2, Now: r.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		r.network.serve("traccar.invalid", vendor)
		conn := r.connect(drover.Traccar, noon, map[string]string{provider.BaseURLField: "https://traccar.invalid", "token": "wrong-wrong"})
		report, err := r.collector.Probe(t.Context(), r.principal.TenantID, conn.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Steps) != 1 || report.Steps[0].ErrorKind == nil || *report.Steps[0].ErrorKind != string(provider.KindCredentials) {
			t.Errorf("the report is %+v", report)
		}
		if len(report.Deviations) != 1 {
			t.Errorf("deviations: %q", report.Deviations)
		}
	})
}
