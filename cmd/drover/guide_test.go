package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// guideCommands are the commands of a guide, as a reader types them.
func guideCommands(t *testing.T, path string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		command, found := strings.CutPrefix(lines[i], "$ ")
		if !found {
			continue
		}
		for strings.Contains(command, "<<'END'") && !strings.HasSuffix(command, "\nEND") && i+1 < len(lines) {
			i++
			command += "\n" + lines[i]
		}
		commands = append(commands, command)
	}
	return commands
}

// guideShell runs commands of a guide in a folder of its own, at addresses that are free.
type guideShell struct {
	t      *testing.T
	folder string
	own    *strings.Replacer
	listen string
}

func newGuideShell(t *testing.T) *guideShell {
	t.Helper()
	folder := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test's own binary stands for the program.
	if err := os.WriteFile(filepath.Join(folder, "drover"), []byte("#!/bin/sh\n"+asProgram+"=1 exec '"+program+"' \"$@\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	service, provider := freeAddress(t), freeAddress(t)
	return &guideShell{t, folder, strings.NewReplacer("127.0.0.1:8080", service, "127.0.0.1:8090", provider, "2026-11-15T00:00:00Z",
		time.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339)), service}
}

func (g *guideShell) shell(ctx context.Context, command string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", "-c", g.own.Replace(command))
	c.Dir = g.folder
	c.Env = []string{"PATH=" + g.folder + ":" + os.Getenv("PATH"), "HOME=" + g.folder, "DROVER_LISTEN=" + g.listen}
	return c
}

func (g *guideShell) say(command string) string {
	g.t.Helper()
	out, err := g.shell(g.t.Context(), command).CombinedOutput()
	if err != nil {
		g.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// TestOperatorGuide runs the commands of the guide for operators. curl fails with what is
// refused.
func TestOperatorGuide(t *testing.T) {
	t.Parallel()
	g := newGuideShell(t)
	for _, command := range guideCommands(t, "../../docs/operator.md") {
		if strings.HasPrefix(command, "drover serve") {
			lasting(t, g.shell, "exec "+command, "msg=ready")
			continue
		}
		g.say(command)
	}
}

// TestBackupGuide walks through the copy and the drill: the copy is served at the end, without
// collecting beside the installation that it was made of.
func TestBackupGuide(t *testing.T) {
	t.Parallel()
	g := newGuideShell(t)
	g.say("drover tenant add northern-haulage")
	lasting(t, g.shell, "exec drover serve", "msg=ready") // the installation that is copied
	served := false
	for _, command := range guideCommands(t, "../../docs/backup.md") {
		command = strings.Replace(command, "/safe/place", "drover-data", 1)
		if !strings.HasPrefix(command, "drover serve") {
			g.say(command)
			continue
		}
		if !strings.Contains(command, "--role api") {
			t.Errorf("%s: it would collect beside production", command)
		}
		lasting(t, g.shell, "exec "+command+" --listen 127.0.0.1:0", "msg=ready")
		served = true
	}
	if !served {
		t.Error("the drill does not serve the copy")
	}
}

// TestAnyVendorGuide runs the commands of the guide for vendors in files, and for those who
// send records.
func TestAnyVendorGuide(t *testing.T) {
	t.Parallel()
	g := newGuideShell(t)
	for _, command := range guideCommands(t, "../../docs/any-vendor.md") {
		switch {
		case strings.HasPrefix(command, "drover serve"):
			lasting(t, g.shell, "exec "+command, "msg=ready")
			continue
		case strings.HasPrefix(command, "drover sandbox"):
			lasting(t, g.shell, "exec "+command+" --listen 127.0.0.1:8090", "Ctrl-C")
			continue
		}
		out := g.say(command)
		if tries := strings.HasPrefix(command, "drover provider try"); tries && !strings.Contains(out, "past positions: ok") {
			t.Errorf("%s: %s", command, out)
		}
		if strings.HasPrefix(command, "curl") && !strings.Contains(out, `"received":4,"stored":3,"known":0,"refused":1`) {
			t.Errorf("%s: %s", command, out)
		}
	}
	if got := g.say("drover api GET /position"); !strings.Contains(got, `"latitude": 53.9205`) || !strings.Contains(got, `"latitude": 53.9367`) {
		t.Errorf("what was sent is not there: %s", got)
	}
}

// TestGettingStarted runs the commands of the guide: those that last in terminals of their
// own, the others one after the other. At its end something drives, at any hour.
func TestGettingStarted(t *testing.T) {
	t.Parallel()
	g := newGuideShell(t)
	shell, say := g.shell, g.say
	for _, command := range guideCommands(t, "../../docs/getting-started.md") {
		switch {
		case strings.HasPrefix(command, "drover serve"):
			lasting(t, shell, "exec "+command, "msg=ready")
		case strings.HasPrefix(command, "drover sandbox"):
			lasting(t, shell, "exec "+command+" --listen 127.0.0.1:8090", "Ctrl-C")
		case strings.HasPrefix(command, "drover listen"): // needs a receiver of the reader's own
		default:
			say(command)
		}
	}
	for len(say("drover api GET '/event?type=position.updated&wait=30'")) < 10 {
		t.Log("no position yet")
	}
	if got := say("drover api GET /position"); !strings.Contains(got, `"driving"`) {
		t.Errorf("nothing drives: %s", got)
	}
}

// lasting starts a command that goes on until the test ends, and waits until it has said
// something.
func lasting(t *testing.T, shell func(context.Context, string) *exec.Cmd, command, ready string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := shell(ctx, command+" 2>&1")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		stop()
		for lines.Scan() { // so that it is not held up by what no one reads
		}
		_ = c.Wait() // it was interrupted
	})
	for lines.Scan() {
		if strings.Contains(lines.Text(), ready) {
			return
		}
	}
	t.Fatalf("%s ended without %q", command, ready)
}

// freeAddress is one at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
