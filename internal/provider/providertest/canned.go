package providertest

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Doer answers calls without a network, for tests of what a fake cannot show.
type Doer func(*http.Request) (*http.Response, error)

// Do implements provider.Doer.
func (d Doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

// Answer is what a Doer returns for an answer of status 200.
func Answer(body string) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// Refuse is what a Doer returns for an answer of 400 or above.
func Refuse(status int) (*http.Response, error) {
	return nil, provider.Errorf(provider.KindPermanent, "refused: %w", &provider.StatusError{Status: status})
}

// Adapter makes an adapter as the collector does, with the defaults of its fields,
// that is answered by doer at a time that stands still.
func Adapter(t *testing.T, info provider.Info, credentials provider.Credentials, doer provider.Doer, now time.Time) provider.Provider {
	t.Helper()
	all := provider.Credentials{}
	for _, f := range info.Fields {
		all[f.Name] = f.Default
	}
	maps.Copy(all, credentials)
	p, err := info.New(provider.Config{
		Credentials: all, BaseURL: all[provider.BaseURLField], HTTP: doer, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
