package middle

import (
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
)

// minGzip is the size from which compression pays, in bytes: less fits into one
// packet anyway.
const minGzip = 1400

var varyEncoding = []string{"Accept-Encoding"}

// Gzip compresses responses whose caller takes gzip, where it pays: text of
// some size that is not compressed yet. Streams of events pass untouched, since
// a compressor would hold them back.
func Gzip() Middleware {
	pool := &sync.Pool{New: func() any {
		gz, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant that exists
		}
		return gz
	}}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := w.Header(); h["Vary"] == nil {
				h["Vary"] = varyEncoding
			} else {
				h.Add("Vary", "Accept-Encoding")
			}
			if !acceptsGzip(r.Header) {
				next.ServeHTTP(w, r)
				return
			}
			gw := &gzipWriter{ResponseWriter: w, pool: pool}
			next.ServeHTTP(gw, r)
			// Not deferred: after a panic nothing must be sent that looks whole.
			gw.finish()
		})
	}
}

// gzipWriter holds a response back until it is clear whether to compress it:
// until minGzip bytes are there, or the end.
type gzipWriter struct {
	http.ResponseWriter
	pool    *sync.Pool
	status  int    // as the handler set it; 0 until then
	held    []byte // written while undecided
	decided bool
	gz      *gzip.Writer // set where the decision was to compress
}

// Unwrap serves http.ResponseController.
func (w *gzipWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *gzipWriter) WriteHeader(status int) {
	if w.decided || informational(status) {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.status != 0 {
		return
	}
	w.status = status
	if !w.mayCompress() {
		w.sendHeader()
	}
}

// mayCompress judges by status and header. A content type that is not set yet
// will be guessed from the body.
func (w *gzipWriter) mayCompress() bool {
	h := w.Header()
	switch {
	case w.status == http.StatusSwitchingProtocols, w.status == http.StatusNoContent,
		w.status == http.StatusPartialContent, w.status == http.StatusNotModified:
		return false
	case h.Get("Content-Encoding") != "" || h.Get("Content-Range") != "" || strings.Contains(h.Get("Cache-Control"), "no-transform"):
		return false
	}
	contentType := h.Get("Content-Type")
	return contentType == "" || compressible(contentType)
}

func compressible(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil || mediaType == "text/event-stream":
		return false
	case strings.HasPrefix(mediaType, "text/"), strings.HasSuffix(mediaType, "+json"), strings.HasSuffix(mediaType, "+xml"):
		return true
	}
	return mediaType == "application/json" || mediaType == "application/javascript"
}

func (w *gzipWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.gz != nil:
		return w.gz.Write(b)
	case w.decided:
		return w.ResponseWriter.Write(b)
	}
	w.held = append(w.held, b...)
	if len(w.held) < minGzip {
		return len(b), nil
	}
	if err := w.decide(); err != nil {
		return 0, err
	}
	return len(b), nil
}

// decide ends the holding back of a body that is large enough.
func (w *gzipWriter) decide() error {
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", http.DetectContentType(w.held))
	}
	if !w.mayCompress() {
		return w.sendHeld()
	}
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
	h.Del("Accept-Ranges")
	w.sendHeader()
	w.gz = w.pool.Get().(*gzip.Writer)
	w.gz.Reset(w.ResponseWriter)
	_, err := w.gz.Write(w.held)
	w.held = nil
	return err
}

func (w *gzipWriter) sendHeader() {
	w.decided = true
	w.ResponseWriter.WriteHeader(w.status)
}

// sendHeld sends what was held back as it is.
func (w *gzipWriter) sendHeld() error {
	w.sendHeader()
	if len(w.held) == 0 {
		return nil
	}
	_, err := w.ResponseWriter.Write(w.held)
	w.held = nil
	return err
}

// Flush serves handlers that ask for an http.Flusher.
func (w *gzipWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written so far. A response that is flushed while
// still small is a stream, and stays uncompressed.
func (w *gzipWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.gz != nil:
		if err := w.gz.Flush(); err != nil {
			return err
		}
	case !w.decided:
		if err := w.sendHeld(); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// finish ends the response. Errors are those of a caller that is gone.
func (w *gzipWriter) finish() {
	switch {
	case w.gz != nil:
		_ = w.gz.Close()
		w.gz.Reset(io.Discard)
		w.pool.Put(w.gz)
	case !w.decided && w.status != 0:
		_ = w.sendHeld()
	}
}
