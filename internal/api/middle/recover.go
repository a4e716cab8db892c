package middle

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover turns a panic into a 500 that shows nothing of it, and logs it with
// its stack. Where part of an answer is already sent, the connection is cut
// instead: the caller must not take the part for the whole.
func Recover(log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := record(w)
			defer func() {
				if reason := recover(); reason != nil {
					answerPanic(log, rec, r, reason)
				}
			}()
			next.ServeHTTP(rec, r)
		})
	}
}

func answerPanic(log *slog.Logger, rec *recorder, r *http.Request, reason any) {
	info := InfoFrom(r.Context())
	if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		info.Err = http.ErrAbortHandler
		panic(http.ErrAbortHandler)
	}
	info.Err = fmt.Errorf("panic: %v", reason)
	log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
		slog.String("request_id", info.RequestID),
		slog.String("route", info.routeOf()),
		slog.Any("panic", reason),
		slog.String("stack", string(debug.Stack())))
	if rec.status != 0 {
		panic(http.ErrAbortHandler)
	}
	WriteErr(rec, info.Err)
}
