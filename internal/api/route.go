package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/quota"
)

// route is one operation: how it is described and how it is served.
type route struct {
	openapi.Operation
	lenient bool // parameters that it does not know are ignored
	secret  bool // it reads a secret
	match   bool // it changes one record, and takes If-Match
	tags    bool // its answer is that record, as it is read by its id
	long    bool // it may last, and takes no place of a short request
	busy    bool // it keeps a processor busy, whatever the database
	trial   bool // it waits for a provider or a receiver, and takes a place of those who do
	batch   bool // it takes many records, and a place of those that do
	news    bool // it takes a provider's notice, and a place of those that do
	halfway bool // it passes also before the second factor was shown
	// How it is written down: see audited.
	actionName, record, recordParam string
	handle                          func(c *call) (any, error)
}

// call is one request on its way through an operation.
type call struct {
	context.Context
	*http.Request
	w         http.ResponseWriter
	principal drover.Principal
	decoder   *decode.Decoder
	query     any // a pointer to the route's query
	raw       []byte
	inbound   fleet.Inbound      // of a notice
	payer     string             // the tenant that a caller without a login is counted to; empty is none
	tagged    bool               // one record is answered, as it is read by its id
	turn      *quota.Place       // at a processor; nil where it needs none
	end       context.CancelFunc // ends it; nil where no one else does
}

// nothing is the result of an operation that answers 204.
type nothing struct{}

// op is an operation without a body.
func op[T any](method, path string, f func(c *call) (T, error)) route {
	return newRoute(method, path, reflect.TypeFor[T](), func(c *call) (any, error) { return f(c) })
}

// newRoute is an operation that answers a result. It is apart, because a program has an op for each type.
func newRoute(method, path string, result reflect.Type, handle func(c *call) (any, error)) route {
	r := route{Operation: openapi.Operation{Method: method, Path: path}, handle: handle}
	r.describe(result)
	return r
}

// opQuery is an operation with query parameters, the tagged fields of Q.
func opQuery[Q, T any](method, path string, f func(c *call, query Q) (T, error)) route {
	r := newRoute(method, path, reflect.TypeFor[T](), func(c *call) (any, error) { return f(c, *c.query.(*Q)) })
	r.Query = reflect.TypeFor[Q]()
	return r
}

// opBody is an operation with a body.
func opBody[B, T any](method, path string, f func(c *call, body B) (T, error)) route {
	r := newRoute(method, path, reflect.TypeFor[T](), func(c *call) (any, error) {
		var body B
		if err := c.decoder.JSON(c.raw, &body); err != nil {
			return nil, err
		}
		return f(c, body)
	})
	r.Body = reflect.TypeFor[B]()
	return r
}

func (r *route) describe(t reflect.Type) {
	if t == reflect.TypeFor[nothing]() {
		return
	}
	r.Result = t
	if p, ok := reflect.Zero(t).Interface().(pager); ok {
		r.Result, r.List = p.listType(), true
	}
}

// opFormats is an operation that answers a T, or the same in another format.
func opFormats[Q, T any](method, path string, f func(c *call, query Q) (any, error)) route {
	r := opQuery(method, path, f)
	r.describe(reflect.TypeFor[T]())
	return r
}

// opStream is an operation that writes events for as long as it lasts.
func opStream[Q any](method, path string, f func(c *call, query Q) (any, error)) route {
	r := opQuery(method, path, f)
	r.Formats, r.Streams = []string{openapi.EventStream}, true
	return r
}

// opFile is an operation that answers with a file of one of some media types.
func opFile(method, path string, f func(c *call) (any, error), types ...string) route {
	r := op(method, path, f)
	r.Formats, r.File = types, true
	return r
}

// serve makes the handler of one operation. Anyone who asks is known before
// anything else is looked at.
func (s *server) serve(r *route) http.Handler {
	tagged := r.single() || r.tags
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !middle.AcceptsJSON(req.Header) && !middle.Accepts(req.Header, r.Formats...) {
			middle.WriteError(w, http.StatusNotAcceptable, "Accept must allow application/json")
			return
		}
		if err := s.answer(w, req, r, tagged); err != nil {
			s.refuse(w, req, err)
		}
	})
}

