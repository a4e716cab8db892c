package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/fleet"
)

// route is one operation: how it is served and how it is described.
type route struct {
	method, path string
	id           string // operationId of the document
	tag          string
	summary      string
	description  string
	public       bool
	params       []*huma.Param // those of headers
	query        reflect.Type  // nil where there are none
	lenient      bool          // parameters that it does not know are ignored
	body         reflect.Type
	result       reflect.Type // of data; nil where there is no body
	list         bool
	statuses     []int // the errors that the operation can answer
	notFound     string
	optional     bool         // the body may be left out
	formats      []string     // what it answers besides JSON
	other        reflect.Type // what data may be instead of a result
	headers      []header     // what it answers besides those of all
	long         bool         // it may last, and takes no slot of a short request
	streams      bool         // it answers with server-sent events
	handle       func(c *call) (any, error)
}

// header is a header of an operation's answer.
type header struct{ name, description string }

// call is one request on its way through an operation.
type call struct {
	context.Context
	*http.Request
	w         http.ResponseWriter
	principal drover.Principal
	query     any // a pointer to the route's query
	raw       []byte
}

// nothing is the result of an operation that answers 204.
type nothing struct{}

// op is an operation without a body.
func op[T any](method, path string, f func(c *call) (T, error)) route {
	r := route{method: method, path: path, handle: func(c *call) (any, error) { return f(c) }}
	r.describe(reflect.TypeFor[T]())
	return r
}

// opQuery is an operation with query parameters, the tagged fields of Q.
func opQuery[Q, T any](method, path string, f func(c *call, query Q) (T, error)) route {
	r := op(method, path, func(c *call) (T, error) { return f(c, *c.query.(*Q)) })
	r.query = reflect.TypeFor[Q]()
	return r
}

// opBody is an operation with a body.
func opBody[B, T any](method, path string, f func(c *call, body B) (T, error)) route {
	r := route{method: method, path: path, body: reflect.TypeFor[B](), handle: func(c *call) (any, error) {
		var body B
		if err := decode.JSON(c.raw, &body); err != nil {
			return nil, err
		}
		return f(c, body)
	}}
	r.describe(reflect.TypeFor[T]())
	return r
}

func (r *route) describe(t reflect.Type) {
	if t == reflect.TypeFor[nothing]() {
		return
	}
	r.result = t
	if p, ok := reflect.Zero(t).Interface().(pager); ok {
		r.result, r.list = p.listType(), true
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
	r.formats, r.streams = []string{eventStreamType}, true
	return r
}

// serve makes the handler of one operation. Whoever asks is known before
// anything else is looked at.
func (s *server) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !middle.AcceptsJSON(req.Header) && !middle.Accepts(req.Header, r.formats...) {
			middle.WriteError(w, http.StatusNotAcceptable, "Accept must allow application/json")
			return
		}
		if err := s.answer(w, req, r); err != nil {
			if drover.ErrorKind(err) == drover.KindInternal {
				middle.InfoFrom(req.Context()).Err = err
				err = s.classify(err)
			}
			middle.WriteErr(w, err)
		}
	})
}

const (
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
	return &drover.Error{Kind: drover.KindUnavailable, Message: "Service is temporarily unavailable, try again later", RetryAfter: troubleRetry, Err: err}
}

func (s *server) answer(w http.ResponseWriter, req *http.Request, r route) error {
	c := &call{Context: req.Context(), Request: req, w: w}
	if !r.streams && !r.long {
		bounded := &lateDeadline{Context: c.Context, limit: requestTime}
		defer bounded.end()
		c.Context = bounded
	}
	// Refusals name the version too, but a bad one is told to nobody unknown.
	badVersion := applyVersion(w, req)
	if !r.public {
		if err := s.authenticate(c); err != nil {
			return err
		}
	}
	if badVersion != nil {
		return badVersion
	}
	if err := c.readQuery(r); err != nil {
		return err
	}
	if err := c.readBody(r); err != nil {
		return err
	}
	result, err := r.handle(c)
	if err != nil {
		return err
	}
	return write(c, result)
}

func (s *server) authenticate(c *call) error {
	p, err := s.caller(c.Context, c.Request)
	if err != nil {
		return err
	}
	c.principal = p
	info := middle.InfoFrom(c.Context)
	info.TenantID, info.UserID = p.TenantID, p.UserID
	d := s.limiter.Allow(p.TenantID)
	d.Headers(c.w.Header())
	return d.Err()
}

// readQuery reads the parameters of an operation. What it does not know is
// refused, after the faults of those that it knows.
func (c *call) readQuery(r route) error {
	q := c.URL.Query()
	if r.query != nil {
		c.query = reflect.New(r.query).Interface()
		if err := decode.Query(q, c.query); err != nil {
			return err
		}
	}
	if r.lenient {
		return nil
	}
	return decode.NoExtra(q, r.query)
}

// readBody reads what an operation takes, and makes a POST repeatable where the
// caller asks for it.
func (c *call) readBody(r route) error {
	if r.body != nil {
		raw, err := middle.ReadBody(c.Request)
		if err != nil {
			return err
		}
		c.raw = raw
		if r.optional && len(raw) == 0 {
			c.raw = []byte("{}")
		}
	}
	key := c.Header.Get("Idempotency-Key")
	if r.public || r.method != http.MethodPost || key == "" {
		return nil
	}
	if err := checkIdempotencyKey(key); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(c.URL.Path+"\n"), c.raw...))
	c.Context = fleet.WithIdempotency(c.Context, key, hex.EncodeToString(sum[:]))
	return nil
}

const maxIdempotencyKey = 255

// checkIdempotencyKey refuses what a database cannot keep as text.
func checkIdempotencyKey(key string) error {
	switch {
	case !utf8.ValidString(key):
		return drover.Invalid("string_unicode", "Input should be a valid string, unable to parse raw data as a unicode string", "header", "idempotency-key")
	case len(key) > maxIdempotencyKey:
		return drover.Invalid("string_too_long", "String should have at most 255 characters", "header", "idempotency-key")
	}
	return nil
}
