package providertest

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

var (
	snakeCase    = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	soundsSecret = regexp.MustCompile(`password|secret|token|api_key|_code$`)
)

func testInfo(t *testing.T, h *Harness) {
	t.Helper()
	info := h.Info
	if !snakeCase.MatchString(string(info.Name)) {
		t.Errorf("name %q is not in snake_case", info.Name)
	}
	if info.Title == "" || info.Homepage == "" || len(info.Notes) == 0 {
		t.Error("title, homepage and notes are required")
	}
	if info.Poll.Devices <= 0 || info.Poll.Positions <= 0 || (info.Poll.Trips > 0) != info.Features.Trips {
		t.Errorf("poll intervals %+v do not go with features %+v", info.Poll, info.Features)
	}
	for _, l := range info.Limits {
		if (l.Requests > 0) != (l.Per > 0) || (l.Requests <= 0 && l.Concurrent <= 0) {
			t.Errorf("limit %+v bounds nothing, or has only half a rate", l)
		}
	}
	names := map[string]provider.Field{}
	for _, f := range info.Fields {
		if _, twice := names[f.Name]; twice {
			t.Errorf("field %s stops twice", f.Name)
		}
		names[f.Name] = f
	}
	if f, ok := names[provider.BaseURLField]; !ok || f.Secret {
		t.Errorf("field %s must be there and not secret", provider.BaseURLField)
	}
	for _, f := range info.Fields {
		checkField(t, f, names)
	}
	checkOAuth(t, info.OAuth, names)
	checkCredentials(t, h, names)
}

// checkOAuth wants what a person's consent is asked for with, and a credential
// that may be missing until it is there.
func checkOAuth(t *testing.T, o *provider.OAuth, fields map[string]provider.Field) {
	t.Helper()
	if o == nil {
		return
	}
	if f, ok := fields[o.Field]; !ok || !f.Secret || f.Required {
		t.Errorf("the consent is kept in %q, which must be a secret field that is not required", o.Field)
	}
	for _, name := range []string{provider.ClientIDField, provider.ClientSecretField, provider.RedirectField} {
		if !fields[name].Required {
			t.Errorf("field %s is needed for the consent and not required", name)
		}
	}
	for _, address := range []string{o.AuthorizeURL, o.TokenURL} {
		if u, err := url.Parse(address); err != nil || address != "" && u.Scheme != "https" {
			t.Errorf("%q is no address", address)
		}
	}
}

func checkField(t *testing.T, f provider.Field, all map[string]provider.Field) {
	t.Helper()
	if !snakeCase.MatchString(f.Name) || f.Title == "" || f.Help == "" {
		t.Errorf("field %+v needs a name in snake_case, a title and a help text", f)
	}
	if soundsSecret.MatchString(f.Name) && !f.Secret {
		t.Errorf("field %s sounds secret and is not marked so", f.Name)
	}
	if f.Required && f.Default != "" {
		t.Errorf("field %s is required and has a default", f.Name)
	}
	if len(f.Options) > 0 && f.Default != "" && !slices.Contains(f.Options, f.Default) {
		t.Errorf("field %s: default %q is not among %v", f.Name, f.Default, f.Options)
	}
	for _, other := range f.RequiredUnless {
		if _, ok := all[other]; !ok || other == f.Name {
			t.Errorf("field %s: required unless %q, which is no other field", f.Name, other)
		}
	}
}

func checkCredentials(t *testing.T, h *Harness, fields map[string]provider.Field) {
	t.Helper()
	for name, value := range h.Credentials {
		f, ok := fields[name]
		if !ok {
			t.Errorf("the harness has a credential %q that is no field", name)
		}
		if f.Secret && len(value) < 8 {
			t.Errorf("the harness's %s is too short to be recognised in a log", name)
		}
	}
	for _, f := range fields {
		if f.Required && f.Name != provider.BaseURLField && h.Credentials[f.Name] == "" {
			t.Errorf("the harness lacks the required credential %s", f.Name)
		}
	}
}

func testAccepted(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	p := r.adapter(t)
	if n := len(r.network.calls); n != 0 {
		t.Errorf("New made %d calls", n)
	}
	if err := p.Check(t.Context()); err != nil {
		t.Errorf("Check with accepted credentials: %v", err)
	}
}

func testRefused(t *testing.T, h *Harness) {
	t.Helper()
	tried := 0
	for _, f := range h.Info.Fields {
		if !f.Secret || h.Credentials[f.Name] == "" {
			continue
		}
		tried++
		r := newRig(t, h, sim.Options{})
		wrong := r.credentials()
		wrong[f.Name] = "not-the-right-one-" + strings.Repeat("x", 8)
		r.tokens.credentials = wrong
		p := r.adapter(t)
		if err := p.Check(t.Context()); err == nil || provider.KindOf(err) != provider.KindCredentials {
			t.Errorf("Check with a wrong %s: %v, of kind %s, want %s", f.Name, err, provider.KindOf(err), provider.KindCredentials)
		}
	}
	if tried == 0 {
		t.Error("no credential is secret: nothing was refused")
	}
}

// fleetSize makes vendors with pages of 50 or 100 need several.
const fleetSize = 230

func testDevices(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Vehicles: fleetSize})
	got := r.devices(t, r.adapter(t))
	var want []provider.Device
	for _, v := range r.fleet.Vehicles() {
		want = append(want, h.device(v))
	}
	byID := func(a, b provider.Device) int { return cmp.Compare(a.SystemDeviceID, b.SystemDeviceID) }
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("devices (-truth +adapter):\n%s", diff)
	}
}

// devices reads the whole fleet.
func (r *rig) devices(t *testing.T, p provider.Provider) []provider.Device {
	t.Helper()
	var all []provider.Device
	cursor := ""
	for range maxPages {
		page, err := p.Devices(t.Context(), cursor)
		if err != nil {
			t.Fatalf("Devices: %v", err)
		}
		all = append(all, page.Records...)
		if !page.More {
			return all
		}
		cursor = page.Cursor
	}
	t.Fatal("Devices has no last page")
	return nil
}
