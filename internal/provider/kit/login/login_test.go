package login

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// send makes a call with the login that credentials choose, and returns its headers.
func send(t *testing.T, credentials provider.Credentials, doer providertest.Doer) (http.Header, error) {
	t.Helper()
	var sent http.Header
	network := func(req *http.Request) (*http.Response, error) {
		if doer != nil && strings.HasSuffix(req.URL.Path, "/token") {
			return doer(req)
		}
		sent = req.Header
		return providertest.Answer("{}")
	}
	access, err := Of(provider.Config{Credentials: credentials, Now: time.Now, HTTP: providertest.Doer(network)})
	if err != nil {
		return nil, err
	}
	err = access.Authorize(t.Context(), func(ctx context.Context, header string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://maker.example/x", http.NoBody)
		if err != nil {
			return err
		}
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		resp, err := access.HTTP.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	})
	return sent, err
}

func TestWays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		credentials         provider.Credentials
		header, value, says string
	}{
		{credentials: provider.Credentials{"username": "u", "password": "p"}, header: "Authorization", value: "Basic dTpw"},
		{credentials: provider.Credentials{"authentication": "bearer", "access_token": "t"}, header: "Authorization", value: "Bearer t"},
		{credentials: provider.Credentials{"authentication": "header", "header_name": "X-Key", "api_key": "k"}, header: "X-Key", value: "k"},
		{credentials: provider.Credentials{"username": "u"}, says: "password"},
		{credentials: provider.Credentials{"authentication": "bearer"}, says: "access_token"},
		{credentials: provider.Credentials{"authentication": "oauth", "oauth_url": "https://maker.example/token", "client_id": "c"}, says: "client_secret"},
		{credentials: provider.Credentials{"authentication": "header", "header_name": "X-Key: a\r\nHost", "api_key": "k"}, says: "header_name"},
		{credentials: provider.Credentials{"authentication": "kerberos"}, says: "authentication"},
	} {
		sent, err := send(t, c.credentials, nil)
		if c.says == "" && (err != nil || sent.Get(c.header) != c.value) {
			t.Errorf("%v: %v, %v", c.credentials["authentication"], sent, err)
		}
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || provider.KindOf(err) != provider.KindPermanent) {
			t.Errorf("%v: %v, want words about %s", c.credentials["authentication"], err, c.says)
		}
	}
}

// TestClientCredentials holds that servers are served that take a client's secret in the
// header, and those that take it in the form, and that a refusal is one.
func TestClientCredentials(t *testing.T) {
	t.Parallel()
	credentials := provider.Credentials{
		"authentication": "oauth", "oauth_url": "https://maker.example/token", "client_id": "c", "client_secret": "s", "scope": "a b",
	}
	for place, accepted := range map[string]func(*http.Request) bool{
		"header": func(r *http.Request) bool { id, secret, _ := r.BasicAuth(); return id == "c" && secret == "s" },
		"form": func(r *http.Request) bool {
			return r.PostFormValue("client_id") == "c" && r.PostFormValue("client_secret") == "s"
		},
		"nowhere": func(*http.Request) bool { return false },
	} {
		sent, err := send(t, credentials, func(r *http.Request) (*http.Response, error) {
			if !accepted(r) || r.PostFormValue("scope") != "a b" || r.PostFormValue("grant_type") != "client_credentials" {
				return providertest.Refuse(http.StatusUnauthorized)
			}
			return providertest.Answer(`{"access_token":"t","expires_in":60}`)
		})
		if place == "nowhere" {
			if provider.KindOf(err) != provider.KindCredentials || err == nil {
				t.Errorf("%s: %v", place, err)
			}
			continue
		}
		if err != nil || sent.Get("Authorization") != "Bearer t" {
			t.Errorf("%s: %v, %v", place, sent, err)
		}
	}
}
