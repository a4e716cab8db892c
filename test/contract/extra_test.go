package contract_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
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
