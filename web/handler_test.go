package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

// packed is a text behind one of the writers that pack it.
func packed(t *testing.T, text string, by func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	w := by(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func byGzip(w io.Writer) io.WriteCloser   { return gzip.NewWriter(w) }
func byBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }

func testHandler(t *testing.T) *Handler {
	t.Helper()
	files := fstest.MapFS{".gitkeep": {}}
	for name, text := range map[string]string{
		"index.html": "<p>console", "docs.html": "<p>docs", "share.html": "<p>share",
		"link.html": "<p>link", "assets/main-Ab12_-cd.js": "go()", "assets/land.json": "{}",
	} {
		files[name+".br"] = &fstest.MapFile{Data: packed(t, text, byBrotli)}
	}
	files["assets/inter-Zz00aa99.woff2"] = &fstest.MapFile{Data: []byte("font")}
	h, err := newHandler(files, Options{TileOrigins: []string{"https://tiles.example"}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestFiles(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, c := range []struct {
		name, path, accept            string
		status                        int
		body, encoding, kind, caching string
	}{
		{"brotli", "/console/", "gzip, deflate, br, zstd", 200, string(packed(t, "<p>console", byBrotli)), "br", "text/html; charset=utf-8", "no-cache"},
		{"gzip", "/console/", "gzip", 200, string(packed(t, "<p>console", byGzip)), "gzip", "text/html; charset=utf-8", "no-cache"},
		{"refused brotli", "/console/", "br;q=0, gzip", 200, string(packed(t, "<p>console", byGzip)), "gzip", "text/html; charset=utf-8", "no-cache"},
		{"plain", "/console/", "", 200, "<p>console", "", "text/html; charset=utf-8", "no-cache"},
		{"page of the router", "/console/trip/a.b", "", 200, "<p>console", "", "text/html; charset=utf-8", "no-cache"},
		{
			"hashed", "/console/assets/main-Ab12_-cd.js", "", 200, "go()", "", "text/javascript; charset=utf-8",
			"public, max-age=31536000, immutable",
		},
		{"not hashed", "/console/assets/land.json", "", 200, "{}", "", "application/json", "no-cache"},
		{
			"already compressed", "/console/assets/inter-Zz00aa99.woff2", "br", 200, "font", "", "font/woff2",
			"public, max-age=31536000, immutable",
		},
		{
			"missing asset", "/console/assets/main-gone0000.js", "", 404, `{"error":{"code":404,"message":"Not Found"}}`, "", "application/json",
			"no-store",
		},
		{"reference", "/docs", "", 200, "<p>docs", "", "text/html; charset=utf-8", "no-cache"},
		{"outside of the folder", "/console/../handler.go", "", 200, "<p>console", "", "text/html; charset=utf-8", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := get(h, c.path, "Accept-Encoding", c.accept)
			if w.Code != c.status || strings.TrimSpace(w.Body.String()) != c.body {
				t.Errorf("got %d %q, want %d %q", w.Code, w.Body, c.status, c.body)
			}
			for name, want := range map[string]string{"Content-Encoding": c.encoding, "Content-Type": c.kind, "Cache-Control": c.caching} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	for _, path := range []string{"/", "/console", "/console/", "/console/assets/gone.js", "/docs"} {
		head := get(h, path, "Accept", "text/html").Header()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https://tiles.example; font-src 'self'; " +
				"connect-src 'self' https://tiles.example; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := head.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	h := testHandler(t)
	first := get(h, "/console/", "Accept-Encoding", "br")
	tag := first.Header().Get("ETag")
	again := get(h, "/console/", "Accept-Encoding", "br", "If-None-Match", `"other", `+tag)
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("got %d with %d bytes, want 304 without a body", again.Code, again.Body.Len())
	}
	if plain := get(h, "/console/", "If-None-Match", tag); plain.Code != http.StatusOK {
		t.Errorf("another encoding of the page got %d, want 200", plain.Code)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	testHandler(t).ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/console/", http.NoBody))
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "10" {
		t.Errorf("got %d, %d bytes, length %q", w.Code, w.Body.Len(), w.Header().Get("Content-Length"))
	}
}

func TestServes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, accept string
		want                 bool
	}{
		{"GET", "/", "text/html,*/*;q=0.8", true},
		{"GET", "/", "*/*", false},
		{"GET", "/", "", false},
		{"POST", "/", "text/html", false},
		{"GET", "/console", "", true},
		{"HEAD", "/console/trip/1", "", true},
		{"POST", "/console/", "text/html", false},
		{"GET", "/consoles", "text/html", false},
		{"GET", "/docs", "", true},
		{"GET", "/device/1", "text/html", false},
		{"GET", "/share/abc", "text/html", true},
		{"GET", "/share/abc", "*/*", true},
		{"HEAD", "/share/abc", "", true},
		{"GET", "/link/abc", "image/png, */*;q=0.5", true},
		{"GET", "/share/abc", "application/json", false},
		{"GET", "/share/abc", "text/html;q=0, */*", false},
		{"DELETE", "/share/abc", "text/html", false},
		{"GET", "/share", "text/html", false},
		{"GET", "/share/", "text/html", false},
		{"GET", "/share/abc/accept", "text/html", false},
		{"GET", "/link/abc", "text/html", true},
		{"GET", "/share/abcdefghijklmnopqrstuvwxyz234567", "*/*", true}, // a card of the link
		{"GET", "/share/abcdefghijklmnopqrstuvwxyz234567", "application/json", false},
		{"GET", "/share/0192a0b0-0000-7000-8000-000000000000", "application/json", false},
	} {
		r := httptest.NewRequest(c.method, c.path, http.NoBody)
		r.Header.Set("Accept", c.accept)
		if got := Serves(r); got != c.want {
			t.Errorf("%s %s (%s): %v, want %v", c.method, c.path, c.accept, got, c.want)
		}
	}
}

func TestPagesOfLinks(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"/share/abc": string(packed(t, "<p>share", byBrotli)), "/link/abc": string(packed(t, "<p>link", byBrotli))} {
		w := get(testHandler(t), path, "Accept", "text/html", "Accept-Encoding", "br")
		if w.Code != http.StatusOK || w.Body.String() != body {
			t.Errorf("%s: got %d %q, want %q", path, w.Code, w.Body, body)
		}
		if h := w.Header(); h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Robots-Tag") != "noindex, nofollow" ||
			h.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: got the headers %v", path, h)
		}
	}
}

func TestRootLeadsToConsole(t *testing.T) {
	t.Parallel()
	w := get(testHandler(t), "/", "Accept", "text/html")
	if w.Code != http.StatusFound || w.Header().Get("Location") != Prefix {
		t.Errorf("got %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestPlaceholder(t *testing.T) {
	t.Parallel()
	h, err := newHandler(fstest.MapFS{".gitkeep": {}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/console/", "/console/map", "/docs"} {
		w := get(h, path, "Accept-Encoding", "br, gzip")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "make build CONSOLE=console.tar.gz") {
			t.Errorf("%s: got %d %q", path, w.Code, w.Body)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", "assets/x", "../x", "%2e%2e/", "a\x00b", "assets/../index.html"} {
		f.Add(seed)
	}
	h, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r := httptest.NewRequest(http.MethodGet, Prefix, http.NoBody)
		r.URL.Path = Prefix + path
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
			t.Errorf("got %d", w.Code)
		}
	})
}
