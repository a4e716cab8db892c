package outbound_test

import (
	"errors"
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