// refuse answers with an error, and notes one that is ours.
func (s *server) refuse(w http.ResponseWriter, req *http.Request, err error) {
	if errors.Is(err, context.Canceled) && req.Context().Err() != nil {
		w.WriteHeader(statusLeft)
		return
	}
	if drover.ErrorKind(err) == drover.KindInternal {
		middle.InfoFrom(req.Context()).Err = err
		err = s.classify(err)
	}
	middle.WriteErr(w, err)
}

const (
	// statusLeft is what is logged and counted where the caller has gone before its answer: no
	// one reads it, and it is no fault of ours.
	statusLeft = 499
	// requestTime bounds what a request waits for.
	requestTime = 25 * time.Second
	// troubleRetry is when it is worth asking again while the database is in trouble.
	troubleRetry = 5 * time.Second
)

// classify tells trouble that may pass from faults of ours.
func (s *server) classify(err error) error {
	if s.Unavailable == nil || !s.Unavailable(err) {
		return err
	}
	return &drover.Error{
		Kind: drover.KindUnavailable, Message: "Service is temporarily unavailable, try again later",
		RetryAfter: troubleRetry, Err: err,
	}
}

func (s *server) answer(w http.ResponseWriter, req *http.Request, r *route, tagged bool) error {
	c := &call{Context: guard.WithRequest(req.Context(), r.request(req)), Request: req, w: w, decoder: s.offered().decoder, tagged: tagged}
	if !r.Streams && !r.long {
		bounded := &lateDeadline{Context: c.Context, limit: requestTime}
		defer bounded.end()
		c.Context = bounded
	}
	// Refusals name the version too, but a bad one is reported only to callers who are known.
	badVersion := applyVersion(w, req)
	if err := s.admit(c, r); err != nil {
		return err
	}
	if badVersion != nil {
		return badVersion
	}
	if err := c.readQuery(r); err != nil {
		return err
	}
	if r.news {
		if err := s.admitNotice(c); err != nil {
			return err
		}
	}
	memory, err := s.reserve(c, r)
	if err != nil {
		return err
	}
	defer memory.Return()
	if err := c.readBody(r); err != nil {
		return err
	}
	if r.match {
		if header := strings.Join(c.Header.Values("If-Match"), ","); header != "" {
			c.Context = guard.WithMatch(c.Context, header)
		}
	}
	place, err := s.enter(c, r)
	if err != nil {
		return err
	}
	defer place.Return()
	if c.end != nil {
		defer c.end()
	}
	if c.turn, err = s.work(c, r); err != nil {
		return err
	}
	defer c.turn.Return()
	result, err := r.handle(c)
	if err != nil {
		s.auditRefusal(c, r, err)
		return err
	}
	return s.write(c, result)
}

// auditRefusal writes down that someone was refused a change, or a secret.
func (s *server) auditRefusal(c *call, r *route, err error) {
	if drover.ErrorKind(err) != drover.KindForbidden || c.principal.TenantID == "" || r.Method == http.MethodGet && !r.secret {
		return
	}
	if err := s.Fleet.Identity.AuditRefusal(c.Context, c.principal); err != nil {
		s.Logger.ErrorContext(c.Context, "write audit", "err", err)
	}
}

// admit finds out who asks, where that matters.
func (s *server) admit(c *call, r *route) error {
	switch {
	case r.Public:
		return nil
	case len(r.Operator) > 0:
		return s.authenticateOperator(c)
	}
	if r.halfway {
		c.Context = identity.WithPart(c.Context)
	}
	if err := s.authenticate(c); err != nil {
		return err
	}
	if err := r.readable(c.principal); err != nil || !r.Fresh {
		return err
	}
	return s.freshly(c, r)
}

