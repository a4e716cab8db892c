// Package routing asks an OSRM server for the route between two points. It waits at most half a
// second, caches answers for some minutes, and returns none if the server fails.
package routing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/rules/arrival"
)

const (
	// keep is how long an answer is good: traffic is not part of it.
	keep = 10 * time.Minute
	// maxKept bounds the memory, at some 100 bytes each.
	maxKept = 20_000
	// rest is how long a server that fails is left alone, so that readers do not
	// wait for it again and again.
	rest = 30 * time.Second
	// maxAnswer bounds an answer in bytes.
	maxAnswer = 64 << 10
	// grid is the size of the cells, in degrees, within which points share an
	// answer: some 50 m.
	grid = 0.0005
)

// Options are what a Client works with.
type Options struct {
	// URL is the address of the server, such as https://osrm.example.
	URL       string
	Transport http.RoundTripper
	// Timeout bounds one question; half a second.
	Timeout time.Duration
	Now     func() time.Time
	Logger  *slog.Logger
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base   string
	http   *http.Client
	now    func() time.Time
	logger *slog.Logger

	mu      sync.Mutex
	kept    map[journey]answer
	resting time.Time // until when nothing is asked
}

// journey is a question, to the cell of the grid.
type journey struct{ fromLat, fromLon, toLat, toLon int32 }

type answer struct {
	route arrival.Route
	found bool
	until time.Time
}

// New makes a Client.
func New(o Options) *Client {
	return &Client{
		base: strings.TrimRight(o.URL, "/"), http: outbound.NewHTTPClient(o.Transport, cmp.Or(o.Timeout, 500*time.Millisecond)),
		now: o.Now, logger: o.Logger, kept: map[journey]answer{},
	}
}

// Route returns the way from one point to another; false where the server does
// not know one, or does not say so in time.
func (c *Client) Route(ctx context.Context, from, to drover.Coordinate) (arrival.Route, bool) {
	key := journey{cell(from.Latitude), cell(from.Longitude), cell(to.Latitude), cell(to.Longitude)}
	if a, ok := c.known(key); ok {
		return a.route, a.found
	}
	a, err := c.ask(ctx, from, to)
	if err != nil {
		c.failed(ctx, err)
		return arrival.Route{}, false
	}
	c.keep(key, a)
	return a.route, a.found
}

func cell(degrees float64) int32 { return int32(math.Round(degrees / grid)) }

// known returns what needs no question: an answer that is kept, or none while the
// server rests.
func (c *Client) known(key journey) (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if a, ok := c.kept[key]; ok && now.Before(a.until) {
		return a, true
	}
	return answer{}, now.Before(c.resting)
}

func (c *Client) keep(key journey, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	a.until = c.now().Add(keep)
	c.kept[key] = a
}

func (c *Client) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the caller has gone, which is no fault of the server
	}
	c.mu.Lock()
	c.resting = c.now().Add(rest)
	c.mu.Unlock()
	c.logger.WarnContext(ctx, "the routing server fails, arrivals are estimated without it", "err", err)
}

func (c *Client) ask(ctx context.Context, from, to drover.Coordinate) (answer, error) {
	path := fmt.Sprintf("/route/v1/driving/%.6f,%.6f;%.6f,%.6f?overview=false", from.Longitude, from.Latitude, to.Longitude, to.Latitude)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return answer{}, fmt.Errorf("ask for a route: %w", withoutURL(err))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("ask for a route: %w", withoutURL(err))
	}
	defer resp.Body.Close()
	var body struct {
		Code   string `json:"code"`
		Routes []struct {
			Distance float64 `json:"distance"`
			Duration float64 `json:"duration"`
		} `json:"routes"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&body); err != nil {
		return answer{}, fmt.Errorf("read the route: status %d: %w", resp.StatusCode, err)
	}
	switch {
	case body.Code == "Ok" && len(body.Routes) > 0 && body.Routes[0].Duration > 0 && body.Routes[0].Distance > 0:
		r := body.Routes[0]
		return answer{found: true, route: arrival.Route{Metres: r.Distance, Duration: time.Duration(r.Duration * float64(time.Second))}}, nil
	case body.Code == "Ok", body.Code == "NoRoute", body.Code == "NoSegment":
		return answer{}, nil
	}
	return answer{}, fmt.Errorf("read the route: status %d", resp.StatusCode)
}

// withoutURL leaves the address out of an error: it may hold a key.
func withoutURL(err error) error {
	if e, ok := err.(*url.Error); ok { //nolint:errorlint // net/http returns it bare
		return e.Err
	}
	return err
}
