package api

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/trace"
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
	// MaxInFlight bounds the requests that are served at once, those that anyone
	// may make apart from the others, and MaxStreams those that last: live streams
	// and long polls.
	MaxInFlight int
	// Processors is how many the program has.
	Processors int
	MaxStreams int
	// Usage counts the requests of tenants; nil counts none.
	Usage *quota.Meter
	// Memory is what bodies of requests and of answers draw on; nil does not bound them.
	Memory *quota.Pool
	// Embedded says that the database works in this process.
	Embedded bool
	// Tracer follows requests; nil follows none.
	Tracer *trace.Tracer
	// Role is what this process does: all, api or worker; empty is all.
	Role string
	// Heartbeat is the longest silence of a stream; zero chooses.
	Heartbeat time.Duration
}

// maxBody bounds a request's body.
const maxBody = 1 << 20

// maxTenants bounds the memory of the rate limit.
const maxTenants = 100_000

// server holds what the handlers share.
type server struct {
	Options
	places      places
	offer       atomic.Pointer[offer]
	limiter     *middle.Limiter
	links       *middle.Limiter // by address, of what links show
	inbound     *middle.Limiter // by address, of providers' notices
	crossOrigin *http.CrossOriginProtection
}

// New makes the handler of the whole interface.
func New(o Options) (http.Handler, error) {
	o.Heartbeat = cmp.Or(o.Heartbeat, heartbeat)
	s := &server{
		Options: o, places: newPlaces(o), crossOrigin: http.NewCrossOriginProtection(), links: linkLimiter(o),
		inbound: inboundLimiter(o), limiter: middle.NewLimiter(middle.LimiterConfig{
			PerSecond: o.RateLimit, Burst: cmp.Or(o.RateBurst, int(o.RateLimit)), MaxTenants: maxTenants, Now: o.Now,
		}),
	}
	routes := s.routes()
	mux := http.NewServeMux()
	for i := range routes {
		mux.Handle(routes[i].Method+" "+routes[i].Path, s.serve(&routes[i]))
	}
	mux.HandleFunc("GET /openapi.json", s.serveDocument)
	mux.HandleFunc("GET /llms.txt", serveAgentsText)
	mux.Handle("POST "+agentPath, s.serveAgents())

	metrics, err := middle.NewMetrics(o.Registry, o.Now)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return middle.Chain(middle.Routes(mux),
		middle.CallerAddress(o.TrustedProxies),
		middle.Identify,
		middle.Trace(o.Tracer),
		middle.Log(middle.LogConfig{Logger: o.Logger, Level: slog.LevelDebug, Now: o.Now}),
		metrics.Wrap,
		middle.Recover(o.Logger),
		middle.SecurityHeaders(o.SecureCookies),
		middle.CORS(o.CORSOrigins),
		middle.Gzip(),
		middle.MaxBody(maxBody),
		middle.Where(func(r *http.Request) bool { return !ofInbound(r) && !ofRecords(r) }, middle.JSONBody()),
		middle.Where(ofRecords, middle.JSONBody(openapi.NDJSON)),
		middle.Where(anyOf(anyOf(open(routes), ofLink), ofInbound), middle.EarlyBody(earlyBody, publicBodyTime)),
	), nil
}

// open reports for a request whether anyone may make it. Such an operation has no
// parameter in its path, unless it is one of a link.
func open(routes []route) func(r *http.Request) bool {
	type operation struct{ method, path string }
	public := map[operation]bool{}
	for _, r := range routes {
		public[operation{r.Method, r.Path}] = r.Public
	}
	return func(r *http.Request) bool { return public[operation{r.Method, r.URL.Path}] }
}

// anyOf is true where one of two is.
func anyOf(a, b func(r *http.Request) bool) func(r *http.Request) bool {
	return func(r *http.Request) bool { return a(r) || b(r) }
}
