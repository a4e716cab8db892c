package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover/web"
)

// Run serves until ctx is done, then lets the requests under way finish. Ready,
// where it is not nil, is called with the API's address once it takes requests;
// a worker has none. It is back within the time given for a shutdown, whatever the
// database does: ErrStuck says that something was left behind.
func (a *App) Run(ctx context.Context, ready func(api net.Addr)) error {
	if a.front == nil {
		front, err := Listen(ctx, a.Config, Options{Logger: a.logger, Version: a.version})
		if err != nil {
			return err
		}
		defer front.Close()
		a.front = front
	}
	ended := make(chan error, 1)
	group, stopping := errgroup.WithContext(ctx)
	a.serve(stopping, group, ended)
	if len(a.front.servers) > 1 {
		a.logger.InfoContext(ctx, "operator endpoints", "address", a.front.servers[1].listener.Addr().String())
	}
	if ready != nil {
		ready(a.front.servers[0].listener.Addr())
	}
	select {
	case err := <-ended:
		return err
	case <-stopping.Done():
	}
	late := time.NewTimer(max(a.Config.ShutdownTimeout, minShutdown))
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return fmt.Errorf("%w after %s", ErrStuck, max(a.Config.ShutdownTimeout, minShutdown))
	}
}

// ErrStuck says that the service could not end its work in time, because the
// database or a disk does not answer.
var ErrStuck = errors.New("the service was stopped before its work was done")

const (
	// minShutdown is how long background work is waited for at the least.
	minShutdown = time.Second
	// afterRequests is the part of the time for a shutdown that is left to background
	// work, at most.
	afterRequests = 2 * time.Second
)

// serve starts background work and opens the addresses, and gives ended what the
// whole ended with.
func (a *App) serve(ctx context.Context, group *errgroup.Group, ended chan<- error) {
	// Background work outlives the requests that may need it.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.Start(work)
	a.front.open(a.public(), a.Operator)
	patience := a.Config.ShutdownTimeout
	if patience > minShutdown {
		patience -= min(afterRequests, patience/4)
	}
	for _, s := range a.front.servers {
		// Streams last: they end as soon as the service is to stop, and their
		// receivers come back to another process.
		s.http.RegisterOnShutdown(a.Streams.Close)
		group.Go(func() error { return <-s.served })
		group.Go(func() error {
			<-ctx.Done()
			return s.shutdown(patience)
		})
	}
	go func() {
		defer stop()
		err := group.Wait()
		a.Stop()
		ended <- err
	}()
}

// Start begins the background work of the process's role. Run does so by itself.
func (a *App) Start(ctx context.Context) {
	for _, s := range a.services {
		s.Start(ctx)
	}
}

// Stop ends the background work, and returns when it has ended.
func (a *App) Stop() {
	for _, s := range slices.Backward(a.services) {
		s.Stop()
	}
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
