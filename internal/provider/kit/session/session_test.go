package session_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
)

var now = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)

var errRefused = provider.Errorf(provider.KindCredentials, "refused")

func TestSession(t *testing.T) {
	t.Parallel()
	clock, logins := now, 0
	s := &session.Session{
		Now: func() time.Time { return clock },
		Login: func(context.Context) (session.Token, error) {
			logins++
			return session.Token{Value: strings.Repeat("t", logins), Expires: clock.Add(time.Hour)}, nil
		},
	}
	good := "t"
	var used []string
	call := func(_ context.Context, token string) error {
		used = append(used, token)
		if token != good {
			return errRefused
		}
		return nil
	}
	steps := []struct {
		name   string
		change func()
		want   []string
		fails  bool
	}{
		{"logs in", func() {}, []string{"t"}, false},
		{"uses the token again", func() {}, []string{"t"}, false},
		{"renews a refused one", func() { good = "tt" }, []string{"t", "tt"}, false},
		{"renews an expired one", func() { clock, good = clock.Add(59*time.Minute+45*time.Second), "ttt" }, []string{"ttt"}, false},
		{"gives up on a fresh one", func() { good = "none" }, []string{"ttt", "tttt"}, true},
	}
	for _, step := range steps {
		used = nil
		step.change()
		err := s.Do(t.Context(), call)
		if (err != nil) != step.fails {
			t.Errorf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, used); diff != "" {
			t.Errorf("%s: tokens used: %s", step.name, diff)
		}
	}
}

func TestSessionLeavesOtherErrors(t *testing.T) {
	t.Parallel()
	calls := 0
	s := &session.Session{
		Now:   func() time.Time { return now },
		Login: func(context.Context) (session.Token, error) { return session.Token{Value: "t"}, nil },
		Stale: func(err error) bool { return errors.Is(err, io.EOF) },
	}
	fail := func(err error) func(context.Context, string) error {
		return func(context.Context, string) error { calls++; return err }
	}
	_ = s.Do(t.Context(), fail(nil))
	calls = 0
	if err := s.Do(t.Context(), fail(errRefused)); !errors.Is(err, errRefused) || calls != 1 {
		t.Errorf("an error that is not stale: %v after %d calls", err, calls)
	}
	calls = 0
	if err := s.Do(t.Context(), fail(io.EOF)); !errors.Is(err, io.EOF) || calls != 2 {
		t.Errorf("a stale error: %v after %d calls", err, calls)
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

type store struct{ credentials provider.Credentials }

func (s *store) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	renewed, err := renew(ctx, maps.Clone(s.credentials))
	if err == nil {
		s.credentials = renewed
	}
	return renewed, err
}

func TestRefreshing(t *testing.T) {
	t.Parallel()
	var form url.Values
	answer := `{"access_token":"a1","refresh_token":"r2","expires_in":"60"}`
	endpoint := session.Endpoint{
		URL: "https://vendor.test/token", Now: func() time.Time { return now }, ClientID: "id", ClientSecret: "hush",
		HTTP: doer(func(req *http.Request) (*http.Response, error) {
			if user, password, _ := req.BasicAuth(); user != "id" || password != "hush" {
				t.Errorf("client %s, %s", user, password)
			}
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			if form, err = url.ParseQuery(string(body)); err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(answer))}, nil
		}),
	}
	kept := &store{provider.Credentials{"refresh_token": "r1", "client_id": "id"}}
	login := session.Refreshing(kept, func(ctx context.Context, current provider.Credentials) (session.Grant, error) {
		return endpoint.Request(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {current["refresh_token"]}})
	})
	token, err := login(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(session.Token{Value: "a1", Expires: now.Add(time.Minute)}, token); diff != "" {
		t.Error(diff)
	}
	if form.Get("refresh_token") != "r1" || kept.credentials["refresh_token"] != "r2" || kept.credentials["client_id"] != "id" {
		t.Errorf("sent %v, kept %v", form, kept.credentials)
	}
	answer = `{"access_token":"a2"}`
	if token, err = login(t.Context()); err != nil || token.Value != "a2" || !token.Expires.IsZero() {
		t.Errorf("without rotation and expiry: %+v, %v", token, err)
	}
	if kept.credentials["refresh_token"] != "r2" {
		t.Errorf("kept %v", kept.credentials)
	}
	answer = `{"error":"?"}`
	if _, err = login(t.Context()); provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("without a token: %v", err)
	}
}

func TestRefusalIsOfTheCredentials(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]provider.Kind{
		400: provider.KindCredentials, 401: provider.KindCredentials,
		500: provider.KindTemporary,
	} {
		endpoint := session.Endpoint{URL: "https://vendor.test/token", HTTP: doer(func(*http.Request) (*http.Response, error) {
			return nil, provider.Errorf(provider.KindTemporary, "no: %w", &provider.StatusError{Status: status})
		})}
		if _, err := endpoint.Request(t.Context(), nil); provider.KindOf(err) != want {
			t.Errorf("status %d: kind %s, want %s", status, provider.KindOf(err), want)
		}
	}
}

func TestRefusalWithStatusOK(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Kind{
		`{"error":"invalid_grant"}`:           provider.KindCredentials,
		`{"error":"temporarily_unavailable"}`: provider.KindTemporary,
		`{"error":{"code":7}}`:                provider.KindTemporary,
	} {
		endpoint := session.Endpoint{URL: "https://vendor.test/token", HTTP: doer(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
		})}
		if _, err := endpoint.Request(t.Context(), nil); provider.KindOf(err) != want {
			t.Errorf("%s: kind %s, want %s", body, provider.KindOf(err), want)
		}
	}
}
