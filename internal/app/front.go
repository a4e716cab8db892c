package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/config"
)

// Front holds the addresses of a process from its start on. Until the service is
// ready it answers by itself: a migration may take long, or wait for another
// process, and anyone who looks must see that from outside.
type Front struct {
	servers []*server
	// public and operator are what is served; nil before the service is ready.
	public, operator atomic.Pointer[http.Handler]
	lock             *folderLock
}

// server is one listening address.
type server struct {
	http     *http.Server
	listener net.Listener
	tls      bool
	served   chan error // gets what serving ended with
}

// Listen takes the data folder for this process, where the database is embedded,
// opens the addresses that its role needs, and begins to answer. The first is that
// of the API, or a worker's address for operators.
func Listen(ctx context.Context, c config.Serve, o Options) (*Front, error) {
	if err := refuseRoot(c.Store); err != nil {
		return nil, err
	}
	lock, err := lockFolder(c.Store)
	if err != nil {
		return nil, err
	}
	f := &Front{lock: lock}
	if err := f.listen(ctx, c, o); err != nil {
		f.Close()
		return nil, err
	}
	for _, s := range f.servers {
		go func() { s.served <- s.serve() }()
	}
	return f, nil
}

// Close gives everything back. It is safe where the addresses are closed already.
func (f *Front) Close() {
	for _, s := range f.servers {
		_ = s.http.Close()     // what is under way was waited for
		_ = s.listener.Close() // also where it was never served
	}
	f.lock.release()
}

func (f *Front) listen(ctx context.Context, c config.Serve, o Options) error {
	starting := startingHandler(o.Version)
	add := func(address string, handler *atomic.Pointer[http.Handler]) error {
		s, err := newServer(ctx, c, o.Logger, address, late(handler, starting))
		if err == nil {
			f.servers = append(f.servers, s)
		}
		return err
	}
	if c.Role != "worker" {
		if err := add(c.Listen, &f.public); err != nil {
			return err
		}
	}
	switch {
	case c.OperatorListen != "":
		return add(c.OperatorListen, &f.operator)
	case c.Role == "worker":
		return add(c.Listen, &f.operator)
	}
	return nil
}

// open lets requests through to the service.
func (f *Front) open(public, operator http.Handler) {
	f.public.Store(&public)
	f.operator.Store(&operator)
}

// late serves what is there by the time of a request.
func late(handler *atomic.Pointer[http.Handler], before http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := handler.Load(); h != nil {
			(*h).ServeHTTP(w, r)
			return
		}
		before.ServeHTTP(w, r)
	})
}

// startingRetry is when it is worth asking again while the service starts.
const startingRetry = 5 * time.Second

// startingHandler answers before the service is ready: that the process lives, and
// that it is not ready.
func startingHandler(version string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz(version))
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusServiceUnavailable, readiness{Checks: map[string]string{"migrations": "migrating"}})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		middle.WriteErr(w, &drover.Error{
			Kind: drover.KindUnavailable, Message: "Service is starting, try again later",
			RetryAfter: startingRetry,
		})
	})
	return mux
}

func newServer(ctx context.Context, c config.Serve, logger *slog.Logger, address string, handler http.Handler) (*server, error) {
	s := &server{served: make(chan error, 1), http: &http.Server{
		Handler: handler,
		// Slow clients do not hold a connection for long.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}}
	if c.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("load the certificate: %w", err)
		}
		s.tls = true
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, ListenFault(address, err)
	}
	s.listener = listener
	return s, nil
}

func (s *server) serve() error {
	var err error
	if s.tls {
		err = s.http.ServeTLS(s.listener, "", "")
	} else {
		err = s.http.Serve(s.listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

func (s *server) shutdown(patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were cut off after %s", patience), s.http.Close())
	}
	return nil
}

// ListenFault says in words why an address cannot be listened at.
func ListenFault(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listen at %s: the address is in use", address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("listen at %s: not an address of this machine", address)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("listen at %s: not permitted; ports below 1024 need privileges", address)
	}
	return fmt.Errorf("listen at %s: %w", address, err)
}
