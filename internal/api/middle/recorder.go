package middle

import (
	"net/http"
	"sync/atomic"
	"time"
)

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int // 0 until the header is written
	bytes  int64
	// lasting says that the answer takes as long as its receiver wants: a stream, a long
	// poll, a file. Timers set deadlines too, also while the answer ends.
	lasting atomic.Bool
}

// record returns w as a recorder. Middlewares that follow each other share one.
func record(w http.ResponseWriter) *recorder {
	if rec, ok := w.(*recorder); ok {
		return rec
	}
	return &recorder{ResponseWriter: w}
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && !informational(status) {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// SetWriteDeadline sets the deadline of the answer. Lifting it is what makes an answer a
// lasting one, which it stays when it is cut.
func (rec *recorder) SetWriteDeadline(deadline time.Time) error {
	if deadline.IsZero() {
		rec.lasting.Store(true)
	}
	return http.NewResponseController(rec.ResponseWriter).SetWriteDeadline(deadline)
}

// FlushError sends what was written so far, and with it the header.
func (rec *recorder) FlushError() error {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	return http.NewResponseController(rec.ResponseWriter).Flush()
}

// Unwrap serves http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// sent returns the status that the caller sees: a handler that writes nothing
// answers 200.
func (rec *recorder) sent() int {
	if rec.status == 0 {
		return http.StatusOK
	}
	return rec.status
}

// informational reports whether status announces that another will follow.
// Switching protocols is final although it is a 1xx.
func informational(status int) bool {
	return status >= 100 && status < 200 && status != http.StatusSwitchingProtocols
}
