package e2e

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/test/e2e/world"
)

// TestGracefulStop sends half a request, asks the service to stop, and sends the
// rest: the request is answered, others are not taken, and the exit code is 0.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s site) {
		t.Helper()
		p := serve(t, s)
		c := logIn(t, p, "demo")
		conn := dial(t, p.address)
		body := `{"description":"finished in time"}`
		write(t, conn, fmt.Sprintf("PATCH /device/%s HTTP/1.1\r\nHost: drover\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
			s.world.Devices[0].ID, c.token, len(body)))
		answers := bufio.NewReader(conn)
		// The service asks for the body: the request is under way.
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("%q, %v", line, err)
		}
		if _, err := answers.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		write(t, conn, body[:10])
		p.terminate(t)
		refusesConnections(t, p.address)
		write(t, conn, body[10:])
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("the request was cut off: %v\n%s", err, p.log)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(text), "finished in time") {
			t.Errorf("%d %s, %v", res.StatusCode, text, err)
		}
		if code := p.wait(t); code != 0 {
			t.Errorf("exit code %d, want 0:\n%s", code, p.log)
		}
		if !strings.Contains(p.log.String(), "msg=stopped") {
			t.Errorf("the log does not say that the service stopped:\n%s", p.log)
		}
	})
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

func refusesConnections(t *testing.T, address string) {
	t.Helper()
	eventually(t, func() error {
		var d net.Dialer
		conn, err := d.DialContext(t.Context(), "tcp", address)
		if err != nil {
			return nil //nolint:nilerr // the refusal is what is waited for
		}
		return errors.Join(errors.New("a new connection is taken"), conn.Close())
	})
}

// TestStopGivesUp bounds the time that requests under way get.
func TestStopGivesUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite")
	p := serve(t, s, "--shutdown-timeout", "50ms")
	conn := dial(t, p.address)
	write(t, conn, "POST /token HTTP/1.1\r\nHost: drover\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	p.terminate(t)
	if code := p.wait(t); code != 1 {
		t.Errorf("exit code %d, want 1:\n%s", code, p.log)
	}
	if !strings.Contains(p.log.String(), "drover: requests were cut off after 50ms") {
		t.Errorf("the reason is missing:\n%s", p.log)
	}
}

// TestTLS serves with a certificate, and plain HTTP gets nowhere.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite")
	cert, key, roots := selfSigned(t)
	p := serve(t, s, "--tls-cert", cert, "--tls-key", key)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	c := &client{base: "https://" + p.address, http: &http.Client{Transport: transport, Timeout: patience}}
	c.status(t, http.StatusOK, http.MethodPost, "/token", fmt.Sprintf(`{"username":"demo","password":%q}`, world.Password))
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz") // a disk may be busy for longer than it is waited for
	anonymous(t, p).status(t, http.StatusBadRequest, http.MethodGet, "/healthz", "")

	old := &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11} // that it is refused is the point
	if conn, err := (&tls.Dialer{Config: old}).DialContext(t.Context(), "tcp", p.address); err == nil {
		t.Error("TLS 1.1 is taken", conn.Close())
	}
}

// selfSigned writes a certificate for the loopback address and its key.
func selfSigned(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return writePEM(t, "CERTIFICATE", der), writePEM(t, "PRIVATE KEY", secret), roots
}

func writePEM(t *testing.T, kind string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOperatorAddress keeps the operators' endpoints apart from the interface.
func TestOperatorAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite")
	p := serve(t, s, "--operator-listen", "127.0.0.1:0")
	operator := *p
	operator.address = p.await(t, p.log, operatorLine)
	api, apart := anonymous(t, p), anonymous(t, &operator)
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		apart.becomes(t, http.StatusOK, http.MethodGet, path)
		api.status(t, http.StatusNotFound, http.MethodGet, path, "")
	}
	logIn(t, p, "demo").status(t, http.StatusOK, http.MethodGet, "/connection", "")
	apart.status(t, http.StatusNotFound, http.MethodGet, "/connection", "")
	p.terminate(t)
	if code := p.wait(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	refusesConnections(t, operator.address)
}

// TestWorker serves nothing but the operators' endpoints.
func TestWorker(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	c := anonymous(t, serve(t, s, "--role", "worker"))
	c.status(t, http.StatusOK, http.MethodGet, "/healthz", "")
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")
	c.status(t, http.StatusNotFound, http.MethodGet, "/connection", "")
	c.status(t, http.StatusNotFound, http.MethodPost, "/token", `{"username":"demo","password":"drover-demo"}`)
	c.status(t, http.StatusNotFound, http.MethodGet, "/openapi.json", "")
}

