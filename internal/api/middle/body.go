package middle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// MaxBody refuses request bodies of more than limit bytes: at once where their
// length is announced, otherwise when they are read that far.
func MaxBody(limit int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rest := r.Body
			if r.Body == nil || r.Body == http.NoBody {
				next.ServeHTTP(w, r)
				return
			}
			if r.ContentLength > limit {
				WriteErr(w, tooLarge(limit))
				readOn(w, rest)
				return
			}
			bounded, body := *r, &watchedBody{ReadCloser: http.MaxBytesReader(nil, r.Body, limit)}
			bounded.Body = body
			next.ServeHTTP(w, &bounded)
			if body.over {
				readOn(w, rest)
			}
		})
	}
}

const (
	// restSize and restTime bound what is read of a body that was refused.
	restSize = 16 << 20
	restTime = 5 * time.Second
)

// readOn reads what a caller is still sending of a body that was refused, for a
// bounded while: most callers read the answer only when they have sent everything,
// and find a connection that was closed instead of it.
func readOn(w http.ResponseWriter, body io.Reader) {
	control := http.NewResponseController(w)
	w.Header().Set("Connection", "close")
	_ = control.Flush()                                        // anyone who reads early has the answer
	_ = control.SetReadDeadline(time.Now().Add(restTime))      //nolint:forbidigo // by the clock of the connection; a recorder has none
	_, _ = io.Copy(io.Discard, io.LimitReader(body, restSize)) // it is not wanted
}

// watchedBody notes whether more was sent than may be.
type watchedBody struct {
	io.ReadCloser
	over bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		b.over = true
	}
	return n, err //nolint:wrapcheck // a reader's errors are its own.
}

func tooLarge(limit int64) error {
	return drover.Errorf(drover.KindTooLarge, "Request body is larger than %d bytes", limit)
}

// ReadBody reads the whole body of r, which MaxBody has bounded.
func ReadBody(r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead) // once, where its length is announced
	}
	_, err := body.ReadFrom(r.Body)
	if err == nil {
		return body.Bytes(), nil
	}
	if mapped := bodyError(err); mapped != err { //nolint:errorlint // asks whether it is the same value.
		return nil, mapped
	}
	return nil, &drover.Error{
		Kind:    drover.KindMalformed,
		Message: "Request body could not be read",
		Err:     fmt.Errorf("read request body: %w", err),
	}
}

// bodyError returns err in the words of the API where it says that MaxBody's
// limit was passed, and as it is otherwise.
func bodyError(err error) error {
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(over.Limit)
	}
	return err
}

// JSONBody refuses a body that says it is anything but plain JSON, or one of some other
// types. A body that says nothing is taken for JSON. Compressed bodies are refused because a
// small one may unfold into a huge one.
func JSONBody(also ...string) Middleware {
	want := "Content-Type must be " + strings.Join(append([]string{"application/json"}, also...), " or ")
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.ContentLength == 0:
				next.ServeHTTP(w, r)
			case !plainEncoding(r.Header.Values("Content-Encoding")):
				WriteError(w, http.StatusUnsupportedMediaType, "Content-Encoding of a request body is not supported")
			case !isJSON(r.Header.Get("Content-Type"), also):
				WriteError(w, http.StatusUnsupportedMediaType, want)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

func plainEncoding(encodings []string) bool {
	for _, encoding := range encodings {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	return true
}

func isJSON(contentType string, also []string) bool {
	if contentType == "" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json") || slices.Contains(also, mediaType)
}
