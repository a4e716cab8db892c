package fleet_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
)

const factorPassword = "grey-owl-17"

// withFactor makes a user with a second factor, and returns its secret.
func (r *rig) withFactor(name string) (drover.User, []byte) {
	r.t.Helper()
	ctx, addr := r.t.Context(), "192.0.2.9:80"
	u := must(r, func() (drover.User, error) {
		return r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
			Username: name, Email: name + "@mail.example", Role: drover.RoleViewer, Password: new(factorPassword),
		})
	})
	p, _, err := r.Identity.OpenConsole(ctx, addr, identity.Credentials{Name: name, Password: factorPassword})
	if err != nil {
		r.t.Fatal(err)
	}
	begun := must(r, func() (drover.FactorSecret, error) {
		return r.Identity.BeginFactor(ctx, p, addr, drover.FactorInput{Password: new(factorPassword)})
	})
	secret := must(r, func() ([]byte, error) { return base32.StdEncoding.DecodeString(begun.Secret) })
	must(r, func() (drover.RecoveryCodes, error) {
		return r.Identity.ConfirmFactor(ctx, p, addr, drover.FactorCode{Code: auth.CodeAt(secret, r.options.Now().Add(-30*time.Second))})
	})
	return u, secret
}

// TestCodesAtTwoProcesses holds that a code is good once, and guesses are counted together,
// whichever process they are sent to.
func TestCodesAtTwoProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		var processes [2]*fleet.Service // which share nothing but the database
		for i := range processes {
			r.hashWith(auth.NewHasher(rand.Reader, 2))
			processes[i] = r.Service
		}
		_, secret := r.withFactor("ann")
		logIn := func(process int, addr, code string) error {
			_, err := processes[process].Identity.LogIn(ctx, addr, identity.Credentials{Name: "ann", Password: factorPassword, Code: code})
			return err
		}
		code := auth.CodeAt(secret, r.options.Now())
		var in atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				if logIn(i%2, "192.0.2.1:80", code) == nil {
					in.Add(1)
				}
			})
		}
		if all.Wait(); in.Load() != 1 {
			r.t.Errorf("one code let in %d", in.Load())
		}
		for i := range 5 {
			if err := logIn(i%2, "192.0.2.2:80", code); drover.ErrorKind(err) != drover.KindUnauthenticated {
				r.t.Fatalf("guess %d: %v", i, err)
			}
		}
		for i := range processes {
			err := logIn(i, "192.0.2.2:80", auth.CodeAt(secret, r.options.Now().Add(30*time.Second)))
			if drover.ErrorKind(err) != drover.KindRateLimited {
				r.t.Errorf("process %d after five guesses: %v", i, err)
			}
		}
	})
}

// TestFactorIsSealed holds that the database alone makes no codes, and that nothing of a
// second factor outlives its user.
func TestFactorIsSealed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		r.hashWith(auth.NewHasher(rand.Reader, 2))
		u, secret := r.withFactor("ann")
		app, err := r.options.Store.SignIn.TOTP(ctx, u.TenantID, u.ID)
		if err != nil || bytes.Contains(app.Sealed, secret) || bytes.Contains(app.Sealed, []byte(auth.FactorText(secret))) {
			r.t.Errorf("the secret is stored as it is: %v", err)
		}
		if err := r.Identity.DeleteUser(ctx, r.owner, u.ID); err != nil {
			r.t.Fatal(err)
		}
		left, err := r.options.Store.SignIn.RecoveryCodes(ctx, u.TenantID, u.ID)
		if _, gone := r.options.Store.SignIn.TOTP(ctx, u.TenantID, u.ID); gone == nil || left != 0 || err != nil {
			r.t.Errorf("the second factor of a deleted user is there: %v, %d codes, %v", gone, left, err)
		}
	})
}
