package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/demo"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/web"
)

type demoCommand struct {
	config.Log
	config.Map
	Listen       string         `help:"Address of the API." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Data         string         `help:"Folder for the data, empty or of an earlier demo to continue; by default a temporary one that is removed at the end." placeholder:"DIR"`
	Database     string         `help:"Address of an empty PostgreSQL database (postgres://…); without it the embedded SQLite is used." placeholder:"URL" secret:"url"`
	Speed        float64        `help:"Speed of the demo's clock, 1 to 100 times real time." default:"1" placeholder:"N"`
	Start        time.Time      `help:"Start of the demo's clock, such as 2026-11-12T09:00:00Z, for a reproducible fleet. Default now." placeholder:"TIME"`
	AllowNetwork []netip.Prefix `help:"Private or special network in which providers and webhooks may be called; repeatable." placeholder:"CIDR"`
}

// Check refuses an address that none can be.
func (c *demoCommand) Check() error { return config.CheckAddress("--listen", c.Listen) }

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
	if c.Speed < 1 || c.Speed > maxSpeed {
		return misused("--speed must be from 1 to %d", maxSpeed)
	}
	// The address is what a visitor looks for: what is logged meanwhile comes after it.
	log := &heldWriter{to: w.err}
	defer log.release()
	held, since := w, time.Now()
	held.err = log
	start := c.begin(since)
	clock := c.clock(start)
	kept, err := demo.Kept(folder)
	if err != nil {
		return err
	}
	if start.Before(kept) {
		return misused("the demo in %s started at %s: the start cannot be earlier", folder, kept.Format(time.RFC3339))
	}
	small := demo.New(cmp.Or(kept, start).UTC().Truncate(time.Second), clock)
	a, err := app.New(w, c.settings(folder), app.Options{
		Logger: newLogger(held, c.Log), Version: versionText(), Now: clock, Vendors: small.Vendors(), Temporary: c.Data == "",
		Demo: &web.Demo{Username: demo.Username, Password: demo.Password, Speed: c.Speed, Since: since, Start: start},
	})
	if err != nil {
		return err
	}
	defer a.Close()
	with := demo.Options{Store: a.Store, Fleet: a.Fleet, Collector: a.Collector}
	if err := c.fill(w, small, with, folder, !kept.IsZero()); err != nil {
		return err
	}
	return a.Run(w, func(address net.Addr) {
		device, err := small.Begin(w, with)
		c.greet(w, device, address)
		log.release()
		if err != nil && w.Err() == nil {
			fmt.Fprintf(w.err, "drover: %v\n", err)
		}
	})
}

// fill makes the demo where there is no data. It goes on with what a demo made, but only in its own folder.
func (c *demoCommand) fill(w world, d *demo.Demo, with demo.Options, folder string, kept bool) error {
	tenants, err := with.Store.Accounts.Tenants(w)
	if err != nil {
		return err
	}
	if len(tenants) > 0 && kept && c.Database == "" {
		return nil
	}
	if len(tenants) > 0 {
		return fmt.Errorf("%s has data that is not a demo's; give the demo an empty folder", folder)
	}
	fmt.Fprintln(w.out, "Making a fleet and the last day of its history …")
	if err := d.Make(w, with); err != nil {
		return err
	}
	return d.Keep(folder)
}

// maxSpeed is as fast as a vehicle can still be followed.
const maxSpeed = 100

// begin is when the demo's time begins.
func (c *demoCommand) begin(now time.Time) time.Time {
	if c.Start.IsZero() {
		return now
	}
	return c.Start
}

// clock is the time that the demo lives in: the fleet, the service and the pages
// all go by it, so that ages, predictions and silences stay true to each other.
func (c *demoCommand) clock(start time.Time) func() time.Time {
	if c.Speed == 1 && c.Start.IsZero() {
		return time.Now
	}
	return sim.NewClock(time.Now, start, c.Speed).Now
}

// heldWriter keeps what is written until it is released.
type heldWriter struct {
	to       io.Writer
	mu       sync.Mutex
	held     []byte
	released bool
}

func (h *heldWriter) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return h.to.Write(p)
	}
	h.held = append(h.held, p...)
	return len(p), nil
}

func (h *heldWriter) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.to.Write(h.held) //nolint:errcheck // there is nowhere else to tell it
	h.held, h.released = nil, true
}

func (c *demoCommand) settings(folder string) config.Serve {
	return config.Serve{
		Store: config.Store{Data: folder, Database: c.Database}, Log: c.Log, Map: c.Map, Listen: c.Listen, Role: "all",
		AllowNetwork:        c.AllowNetwork,
		AccessTokenLifetime: c.real(time.Hour), RefreshTokenLifetime: c.real(30 * 24 * time.Hour), MaxInFlight: 512,
		MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200, ShutdownTimeout: 5 * time.Second,
	}
}

// real is as much of the demo's time as passes in d of a visitor's.
func (c *demoCommand) real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * c.Speed)
}

func (c *demoCommand) greet(w world, device drover.Device, address net.Addr) {
	fmt.Fprintf(w.out, `Console: http://%[1]s/console/

drover demo at http://%[1]s

  user     tenant  role
  demo     demo    admin
  viewer   demo    viewer
  other    other   admin
  The password of all three is %[2]s.

A map with streets: drover demo --map openfreemap

Or call the API:

  TOKEN=$(curl -s http://%[1]s/token --json '{"username":"demo","password":"%[2]s"}' | sed 's/.*"access_token":"\([^"]*\).*/\1/')
  curl -s http://%[1]s/account/summary -H "Authorization: Bearer $TOKEN"
  curl -s http://%[1]s/device/%[3]s -H "Authorization: Bearer $TOKEN"

Ctrl-C ends it.
`, address, demo.Password, device.ID)
}
