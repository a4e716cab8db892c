// Package service runs installations of the built service and sends the measured requests.
package service

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// Build makes the program as a release is made.
func Build(ctx context.Context, binary string) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary,
		"github.com/drover-fleet/drover/cmd/drover").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	return nil
}

// Place is an installation of the service.
type Place struct {
	Name   string
	Binary string
	Data   string
	URL    string // of PostgreSQL; empty for SQLite
	Role   string // of the service; empty is api
	Memory string // that it may take; empty leaves it to the service
	// Environment of the service; nil is that of this program.
	Environment []string
	World       *world.World
	Server      *Process
	Token       string
	Grown       bool // it has all trips
}

// Options are those of its store.
func (p *Place) Options() store.Options {
	if p.URL != "" {
		return store.Options{URL: p.URL}
	}
	return store.Options{Path: filepath.Join(p.Data, "drover.db")}
}

// Process is a running program.
type Process struct {
	Command *exec.Cmd
	Address string
	Started time.Duration // from its start until it was ready
}

// Stop kills it.
func (p *Process) Stop() {
	_ = p.Command.Process.Kill()
	_ = p.Command.Wait() // it was killed
}

// Fill makes a world and some trips.
func (p *Place) Fill(ctx context.Context) error {
	var err error
	if p.World, err = world.Make(ctx, config.Store{Data: p.Data, Database: p.URL}); err != nil {
		return err
	}
	return fill.Trips(ctx, p.Options(), p.World, 0, FewTrips)
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// Start runs the service, waits until it is ready and logs in.
func (p *Place) Start(ctx context.Context) error {
	args := []string{
		"serve", "--listen", "127.0.0.1:0", "--data", p.Data, "--role", cmp.Or(p.Role, "api"), "--allow-network",
		world.Loopback().String(),
	}
	if p.Memory != "" {
		args = append(args, "--memory-limit", p.Memory)
	}
	if p.URL != "" {
		args = append(args, "--database", p.URL)
	}
	command := exec.Command(p.Binary, args...) //nolint:noctx // it is ended when it has served
	command.Env = p.Environment
	log, err := command.StderrPipe()
	if err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	begin := time.Now()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	p.Server = &Process{Command: command}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if match := readyLine.FindStringSubmatch(lines.Text()); match != nil {
			p.Server.Address = match[1]
			break
		}
	}
	if p.Server.Address == "" {
		return fmt.Errorf("the service did not start: %s", lines.Text())
	}
	go func() {
		for lines.Scan() { // what it logs is read, so that it can go on, and dropped
		}
	}()
	c, err := load.Dial(ctx, p.Server.Address)
	if err != nil {
		return err
	}
	defer c.Close()
	if status, err := c.Send(load.NewRequest(http.MethodGet, "/readyz", "", "")); err != nil || status != http.StatusOK {
		return fmt.Errorf("the service is not ready: %d, %w", status, err)
	}
	p.Server.Started = time.Since(begin)
	p.Token, err = LogIn(c, world.Admin)
	return err
}

var tokenField = regexp.MustCompile(`"access_token":"([^"]*)`)

// LogIn returns the token of a user of the world.
func LogIn(c *load.Conn, username string) (token string, err error) {
	status, err := c.Send(loginRequest(username))
	if err != nil {
		return "", fmt.Errorf("log in: %w", err)
	}
	match := tokenField.FindSubmatch(c.Body)
	if match == nil {
		return "", fmt.Errorf("log in: %d %s", status, c.Body)
	}
	return string(match[1]), nil
}

func loginRequest(username string) load.Request {
	return load.NewRequest(http.MethodPost, "/token", "", fmt.Sprintf(`{"username":%q,"password":%q}`, username, world.Password))
}

// Stop kills the service, if it runs.
func (p *Place) Stop() {
	if p.Server != nil {
		p.Server.Stop()
		p.Server = nil
	}
}

var (
	residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB`)
	peakLine     = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB`)
)

// Resident is the memory of a process, in bytes.
func (p *Process) Resident() (float64, error) { return p.status(residentLine) }

// Peak is the most memory that it had, in bytes.
func (p *Process) Peak() (float64, error) { return p.status(peakLine) }

func (p *Process) status(line *regexp.Regexp) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory: %w", err)
	}
	match := line.FindSubmatch(text)
	if match == nil {
		return 0, errors.New("the system does not tell the memory")
	}
	kilobytes, err := strconv.Atoi(string(match[1]))
	return float64(kilobytes) * 1024, err
}

// Target is the place as the load generator sees it.
func (p *Place) Target(o Operation) load.Target {
	return load.Target{Address: p.Server.Address, Requests: o.Requests(p)}
}

// targets of reads, as parts of their baselines.
const (
	readTarget = 0.5
	tripTarget = 0.6
)

// FewTrips are in an installation from its beginning.
const FewTrips = 100_000

// Kind is the part that an operation belongs to.
type Kind int

// The parts.
const (
	KindRead Kind = iota
	KindWrite
	KindSummary
)

// Operation is what is measured, with the requests that the generator sends.
type Operation struct {
	Name string
	Kind Kind
	// embedded and postgres are the least parts of the baselines that it is to reach;
	// zero is none.
	Embedded, Postgres float64
	Requests           func(p *Place) []load.Request
}

// Operations are the ones of the table, in its order.
func Operations() []Operation {
	get := func(p *Place, path string) load.Request { return load.NewRequest(http.MethodGet, path, p.Token, "") }
	return []Operation{
		{Name: "GET /device/{id}", Embedded: readTarget, Postgres: readTarget, Requests: func(p *Place) (all []load.Request) {
			for _, d := range p.World.Devices {
				all = append(all, get(p, "/device/"+d.ID))
			}
			return all
		}},
		{Name: "GET /trip/{id}", Embedded: readTarget, Postgres: tripTarget, Requests: func(p *Place) (all []load.Request) {
			for i := range 1000 {
				all = append(all, get(p, "/trip/"+fill.TripID(i*(FewTrips/1000))))
			}
			return all
		}},
		{Name: "GET /connection", Embedded: readTarget, Requests: func(p *Place) []load.Request { return []load.Request{get(p, "/connection")} }},
		{Name: "PATCH /device/{id}", Kind: KindWrite, Requests: Patches},
		{Name: "POST /token", Kind: KindWrite, Requests: func(*Place) []load.Request { return []load.Request{loginRequest(world.Admin)} }},
		{Name: "GET /account/summary", Kind: KindSummary, Requests: func(p *Place) []load.Request {
			return []load.Request{get(p,
				"/account/summary")}
		}},
		{Name: "GET /account/activity-summary", Kind: KindSummary, Requests: func(p *Place) []load.Request {
			return []load.Request{get(p, "/account/activity-summary")}
		}},
	}
}

// Patches change each device to and fro, so that every one is a write.
func Patches(p *Place) (all []load.Request) {
	for _, text := range []string{"one", "two"} {
		for _, d := range p.World.Devices {
			all = append(all, load.NewRequest(http.MethodPatch, "/device/"+d.ID, p.Token, fmt.Sprintf(`{"description":%q}`, text)))
		}
	}
	return all
}
