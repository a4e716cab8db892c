package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

func TestAnswer(t *testing.T) {
	t.Parallel()
	failure := errors.New("no answer")
	for status, want := range map[int]string{http.StatusOK: "[1]", http.StatusNoContent: "null"} {
		a := &Answer{Doer: doer(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Next": {"b"}}, Body: io.NopCloser(strings.NewReader("[1]"))}, nil
		})}
		resp, err := a.Do(nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if err := resp.Body.Close(); err != nil || string(body) != want || a.Status != status || a.Header.Get("Next") != "b" {
			t.Errorf("status %d: body %s, header %v, %v", a.Status, body, a.Header, err)
		}
	}
	a := &Answer{Doer: doer(func(*http.Request) (*http.Response, error) { return nil, failure })}
	if _, err := a.Do(nil); !errors.Is(err, failure) { //nolint:bodyclose // there is no answer
		t.Errorf("error %v, want %v", err, failure)
	}
}
