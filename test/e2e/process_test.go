package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is the program, or a receiver of what it sends, running.
type process struct {
	address string // of the API, or of the operators' endpoints of a worker
	stdout  *output
	log     *output
	command *exec.Cmd
	ended   chan error
}

// output gathers what a process writes and wakes anyone who waits for it.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) String() string {
	text, _ := o.read()
	return text
}

func (o *output) read() (string, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.changed
}

// start runs the program until the end of the test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, nil, args...)
}

// startWith runs the program with more variables.
func startWith(t *testing.T, variables []string, args ...string) *process {
	t.Helper()
	command := exec.Command(shared.binary, args...) // it is ended by signals, as users do
	command.Env = append(environment(), variables...)
	return launch(t, command)
}

// launch runs a command until the end of the test.
func launch(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{stdout: newOutput(), log: newOutput(), command: command, ended: make(chan error, 1)}
	p.command.Stdout, p.command.Stderr = p.stdout, p.log
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.command.Wait() }()
	t.Cleanup(p.kill)
	return p
}

// environment is that of the tests without settings of the program.
func environment() []string {
	var env []string
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "DROVER_") {
			env = append(env, line)
		}
	}
	return env
}

var (
	readyLine    = regexp.MustCompile(`msg=ready address=(\S+)`)
	operatorLine = regexp.MustCompile(`msg="operator endpoints" address=(\S+)`)
)

// serve runs the service of an installation and waits until it is ready.
func serve(t *testing.T, s site, args ...string) *process {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "debug", "--allow-network", "127.0.0.0/8"}, args...)
	p := start(t, append(args, s.flags()...)...)
	p.address = p.await(t, p.log, readyLine)
	return p
}

// await waits for a line and returns its first group.
func (p *process) await(t *testing.T, o *output, line *regexp.Regexp) string {
	t.Helper()
	timeout := time.After(patience)
	for {
		text, changed := o.read()
		if match := line.FindStringSubmatch(text); match != nil {
			return match[1]
		}
		select {
		case <-changed:
		case err := <-p.ended:
			p.ended <- err
			t.Fatalf("ended before %v: %v\n%s", line, err, p.log)
		case <-timeout:
			t.Fatalf("no %v within %s:\n%s", line, patience, text)
		}
	}
}

// kill ends the process as a power cut would. Again, it does nothing.
func (p *process) kill() {
	if p.command.Process.Kill() == nil {
		p.ended <- <-p.ended
	}
}

// terminate asks the process to stop.
func (p *process) terminate(t *testing.T) {
	t.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// wait waits for the end and returns the exit code.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case err := <-p.ended:
		p.ended <- err
		return p.command.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("still running after %s:\n%s", patience, p.log)
		return -1
	}
}

// drover runs a command to its end and returns what it printed. Input is its
// standard input.
func (s site) drover(t *testing.T, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, shared.binary, append(args, s.flags()...)...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment(), strings.NewReader(input), &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("drover %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.String()
}
