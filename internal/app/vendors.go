package app

import (
	"bytes"
	"io"
	"net/http"
)

// withVendors sends the requests for some hosts to handlers within the process.
func withVendors(next http.RoundTripper, vendors map[string]http.Handler) http.RoundTripper {
	if len(vendors) == 0 {
		return next
	}
	return &inProcess{next: next, vendors: vendors}
}

type inProcess struct {
	next    http.RoundTripper
	vendors map[string]http.Handler
}

// RoundTrip implements http.RoundTripper.
func (p *inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	handler, ok := p.vendors[req.URL.Host]
	if !ok {
		return p.next.RoundTrip(req)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	in := req.Clone(req.Context())
	in.RequestURI, in.Host, in.RemoteAddr = req.URL.RequestURI(), req.URL.Host, "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	w := &memoryWriter{header: http.Header{}, status: http.StatusOK}
	handler.ServeHTTP(w, in)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: req,
	}, nil
}

// memoryWriter keeps an answer.
type memoryWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *memoryWriter) Header() http.Header         { return w.header }
func (w *memoryWriter) WriteHeader(status int)      { w.status = status }
func (w *memoryWriter) Write(b []byte) (int, error) { return w.body.Write(b) }
