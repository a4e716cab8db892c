package middle

import (
	"net/http"

	"github.com/drover-fleet/drover/internal/trace"
)

// Trace follows some of the requests. It says what Log says: never a body, a header, a query
// or a raw path.
func Trace(tracer *trace.Tracer) Middleware {
	return func(next http.Handler) http.Handler {
		if tracer == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			method := methodOf(r)
			ctx, span := tracer.Begin(r.Context(), trace.Server, method, trace.ParseHeader(r.Header.Get("Traceparent")))
			if span == nil {
				next.ServeHTTP(w, r)
				return
			}
			rec := record(w)
			defer func() {
				info, status := InfoFrom(ctx), rec.sent()
				span.Rename(method + " " + info.routeOf())
				span.Text(trace.Method, method)
				span.Text(trace.Route, info.routeOf())
				span.Text(trace.Tenant, info.TenantID)
				span.Number(trace.Status, status)
				if status >= http.StatusInternalServerError {
					span.Fail()
				}
				span.End()
			}()
			next.ServeHTTP(rec, r.WithContext(ctx))
		})
	}
}
