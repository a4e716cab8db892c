package e2e

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover"
)

// deliveryReceiver is a receiver that verifies what it gets with the official
// library, and takes a moment to answer.
type deliveryReceiver struct {
	*httptest.Server
	t        *testing.T
	underWay atomic.Int64

	mu       sync.Mutex
	verifier *standardwebhooks.Webhook
	// wrongClocks says that senders' clocks are set wrong: what they sign for another
	// time is refused, as any receiver does, and must come again.
	wrongClocks bool
	refused     int
	got         map[string]int // deliveries by event
	total       int
	open        map[net.Conn]bool
}

func newDeliveryReceiver(t *testing.T) *deliveryReceiver {
	t.Helper()
	rc := &deliveryReceiver{t: t, got: map[string]int{}, open: map[net.Conn]bool{}}
	rc.Server = httptest.NewUnstartedServer(http.HandlerFunc(rc.receive))
	rc.Config.ConnState = rc.connected
	// A connection for each request says when all requests were read.
	rc.Config.SetKeepAlivesEnabled(false)
	rc.Start()
	t.Cleanup(rc.Close)
	return rc
}

func (rc *deliveryReceiver) connected(c net.Conn, state http.ConnState) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	switch state { //nolint:exhaustive // what happens between the two does not matter
	case http.StateNew:
		rc.open[c] = true
	case http.StateClosed:
		delete(rc.open, c)
	}
}

func (rc *deliveryReceiver) receive(w http.ResponseWriter, r *http.Request) {
	rc.underWay.Add(1)
	defer rc.underWay.Add(-1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed in the middle of it
	}
	if !rc.take(r.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	select {
	case <-time.After(10 * time.Millisecond):
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusNoContent)
}

// take verifies a delivery and notes it.
func (rc *deliveryReceiver) take(header http.Header, body []byte) bool {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	err := rc.verifier.Verify(body, header)
	if rc.wrongClocks && (errors.Is(err, standardwebhooks.ErrMessageTooNew) || errors.Is(err, standardwebhooks.ErrMessageTooOld)) {
		rc.refused++
		return false
	}
	if err != nil {
		rc.t.Errorf("a delivery is not verified: %v", err)
	}
	rc.got[header.Get("Webhook-Id")]++
	rc.total++
	return true
}

// subscribe makes a webhook for changes of devices.
func (rc *deliveryReceiver) subscribe(t *testing.T, c *client) drover.WebhookCreated {
	t.Helper()
	var made drover.WebhookCreated
	c.must(t, &made, http.MethodPost, "/webhook", fmt.Sprintf(`{"url":%q}`, rc.URL))
	verifier, err := standardwebhooks.NewWebhook(made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.verifier = verifier
	return made
}

func (rc *deliveryReceiver) count() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return rc.total
}

// settle waits until every request was read that was sent before, and returns how
// often each event has come. Connections are accepted in the order in which they
// were made: when one that is made now is, all before it are.
func (rc *deliveryReceiver) settle(t *testing.T) map[string]int {
	t.Helper()
	mark, err := (&net.Dialer{Timeout: patience}).DialContext(t.Context(), "tcp", rc.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mark.Close() }()
	var before []net.Conn
	eventually(t, func() error {
		accepted := false
		before = nil
		for _, c := range rc.connections() {
			if c.RemoteAddr().String() == mark.LocalAddr().String() {
				accepted = true
			} else {
				before = append(before, c)
			}
		}
		if !accepted {
			return fmt.Errorf("a connection is not accepted: %w", errNotYet)
		}
		return nil
	})
	eventually(t, func() error {
		rc.mu.Lock()
		defer rc.mu.Unlock()
		for _, c := range before {
			if rc.open[c] {
				return fmt.Errorf("the connection from %s is open: %w", c.RemoteAddr(), errNotYet)
			}
		}
		return nil
	})
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return maps.Clone(rc.got)
}

func (rc *deliveryReceiver) connections() []net.Conn {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	var all []net.Conn
	for c := range rc.open {
		all = append(all, c)
	}
	return all
}
