package collect_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestForms holds that the forms that an adapter meets come into the connection's
// configuration, also over a restart, and change nothing else there.
func TestForms(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		var observe func(name, form string)
		info := r.stubInfo()
		info.New = func(c provider.Config) (provider.Provider, error) {
			observe = c.Observe
			return r.stubs.get(c.Credentials["stub"])
		}
		r.options.Providers[stubName] = info
		_, conn := r.stub("forms", noon, []string{"a"})
		configuration := func() drover.Configuration {
			t.Helper()
			c, err := r.store.Fleet.Connection(t.Context(), r.principal.TenantID, conn.ID)
			if err != nil {
				t.Fatal(err)
			}
			return c.Configuration
		}
		r.run()
		want := configuration()
		if want.Forms != nil {
			t.Errorf("nothing was met, but the forms are %v", want.Forms)
		}
		observe("unit", "km")
		observe("time", "text")
		observe("unit", "km")
		r.pass(2 * time.Minute)
		want.Forms = map[string]string{"unit": "km", "time": "text"}
		if diff := cmp.Diff(want, configuration()); diff != "" {
			t.Errorf("the configuration (-want +got):\n%s", diff)
		}
		r.collector = r.another("second")
		r.pass(2 * time.Minute)
		observe("unit", "a mile")
		r.pass(2 * time.Minute)
		want.Forms["unit"] = "a mile, km"
		if diff := cmp.Diff(want, configuration()); diff != "" {
			t.Errorf("the configuration after a restart (-want +got):\n%s", diff)
		}
	})
}

// TestPollIntervalIsShown holds that a connection says how often it is asked, also where
// the operator has set that, and once the operator sets nothing any more.
func TestPollIntervalIsShown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		_, conn := r.stub("interval", noon, []string{"a"})
		shown := func() int {
			t.Helper()
			c, err := r.store.Fleet.Connection(t.Context(), r.principal.TenantID, conn.ID)
			if err != nil {
				t.Fatal(err)
			}
			return c.Configuration.PollIntervalSeconds
		}
		r.run()
		own := shown()
		r.options.PollInterval = 77 * time.Second
		r.collector = r.another("second")
		r.pass(2 * time.Minute)
		if got := shown(); got != 77 || own == 77 {
			t.Errorf("the interval is shown as %d s, and was %d s; want 77 s", got, own)
		}
		r.options.PollInterval = 0
		r.collector = r.another("third")
		r.pass(3 * time.Minute)
		if got := shown(); got != own {
			t.Errorf("the interval is shown as %d s, want the provider's own of %d s", got, own)
		}
	})
}
