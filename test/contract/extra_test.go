package contract_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
)

// TestExtrasAreInTheDocument holds that what the operator enables is in the enum, and that
// without it the enum is that of the interface to the letter.
func TestExtrasAreInTheDocument(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string][]drover.ProviderName{"enabled": drover.ExtraProviderNames, "not": nil} {
		c := defaults(t.TempDir())
		c.ProviderExtra = extra
		s := newService(t, c)
		var doc struct {
			Components struct {
				Schemas map[string]struct{ Enum []drover.ProviderName }
			}
		}
		if err := json.Unmarshal([]byte(s.send(t, request{method: http.MethodGet, path: "/openapi.json"}).body), &doc); err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(drover.ProviderNames, extra)
		if diff := cmp.Diff(want, doc.Components.Schemas["ProviderEnum"].Enum); diff != "" {
			t.Errorf("%s: the enum (-want +got):\n%s", name, diff)
		}
		var listed []drover.ProviderName
		providers, _ := get[[]struct{ Name drover.ProviderName }](t, s, alice, "/provider")
		for _, p := range providers {
			listed = append(listed, p.Name)
		}
		if diff := cmp.Diff(want, listed); diff != "" {
			t.Errorf("%s: the list (-want +got):\n%s", name, diff)
		}
		for _, provider := range drover.ExtraProviderNames {
			resp := s.send(t, request{
				method: http.MethodGet, path: "/connection?telematics_provider=" + string(provider),
				header: s.authorized(t, alice),
			})
			if (resp.status == http.StatusOK) != (extra != nil) {
				t.Errorf("%s: a filter by %s is answered %d", name, provider, resp.status)
			}
		}
	}
}

// TestAddressesOfStandards holds that each address that a tenant names is guarded, that of
// access tokens too.
func TestAddressesOfStandards(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.ProviderExtra = drover.ExtraProviderNames
	s := newService(t, c)
	for _, provider := range []string{"rfms", "iso15143"} {
		for field, address := range map[string]string{"base_url": "http://10.1.2.3/rfms", "oauth_url": "http://169.254.169.254/token"} {
			credentials := map[string]string{
				"base_url": publicURL, "authentication": "oauth", "oauth_url": publicURL + "/token", "client_id": "c", "client_secret": "s",
			}
			credentials[field] = address
			resp := s.send(t, request{http.MethodPost, "/connection", s.authorized(t, alice), jsonText(map[string]any{
				"integration_name": provider, "business_name": "x", "credentials": credentials,
			})})
			var fault struct {
				Error struct{ Loc []any }
			}
			if err := json.Unmarshal([]byte(resp.body), &fault); err != nil {
				t.Fatal(err)
			}
			if resp.status != http.StatusUnprocessableEntity || !slices.Contains(fault.Error.Loc, any(field)) {
				t.Errorf("%s with the %s %s is answered %d %s", provider, field, address, resp.status, resp.body)
			}
		}
	}
}

// vendorFile describes a vendor.
const vendorFile = `
name: acme
title: Acme
address: https://api.acme.example
credentials: [{name: api_key, title: Key, help: The key., required: true, secret: true}]
login: {header: {X-Key: "{api_key}"}}
devices: {get: /vehicles, device: id}
positions:
  newest: {get: /positions, device: id}
  fields: {time: at, latitude: lat, longitude: lon}
`

// TestVendorInAFile holds that a file of the operator's is a provider like any other, and that
// a broken one beside it does no harm.
func TestVendorInAFile(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.ProviderDir = t.TempDir()
	for name, text := range map[string]string{"acme.yaml": vendorFile, "broken.yaml": "name: [", "taken.yaml": strings.Replace(vendorFile, "acme", "traccar", 1)} {
		if err := os.WriteFile(filepath.Join(c.ProviderDir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newService(t, c)
	providers, _ := get[[]struct {
		Name   drover.ProviderName
		Fields []struct {
			Name   string
			Secret bool
		}
	}](t, s, alice, "/provider")
	if n := len(providers); n != len(drover.ProviderNames)+1 || providers[n-1].Name != "acme" {
		t.Fatalf("%+v", providers)
	}
	connect := func(credentials string) response {
		return s.send(t, request{http.MethodPost, "/connection", s.authorized(t, alice), `{"integration_name":"acme","business_name":"x","credentials":` + credentials + `}`})
	}
	if resp := connect(`{}`); resp.status != http.StatusUnprocessableEntity || !strings.Contains(resp.body, "api_key") {
		t.Errorf("without a key: %d %s", resp.status, resp.body)
	}
	if resp := connect(`{"api_key":"k","base_url":"http://127.0.0.1/"}`); resp.status != http.StatusUnprocessableEntity {
		t.Errorf("an address within: %d %s", resp.status, resp.body)
	}
	if resp := connect(`{"api_key":"k"}`); resp.status != http.StatusOK {
		t.Errorf("with a key: %d %s", resp.status, resp.body)
	}
}

// TestVendorPlacedLater holds that a file that an operator places while the service runs is in
// the enum, the document and the list soon, and that a tenant can connect to it then.
func TestVendorPlacedLater(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.ProviderDir = t.TempDir()
	s := newService(t, c)
	connect := request{http.MethodPost, "/connection", s.authorized(t, alice), `{"integration_name":"acme","business_name":"x","credentials":{"api_key":"k"}}`}
	if resp := s.send(t, connect); resp.status != http.StatusUnprocessableEntity {
		t.Fatalf("before: %d %s", resp.status, resp.body)
	}
	if err := os.WriteFile(filepath.Join(c.ProviderDir, "acme.yaml"), []byte(vendorFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a text counts once it was the same at two looks
		s.later(10 * time.Second)
		get[[]struct{ Name drover.ProviderName }](t, s, alice, "/provider")
	}
	if body := s.send(t, request{method: http.MethodGet, path: "/openapi.json"}).body; !strings.Contains(body, `"acme"`) {
		t.Error("it is not in the document")
	}
	if resp := s.send(t, connect); resp.status != http.StatusOK {
		t.Errorf("after: %d %s", resp.status, resp.body)
	}
}

// TestTenantPlacesNoFile holds that nothing that a tenant sends comes into the operator's
// folder, whatever it is called and whatever it contains.
func TestTenantPlacesNoFile(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.ProviderDir = t.TempDir()
	s := newService(t, c)
	name := filepath.Join(c.ProviderDir, "acme.yaml")
	for path, body := range map[string]string{
		"/connection":       jsonText(map[string]any{"integration_name": name, "business_name": vendorFile, "credentials": map[string]string{"file": vendorFile}}),
		"/connection/try":   jsonText(map[string]any{"integration_name": "../" + filepath.Base(c.ProviderDir) + "/acme", "credentials": map[string]string{}}),
		"/provider":         jsonText(map[string]any{"name": "acme", "text": vendorFile}),
		"/provider/acme":    vendorFile,
		"/export":           jsonText(map[string]any{"type": "trips", "file": name, "format": "../../" + name}),
		"/connection/links": jsonText(map[string]any{"business_name": "x", "providers": []string{name}}),
	} {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch} {
			if resp := s.send(t, request{method, path, s.authorized(t, alice), body}); resp.status < 400 {
				t.Errorf("%s %s is answered %d %s", method, path, resp.status, resp.body)
			}
		}
	}
	entries, err := os.ReadDir(c.ProviderDir)
	if err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	for _, op := range api.Operations() {
		if strings.HasPrefix(op.Path, "/provider") && op.Method != http.MethodGet {
			t.Errorf("%s %s changes providers", op.Method, op.Path)
		}
	}
}
