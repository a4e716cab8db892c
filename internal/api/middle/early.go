package middle

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// EarlyBody reads the first size bytes of a body before it calls the next
// handler, and gives the whole body no more time than within. It is for what anyone
// may call: who sends slowly holds a connection, and not for long. What is longer is
// read by the handler, who bounds the memory of all bodies.
func EarlyBody(size int64, within time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			_ = control.SetReadDeadline(time.Now().Add(within)) //nolint:forbidigo // by the clock of the connection; a recorder has none
			body := timedBody{r.Body, control}
			head, err := io.ReadAll(io.LimitReader(body, size))
			var rest io.Reader = body
			if err != nil {
				rest = failedReader{err} // for the handler to tell, after what it tells first
			}
			early := *r
			early.Body = replayed{io.MultiReader(bytes.NewReader(head), rest), r.Body}
			next.ServeHTTP(w, &early)
		})
	}
}

// timedBody takes the deadline back at the end of the body: it would end the
// request, for which the server goes on reading the connection.
type timedBody struct {
	io.Reader
	control *http.ResponseController
}

func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{}) // as above
	}
	return n, err //nolint:wrapcheck // a reader's errors are its own.
}

type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) { return 0, f.err }

type replayed struct {
	io.Reader
	io.Closer
}
