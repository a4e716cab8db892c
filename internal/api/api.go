// Package api is the JSON HTTP interface: it decodes a request, calls package
// fleet and writes {"data"} or {"error"}.
//
// Every operation is one row of the table in routes.go. The row is both what
// the router serves and what the OpenAPI document says, so the two cannot drift.
// The document's types are huma's; its router is not used, because the exact
// words and order of the interface's errors are ours.
package api

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/fleet"
)

// Options are what the interface is served with.
type Options struct {
	Fleet    *fleet.Service
	Logger   *slog.Logger
	Registry prometheus.Registerer
	Now      func() time.Time
	// Unavailable tells errors that may pass, such as a database that is down, from
	// faults; nil tells none.
	Unavailable func(error) bool
	// Version is the version of the software, for the document.
	Version string
	// CORSOrigins are the origins that a browser may call from; none by default.
	CORSOrigins []string
	// SecureCookies says that browsers reach the service over TLS, though it may not
	// serve TLS itself.
	SecureCookies bool
	// TrustedProxies are the networks of proxies that tell truly who called them.
	TrustedProxies []netip.Prefix
	// RateLimit is the number of requests a second that a tenant may make, with
	// bursts of RateBurst; zero is no limit.
	RateLimit float64
	RateBurst int
	// MaxInFlight bounds the requests that are served at once, those that anybody
	// may make apart from the others, and MaxStreams those that last: live streams
	// and long polls.
	MaxInFlight int
	MaxStreams  int
	// Heartbeat is the longest silence of a stream; zero chooses.
	Heartbeat time.Duration
}

// MaxBody bounds a request's body.
const MaxBody = 1 << 20

// maxTenants bounds the memory of the rate limit.
const maxTenants = 100_000

// server holds what the handlers share.
type server struct {
	Options
	limiter     *middle.Limiter
	crossOrigin *http.CrossOriginProtection
}

// New makes the handler of the whole interface.
func New(o Options) (http.Handler, error) {
	o.Heartbeat = cmp.Or(o.Heartbeat, heartbeat)
	s := &server{Options: o, crossOrigin: http.NewCrossOriginProtection(), limiter: middle.NewLimiter(middle.LimiterConfig{
		PerSecond: o.RateLimit, Burst: cmp.Or(o.RateBurst, int(o.RateLimit)), MaxTenants: maxTenants, Now: o.Now,
	})}
	routes := s.routes()
	document, err := newDocument(o.Version, routes)
	if err != nil {
		return nil, fmt.Errorf("describe the interface: %w", err)
	}
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.method+" "+r.path, s.serve(r))
	}
	mux.Handle("GET /openapi.json", serveDocument(document))

	metrics, err := middle.NewMetrics(o.Registry, o.Now)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return middle.Chain(middle.Routes(mux),
		middle.CallerAddress(o.TrustedProxies),
		middle.Identify,
		middle.Log(middle.LogConfig{Logger: o.Logger, Level: slog.LevelDebug, Now: o.Now}),
		metrics.Wrap,
		middle.Recover(o.Logger),
		middle.SecurityHeaders,
		middle.CORS(o.CORSOrigins),
		middle.Gzip(),
		middle.MaxBody(MaxBody),
		middle.JSONBody,
		o.places(routes),
	), nil
}

const (
	// queueWait is how long a request waits for its turn under overload.
	queueWait = time.Second
	// publicBodyTime is how long the body of a public operation may take, and
	// earlyBody how much of it is read before it has a place: more than any login.
	publicBodyTime = 10 * time.Second
	earlyBody      = 16 << 10
)

// places bounds the requests that are served at once. What lasts, and what anybody
// may call, have places of their own, so that neither takes those of others.
func (o Options) places(routes []route) middle.Middleware {
	short := middle.ShedConfig{Limit: o.MaxInFlight, Queue: o.MaxInFlight, Wait: queueWait}
	early, public := middle.EarlyBody(earlyBody, publicBodyTime), middle.Shed(short)
	return middle.Either(lasting(routes),
		middle.Shed(middle.ShedConfig{Limit: o.MaxStreams}),
		middle.Either(open(routes),
			func(next http.Handler) http.Handler { return early(public(next)) },
			middle.Shed(short)))
}

// open reports for a request whether anybody may make it. Such an operation has no
// parameter in its path.
func open(routes []route) func(r *http.Request) bool {
	public := map[string]bool{}
	for _, r := range routes {
		public[r.method+" "+r.path] = r.public
	}
	return func(r *http.Request) bool { return public[r.Method+" "+r.URL.Path] }
}

// lasting reports for a request whether it may last. Such an operation has no
// parameter in its path.
func lasting(routes []route) func(r *http.Request) bool {
	paths := map[string]bool{}
	for _, r := range routes {
		paths[r.path] = paths[r.path] || r.long
	}
	return func(r *http.Request) bool { return paths[r.URL.Path] }
}
