package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// open reads the answers of a vendor that puts them below "result", or has a code.
func open(answer []byte) ([]byte, error) {
	var parts struct {
		Result json.RawMessage
		Code   int
	}
	if err := json.Unmarshal(answer, &parts); err != nil {
		return nil, err
	}
	if parts.Code != 0 {
		return nil, provider.Errorf(provider.KindCredentials, "code %d", parts.Code)
	}
	if parts.Result == nil {
		return nil, errors.New("no result")
	}
	return parts.Result, nil
}

type rows struct {
	Rows []int `json:"rows" required:"true"`
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		kind  provider.Kind // empty: no error
		words string
	}{
		`{"result":{"rows":[7]}}`: {},
		`{"code":4}`:              {kind: provider.KindCredentials, words: "code 4"},
		`{"result":{}}`:           {kind: provider.KindTemporary, words: "its field rows is missing"},
		`{"result":[]}`:           {kind: provider.KindTemporary, words: "unexpected array"},
		`{}`:                      {kind: provider.KindTemporary, words: "unexpected form"},
	} {
		c := client.Client{
			HTTP: providertest.Doer(func(*http.Request) (*http.Response, error) { return providertest.Answer(body) }),
			Base: "https://api.test", Sign: client.Header(), Open: open,
		}
		got, err := client.Get[rows](t.Context(), &c, "/a", nil)
		if want.kind == "" {
			if err != nil || len(got.Rows) != 1 || got.Rows[0] != 7 {
				t.Errorf("%s reads as %v, %v", body, got, err)
			}
			continue
		}
		if err == nil || provider.KindOf(err) != want.kind || !strings.Contains(err.Error(), want.words) {
			t.Errorf("%s: %v of kind %s, want %s with %q", body, err, provider.KindOf(err), want.kind, want.words)
		}
		if err := client.Check[rows](&c, "/a", nil)(t.Context()); err == nil {
			t.Errorf("%s passes the check", body)
		}
	}
}

func TestInBody(t *testing.T) {
	t.Parallel()
	until := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	refused := func(body string) error {
		return &provider.Error{Kind: provider.KindPermanent, Until: until, Err: &provider.StatusError{Status: 400, Body: body}}
	}
	for body, want := range map[string]provider.Kind{
		`{"code":4}`:    provider.KindCredentials,
		`{"result":{}}`: provider.KindPermanent,
		`{"code":`:      provider.KindPermanent, // cut
		`<html>`:        provider.KindPermanent,
	} {
		err := client.InBody(refused(body), open)
		if provider.KindOf(err) != want || !provider.RetryAt(err).Equal(until) {
			t.Errorf("%s: %v of kind %s, come back at %s", body, err, provider.KindOf(err), provider.RetryAt(err))
		}
	}
	if err := client.InBody(nil, open); err != nil {
		t.Errorf("a call that went well: %v", err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"": "https://vendor.test", "https://own.test": "https://own.test"} {
		if c := client.New(provider.Config{BaseURL: base}, "https://vendor.test", client.Bearer); c.Base != want {
			t.Errorf("base address %q gives %s", base, c.Base)
		}
	}
	for _, entered := range []string{"https://own.test", "https://own.test/api"} {
		if got := client.Below(entered, "/api"); got != "https://own.test/api" {
			t.Errorf("%s gives %s", entered, got)
		}
	}
}

func TestQuerySign(t *testing.T) {
	t.Parallel()
	var asked url.Values
	c := client.Client{
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			asked = req.URL.Query()
			return providertest.Answer(`[]`)
		}),
		Base: "https://api.test", Sign: client.Query("key", "a&b", "lang", "en"),
	}
	if _, err := client.Get[[]int](t.Context(), &c, "/a", url.Values{"x": {"y"}}); err != nil {
		t.Fatal(err)
	}
	if asked.Get("key") != "a&b" || asked.Get("lang") != "en" || asked.Get("x") != "y" || len(asked) != 3 {
		t.Errorf("asked with %v", asked)
	}
}
