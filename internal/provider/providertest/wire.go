package providertest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Carry takes a request to a handler within the process. The answer to one that asks
// for a push stays open: what the handler writes is read before it goes on.
func Carry(handler http.Handler, req *http.Request) *http.Response {
	in := req.Clone(req.Context())
	in.RequestURI = req.URL.RequestURI()
	in.Host = req.URL.Host
	in.RemoteAddr = "192.0.2.1:1234"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	if !wantsPush(req) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, in)
		resp := recorder.Result()
		resp.Request = req
		return resp
	}
	w := newWire(req)
	go func() {
		defer w.end()
		defer func() {
			if fault := recover(); fault != nil && fault != http.ErrAbortHandler { //nolint:errorlint // it is thrown itself
				panic(fault)
			}
		}()
		handler.ServeHTTP(w, in)
	}()
	context.AfterFunc(req.Context(), w.hangUp)
	return <-w.answer
}

func wantsPush(req *http.Request) bool {
	return req.Header.Get("Upgrade") != "" || strings.Contains(req.Header.Get("Accept"), "text/event-stream")
}

// wire is the answer to a request for a push, as its handler writes it.
type wire struct {
	req    *http.Request
	header http.Header
	answer chan *http.Response
	once   sync.Once
	// A push of text is a pipe; a socket has both ends of a connection.
	body             *io.PipeWriter
	reader           *io.PipeReader
	vendor, customer net.Conn
}

func newWire(req *http.Request) *wire {
	w := &wire{req: req, header: http.Header{}, answer: make(chan *http.Response, 1)}
	w.reader, w.body = io.Pipe()
	w.vendor, w.customer = net.Pipe()
	return w
}

// Header implements http.ResponseWriter.
func (w *wire) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *wire) WriteHeader(status int) {
	w.once.Do(func() {
		resp := &http.Response{StatusCode: status, Header: w.header.Clone(), Request: w.req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
		resp.Body = w.reader
		if status == http.StatusSwitchingProtocols {
			resp.Body = w.customer
		}
		w.answer <- resp
	})
}

// Write implements http.ResponseWriter.
func (w *wire) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush implements http.Flusher.
func (w *wire) Flush() { w.WriteHeader(http.StatusOK) }

// Hijack implements http.Hijacker.
func (w *wire) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.vendor, bufio.NewReadWriter(bufio.NewReader(w.vendor), bufio.NewWriter(w.vendor)), nil
}

// hangUp is the end of the one who asked.
func (w *wire) hangUp() {
	_ = w.reader.CloseWithError(context.Canceled)
	_ = w.customer.Close()
}

// end is the end of the handler.
func (w *wire) end() {
	w.WriteHeader(http.StatusOK)
	_ = w.body.CloseWithError(errors.New("connection reset"))
	_ = w.vendor.Close()
}
