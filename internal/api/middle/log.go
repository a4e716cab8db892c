package middle

import (
	"log/slog"
	"net/http"
	"time"
)

// LogConfig is what Log needs.
type LogConfig struct {
	Logger *slog.Logger
	Level  slog.Level // of requests that did not fail on our side
	Now    func() time.Time
}

// Log writes one line per request, at level error where the answer is a 5xx.
// It never shows a body, a header, a query or a raw path: any of them may hold
// a secret.
func Log(c LogConfig) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec, start := record(w), c.Now()
			defer func() { c.line(r, rec, start) }()
			next.ServeHTTP(rec, r)
		})
	}
}

func (c LogConfig) line(r *http.Request, rec *recorder, start time.Time) {
	status, level := rec.sent(), c.Level
	info := InfoFrom(r.Context())
	failed := status >= http.StatusInternalServerError
	if failed {
		level = slog.LevelError
	}
	if !c.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs,
		slog.String("method", methodOf(r)),
		slog.String("route", info.routeOf()),
		slog.Int("status", status),
		slog.Int64("bytes", rec.bytes),
		slog.Duration("duration", c.Now().Sub(start)),
		slog.String("request_id", info.RequestID),
		slog.String("remote", r.RemoteAddr))
	if info.TenantID != "" {
		attrs = append(attrs, slog.String("tenant", info.TenantID))
	}
	if info.UserID != "" {
		attrs = append(attrs, slog.String("user", info.UserID))
	}
	if failed && info.Err != nil {
		attrs = append(attrs, slog.Any("err", info.Err))
	}
	c.Logger.LogAttrs(r.Context(), level, "request", attrs...)
}
