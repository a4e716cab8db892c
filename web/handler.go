// Package web is the console: pages and scripts that are built from this folder
// by make, embedded compressed, and served by the process that serves the API.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/drover-fleet/drover/internal/api/middle"
)

// Prefix is where the console lies: outside of the API's names, so that a page's
// address is never that of a record.
const Prefix = "/console/"

// Options are what the pages are served with.
type Options struct {
	// TileOrigins are hosts that the map may load tiles from; none by default.
	TileOrigins []string
	// MapStyle is the address of the style of the maps, and MapTiles the file of their
	// tiles; without both the built-in map is shown.
	MapStyle, MapTiles string
	// Demo is who a visitor of the demo is; nil outside of it.
	Demo *Demo
}

// Demo lets the sign-in page enter with one button.
type Demo struct {
	Username string `json:"username"`
	Password string `json:"password"`
	// Since then its time has run Speed times as fast as the real one, from Start on.
	Speed float64   `json:"speed"`
	Since time.Time `json:"since"`
	Start time.Time `json:"start"`
}

// file is one embedded file in every form that it can be sent in.
type file struct {
	contentType string
	etag        string
	immutable   bool
	// name is that of the embedded file, which is packed by brotli where it is text.
	name   string
	packed bool
}

// Handler serves the console's pages.
type Handler struct {
	source fs.FS
	files  map[string]*file
	csp    string
	config []byte
	tiles  string
}

// New looks through the embedded files. Where the console was not built, every page
// is the one that says how to get it.
func New(o Options) (*Handler, error) { return newHandler(embedded(), o) }

func newHandler(files fs.FS, o Options) (*Handler, error) {
	config, err := configBody(o)
	if err != nil {
		return nil, err
	}
	if err := checkTiles(o.MapTiles); err != nil {
		return nil, err
	}
	h := &Handler{source: files, files: map[string]*file{}, csp: policy(o.TileOrigins), config: config, tiles: o.MapTiles}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		h.add(name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the console: %w", err)
	}
	if h.files["index.html"] == nil {
		h.source = placeholder
		h.files = map[string]*file{"index.html": {contentType: contentType("index.html"), name: "placeholder.html"}}
	}
	for _, f := range h.files {
		if err := h.identify(f); err != nil {
			return nil, fmt.Errorf("read the console: %w", err)
		}
	}
	return h, nil
}

func (h *Handler) add(name string) {
	original, packed := strings.CutSuffix(name, ".br")
	if path.Base(original) == ".gitkeep" {
		return
	}
	h.files[original] = &file{contentType: contentType(original), immutable: hashed.MatchString(original), name: name, packed: packed}
}

// hashed matches names that change with their content.
var hashed = regexp.MustCompile(`^assets/(.*-[0-9A-Za-z_-]{8}|maplibre-gl-[0-9.]+/.*)\.[a-z0-9]+$`)

// contentType does not ask the machine's tables, which differ.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".geojson":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// identify makes a tag that is the same in every process. What it reads is not kept:
// the program holds it, and browsers ask for it once.
func (h *Handler) identify(f *file) error {
	content, err := fs.ReadFile(h.source, f.name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	f.etag = hex.EncodeToString(sum[:8])
	return nil
}

// Serves reports whether a request is for the console rather than for the API:
// its own paths, and the root where a browser asks for a page. The page of a link is
// for all who take one: programs that show a preview of it seldom name text/html.
func Serves(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	p := r.URL.Path
	return publicPage(p) != "" && middle.Accepts(r.Header, "text/html") || p == "/console" || strings.HasPrefix(p, Prefix) || p == "/docs" ||
		p == "/" && wantsPage(r)
}

// publicPage is the page of a link, which is seen without signing in, or nothing:
// /share/TOKEN of a journey, /link/TOKEN of an invitation.
func publicPage(p string) string {
	for _, page := range []string{"share", "link"} {
		if token, found := strings.CutPrefix(p, "/"+page+"/"); found && token != "" && !strings.Contains(token, "/") {
			return page + ".html"
		}
	}
	return ""
}

func wantsPage(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// ServeHTTP answers what Serves takes.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.setHeaders(w.Header())
	if page := publicPage(r.URL.Path); page != "" {
		// The address is the secret: no other site learns where a visitor comes from.
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		h.page(w, r, page)
		return
	}
	switch r.URL.Path {
	case "/", "/console":
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Vary", "Accept")
		http.Redirect(w, r, Prefix, http.StatusFound)
	case "/docs":
		h.page(w, r, "docs.html")
	case configPath:
		h.serveConfig(w, r)
	case tilesPath:
		h.serveTiles(w, r)
	default:
		h.asset(w, r, strings.TrimPrefix(r.URL.Path, Prefix))
	}
}

// asset serves a file by its name. A name without an extension is a page of the
// console's own router; one with an extension that is not there is missing.
func (h *Handler) asset(w http.ResponseWriter, r *http.Request, name string) {
	if f := h.files[name]; f != nil {
		h.send(w, r, f)
		return
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "no-store")
		middle.WriteError(w, http.StatusNotFound, http.StatusText(http.StatusNotFound))
		return
	}
	h.page(w, r, "index.html")
}

func (h *Handler) page(w http.ResponseWriter, r *http.Request, name string) {
	f := h.files[name]
	if f == nil {
		f = h.files["index.html"]
	}
	h.send(w, r, f)
}

func (h *Handler) send(w http.ResponseWriter, r *http.Request, f *file) {
	body, encoding, err := h.form(f, r.Header)
	if err != nil {
		middle.WriteError(w, http.StatusInternalServerError, http.StatusText(http.StatusInternalServerError))
		return
	}
	head := w.Header()
	head.Set("Content-Type", f.contentType)
	head.Set("Cache-Control", "no-cache")
	if f.immutable {
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	head.Set("Vary", "Accept-Encoding")
	tag := `"` + f.etag + "-" + encoding + `"`
	head.Set("ETag", tag)
	if encoding != identity {
		head.Set("Content-Encoding", encoding)
	}
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		head.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the caller may have gone away
	}
}

const identity = "identity"

// form is the smallest form of a file that the caller takes. Browsers that are reached
// by TLS, and those on this machine, take brotli: what others get is packed again.
func (h *Handler) form(f *file, header http.Header) (body []byte, encoding string, err error) {
	body, err = fs.ReadFile(h.source, f.name)
	switch {
	case err != nil || !f.packed:
		return body, identity, err
	case middle.AcceptsEncoding(header, "br"):
		return body, "br", nil
	}
	if body, err = io.ReadAll(brotli.NewReader(bytes.NewReader(body))); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name, err)
	}
	if !middle.AcceptsEncoding(header, "gzip") {
		return body, identity, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(body)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), "gzip", err
}

// setHeaders says what the pages may do: load from this host alone, be framed by
// no one, and send no address to others.
func (h *Handler) setHeaders(head http.Header) {
	head.Set("Content-Security-Policy", h.csp)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
}

// policy is the content security policy. Hosts of tiles may be fetched from and
// shown, and nothing else.
func policy(tiles []string) string {
	extra := ""
	if len(tiles) > 0 {
		extra = " " + strings.Join(tiles, " ")
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:" + extra +
		"; font-src 'self'; connect-src 'self'" + extra + "; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}
