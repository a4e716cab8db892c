package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// guessedUsers are known, and as many are not; each is guessed a few times, fewer than are
	// free, so that none waits.
	guessedUsers = 60
	guessesEach  = 2
	// guessPart is how much one kind may differ from the other.
	guessPart = 0.05
)

// guesses measures wrong passwords of users that are known in turn with those of users that
// are not: who measures both must not be able to say which is which. The processor's time
// counts, which other work on the machine disturbs less.
func (b *bench) guesses(ctx context.Context) error {
	b.progress("wrong passwords of known and unknown users, embedded")
	a, err := b.embedded(ctx, "guess")
	if err != nil {
		return err
	}
	return errors.Join(b.measureGuesses(ctx, a), a.Close())
}

func (b *bench) measureGuesses(ctx context.Context, a *app.App) error {
	hash, err := auth.Hash(besidePassword, rand.Reader)
	if err != nil {
		return err
	}
	tenant, at := store.NewID(), drover.At(time.Now())
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: tenant, Name: "guessed", CreatedAt: at})
		for n := range guessedUsers {
			err = errors.Join(err, tx.Accounts.AddUser(ctx, drover.User{
				TenantID: tenant, ID: store.NewID(), Username: fmt.Sprintf("known-%02d", n), Email: fmt.Sprintf("k%02d@bench.example", n),
				Role: drover.RoleViewer, CreatedAt: at,
			}, hash))
		}
		return err
	})
	if err != nil {
		return err
	}
	addresses := 0
	guess := func(kind string, n int) func() (slice, error) {
		return func() (s slice, err error) {
			addresses++ // each has its own failures
			body := fmt.Sprintf(`{"username":"%s-%02d","password":"not the one"}`, kind, n)
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/token", bytes.NewReader([]byte(body)))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = fmt.Sprintf("10.%d.%d.1:4000", addresses/256, addresses%256)
			answer := httptest.NewRecorder()
			begun := time.Now()
			s.used, err = b.spent("embedded").during(func() error { a.API.ServeHTTP(answer, r); return nil })
			s.count, s.took = 1, time.Since(begun)
			if err == nil && answer.Code != http.StatusUnauthorized {
				err = fmt.Errorf("a guess was answered with %d: %s", answer.Code, answer.Body)
			}
			return s, err
		}
	}
	var known, unknown measured
	for n := range guessedUsers {
		one, two, err := inTurn(guessesEach, guess("known", n), guess("other", n))
		if err != nil {
			return err
		}
		if n > 0 { // the first ones are slower
			known.rates, known.ofCore = append(known.rates, one.rates...), append(known.ofCore, one.ofCore...)
			unknown.rates, unknown.ofCore = append(unknown.rates, two.rates...), append(unknown.ofCore, two.ofCore...)
		}
	}
	for _, f := range []struct {
		name           string
		known, unknown float64
	}{
		{"by time", median(known.rates), median(unknown.rates)},
		{"by processor time", median(known.ofCore), median(unknown.ofCore)},
	} {
		b.table.Paired("wrong passwords of known users "+f.name+", embedded", f.known, "unknown users", f.unknown, f.known/f.unknown, 0)
	}
	apart := median(known.ofCore)/median(unknown.ofCore) - 1
	b.table.AtMost("known and unknown users apart, by processor time, embedded", max(apart, -apart), guessPart,
		func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) })
	return nil
}
