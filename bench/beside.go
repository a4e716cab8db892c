package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	besideP99      = 0.025 // seconds
	besideUser     = "beside"
	besidePassword = "reads beside other work"

	loginSpan = 4 * time.Second
	loginPart = 0.8 // of what the hash of a password allows
)

// readsBeside measures reads of an embedded service while positions come in, and while many
// log in. All of it is one process with the generator, which makes it no faster.
func (b *bench) readsBeside(ctx context.Context) error {
	b.progress("reads beside other work, embedded")
	a, err := b.embedded(ctx, "beside")
	if err != nil {
		return err
	}
	return errors.Join(b.measureReads(ctx, a), a.Close())
}

func (b *bench) measureReads(ctx context.Context, a *app.App) error {
	i := newIntake(store.Options{}, b.spent("embedded"), ingestConnections, ingestVehicles)
	i.store = a.Store
	i.use(a.Vault)
	tenant, err := i.makeFleet(ctx, besidePoll)
	if err != nil {
		return err
	}
	reads, err := besideReads(ctx, a, tenant)
	if err != nil {
		return err
	}
	server := httptest.NewServer(a.API)
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	if _, err := i.stream(ctx, i.script(besideWarm)); err != nil {
		return err
	}
	_, took, err := readMeanwhile(ctx, address, reads, func(ctx context.Context) (float64, error) { return 0, rest(ctx, loginSpan) })
	if err != nil {
		return err
	}
	b.table.Add("reads beside nothing, p99, embedded", inMilliseconds(p99(took).Seconds()), "", "", "", "", "")
	if err := b.readsBesideIngest(ctx, i, address, reads); err != nil {
		return err
	}
	return b.logins(ctx, address, reads)
}

// rest waits.
func rest(ctx context.Context, span time.Duration) error {
	select {
	case <-time.After(span):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *bench) readsBesideIngest(ctx context.Context, i *intake, address string, reads []load.Request) error {
	polls := i.script(besideCount)
	var used, passed time.Duration
	rate, took, err := readMeanwhile(ctx, address, reads, func(ctx context.Context) (rate float64, err error) {
		begun := time.Now()
		used, err = i.spent.during(func() error { rate, err = i.stream(ctx, polls); return err })
		passed = time.Since(begun)
		return rate, err
	})
	if err != nil {
		return err
	}
	b.table.Add("processors that positions beside reads take, embedded", fmt.Sprintf("%.2f", used.Seconds()/passed.Seconds()), "", "", "",
		"", "")
	b.table.AtLeast("positions in beside reads, embedded", rate, "target", besideRate, 1)
	b.table.AtMost("reads beside "+table.Thousands(besideRate)+" positions a second, p99, embedded", p99(took).Seconds(), besideP99,
		inMilliseconds)
	return nil
}

// besideReads adds a user and returns what is read.
func besideReads(ctx context.Context, a *app.App, tenant string) ([]load.Request, error) {
	hash, err := auth.Hash(besidePassword, rand.Reader)
	if err != nil {
		return nil, err
	}
	user := drover.User{
		TenantID: tenant, ID: store.NewID(), Username: besideUser, Email: "beside@bench.example", Role: drover.RoleViewer,
		CreatedAt: drover.At(time.Now()),
	}
	if err := a.Store.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUser(ctx, user, hash) }); err != nil {
		return nil, err
	}
	tokens, err := a.Fleet.Identity.LogIn(ctx, "127.0.0.1:1", identity.Credentials{Name: besideUser, Password: besidePassword})
	if err != nil {
		return nil, err
	}
	devices, err := a.Store.Fleet.Devices(ctx, tenant, drover.DeviceFilter{}, "", 200)
	if err != nil {
		return nil, err
	}
	get := func(path string) load.Request {
		return load.NewRequest(http.MethodGet, path, tokens.AccessToken, "")
	}
	var reads []load.Request
	for _, d := range devices {
		reads = append(reads, get("/device/"+d.ID), get("/trip?limit=10&device_id="+d.ID), get("/connection"), get("/account/summary"))
	}
	return reads, nil
}

// logins measures how many log in a second, beside how many hashes the machine computes, and
// reads meanwhile.
func (b *bench) logins(ctx context.Context, address string, reads []load.Request) error {
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, besideUser, besidePassword)
	login := load.Target{Address: address, Requests: []load.Request{load.NewRequest(http.MethodPost, "/token", "", body)}}
	var logins, hashes []float64
	for range turns * b.rounds {
		rate, err := hashRate(ctx, loginSpan/4)
		if err != nil {
			return err
		}
		hashes = append(hashes, rate)
		if rate, err = load.Rate(ctx, b.clients, loginSpan/4, login); err != nil {
			return err
		}
		logins = append(logins, rate)
	}
	b.table.Paired("POST /token, embedded", median(logins), "argon2id on all cores", median(hashes), ratio(logins, hashes), loginPart)
	_, took, err := readMeanwhile(ctx, address, reads,
		func(ctx context.Context) (float64, error) { return load.Rate(ctx, b.clients, loginSpan, login) })
	if err != nil {
		return err
	}
	b.table.AtMost("reads beside logins without pause, p99, embedded", p99(took).Seconds(), besideP99, inMilliseconds)
	return nil
}
