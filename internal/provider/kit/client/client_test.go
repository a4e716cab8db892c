package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

func TestClient(t *testing.T) {
	t.Parallel()
	var calls []string
	c := client.Client{
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			calls = append(calls, req.Method+" "+req.URL.String()+" "+req.Header.Get("Authorization"))
			if req.Header.Get("Authorization") == "Bearer 1" {
				return nil, provider.Errorf(provider.KindPermanent, "refused: %w", &provider.StatusError{Status: 400})
			}
			return providertest.Answer(`[7]`)
		}),
		Base: "https://api.test/v1", Sign: client.Bearer,
		Meaning: func(err error) error {
			if err == nil {
				return nil
			}
			return provider.Errorf(provider.KindCredentials, "%w", err)
		},
	}
	logins := 0
	c.Session = &session.Session{Now: time.Now, Login: func(context.Context) (session.Token, error) {
		logins++
		return session.Token{Value: string(rune('0' + logins))}, nil
	}}
	var got []int
	if err := c.Get(t.Context(), "/a", url.Values{"x": {"y"}}, &got); provider.KindOf(err) != provider.KindCredentials {
		t.Errorf("a fresh token that is refused: %v", err)
	}
	if err := c.Post(t.Context(), "/b", []string{"z"}, &got); err != nil || !cmp.Equal(got, []int{7}) {
		t.Errorf("%v, %v", got, err)
	}
	want := []string{"GET https://api.test/v1/a?x=y Bearer 1", "POST https://api.test/v1/b Bearer 1", "POST https://api.test/v1/b Bearer 2"}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	failed := errors.New("no request")
	if err := c.Send(t.Context(), nil, func(context.Context) (*http.Request, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestSigns(t *testing.T) {
	t.Parallel()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.test", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client.Header("X-Key", "k", "X-Unit", "m")(req, "")
	client.Basic("u", "p")(req, "")
	if name, password, _ := req.BasicAuth(); name != "u" || password != "p" || req.Header.Get("X-Key") != "k" ||
		req.Header.Get("X-Unit") != "m" {
		t.Errorf("headers %v", req.Header)
	}
}
