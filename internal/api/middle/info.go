package middle

import "context"

// Info is what is known of a request by the time it has been answered. The
// layers below Identify fill it in; Log and Metrics read it. It belongs to the
// goroutine that serves the request.
type Info struct {
	RequestID string
	Route     string // the pattern that matched, without its method
	TenantID  string
	UserID    string
	Err       error // why the answer is no success; for the log alone
}

type infoKey struct{}

// InfoFrom returns the Info of the request that ctx belongs to. Outside of one
// it returns an Info that no one reads, so callers need no nil check.
func InfoFrom(ctx context.Context) *Info {
	if info, ok := ctx.Value(infoKey{}).(*Info); ok {
		return info
	}
	return &Info{}
}

// routeOf bounds the set of routes: whatever no pattern matched is one.
func (i *Info) routeOf() string {
	if i.Route == "" {
		return "unknown"
	}
	return i.Route
}
