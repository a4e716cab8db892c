package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trace"
)

// outcome sums an attempt up. The set is closed: it labels a metric.
type outcome string

const (
	outcomeDelivered outcome = "delivered"
	outcomeStatus    outcome = "status"  // another answer than 2xx
	outcomeGone      outcome = "gone"    // 410
	outcomeTimeout   outcome = "timeout" // no whole answer in time
	outcomeNetwork   outcome = "network" // no answer
	outcomeRefused   outcome = "refused" // the address must not be called
	outcomeInternal  outcome = "internal"
)

// job is one attempt of a delivery.
type job struct {
	drover.Delivery
	target *target
	key    *key
	url    string
	ring   signing.Ring
	// leaseEnd is that of the target when it was taken on.
	leaseEnd time.Time

	at         time.Time
	took       time.Duration
	outcome    outcome
	status     int
	err        string
	answer     string
	retryAfter time.Time
	internal   bool // the answer came from the operator's own network
	// withdrawn says that its tenant may not read it any more.
	withdrawn bool
	// cut says that it was no attempt: the process stopped in the middle of it, or
	// could not prepare it.
	cut bool
	// disabled says that the target was disabled for it.
	disabled bool
	commits  int // how often its result could not be committed
}

// well reports whether the target is: it took the delivery, or refused just this one.
func (j *job) well() bool {
	return j.reached() && (j.outcome != outcomeStatus || j.status < 500 && j.status != http.StatusTooManyRequests)
}

// reached reports whether an answer came: what it says concerns the target, not its
// origin.
func (j *job) reached() bool {
	switch j.outcome {
	case outcomeDelivered, outcomeGone, outcomeInternal, outcomeStatus:
		return true
	case outcomeRefused, outcomeTimeout, outcomeNetwork:
	}
	return false
}

// maxAnswer bounds what is kept of an answer.
const maxAnswer = 4096

// send makes the attempt and notes what came of it.
func (d *Deliverer) send(ctx context.Context, j *job) {
	j.at = d.Now()
	ctx, span := d.Tracer.Begin(ctx, trace.Producer, "deliver", trace.Parent{})
	defer j.tell(span)
	j.attempt(ctx, d)
	j.took = d.Now().Sub(j.at)
	if ctx.Err() != nil && j.outcome != outcomeDelivered {
		j.cut = true
	}
}

// tell says in a trace what came of it. It names no address.
func (j *job) tell(span *trace.Span) {
	span.Text(trace.Tenant, j.TenantID)
	span.Text(trace.EventType, string(j.Type))
	span.Text(trace.Outcome, string(j.outcome))
	if j.status != 0 {
		span.Number(trace.Status, j.status)
	}
	if j.outcome != outcomeDelivered {
		span.Fail()
	}
	span.End()
}

func (j *job) attempt(ctx context.Context, d *Deliverer) {
	req, err := j.request(ctx, d)
	if errors.Is(err, errWithdrawn) {
		j.cut, j.withdrawn = true, true
		return
	}
	if err != nil {
		d.Logger.ErrorContext(ctx, "prepare a delivery", "tenant", j.TenantID, "target", j.ID, "event", j.EventID, "err", err)
		j.outcome, j.err = outcomeInternal, "the delivery could not be prepared"
		j.cut = !errors.Is(err, errBody) // it is the database's fault, not the delivery's
		return
	}
	if d.lapsed(j.leaseEnd) {
		j.cut = true // another process may send it
		return
	}
	res, err := d.client.Do(req)
	if err != nil {
		j.fail(err, d.Timeout)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	j.status, j.answer = res.StatusCode, printable(text)
	if err != nil {
		j.fail(err, d.Timeout)
		return
	}
	j.judge(res, d.Now())
}

func (j *job) judge(res *http.Response, now time.Time) {
	switch {
	case res.StatusCode/100 == 2:
		j.outcome = outcomeDelivered
		return
	case res.StatusCode == http.StatusGone:
		j.outcome = outcomeGone
	default:
		j.outcome = outcomeStatus
	}
	j.err = fmt.Sprintf("the answer was %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	if res.StatusCode/100 == 3 {
		j.err += "; redirects are not followed"
	}
	if at, ok := outbound.ParseRetryAfter(res.Header.Get("Retry-After"), now); ok {
		j.retryAfter = at
	}
}

// errBody says that a delivery cannot be sent, now or later.
var errBody = errors.New("no request can be made")

// request makes the signed request.
func (j *job) request(ctx context.Context, d *Deliverer) (*http.Request, error) {
	data := j.Data
	if data == nil {
		var err error
		if data, err = d.Store.Feed.EventData(ctx, j.TenantID, j.Sequence); errors.Is(err, store.ErrNotFound) {
			return nil, fmt.Errorf("%w: the event is gone", errBody)
		} else if err != nil {
			return nil, err
		}
	}
	data, err := d.readable(ctx, j.Delivery, data)
	if err != nil {
		return nil, err
	}
	text, err := d.bodies.of(j.Delivery, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBody, err)
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if at, ok := c.Conn.RemoteAddr().(*net.TCPAddr); ok {
			j.internal = d.Internal(at.AddrPort().Addr())
		}
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, j.url, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w: the URL is not valid", errBody) // the error would repeat it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", d.UserAgent)
	if span := trace.From(ctx); span != nil {
		req.Header.Set("Traceparent", span.Header())
	}
	j.ring.Sign(req.Header, j.EventID, j.at, text)
	return req, nil
}

// fail says in words why there was no answer. The URL, which may hold a secret,
// is not among them.
func (j *job) fail(err error, timeout time.Duration) {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	var wait net.Error
	switch {
	case errors.Is(err, outbound.ErrRefused):
		j.outcome, j.err = outcomeRefused, reason(err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		j.outcome, j.err = outcomeTimeout, fmt.Sprintf("no answer within %s", timeout)
	default:
		j.outcome, j.err = outcomeNetwork, Failure(err)
	}
}

// reason is the innermost text of a refusal: what is around it repeats the
// address.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || errors.Is(inner, outbound.ErrRefused) && errors.Unwrap(inner) == nil {
			return printable([]byte(err.Error()))
		}
		err = inner
	}
}

// printable is text as both databases can keep it.
func printable(text []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(text), "\uFFFD"), "\x00", "\uFFFD")
}
