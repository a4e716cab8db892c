package outbound

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestRetryAfter bounds what a vendor may ask: a mistaken header must not put
// a connection to sleep for good.
const longestRetryAfter = 24 * time.Hour

// ParseRetryAfter reads the value of a Retry-After header: whole or fractional
// seconds, or an HTTP date. The instant it returns is between now and a day from
// now, whatever the value says.
func ParseRetryAfter(value string, now time.Time) (time.Time, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return after(seconds, now)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return time.Time{}, false
	}
	return after(at.Sub(now).Seconds(), now)
}

// parseReset reads what vendors have besides: numbers that are seconds from now
// or, as the size shows, an epoch in seconds or milliseconds.
func parseReset(value string, now time.Time) (time.Time, bool) {
	const epochSeconds, epochMillis = 1e9, 1e12
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	switch {
	case err != nil:
		return ParseRetryAfter(value, now)
	case n >= epochMillis:
		return after(n/1e3-float64(now.UnixMilli())/1e3, now)
	case n >= epochSeconds:
		return after(n-float64(now.UnixMilli())/1e3, now)
	default:
		return after(n, now)
	}
}

// after returns now and seconds, within the bounds.
func after(seconds float64, now time.Time) (time.Time, bool) {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return time.Time{}, false
	}
	seconds = min(max(seconds, 0), longestRetryAfter.Seconds())
	return now.Add(time.Duration(seconds * float64(time.Second))), true
}

// waitHeaders say when to come back; resetHeaders say when a count starts again,
// which some vendors report with every answer.
var (
	waitHeaders  = []string{"Retry-After", "X-RateLimit-Retry-After-Seconds", "X-RateLimit-Retry-At"}
	resetHeaders = []string{"X-Rate-Limit-Reset", "X-RateLimit-Reset", "RateLimit-Reset"}
)

// asksToWait reports whether an answer that need not be about too many calls is.
func asksToWait(h http.Header) bool {
	return slices.ContainsFunc(waitHeaders, func(name string) bool { return h.Get(name) != "" })
}

// retryAt returns when the vendor wants the next call, zero where it does not say.
func retryAt(h http.Header, now time.Time) time.Time {
	for _, name := range slices.Concat(waitHeaders, resetHeaders) {
		if at, ok := parseReset(h.Get(name), now); ok {
			return at
		}
	}
	return time.Time{}
}
