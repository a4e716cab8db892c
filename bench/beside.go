package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/auth"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	besideRate     = 20_000 // positions a second that go in
	besideStep     = time.Minute
	besideSpan     = 10 * time.Second
	besideReaders  = 4
	besidePause    = 5 * time.Millisecond // of a reader, between an answer and its next request
	besideP99      = 0.025                // seconds
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
	tenant, err := i.makeFleet(ctx)
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
	for range 2 { // each device has its state
		if _, _, _, err := i.step(ctx, besideStep); err != nil {
			return err
		}
	}
	rate, took, err := readMeanwhile(ctx, address, reads, func(ctx context.Context) (float64, error) { return i.stream(ctx, besideSpan) })
	if err != nil {
		return err
	}
	b.table.AtLeast("positions in beside reads, embedded", rate, "target", besideRate, 0.99)
	b.table.AtMost("reads beside "+table.Thousands(besideRate)+" positions a second, p99, embedded", p99(took).Seconds(), besideP99, inMilliseconds)
	return b.logins(ctx, address, reads)
}

// besideReads adds a user and returns what is read.
func besideReads(ctx context.Context, a *app.App, tenant string) ([]load.Request, error) {
	hash, err := auth.Hash(besidePassword, rand.Reader)
	if err != nil {
		return nil, err
	}
	user := drover.User{TenantID: tenant, ID: store.NewID(), Username: besideUser, Email: "beside@bench.example", Role: drover.RoleViewer, CreatedAt: drover.At(time.Now())}
	if err := a.Store.Update(ctx, func(tx *store.Tx) error { return tx.AddUser(ctx, user, hash) }); err != nil {
		return nil, err
	}
	tokens, err := a.Fleet.LogIn(ctx, "127.0.0.1:1", besideUser, besidePassword)
	if err != nil {
		return nil, err
	}
	devices, err := a.Store.Devices(ctx, tenant, drover.DeviceFilter{}, "", 200)
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

// stream takes positions in at an even rate, and returns which rate was reached.
func (i *intake) stream(ctx context.Context, span time.Duration) (float64, error) {
	begun, total := time.Now(), 0
	for time.Since(begun) < span {
		n, _, _, err := i.step(ctx, besideStep)
		if err != nil {
			return 0, err
		}
		total += n
		select {
		case <-time.After(time.Duration(float64(total)/besideRate*float64(time.Second)) - time.Since(begun)):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return float64(total) / time.Since(begun).Seconds(), nil
}

// readMeanwhile reads from several connections while work runs, and returns what work does
// and how long the reads took.
func readMeanwhile(ctx context.Context, address string, reads []load.Request, work func(context.Context) (float64, error)) (float64, []time.Duration, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	var took []time.Duration
	var readers errgroup.Group
	for n := range besideReaders {
		readers.Go(func() error {
			mine, err := readUntil(reading, address, reads, n*len(reads)/besideReaders)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			return err
		})
	}
	done, err := work(ctx)
	stop()
	if err := errors.Join(err, readers.Wait()); err != nil {
		return 0, nil, err
	}
	if len(took) == 0 {
		return 0, nil, errors.New("nothing was read")
	}
	return done, took, nil
}

func readUntil(ctx context.Context, address string, reads []load.Request, place int) (took []time.Duration, err error) {
	c, err := load.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for ; ctx.Err() == nil; place++ {
		request := reads[place%len(reads)]
		begun := time.Now()
		status, err := c.Send(request)
		if err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("%s: %d, %w", load.FirstLine(request), status, err)
		}
		took = append(took, time.Since(begun))
		select {
		case <-time.After(besidePause):
		case <-ctx.Done():
		}
	}
	return took, nil
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[int(math.Ceil(0.99*float64(len(took))))-1]
}

// logins measures how many log in a second, beside how many hashes the machine computes, and
// reads meanwhile.
func (b *bench) logins(ctx context.Context, address string, reads []load.Request) error {
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, besideUser, besidePassword)
	login := load.Target{Address: address, Requests: []load.Request{load.NewRequest(http.MethodPost, "/token", "", body)}}
	var logins, hashes best
	for range b.rounds {
		rate, err := hashRate(ctx, loginSpan/4)
		if err != nil {
			return err
		}
		hashes.take(rate)
		if rate, err = load.Rate(ctx, b.clients, loginSpan/4, login); err != nil {
			return err
		}
		logins.take(rate)
	}
	b.table.AtLeast("POST /token, embedded", float64(logins), "argon2id on all cores", float64(hashes), loginPart)
	_, took, err := readMeanwhile(ctx, address, reads, func(ctx context.Context) (float64, error) { return load.Rate(ctx, b.clients, loginSpan, login) })
	if err != nil {
		return err
	}
	b.table.AtMost("reads beside logins without pause, p99, embedded", p99(took).Seconds(), besideP99, inMilliseconds)
	return nil
}

// hashRate is how many passwords all cores verify a second.
func hashRate(ctx context.Context, span time.Duration) (float64, error) {
	hash, err := auth.Hash(besidePassword, rand.Reader)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	counts := make([]int, runtime.GOMAXPROCS(0))
	var all errgroup.Group
	for n := range counts {
		all.Go(func() error {
			for time.Since(begun) < span && ctx.Err() == nil {
				if _, err := auth.Verify(hash, besidePassword); err != nil {
					return err
				}
				counts[n]++
			}
			return ctx.Err()
		})
	}
	err = all.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(begun).Seconds(), err
}
