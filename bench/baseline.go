package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
)

// baselineArgument makes this program serve a baseline instead: it starts itself
// again with it.
const baselineArgument = "baseline-of"

// canned is an answer of the service, to be given again by a bare handler.
type canned struct {
	Header map[string]string
	Body   []byte
}

// capture asks the service for the answer to each request, by its path. The date
// is left to the server, which keeps it right.
func capture(ctx context.Context, address string, requests []load.Request) (map[string]canned, error) {
	c, err := load.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	answers := map[string]canned{}
	for _, r := range requests {
		status, err := c.Send(r)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("capture %s: %d, %w", load.FirstLine(r), status, err)
		}
		header := map[string]string{}
		for line := range strings.Lines(string(c.Head)) {
			name, value, found := strings.Cut(strings.TrimSpace(line), ": ")
			if found && name != "Date" {
				header[name] = value
			}
		}
		answers[strings.Fields(load.FirstLine(r))[1]] = canned{Header: header, Body: bytes.Clone(c.Body)}
	}
	return answers, nil
}

// startBaseline serves answers from another process.
func startBaseline(ctx context.Context, answers map[string]canned) (*service.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "drover-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	text, err := json.Marshal(answers)
	if err != nil {
		return nil, fmt.Errorf("write the baseline's answers: %w", err)
	}
	file := filepath.Join(dir, "answers.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("write the baseline's answers: %w", err)
	}
	command := exec.Command(self, baselineArgument, file) //nolint:noctx // it is ended when it has served
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the baseline: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the baseline: %w", err)
	}
	p := &service.Process{Command: command}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("start the baseline: %w", err)
	}
	p.Address = strings.TrimSpace(line)
	return p, ctx.Err()
}

// serveBaseline is the other process: as little as net/http allows.
func serveBaseline(file string) error {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return err
	}
	var answers map[string]canned
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, listener.Addr())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 0 {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		a := answers[r.URL.RequestURI()]
		h := w.Header()
		for name, value := range a.Header {
			h[name] = []string{value}
		}
		_, _ = w.Write(a.Body)
	})} // it lives for seconds on a loopback address
	return server.Serve(listener)
}
