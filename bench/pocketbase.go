package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
)

const (
	pocketbaseTarget = 8
	// pocketbaseVersion is the newest that this project's Go builds. It is built
	// into a folder of the run and is no dependency of the module.
	pocketbaseModule  = "github.com/pocketbase/pocketbase/examples/base"
	pocketbaseVersion = "v0.36.8"
	pocketbaseStart   = 30 * time.Second
	pocketbaseUser    = "bench@drover.example"
	pocketbaseWord    = "drover-bench-word"
)

// pocketbase measures a PocketBase that serves the same record to those who are
// logged in, beside the embedded service.
func (b *bench) pocketbase(ctx context.Context) (err error) {
	if err := b.install(ctx); err != nil {
		return err
	}
	embedded, device := b.places[0], service.Operations()[0]
	answers, err := capture(ctx, embedded.Server.Address, device.Requests(embedded)[:1])
	if err != nil {
		return err
	}
	b.progress("build PocketBase " + pocketbaseVersion)
	rival, err := startPocketbase(ctx, filepath.Join(b.dir, "pocketbase"))
	if err != nil {
		return err
	}
	defer rival.Stop()
	var get load.Request
	for _, a := range answers {
		if get, err = rival.store(ctx, a.Body); err != nil {
			return fmt.Errorf("prepare PocketBase: %w", err)
		}
	}
	b.progress(device.Name + " beside PocketBase")
	var ours, theirs best
	for range b.rounds {
		r, err := load.Rate(ctx, b.clients, b.span, embedded.Target(device))
		if err != nil {
			return err
		}
		ours.take(r)
		if r, err = load.Rate(ctx, b.clients, b.span, load.Target{Address: rival.Address, Requests: []load.Request{get}}); err != nil {
			return err
		}
		theirs.take(r)
	}
	b.table.AtLeast(device.Name+", embedded", float64(ours), "PocketBase "+pocketbaseVersion, float64(theirs), pocketbaseTarget)
	return nil
}

// rival is a running PocketBase.
type rival struct {
	*service.Process
	token string // of its administrator
}

// startPocketbase builds PocketBase and starts it. In a temporary folder it
// believes to be under development and logs each query, unless it is configured not to.
func startPocketbase(ctx context.Context, dir string) (*rival, error) {
	build := exec.CommandContext(ctx, "go", "install", pocketbaseModule+"@"+pocketbaseVersion)
	build.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build PocketBase: %w: %s", err, out)
	}
	binary := filepath.Join(dir, filepath.Base(pocketbaseModule))
	common := []string{"--dev=false", "--automigrate=false", "--hooksWatch=false", "--dir", filepath.Join(dir, "data")}
	upsert := exec.CommandContext(ctx, binary, append([]string{"superuser", "upsert", pocketbaseUser, pocketbaseWord}, common...)...)
	if out, err := upsert.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("prepare PocketBase: %w: %s", err, out)
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	serve := append([]string{"serve", "--http", address}, common...)
	command := exec.Command(binary, serve...) //nolint:noctx // it is ended when it has served
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start PocketBase: %w", err)
	}
	r := &rival{Process: &service.Process{Command: command, Address: address}}
	if err := r.ready(ctx); err != nil {
		r.Stop()
		return nil, err
	}
	return r, nil
}

// freeAddress is one that nothing listens at.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// ready waits until PocketBase takes connections.
func (r *rival) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pocketbaseStart)
	defer cancel()
	for {
		c, err := load.Dial(ctx, r.Address)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PocketBase did not start: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// store makes a collection with the fields of our answer, which those who are
// logged in may read, with its one record, and returns a user's request for it.
// Limits and the log of requests are off, as they are in the service.
func (r *rival) store(ctx context.Context, answer []byte) (load.Request, error) {
	var ours struct{ Data map[string]any }
	if err := json.Unmarshal(answer, &ours); err != nil {
		return nil, err
	}
	delete(ours.Data, "id") // it has its own
	var err error
	if r.token, err = r.logIn(ctx, "_superusers"); err != nil {
		return nil, err
	}
	login := map[string]any{"email": pocketbaseUser, "password": pocketbaseWord, "passwordConfirm": pocketbaseWord}
	settings := map[string]any{"rateLimits": map[string]any{"enabled": false}, "logs": map[string]any{"maxDays": 0}}
	collection := map[string]any{"name": "device", "type": "base", "viewRule": `@request.auth.id != ""`, "fields": fieldsOf(ours.Data)}
	var record struct{ ID string }
	if err := errors.Join(
		r.call(ctx, http.MethodPatch, "/api/settings", settings, nil),
		r.call(ctx, http.MethodPost, "/api/collections", collection, nil),
		r.call(ctx, http.MethodPost, "/api/collections/device/records", ours.Data, &record),
		r.call(ctx, http.MethodPost, "/api/collections/users/records", login, nil),
	); err != nil {
		return nil, err
	}
	token, err := r.logIn(ctx, "users")
	return load.NewRequest(http.MethodGet, "/api/collections/device/records/"+record.ID, token, ""), err
}

// fieldsOf declares the fields of a record by their values.
func fieldsOf(record map[string]any) (fields []map[string]string) {
	for name, value := range record {
		kind := "json"
		switch value.(type) {
		case string:
			kind = "text"
		case bool:
			kind = "bool"
		case float64:
			kind = "number"
		}
		fields = append(fields, map[string]string{"name": name, "type": kind})
	}
	return fields
}

func (r *rival) logIn(ctx context.Context, collection string) (string, error) {
	var answer struct{ Token string }
	err := r.call(ctx, http.MethodPost, "/api/collections/"+collection+"/auth-with-password",
		map[string]any{"identity": pocketbaseUser, "password": pocketbaseWord}, &answer)
	return answer.Token, err
}

// call sends a JSON body and reads the answer, where it is wanted.
func (r *rival) call(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, method, "http://"+r.Address+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", r.token)
	response, err := (&http.Client{}).Do(q)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
