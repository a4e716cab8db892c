package simulate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"time"
)

// network carries the calls of one process to vendors and receivers, late, twice in
// vain or not at all.
type network struct {
	world   *world
	process *process
}

// host answers calls. Fault says what becomes of one that was sent then.
type host interface {
	http.Handler
	fault(r *http.Request, sent time.Time) fault
}

// fault is what becomes of a call.
type fault int

const (
	noFault fault = iota
	refused       // no one answers
	lost          // it arrives, and the answer does not
	halved        // half of the answer arrives
	hanging       // the answer takes longer than anyone waits
	slow          // it takes some seconds
)

var errReset = errors.New("connection reset by peer")

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	if n.process.dead.Load() {
		return nil, errDead
	}
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	to := n.world.hosts[req.URL.Host]
	if to == nil {
		return nil, errors.New("no such host: " + req.URL.Host)
	}
	sent := time.Now()
	n.process.turn(nil, func() string { return "call " + n.world.trace.call(req) })
	if n.process.dead.Load() {
		return nil, errDead
	}
	f := to.fault(req, sent)
	n.world.trace.add("%s %s: fault %d", req.Method, req.URL.Host, f)
	if f == refused {
		return nil, errReset
	}
	in := req.Clone(context.Background())
	in.RequestURI, in.Host, in.Body = req.URL.RequestURI(), req.URL.Host, io.NopCloser(bytes.NewReader(body))
	w := httptest.NewRecorder()
	to.ServeHTTP(w, in)
	if err := n.transmit(req, f); err != nil {
		return nil, err
	}
	if a, ok := to.(acknowledged); ok && f != halved {
		a.answered(in, w.Code)
	}
	return answerOf(req, w, f), nil
}

// acknowledged hears that an answer has reached the process.
type acknowledged interface {
	answered(r *http.Request, status int)
}

// transmit takes the time that the answer takes.
func (n *network) transmit(req *http.Request, f fault) error {
	took := time.Duration(0)
	switch f {
	case lost:
		return errReset
	case hanging:
		took = time.Hour
	case slow:
		took = 3 * time.Second
	case noFault, refused, halved:
	}
	ctx, cancel := context.WithTimeout(req.Context(), took)
	defer cancel()
	if took > 0 {
		select {
		case <-ctx.Done():
		case <-n.process.died:
		}
	}
	if err := req.Context().Err(); err != nil {
		return err
	}
	n.process.turn(nil, func() string { return "answer " + n.world.trace.call(req) })
	if n.process.dead.Load() {
		return errDead
	}
	return nil
}

func answerOf(req *http.Request, w *httptest.ResponseRecorder, f fault) *http.Response {
	res := w.Result()
	res.Request = req
	if f == halved {
		text := w.Body.Bytes()
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text[:len(text)/2]), broken{}))
	}
	return res
}

// broken is the end of an answer that was cut.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}
