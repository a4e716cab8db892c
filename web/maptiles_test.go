package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func tilesHandler(t *testing.T, o Options) *Handler {
	t.Helper()
	h, err := newHandler(fstest.MapFS{"index.html": {Data: []byte("<p>console")}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func tilesFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "world.pmtiles")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options Options
		body    string
	}{
		{"nothing is set", Options{}, `{"data":{"map_style":null,"map_pmtiles":null,"demo":null}}`},
		{
			"a style",
			Options{MapStyle: "https://maps.example/s"},
			`{"data":{"map_style":"https://maps.example/s","map_pmtiles":null,"demo":null}}`,
		},
		{
			"tiles, whose place is not shown",
			Options{MapTiles: tilesFile(t, "PMTiles\x03")},
			`{"data":{"map_style":null,"map_pmtiles":"/console/map.pmtiles","demo":null}}`,
		},
		{
			"the demo",
			Options{Demo: &Demo{"visitor", "open", 20, time.Unix(0, 0).UTC(), time.Unix(60, 0).UTC()}},
			`{"data":{"map_style":null,"map_pmtiles":null,"demo":{"username":"visitor","password":"open","speed":20,"since":"1970-01-01T00:00:00Z","start":"1970-01-01T00:01:00Z"}}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := get(tilesHandler(t, c.options), "/console/config")
			if w.Code != http.StatusOK || w.Body.String() != c.body || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("got %d %s %s, want %s", w.Code, w.Header().Get("Content-Type"), w.Body, c.body)
			}
		})
	}
}

func TestTiles(t *testing.T) {
	t.Parallel()
	h := tilesHandler(t, Options{MapTiles: tilesFile(t, "PMTiles\x03 and more")})
	whole := get(h, "/console/map.pmtiles")
	if whole.Code != http.StatusOK || whole.Body.String() != "PMTiles\x03 and more" || whole.Header().Get("Accept-Ranges") != "bytes" {
		t.Errorf("got %d %q", whole.Code, whole.Body)
	}
	tag := whole.Header().Get("ETag")
	for _, c := range []struct {
		name, header, value string
		status              int
		body, contentRange  string
	}{
		{"a part", "Range", "bytes=0-6", 206, "PMTiles", "bytes 0-6/17"},
		{"the end", "Range", "bytes=-4", 206, "more", "bytes 13-16/17"},
		{"beyond the end", "Range", "bytes=17-20", 416, "", "bytes */17"},
		{"what is known already", "If-None-Match", tag, 304, "", ""},
	} {
		w := get(h, "/console/map.pmtiles", c.header, c.value)
		if w.Code != c.status || c.status != 416 && w.Body.String() != c.body || w.Header().Get("Content-Range") != c.contentRange {
			t.Errorf("%s: got %d %q %q, want %d %q %q", c.name, w.Code, w.Body, w.Header().Get("Content-Range"), c.status, c.body, c.contentRange)
		}
	}
}

// A part of another file than before must not be mixed with the parts a map has.
func TestTilesThatWereReplaced(t *testing.T) {
	t.Parallel()
	name := tilesFile(t, "PMTiles\x03 one")
	h := tilesHandler(t, Options{MapTiles: name})
	tag := get(h, "/console/map.pmtiles").Header().Get("ETag")
	if err := os.WriteFile(name, []byte("PMTiles\x03 another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := get(h, "/console/map.pmtiles", "Range", "bytes=0-3", "If-Range", tag); after.Code != http.StatusOK {
		t.Errorf("got %d, want the whole new file", after.Code)
	}
}

func TestTilesThatAreNone(t *testing.T) {
	t.Parallel()
	if w := get(tilesHandler(t, Options{}), "/console/map.pmtiles"); w.Code != http.StatusNotFound {
		t.Errorf("got %d where no file is set", w.Code)
	}
	for name, file := range map[string]string{
		"no tiles": tilesFile(t, "something else"), "empty": tilesFile(t, ""),
		"missing": filepath.Join(t.TempDir(), "gone"),
	} {
		if _, err := newHandler(fstest.MapFS{}, Options{MapTiles: file}); err == nil || !strings.Contains(err.Error(), "tiles") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func TestServesItsOwnPathsAlone(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"/console/config": true, "/console/map.pmtiles": true, "/device": false} {
		if got := Serves(httptest.NewRequest(http.MethodGet, path, http.NoBody)); got != want {
			t.Errorf("%s: got %t", path, got)
		}
	}
}
