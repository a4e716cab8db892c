package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// client calls one process as one user.
type client struct {
	base  string
	token string
	http  *http.Client
}

// answer is a response, read.
type answer struct {
	status int
	header http.Header
	body   string
}

// anonymous calls a process without a token.
func anonymous(t *testing.T, p *process) *client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{base: "http://" + p.address, http: &http.Client{Transport: transport, Timeout: patience}}
}

// logIn calls a process as a user of the world, or of the demo: they have the
// same names.
func logIn(t *testing.T, p *process, username string) *client {
	t.Helper()
	c := anonymous(t, p)
	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	c.must(t, &tokens, http.MethodPost, "/token", fmt.Sprintf(`{"username":%q,"password":%q}`, username, world.Password))
	c.token = tokens.AccessToken
	return c
}

// at calls another process with the same token.
func (c *client) at(p *process) *client {
	other := *c
	other.base = "http://" + p.address
	return &other
}

// do sends a request. An empty body is none.
func (c *client) do(ctx context.Context, method, path, body string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(text)}, err
}

// must sends a request that has to succeed and decodes its data.
func (c *client) must(t *testing.T, into any, method, path, body string) {
	t.Helper()
	a, err := c.do(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if a.status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal([]byte(a.body), &struct{ Data any }{into}); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// status expects a status and returns the body.
func (c *client) status(t *testing.T, want int, method, path, body string) string {
	t.Helper()
	a, err := c.do(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if a.status != want {
		t.Fatalf("%s %s: %d %s, want %d", method, path, a.status, a.body, want)
	}
	return a.body
}

// becomes waits until a request is answered with a status.
func (c *client) becomes(t *testing.T, want int, method, path string) string {
	t.Helper()
	var last answer
	eventually(t, func() error {
		var err error
		if last, err = c.do(t.Context(), method, path, ""); err == nil && last.status != want {
			err = fmt.Errorf("%s %s: %d %s, want %d", method, path, last.status, last.body, want)
		}
		return err
	})
	return last.body
}

// connectionBody creates a connection; nothing listens at its address.
func connectionBody(business, token string) string {
	return fmt.Sprintf(`{"integration_name":%q,"business_name":%q,"collection_start_time":%q,
		"credentials":{"base_url":%q,"token":%q}}`,
		drover.Traccar, business, time.Now().UTC().Format(time.RFC3339), world.BaseURL, token)
}
