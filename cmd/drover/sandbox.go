package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
)

type sandboxCommand struct {
	Provider string `arg:"" help:"Name of the provider, such as traccar."`
	Listen   string `help:"Address of the provider's API." default:"127.0.0.1:8090" placeholder:"HOST:PORT"`
	Vehicles int    `help:"Number of vehicles." default:"8"`
	Seed     uint64 `help:"Seed of the fleet." default:"1"`
}

// Check refuses an address that none can be.
func (c *sandboxCommand) Check() error { return config.CheckAddress("--listen", c.Listen) }

func (sandboxCommand) Help() string { return example("drover sandbox traccar --vehicles 20") }

// Run serves a fake of a provider until it is asked to stop.
func (c *sandboxCommand) Run(w world) error {
	if c.Vehicles < 1 || c.Vehicles > 10_000 {
		return misused("a fleet must have 1 to 10000 vehicles")
	}
	name := drover.ProviderName(c.Provider)
	s, err := sandbox.New(sandbox.Options{Provider: name, Vehicles: c.Vehicles, Seed: c.Seed, Now: time.Now})
	if err != nil {
		return misused("unknown provider %q; see drover provider list", c.Provider)
	}
	listener, err := (&net.ListenConfig{}).Listen(w, "tcp", c.Listen)
	if err != nil {
		return app.ListenFault(c.Listen, err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(w, func() { _ = server.Close() })
	defer stop()
	c.greet(w, s, name, listener.Addr())
	if err := server.Serve(listener); err != nil && w.Err() == nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (c *sandboxCommand) greet(w world, s *sandbox.Sandbox, name drover.ProviderName, address net.Addr) {
	base := "http://" + address.String()
	credentials, _ := json.Marshal(s.Credentials(base)) // texts always marshal
	fmt.Fprintf(w.out, `A sandbox of %[1]s with %[2]d vehicles at %[3]s

Connect to it, from a service that is run with --allow-network 127.0.0.0/8:

  {"integration_name":"%[1]s","business_name":"Sandbox","credentials":%[4]s}

Have it fail for a minute, and stop that:

  curl -d kind=unavailable %[3]s%[5]s
  curl -d kind=none %[3]s%[5]s

Faults are %[6]s. Ctrl-C ends it.
`, name, c.Vehicles, base, credentials, sandbox.FaultPath, strings.Join(sandbox.Faults(), ", "))
}
