package wire_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	const address = "https://example.com/a"
	for want, make := range map[string]func(address string) (*http.Request, error){
		"GET https://example.com/a?b=1+2  ": func(a string) (*http.Request, error) {
			return wire.Get(t.Context(), a, url.Values{"b": {"1 2"}})
		},
		"GET https://example.com/a  ": func(a string) (*http.Request, error) { return wire.Get(t.Context(), a, nil) },
		"POST https://example.com/a application/x-www-form-urlencoded b=1+2": func(a string) (*http.Request, error) {
			return wire.PostForm(t.Context(), a, url.Values{"b": {"1 2"}})
		},
		`POST https://example.com/a application/json ["1"]`: func(a string) (*http.Request, error) {
			return wire.PostJSON(t.Context(), a, []string{"1"})
		},
	} {
		req, err := make(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join([]string{req.Method, req.URL.String(), req.Header.Get("Content-Type"), string(body)}, " ")
		if diff := cmp.Diff(want, got); diff != "" || req.Header.Get("Accept") != "application/json" {
			t.Errorf("accepts %q, %s", req.Header.Get("Accept"), diff)
		}
		if _, err := make("://s3cret"); err == nil || strings.Contains(err.Error(), "s3cret") || provider.KindOf(err) != provider.KindPermanent {
			t.Errorf("no address: %v of kind %s", err, provider.KindOf(err))
		}
	}
}
