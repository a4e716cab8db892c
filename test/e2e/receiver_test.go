package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover"
)

// receiverVariable makes the binary of the tests a receiver of deliveries, and
// holds its settings.
const receiverVariable = "E2E_RECEIVER"

const (
	// receiverListener is the file descriptor of the socket that a receiver inherits.
	receiverListener = 3
	// receiverLife bounds that of a receiver whose test was killed.
	receiverLife = 30 * time.Minute
)

// receiverSettings are what a receiver knows of those who send to it.
type receiverSettings struct {
	// Secrets are those of the targets, by the paths of their URLs.
	Secrets map[string]string `json:"secrets"`
	// Refuse names which delivery of a type, counted from one for each path, is
	// refused when it comes first.
	Refuse map[drover.EventType]int `json:"refuse"`
}

// receipt is a line of a receiver's journal: a request, and how it was answered.
type receipt struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Status int    `json:"status"`
	Fault  string `json:"fault,omitempty"`
	notice
}

// notice is the body of a delivery.
type notice struct {
	Type     drover.EventType `json:"type"`
	Sequence int64            `json:"sequence"`
	Data     json.RawMessage  `json:"data"`
}

func (r receipt) accepted() bool { return r.Status/100 == 2 }

// runReceiver is what the process of a receiver does instead of running tests.
func runReceiver(*testing.M) (int, error) {
	rc := receiverProcess{journal: json.NewEncoder(os.Stdout), seen: map[string]map[string]bool{}, types: map[string]int{}}
	if err := json.Unmarshal([]byte(os.Getenv(receiverVariable)), &rc.settings); err != nil {
		return 1, fmt.Errorf("read the receiver's settings: %w", err)
	}
	listener, err := net.FileListener(os.NewFile(receiverListener, "listener"))
	if err != nil {
		return 1, fmt.Errorf("inherit the receiver's socket: %w", err)
	}
	server := &http.Server{Handler: &rc, ReadHeaderTimeout: patience}
	defer time.AfterFunc(receiverLife, func() { _ = server.Close() }).Stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return 1, fmt.Errorf("receive: %w", err)
	}
	return 0, nil
}

// receiverProcess verifies what it gets with the official library, and keeps a
// journal.
type receiverProcess struct {
	settings receiverSettings

	mu      sync.Mutex
	journal *json.Encoder
	seen    map[string]map[string]bool // ids by path
	types   map[string]int             // distinct ones by path and type
}

func (rc *receiverProcess) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has gone away
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	line := rc.judge(r, body)
	if err := rc.journal.Encode(line); err != nil {
		w.WriteHeader(http.StatusInternalServerError) // no one would learn of it
		return
	}
	w.WriteHeader(line.Status)
}

func (rc *receiverProcess) judge(r *http.Request, body []byte) receipt {
	line := receipt{Path: r.URL.Path, ID: r.Header.Get("Webhook-Id"), Status: http.StatusNoContent}
	hook, err := standardwebhooks.NewWebhook(rc.settings.Secrets[r.URL.Path])
	if err == nil {
		err = hook.Verify(body, r.Header)
	}
	if err == nil {
		err = json.Unmarshal(body, &line.notice)
	}
	switch {
	case err != nil:
		line.Status, line.Fault = http.StatusUnauthorized, err.Error()
	case rc.refuses(line):
		line.Status = http.StatusServiceUnavailable
	}
	return line
}

// refuses reports whether a delivery is one to refuse. It never is again.
func (rc *receiverProcess) refuses(line receipt) bool {
	if rc.seen[line.Path] == nil {
		rc.seen[line.Path] = map[string]bool{}
	}
	if rc.seen[line.Path][line.ID] {
		return false
	}
	rc.seen[line.Path][line.ID] = true
	key := line.Path + " " + string(line.Type)
	rc.types[key]++
	return rc.types[key] == rc.settings.Refuse[line.Type]
}

// listenForReceiver opens the socket of a receiver, so that its address is known
// before the receiver runs: the secrets that it needs come later.
func listenForReceiver(t *testing.T) (socket *os.File, url string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		t.Fatalf("the listener is a %T", listener)
	}
	if socket, err = tcp.File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return socket, "http://" + listener.Addr().String()
}

// startReceiver runs a receiver as a process of its own.
func startReceiver(t *testing.T, socket *os.File, settings receiverSettings) *receiver {
	t.Helper()
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary) // it is killed at the end of the test
	command.Env = append(environment(), receiverVariable+"="+string(text))
	command.ExtraFiles = []*os.File{socket}
	return &receiver{launch(t, command)}
}

// receiver is the process of a receiver, as the test sees it.
type receiver struct{ *process }

// journal reads what has come so far, in the order of arrival.
func (rc *receiver) journal(t *testing.T) []receipt {
	t.Helper()
	text, _ := rc.stdout.read()
	var all []receipt
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // the rest of it is still to come
		}
		var r receipt
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("the receiver wrote %q: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

// at reads what has come to one path so far.
func (rc *receiver) at(t *testing.T, path string) []receipt {
	t.Helper()
	var some []receipt
	for _, r := range rc.journal(t) {
		if r.Path == path {
			some = append(some, r)
		}
	}
	return some
}

// until waits until the receiver's journal satisfies f. What f says otherwise is
// the failure.
func (rc *receiver) until(t *testing.T, f func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, changed := rc.stdout.read()
		err := f()
		if err == nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("not within %s: %v\nreceiver: %s", patience, err, rc.log)
		}
	}
}
