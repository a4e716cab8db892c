package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover/web"
)

// Run serves until ctx is done, then lets the requests under way finish. Ready,
// where it is not nil, is called with the API's address once it takes requests;
// a worker has none.
func (a *App) Run(ctx context.Context, ready func(api net.Addr)) error {
	servers, err := a.listen(ctx)
	if err != nil {
		return err
	}
	// Background work outlives the requests that may need it.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	for _, s := range a.services {
		s.Start(work)
		defer s.Stop()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range servers {
		group.Go(s.serve)
		group.Go(func() error {
			<-ctx.Done()
			return s.shutdown(a.Config.ShutdownTimeout)
		})
	}
	if len(servers) > 1 {
		a.logger.InfoContext(ctx, "operator endpoints", "address", servers[1].listener.Addr().String())
	}
	if ready != nil {
		ready(servers[0].listener.Addr())
	}
	return group.Wait()
}

// server is one listening address.
type server struct {
	http     *http.Server
	listener net.Listener
	tls      bool
}

// listen opens the addresses that the process's role needs. The first is that of
// the API, or a worker's address for operators.
func (a *App) listen(ctx context.Context) ([]*server, error) {
	var servers []*server
	if a.Config.Role != "worker" {
		s, err := a.newServer(ctx, a.Config.Listen, a.public())
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	address := a.Config.OperatorListen
	if address == "" && a.Config.Role == "worker" {
		address = a.Config.Listen
	}
	if address == "" {
		return servers, nil
	}
	s, err := a.newServer(ctx, address, a.Operator)
	if err != nil {
		return nil, errors.Join(err, closeAll(servers))
	}
	return append(servers, s), nil
}

func closeAll(servers []*server) error {
	var errs []error
	for _, s := range servers {
		errs = append(errs, s.listener.Close())
	}
	return errors.Join(errs...)
}

// public serves the console beside the interface and, where they have no address
// of their own, the operators' endpoints. Both lie outside of the interface's
// limits: a health check is answered under overload too.
func (a *App) public() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Config.OperatorListen == "" && isOperators(r.URL.Path):
			a.Operator.ServeHTTP(w, r)
		case web.Serves(r):
			a.Console.ServeHTTP(w, r)
		default:
			a.API.ServeHTTP(w, r)
		}
	})
}

func isOperators(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics"
}

func (a *App) newServer(ctx context.Context, address string, handler http.Handler) (*server, error) {
	s := &server{http: &http.Server{
		Handler: handler,
		// Slow clients do not hold a connection for long.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(a.logger.Handler(), slog.LevelDebug),
	}}
	// Streams last: they end as soon as the service is to stop, and their
	// receivers come back to another process.
	s.http.RegisterOnShutdown(a.Streams.Close)
	if a.Config.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(a.Config.TLSCert, a.Config.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("load the certificate: %w", err)
		}
		s.tls = true
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
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