// freshly asks for a second factor that was shown a moment ago, of those who may do what the
// operation is about: others learn that they may not.
func (s *server) freshly(c *call, r *route) error {
	for _, need := range r.Needs {
		if !c.principal.Can(need) {
			return nil // the use case says so
		}
	}
	err := s.Fleet.Identity.Fresh(c.Context, c.principal)
	if err != nil {
		s.auditRefusal(c, r, err)
	}
	return err
}

// readable keeps a key that may not even read to what it may do. Everyone else may read, so
// that the use cases ask only for what is beyond that.
func (r *route) readable(p drover.Principal) error {
	if p.Can(drover.PermissionRead) {
		return nil
	}
	for _, need := range r.Needs {
		if !p.Can(need) {
			return drover.Requires(need)
		}
	}
	return nil
}

func (s *server) authenticate(c *call) error {
	p, err := s.identify(c)
	if err != nil {
		return err
	}
	c.principal = p
	info := middle.InfoFrom(c.Context)
	info.TenantID, info.UserID = p.TenantID, p.UserID
	d := s.limiter.Allow(p.TenantID, p.RequestsPerMinute)
	d.Headers(c.w.Header())
	if !d.Allowed {
		return d.Err()
	}
	s.Usage.Add(p.TenantID, quota.Counts{Requests: 1})
	return nil
}

// identify finds out who a caller is. Those who are remembered take no place for it.
func (s *server) identify(c *call) (drover.Principal, error) {
	if p, ok := s.Fleet.Identity.Remembered(c.Header.Get("Authorization"), c.Header.Get(drover.TenantHeader)); ok {
		return p, nil
	}
	place, err := s.atTheDoor(c)
	if err != nil {
		return drover.Principal{}, err
	}
	defer place.Return()
	return s.caller(c.Context, c.Request)
}

// atTheDoor takes the place of a request whose caller is not known yet.
func (s *server) atTheDoor(c *call) (*quota.Place, error) {
	return hold(s.places.door.Take(c.Context, auth.AddressGroup(c.RemoteAddr), 1))
}

// readQuery reads the parameters of an operation. What it does not know is
// refused, after the faults of those that it knows.
func (c *call) readQuery(r *route) error {
	var q url.Values
	if c.URL.RawQuery != "" {
		q = c.URL.Query()
	}
	if r.Query != nil {
		c.query = reflect.New(r.Query).Interface()
		if err := c.decoder.Query(q, c.query); err != nil {
			return err
		}
	}
	if r.lenient {
		return nil
	}
	return c.decoder.NoExtra(q, r.Query)
}

// hasBody reports whether an operation takes a body.
func (r *route) hasBody() bool { return r.Body != nil || r.news }

// readBody reads what an operation takes, and makes a POST repeatable where the
// caller asks for it.
func (c *call) readBody(r *route) error {
	if r.hasBody() {
		raw, err := middle.ReadBody(c.Request)
		if err != nil {
			return err
		}
		c.raw = raw
		if r.Optional && len(raw) == 0 {
			c.raw = []byte("{}")
		}
	}
	key := c.Header.Get("Idempotency-Key")
	if r.Public || r.Method != http.MethodPost || key == "" {
		return nil
	}
	if err := checkIdempotencyKey(key); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(c.URL.Path+"\n"), c.raw...))
	c.Context = guard.WithIdempotency(c.Context, key, hex.EncodeToString(sum[:]))
	return nil
}

const maxIdempotencyKey = 255

// checkIdempotencyKey refuses what a database cannot keep as text.
func checkIdempotencyKey(key string) error {
	switch {
	case !utf8.ValidString(key):
		return drover.Invalid("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string", "header",
			"idempotency-key")
	case len(key) > maxIdempotencyKey:
		return drover.Invalid("string_too_long", "String should have at most 255 characters", "header", "idempotency-key")
	}
	return nil
}

// single reports whether the operation reads one record.
func (r *route) single() bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "_id}")
}
