package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/demo"
	"github.com/drover-fleet/drover/web"
)

type demoCommand struct {
	config.Log
	config.Map
	Listen       string         `help:"Address of the API." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Data         string         `help:"Empty folder for the data; without it a temporary one, removed at the end." placeholder:"DIR"`
	AllowNetwork []netip.Prefix `help:"Network that providers and webhooks may lie in although it is private or special; repeatable." placeholder:"CIDR"`
}

func (demoCommand) Help() string { return example("drover demo --listen 127.0.0.1:9000") }

func (c *demoCommand) Run(w world) error {
	folder := c.Data
	if folder == "" {
		temporary, err := os.MkdirTemp("", "drover-demo-")
		if err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		defer os.RemoveAll(temporary)
		folder = temporary
	}
	a, err := app.New(w, c.settings(folder), app.Options{Logger: newLogger(w, c.Log), Version: versionText(), Vendors: demo.Vendors(time.Now), Demo: &web.Demo{Username: demo.Username, Password: demo.Password}})
	if err != nil {
		return err
	}
	defer a.Close()
	tenants, err := a.Store.Tenants(w)
	if err != nil {
		return err
	}
	if len(tenants) > 0 {
		return fmt.Errorf("%s holds data already; the demo wants an empty folder", folder)
	}
	world, err := demo.Make(w, demo.Options{Store: a.Store, Fleet: a.Fleet, Collector: a.Collector, Now: time.Now()})
	if err != nil {
		return err
	}
	return a.Run(w, func(address net.Addr) { c.greet(w, world, address) })
}

func (c *demoCommand) settings(folder string) config.Serve {
	return config.Serve{
		Store: config.Store{Data: folder}, Log: c.Log, Map: c.Map, Listen: c.Listen, Role: "all", AllowNetwork: c.AllowNetwork,
		AccessTokenLifetime: time.Hour, RefreshTokenLifetime: 30 * 24 * time.Hour, MaxInFlight: 512,
		MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200, ShutdownTimeout: 5 * time.Second,
	}
}

func (c *demoCommand) greet(w world, made *demo.World, address net.Addr) {
	fmt.Fprintf(w.out, `Console: http://%[1]s/console/

drover demo at http://%[1]s

  user     tenant  role
  demo     demo    admin
  viewer   demo    viewer
  other    other   admin
  The password of all three is %[2]s.

Or call the API:

  TOKEN=$(curl -s http://%[1]s/token --json '{"username":"demo","password":"%[2]s"}' | sed 's/.*"access_token":"\([^"]*\).*/\1/')
  curl -s http://%[1]s/account/summary -H "Authorization: Bearer $TOKEN"
  curl -s http://%[1]s/device/%[3]s -H "Authorization: Bearer $TOKEN"

Ctrl-C ends it.
`, address, demo.Password, made.Devices[0].ID)
}