// TestDatabaseGone takes PostgreSQL away from a running service and gives it
// back: it says why it is not ready, answers what it is asked, and recovers.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	wire := newWire(t, filepath.Join(shared.postgres.Dir(), ".s.PGSQL.5432"))
	s.database = strings.Replace(s.database, "host="+shared.postgres.Dir(), "host="+wire.dir, 1)
	p := serve(t, s)
	c := logIn(t, p, "demo")
	path := "/device/" + s.world.Devices[0].ID
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")

	wire.cut()
	reasons := c.becomes(t, http.StatusServiceUnavailable, http.MethodGet, "/readyz")
	if !strings.Contains(reasons, `"ready":false`) || !strings.Contains(reasons, `"database":"`) ||
		strings.Contains(reasons, `"database":"ok"`) {
		t.Errorf("not ready, but why? %s", reasons)
	}
	c.status(t, http.StatusOK, http.MethodGet, "/healthz", "")
	if got := c.status(t, http.StatusServiceUnavailable, http.MethodGet, path, ""); strings.Contains(got, wire.dir) {
		t.Errorf("the answer shows internals: %s", got)
	}

	wire.mend(t)
	c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")
	c.becomes(t, http.StatusOK, http.MethodGet, path)
}

// TestFrozenDatabase has a PostgreSQL that takes everything and answers nothing: it is
// seen, and the service ends in time all the same.
func TestFrozenDatabase(t *testing.T) {
	t.Parallel()
	frozen := func(t *testing.T, args ...string) (*process, *client) {
		t.Helper()
		s := newSite(t, "postgres")
		wire := newWire(t, filepath.Join(shared.postgres.Dir(), ".s.PGSQL.5432"))
		s.database = strings.Replace(s.database, "host="+shared.postgres.Dir(), "host="+wire.dir, 1)
		p := serve(t, s, args...)
		c := logIn(t, p, "demo")
		c.becomes(t, http.StatusOK, http.MethodGet, "/readyz")
		wire.frozen.Store(true)
		c.becomes(t, http.StatusServiceUnavailable, http.MethodGet, "/readyz")
		c.status(t, http.StatusOK, http.MethodGet, "/healthz", "")
		return p, c
	}
	t.Run("Requests", func(t *testing.T) {
		t.Parallel()
		p, c := frozen(t)
		t.Run("List", func(t *testing.T) {
			t.Parallel()
			c.status(t, http.StatusServiceUnavailable, http.MethodGet, "/trip", "")
		})
		t.Run("Login", func(t *testing.T) {
			t.Parallel()
			anonymous(t, p).status(t, http.StatusServiceUnavailable, http.MethodPost, "/token",
				fmt.Sprintf(`{"username":"demo","password":%q}`, world.Password))
		})
	})
	t.Run("Signal", func(t *testing.T) {
		t.Parallel()
		p, _ := frozen(t, "--shutdown-timeout", "2s")
		p.terminate(t)
		if code := p.wait(t); code != 1 {
			t.Errorf("exit code %d, want 1:\n%s", code, p.log)
		}
		// and no statement was waited for
		if !strings.Contains(p.log.String(), "drover: the service was stopped before its work was done after 2s") {
			t.Errorf("the reason is missing:\n%s", p.log)
		}
	})
	t.Run("SecondSignal", func(t *testing.T) {
		t.Parallel()
		p, _ := frozen(t, "--shutdown-timeout", "10m")
		p.terminate(t)
		refusesConnections(t, p.address) // the first one has arrived
		p.terminate(t)
		p.wait(t)
	})
}

// wire passes connections on to a socket, and can be cut.
type wire struct {
	dir, target string
	listener    net.Listener
	broken      context.Context
	stop        context.CancelFunc
	frozen      atomic.Bool
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	// A socket's path is short; that of a test's folder may not be.
	dir, err := os.MkdirTemp("", "wire-")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{dir: dir, target: target}
	t.Cleanup(func() {
		w.cut()
		_ = os.RemoveAll(dir)
	})
	w.mend(t)
	return w
}

// mend takes connections, until the next cut.
func (w *wire) mend(t *testing.T) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(w.dir, filepath.Base(w.target)))
	if err != nil {
		t.Fatal(err)
	}
	w.listener = listener
	w.broken, w.stop = context.WithCancel(context.Background())
	broken := w.broken
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.pass(broken, conn)
		}
	}()
}

func (w *wire) pass(broken context.Context, near net.Conn) {
	far, err := (&net.Dialer{}).DialContext(broken, "unix", w.target)
	if err != nil {
		_ = near.Close()
		return
	}
	end := func() { _, _ = near.Close(), far.Close() }
	context.AfterFunc(broken, end)
	go func() {
		defer end()
		_, _ = io.Copy(far, near)
	}()
	defer end()
	_, _ = io.Copy(thawed{near, w}, far)
}

// thawed passes on what a server says, unless it is frozen: then it is silent, and
// its connections stay open.
type thawed struct {
	io.Writer
	wire *wire
}

func (w thawed) Write(p []byte) (int, error) {
	if w.wire.frozen.Load() {
		<-w.wire.broken.Done()
		return 0, net.ErrClosed
	}
	return w.Writer.Write(p)
}

func (w *wire) cut() {
	w.stop()
	_ = w.listener.Close()
}
