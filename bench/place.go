package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// build makes the program as a release is made.
func build(ctx context.Context, binary string) error {
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "github.com/drover-fleet/drover/cmd/drover").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	return nil
}

// place is an installation of the service.
type place struct {
	name   string
	binary string
	data   string
	url    string // of PostgreSQL; empty for SQLite
	role   string // of the service; empty is api
	memory string // that it may take; empty leaves it to the service
	// environment of the service; nil is that of this program.
	environment []string
	world       *world.World
	server      *process
	token       string
	grown       bool // it has all trips
}

// process is a running program.
type process struct {
	command *exec.Cmd
	address string
	started time.Duration // from its start until it was ready
}

func (p *process) stop() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait() // it was killed
}

// fill makes a world and some trips.
func (p *place) fill(ctx context.Context) error {
	var err error
	if p.world, err = world.Make(ctx, config.Store{Data: p.data, Database: p.url}); err != nil {
		return err
	}
	return p.addTrips(ctx, 0, fewTrips)
}

var readyLine = regexp.MustCompile(`msg=ready address=(\S+)`)

// start runs the service, waits until it is ready and logs in.
func (p *place) start(ctx context.Context) error {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", p.data, "--role", cmp.Or(p.role, "api"), "--allow-network", world.Loopback().String()}
	if p.memory != "" {
		args = append(args, "--memory-limit", p.memory)
	}
	if p.url != "" {
		args = append(args, "--database", p.url)
	}
	command := exec.Command(p.binary, args...) //nolint:noctx // it is ended when it has served
	command.Env = p.environment
	log, err := command.StderrPipe()
	if err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	begin := time.Now()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	p.server = &process{command: command}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if match := readyLine.FindStringSubmatch(lines.Text()); match != nil {
			p.server.address = match[1]
			break
		}
	}
	if p.server.address == "" {
		return fmt.Errorf("the service did not start: %s", lines.Text())
	}
	go func() {
		for lines.Scan() { // what it logs is read, so that it can go on, and dropped
		}
	}()
	c, err := dial(ctx, p.server.address)
	if err != nil {
		return err
	}
	defer c.Close()
	if status, err := c.send(newRequest(http.MethodGet, "/readyz", "", "")); err != nil || status != http.StatusOK {
		return fmt.Errorf("the service is not ready: %d, %w", status, err)
	}
	p.server.started = time.Since(begin)
	p.token, err = logIn(c, world.Admin)
	return err
}

var tokenField = regexp.MustCompile(`"access_token":"([^"]*)`)

func logIn(c *conn, username string) (token string, err error) {
	status, err := c.send(loginRequest(username))
	if err != nil {
		return "", fmt.Errorf("log in: %w", err)
	}
	match := tokenField.FindSubmatch(c.body)
	if match == nil {
		return "", fmt.Errorf("log in: %d %s", status, c.body)
	}
	return string(match[1]), nil
}

func loginRequest(username string) request {
	return newRequest(http.MethodPost, "/token", "", fmt.Sprintf(`{"username":%q,"password":%q}`, username, world.Password))
}

func (p *place) stop() {
	if p.server != nil {
		p.server.stop()
		p.server = nil
	}
}

var (
	residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB`)
	peakLine     = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB`)
)

// resident is the memory of a process, in bytes, and peak the most that it had.
func (p *process) resident() (float64, error) { return p.status(residentLine) }
func (p *process) peak() (float64, error)     { return p.status(peakLine) }

func (p *process) status(line *regexp.Regexp) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
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

// target is the place as the load generator sees it.
func (p *place) target(o operation) target { return target{p.server.address, o.requests(p)} }

// kind is the part that an operation belongs to.
type kind int

const (
	kindRead kind = iota
	kindWrite
	kindSummary
)

// operation is what is measured, with the requests that the generator sends.
type operation struct {
	name string
	kind kind
	byID bool // a read of one record, which is measured beside pgbench each time
	// embedded and postgres are the least parts of the baselines that it is to reach;
	// zero is none.
	embedded, postgres float64
	requests           func(p *place) []request
}

// operations are the ones of the table, in its order.
func operations() []operation {
	get := func(p *place, path string) request { return newRequest(http.MethodGet, path, p.token, "") }
	return []operation{
		{name: "GET /device/{id}", byID: true, embedded: readTarget, postgres: readTarget, requests: func(p *place) (all []request) {
			for _, d := range p.world.Devices {
				all = append(all, get(p, "/device/"+d.ID))
			}
			return all
		}},
		{name: "GET /trip/{id}", byID: true, embedded: readTarget, postgres: tripTarget, requests: func(p *place) (all []request) {
			for i := range 1000 {
				all = append(all, get(p, "/trip/"+tripID(i*(fewTrips/1000))))
			}
			return all
		}},
		{name: "GET /connection", embedded: readTarget, requests: func(p *place) []request { return []request{get(p, "/connection")} }},
		{name: "PATCH /device/{id}", kind: kindWrite, requests: patches},
		{name: "POST /token", kind: kindWrite, requests: func(*place) []request { return []request{loginRequest(world.Admin)} }},
		{name: "GET /account/summary", kind: kindSummary, requests: func(p *place) []request { return []request{get(p, "/account/summary")} }},
		{name: "GET /account/activity-summary", kind: kindSummary, requests: func(p *place) []request {
			return []request{get(p, "/account/activity-summary")}
		}},
	}
}

// patches change each device to and fro, so that every one is a write.
func patches(p *place) (all []request) {
	for _, text := range []string{"one", "two"} {
		for _, d := range p.world.Devices {
			all = append(all, newRequest(http.MethodPatch, "/device/"+d.ID, p.token, fmt.Sprintf(`{"description":%q}`, text)))
		}
	}
	return all
}
