package middle_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/api/middle"
)

// response is one whose body has been read.
type response struct {
	status int
	header http.Header
	length int64 // -1 where it was not announced
	body   string
}

// overHTTP serves h on a real connection, since the headers of a response are
// settled only there, and returns the response as it was sent.
func overHTTP(t *testing.T, h http.Handler, method, acceptEncoding string) response {
	t.Helper()
	server := httptest.NewServer(middle.Gzip()(h))
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", acceptEncoding) // set by hand, the client unpacks nothing
	got, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{got.StatusCode, got.Header, got.ContentLength, string(body)}
}

func unpack(t *testing.T, packed string) string {
	t.Helper()
	gz, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(gz)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGzip(t *testing.T) {
	t.Parallel()
	large, small := strings.Repeat("data ", 1000), strings.Repeat("x", 1399)
	headers := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	jsonType := headers("Content-Type", "application/json")
	tests := []struct {
		name, accept string
		header       http.Header
		status       int
		body         string
		packed       bool
	}{
		{"LargeJSON", "gzip", jsonType, 200, large, true},
		{"LargeError", "br;q=1, gzip;q=0.5", jsonType, 422, large, true},
		{"AnyEncoding", "*", jsonType, 200, large, true},
		{"ProblemJSON", "gzip", headers("Content-Type", "application/problem+json"), 200, large, true},
		{"GuessedText", "gzip", nil, 200, large, true},
		{"LengthSet", "gzip", headers("Content-Type", "text/plain", "Content-Length", strconv.Itoa(len(large))), 200, large, true},
		{"Small", "gzip", jsonType, 200, small, false},
		{"NotAccepted", "br", jsonType, 200, large, false},
		{"Refused", "gzip;q=0, *", jsonType, 200, large, false},
		{"Silent", "", jsonType, 200, large, false},
		{"Image", "gzip", headers("Content-Type", "image/png"), 200, large, false},
		{"GuessedBinary", "gzip", nil, 200, "\x89PNG\r\n\x1a\n" + large, false},
		{"AlreadyEncoded", "gzip", headers("Content-Type", "text/plain", "Content-Encoding", "br"), 200, large, false},
		{"Range", "gzip", headers("Content-Type", "text/plain", "Content-Range", "bytes 0-4999/9999"), 206, large, false},
		{"Events", "gzip", headers("Content-Type", "text/event-stream"), 200, large, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), tt.header)
				w.WriteHeader(tt.status)
				for half := range 2 { // in two writes, the second of them unaligned
					part := tt.body[:len(tt.body)/3]
					if half == 1 {
						part = tt.body[len(tt.body)/3:]
					}
					if n, err := io.WriteString(w, part); n != len(part) || err != nil {
						t.Errorf("wrote %d of %d bytes: %v", n, len(part), err)
					}
				}
			})
			got := overHTTP(t, h, http.MethodGet, tt.accept)
			if got.status != tt.status {
				t.Errorf("status %d, want %d", got.status, tt.status)
			}
			if vary := got.header.Get("Vary"); vary != "Accept-Encoding" {
				t.Errorf("Vary %q", vary)
			}
			if packed := got.header.Get("Content-Encoding") == "gzip"; packed != tt.packed {
				t.Fatalf("compressed %t, want %t", packed, tt.packed)
			}
			if !tt.packed {
				if got.body != tt.body {
					t.Errorf("body of %d bytes was changed into %d", len(tt.body), len(got.body))
				}
				return
			}
			if got.length == int64(len(tt.body)) {
				t.Errorf("Content-Length %d is that of the plain body", got.length)
			}
			if text := unpack(t, got.body); text != tt.body {
				t.Errorf("body of %d bytes was changed into %d", len(tt.body), len(text))
			}
			if contentType := got.header.Get("Content-Type"); contentType == "" || strings.Contains(contentType, "gzip") {
				t.Errorf("Content-Type %q", contentType)
			}
		})
	}
}

func TestGzipKeepsLength(t *testing.T) {
	t.Parallel()
	if got := overHTTP(t, answer(http.StatusOK, "small"), http.MethodGet, "gzip"); got.length != 5 {
		t.Errorf("Content-Length %d, want 5", got.length)
	}
}

func TestGzipWithoutBody(t *testing.T) {
	t.Parallel()
	tests := map[int]http.HandlerFunc{
		http.StatusNoContent:   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		http.StatusNotModified: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
		http.StatusOK:          func(http.ResponseWriter, *http.Request) {},
	}
	for status, h := range tests {
		got := overHTTP(t, h, http.MethodGet, "gzip")
		if got.status != status || got.body != "" || got.header.Get("Content-Encoding") != "" {
			t.Errorf("%d: got %+v", status, got)
		}
	}
}

// HEAD answers with the headers of GET and nothing else.
func TestGzipHead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"small", strings.Repeat("large", 1000)} {
		get := overHTTP(t, answer(http.StatusOK, text), http.MethodGet, "gzip")
		head := overHTTP(t, answer(http.StatusOK, text), http.MethodHead, "gzip")
		if head.body != "" {
			t.Errorf("HEAD has a body of %d bytes", len(head.body))
		}
		for _, name := range []string{"Content-Encoding", "Content-Type"} {
			if get.header.Get(name) != head.header.Get(name) {
				t.Errorf("%s is %q for GET and %q for HEAD", name, get.header.Get(name), head.header.Get(name))
			}
		}
	}
}

// Each event must arrive when it is flushed, not when the response ends.
func TestGzipStreams(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"text/event-stream", "application/json"} {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan struct{})
			h := middle.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", contentType)
				_, _ = io.WriteString(w, "first\n")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				select {
				case <-arrived:
				case <-r.Context().Done():
				}
			}), middle.Identify, middle.Recover(nil), middle.Gzip())
			server := httptest.NewServer(h)
			t.Cleanup(server.Close)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "gzip")
			response, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			line, err := bufio.NewReader(response.Body).ReadString('\n')
			if line != "first\n" || err != nil {
				t.Errorf("read %q, %v", line, err)
			}
			close(arrived)
		})
	}
}

// A flush in the midst of a compressed response sends what was written so far.
func TestGzipFlushesCompressed(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("data ", 1000)
	var sent []byte
	w := httptest.NewRecorder()
	h := middle.Gzip()(http.HandlerFunc(func(gw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(gw, large)
		gw.(http.Flusher).Flush()
		sent = bytes.Clone(w.Body.Bytes())
	}))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	h.ServeHTTP(w, r)
	gz, err := gzip.NewReader(bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(large))
	if _, err := io.ReadFull(gz, got); err != nil || string(got) != large {
		t.Errorf("only part was sent: %v", err)
	}
}
