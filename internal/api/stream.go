package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/events/live"
)

const (
	// heartbeat is the longest silence of a stream: proxies cut what is silent.
	heartbeat = 15 * time.Second
	// checksPerBeat is how often within it a stream looks up, at least.
	checksPerBeat = 3
	// checkEvery is how soon the end of a token reaches a stream and a long poll in which
	// nothing happens, once the process knows of it: with vault.WatchInterval within a second
	// of what another process has ended. Who is remembered is asked of the memory alone.
	checkEvery = 500 * time.Millisecond
	// stuckAfter is how long a receiver may take nothing before it is cut.
	stuckAfter = 20 * time.Second
	// retryMillis is how long a receiver waits before it comes back.
	retryMillis = "retry: 2000\n\n"
)

// streamed is the result of an operation that has written its answer itself.
type streamed struct{}

// getStream sends events as they come until the receiver goes, its token ends,
// or it does not keep up.
func (s *server) getStream(c *call, q streamQuery) (any, error) {
	after, err := q.resumeAfter(c.Header)
	if err != nil {
		return nil, err
	}
	filter := live.Filter{Types: q.Types, ConnectionIDs: q.ConnectionIDs, Tags: q.Tags, DeviceIDs: q.DeviceIDs}
	sub, err := s.Fleet.Notify.Subscribe(c.Context, c.principal, filter, after)
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	w := openEventWriter(c.w)
	check := time.NewTicker(s.lookEvery())
	defer check.Stop()
	for err == nil {
		if err = s.sendNext(c, sub, w); err != nil {
			break
		}
		select {
		case <-check.C:
			err = s.checkStream(c, sub, w)
		default:
		}
	}
	if unexpected(err) && c.Err() == nil {
		middle.InfoFrom(c.Context).Err = err
		s.Logger.ErrorContext(c.Context, "stream", "tenant", c.principal.TenantID, "err", err)
	}
	return streamed{}, nil
}

// lookEvery is how often the token of a stream is looked at.
func (s *server) lookEvery() time.Duration { return min(checkEvery, s.Heartbeat/checksPerBeat) }

// whileGood is the context of a call for as long as its token is good, and all else that
// it was allowed by. End says what is wrong with the token now.
func (s *server) whileGood(c *call, also ...func(context.Context) error) (ctx context.Context, end func() error) {
	ctx, cancel := context.WithCancel(c.Context)
	go func() {
		check := time.NewTicker(s.lookEvery())
		defer check.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-check.C:
			}
			_, err := s.caller(ctx, c.Request)
			for _, allowed := range also {
				err = cmp.Or(err, allowed(ctx))
			}
			if err != nil {
				cancel()
			}
		}
	}()
	return ctx, func() error {
		cancel()
		_, err := s.caller(c.Context, c.Request)
		return err
	}
}

// unexpected reports whether a stream ended for a reason that is not its own.
func unexpected(err error) bool {
	return !errors.Is(err, live.ErrSlow) && !errors.Is(err, live.ErrClosed) && !errors.Is(err, errGone) &&
		drover.ErrorKind(err) == drover.KindInternal
}

// errGone says that a receiver takes nothing any more.
var errGone = errors.New("the receiver is gone")

// sendNext sends what is there, and comes back in time for the next check.
func (s *server) sendNext(c *call, sub *live.Subscription, w *eventWriter) error {
	ctx, cancel := context.WithTimeout(c.Context, s.lookEvery())
	defer cancel()
	messages, err := sub.Next(ctx)
	if len(messages) > 0 {
		// A token that has ended meanwhile gets nothing more.
		if _, err := s.caller(c.Context, c.Request); err != nil {
			return err
		}
		return w.send(messages)
	}
	if errors.Is(err, context.DeadlineExceeded) && c.Err() == nil {
		return nil
	}
	return err
}

// checkStream ends the stream of a token that is no longer good, and breaks a
// silence.
func (s *server) checkStream(c *call, sub *live.Subscription, w *eventWriter) error {
	if _, err := s.caller(c.Context, c.Request); err != nil {
		return err
	}
	if w.quiet++; time.Duration(w.quiet)*s.lookEvery() < s.Heartbeat {
		return nil
	}
	// With the id a receiver of few events need not be shown again, when it
	// resumes, what its filter has left out.
	return w.write(append(live.AppendID([]byte(": heartbeat\n"), sub.Position()), '\n'))
}

type streamQuery struct {
	LastEventID   *int64             `query:"last_event_id" minimum:"0" doc:"Sequence of the last event seen, for the first request of those who cannot set headers."`
	ConnectionIDs []string           `query:"connection_id" doc:"Only events of these connections."`
	Tags          []string           `query:"tag" doc:"Only events of devices or connections with these tags."`
	DeviceIDs     []string           `query:"device_id" doc:"Only events of these devices."`
	Types         []drover.EventType `query:"type" doc:"Only events of these types."`
}

// resumeAfter is the sequence to go on after. The header goes first: a browser
// that comes back sends it along with its first address.
func (q streamQuery) resumeAfter(h http.Header) (*int64, error) {
	id := h.Get("Last-Event-ID")
	if id == "" {
		return q.LastEventID, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, drover.Invalid("int_parsing", "Input should be a valid integer, unable to parse string as an integer", "header",
			"last-event-id")
	}
	if n < 0 {
		return nil, drover.Invalid("greater_than_equal", "Input should be greater than or equal to 0", "header", "last-event-id")
	}
	return &n, nil
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     []byte
	quiet   int // checks since the last write
}

// openEventWriter sends the header, so that the receiver knows that it is on.
func openEventWriter(w http.ResponseWriter) *eventWriter {
	h := w.Header()
	h.Set("Content-Type", openapi.EventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	e := &eventWriter{w: w, control: liftDeadlines(w)}
	_ = e.write([]byte(retryMillis)) // the next write finds a receiver gone
	return e
}

// liftDeadlines keeps the server's timeouts, which are for short requests, from
// ending a long one.
func liftDeadlines(w http.ResponseWriter) *http.ResponseController {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // not all writers of tests can
	_ = control.SetWriteDeadline(time.Time{})
	return control
}

// send writes messages that came together at once.
func (e *eventWriter) send(messages []*live.Message) error {
	e.buf = e.buf[:0]
	for _, m := range messages {
		frame, err := m.Frame()
		if err != nil {
			return err
		}
		e.buf = append(e.buf, frame...)
	}
	return e.write(e.buf)
}

// write cuts a receiver that takes nothing for too long: a deadline in the past
// ends the write under way.
func (e *eventWriter) write(b []byte) error {
	stuck := time.AfterFunc(stuckAfter, func() { _ = e.control.SetWriteDeadline(time.Unix(1, 0)) })
	defer stuck.Stop()
	e.quiet = 0
	if _, err := e.w.Write(b); err != nil {
		return errGone
	}
	if err := e.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errGone
	}
	return nil
}
