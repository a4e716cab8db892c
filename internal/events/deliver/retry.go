package deliver

import (
	"time"

	"github.com/drover-fleet/drover"
)

// schedule is how long to wait after each failed attempt. After the last of them
// the delivery has failed.
var schedule = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// disableAfter is how long a target may fail before it is disabled.
const disableAfter = 5 * 24 * time.Hour

// jitter spreads attempts over this part of the wait, so that what failed
// together is not sent together again.
const jitter = 0.1

// nextTry says when a delivery is tried again that has failed tries times, or
// that it is not. What the receiver asks for is honoured, never cut short.
func nextTry(now time.Time, typ drover.EventType, tries int, retryAfter time.Time, draw float64) (time.Time, bool) {
	if typ == drover.EventWebhookTest || tries > len(schedule) {
		return time.Time{}, false
	}
	wait := schedule[tries-1]
	at := now.Add(wait + time.Duration(draw*jitter*float64(wait)))
	if retryAfter.After(at) {
		at = retryAfter
	}
	return at, true
}
