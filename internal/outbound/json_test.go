package outbound_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

type vehicle struct {
	Name  string    `json:"name"`
	Speed float64   `json:"speed"`
	Since time.Time `json:"since"`
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const unread = "the provider's answer could not be read: "
	for body, want := range map[string]string{
		`{"name":"van","speed":3}`:        "",
		``:                                unread + "it is empty",
		`{"name":"van"`:                   unread + "it ends too early",
		`<html>hunter2</html>`:            unread + "it is not JSON",
		`{"speed":"hunter2"}`:             unread + "its field speed is an unexpected string",
		`{"name":4711}`:                   unread + "its field name is an unexpected number",
		`[]`:                              unread + "it is an unexpected array",
		`{"name":"van","since":"hunter"}`: unread + "it has an unexpected form",
	} {
		rt := tripper(func(*http.Request) (*http.Response, error) { return answer(200, body), nil })
		c := outbound.New(outbound.Options{Transport: rt, Now: time.Now})
		var v vehicle
		err := outbound.JSON(t.Context(), c, newRequest(t, "GET", vendorURL, nil), &v)
		switch {
		case want == "" && (err != nil || v.Name != "van" || v.Speed != 3):
			t.Errorf("%s: got %+v, %v", body, v, err)
		case want != "" && (err == nil || err.Error() != want || outbound.KindOf(err) != outbound.KindTemporary):
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}

// fleet is an answer with a list that belongs to it.
type fleet struct {
	Vans []vehicle `json:"vans" required:"true"`
	Next string    `json:"next"`
}

func TestJSONWantsTheListWhereItBelongs(t *testing.T) {
	t.Parallel()
	const unread = "the provider's answer could not be read: "
	for name, test := range map[string]struct {
		into   any
		status int
		media  string
		body   string
		want   string
	}{
		"List":        {into: &fleet{}, body: `{"vans":[]}`},
		"Object":      {into: &fleet{}, body: `{}`, want: unread + "its field vans is missing"},
		"OtherObject": {into: &fleet{}, body: `{"Message":"x"}`, want: unread + "its field vans is missing"},
		"NullList":    {into: &fleet{}, body: `{"vans":null}`, want: unread + "its field vans is missing"},
		"Null":        {into: &fleet{}, body: `null`, want: unread + "its field vans is missing"},
		"Within":      {into: &struct{ Data fleet }{}, body: `{"data":{}}`, want: unread + "its field vans is missing"},
		"Behind":      {into: &struct{ Data any }{&fleet{}}, body: `{"data":{}}`, want: unread + "its field vans is missing"},
		"BareList":    {into: &[]vehicle{}, body: `[]`},
		"BareNull":    {into: &[]vehicle{}, body: `null`, want: unread + "it is null where a list belongs"},
		"Raw": {into: &struct {
			R json.RawMessage `json:"r" required:"true"`
		}{}, body: `{"r":null}`, want: unread + "its field r is missing"},
		"NothingIsSaid": {into: &[]vehicle{}, status: 204, body: `null`},
		"Page":          {into: &fleet{}, media: "text/html; charset=utf-8", body: `<html>`, want: unread + "it is a web page, not JSON"},
		"Spreadsheet":   {into: &fleet{}, media: "text/csv", body: `a;b`, want: unread + "it is text/csv, not JSON"},
		"WrongType":     {into: &fleet{}, media: "text/html", body: `{"vans":[]}`},
	} {
		rt := tripper(func(*http.Request) (*http.Response, error) {
			resp := answer(cmp.Or(test.status, 200), test.body)
			resp.Header.Set("Content-Type", test.media)
			return resp, nil
		})
		c := outbound.New(outbound.Options{Transport: rt, Now: time.Now})
		err := outbound.JSON(t.Context(), c, newRequest(t, "GET", vendorURL, nil), test.into)
		if got := fmt.Sprint(err); got != cmp.Or(test.want, "<nil>") {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestJSONDoesNotReadRedirects(t *testing.T) {
	t.Parallel()
	rt := tripper(func(*http.Request) (*http.Response, error) { return answer(307, `{"name":"van"}`), nil })
	c := outbound.New(outbound.Options{Transport: rt, Now: time.Now})
	err := outbound.JSON(t.Context(), c, newRequest(t, "GET", vendorURL, nil), &vehicle{})
	status, ok := errors.AsType[*outbound.StatusError](err)
	if !ok || status.Status != 307 || err.Error() != "the provider answered 307, a redirect, which is not followed" {
		t.Errorf("got %v", err)
	}
}

func TestJSONOfAnyDoer(t *testing.T) {
	t.Parallel()
	d := plainDoer{func() (*http.Response, error) {
		resp := answer(200, "")
		resp.Body = io.NopCloser(iotest.ErrReader(errors.New("hunter2")))
		return resp, nil
	}}
	err := outbound.JSON(t.Context(), d, newRequest(t, "GET", vendorURL, nil), nil)
	if err == nil || err.Error() != "the provider's answer could not be read: it was cut short" {
		t.Errorf("got %v", err)
	}
}

// plainDoer is a Doer whose bodies fail with errors of no kind.
type plainDoer struct {
	answer func() (*http.Response, error)
}

func (d plainDoer) Do(*http.Request) (*http.Response, error) { return d.answer() }
