package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime/debug"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/memory"
)

type serveCommand struct {
	config.Serve
}

func (serveCommand) Help() string {
	return example("drover serve --listen 0.0.0.0:8080 --data /var/lib/drover",
		"drover serve --database postgres://drover@db/drover --role api")
}

func (c *serveCommand) Run(w world) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(app.GCPercent)
	}
	memory.Apply(app.MemoryLimit(c.Serve), c.Database == "" && c.DatabaseFile == "")
	logger := newLogger(w, c.Log)
	o := app.Options{Logger: logger, Version: versionText(), Clock: machineClock()}
	front, err := app.Listen(w, c.Serve, o)
	if err != nil {
		return err
	}
	defer front.Close()
	o.Front = front
	a, err := app.New(w, c.Serve, o)
	if err != nil {
		return err
	}
	rest := memory.NewRest()
	resting := background.Work{Run: func(ctx context.Context) { background.Every(ctx, memory.RestInterval, rest.Look) }}
	resting.Start(w)
	defer resting.Stop()
	err = a.Run(w, func(address net.Addr) {
		c.hint(w, a, logger)
		logger.InfoContext(w, "ready", "address", address.String(), "role", c.Role, "database", a.Store.Database(), "version", versionText())
	})
	logger.InfoContext(w, "stopped")
	if errors.Is(err, app.ErrStuck) {
		return err // closing the database would wait for it
	}
	return errors.Join(err, a.Close())
}

// hint says what a first user stumbles over.
func (c *serveCommand) hint(w world, a *app.App, logger *slog.Logger) {
	if tenants, err := a.Store.Accounts.Tenants(w); err == nil && len(tenants) == 0 {
		logger.WarnContext(w, "there is no tenant yet: no one can log in; add one with drover tenant add, and a user with drover user add")
	}
	if everywhere(c.Listen) && c.TLSCert == "" && c.Role != "worker" {
		logger.WarnContext(w, "the API is served without TLS on all addresses: give --tls-cert and --tls-key, or put a proxy with TLS before it", "listen", c.Listen)
	}
}

// everywhere reports whether an address is all of the machine's.
func everywhere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}
