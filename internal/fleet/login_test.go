package fleet_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

// noSalt fails where someone wants to hash.
type noSalt struct{}

func (noSalt) Read([]byte) (int, error) { return 0, errors.New("a password was hashed") }

// TestWhatCostsNothingIsCheckedFirst holds that no password is hashed for a user that cannot
// be made or changed.
func TestWhatCostsNothingIsCheckedFirst(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		r.hashWith(auth.NewHasher(rand.Reader, 2))
		ann := drover.UserInput{Username: "ann", Email: "ann@mail.example", Role: drover.RoleViewer, Password: new("grey-owl-17")}
		must(r, func() (drover.User, error) { return r.Identity.CreateUser(ctx, r.owner, ann) })
		ben := drover.UserInput{Username: "ben", Email: "ben@mail.example", Role: drover.RoleViewer, Password: new("grey-owl-17")}
		user := must(r, func() (drover.User, error) { return r.Identity.CreateUser(ctx, r.owner, ben) })
		r.hashWith(auth.NewHasher(noSalt{}, 2))
		if _, err := r.Identity.CreateUser(ctx, r.owner, ann); drover.ErrorKind(err) != drover.KindConflict {
			r.t.Errorf("a name that is taken: %v", err)
		}
		_, err := r.Identity.UpdateUser(ctx, r.owner, user.ID, drover.UserUpdate{Username: drover.Some("ANN"), Password: drover.Some("tall-elm-17")})
		if drover.ErrorKind(err) != drover.KindConflict {
			r.t.Errorf("a new name that is taken: %v", err)
		}
		if _, err := r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
			Username: "c", Email: "c@mail.example", Role: drover.RoleViewer,
			Password: new("password"),
		}); drover.ErrorKind(err) != drover.KindInvalid {
			r.t.Errorf("a password that is refused: %v", err)
		}
		r.update(func(tx *store.Tx) error { return tx.Accounts.SetLimit(ctx, r.owner.TenantID, drover.QuotaUsers, 1) })
		if _, err := r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
			Username: "c", Email: "c@mail.example", Role: drover.RoleViewer, Password: new("tall-elm-17"),
		}); drover.ErrorKind(err) != drover.KindForbidden {
			r.t.Errorf("more users than there may be: %v", err)
		}
	})
}

func (r *rig) hashWith(h *auth.Hasher) {
	throttle := auth.NewThrottle(r.options.Now)
	r.options.Hasher, r.options.Throttle, r.options.Login = h, throttle, auth.NewLogin(h, throttle, r.options.Store)
	r.Service = fleet.New(r.options)
}

// TestGuessesByNameAndAddress holds that the name and the address of a user are guessed at
// with one count.
func TestGuessesByNameAndAddress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		r.hashWith(auth.NewHasher(rand.Reader, 2))
		must(r, func() (drover.User, error) {
			return r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
				Username: "ann", Email: "ann@mail.example", Role: drover.RoleViewer,
				Password: new("grey-owl-17"),
			})
		})
		for i := range 5 {
			name := []string{"ann", "ANN@mail.example"}[i%2]
			if _, err := r.Identity.LogIn(ctx, "[2001:db8::1]:80", identity.Credentials{Name: name, Password: "wrong-one"}); drover.ErrorKind(err) != drover.KindUnauthenticated {
				r.t.Fatalf("guess %d: %v", i, err)
			}
		}
		for _, name := range []string{"ann", "ann@mail.example", strings.ToUpper("ann")} {
			if _, err := r.Identity.LogIn(ctx, "[2001:db8::2]:80", identity.Credentials{Name: name, Password: "grey-owl-17"}); drover.ErrorKind(err) != drover.KindRateLimited {
				r.t.Errorf("%s after five guesses from the same network: %v", name, err)
			}
		}
	})
}

// TestGuessesAtSeveralProcesses holds that guesses are counted together, whichever process
// they are sent to, and that a user who is known at an address is known to all of them.
func TestGuessesAtSeveralProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		var processes []*fleet.Service // which share nothing but the database
		for range 3 {
			r.hashWith(auth.NewHasher(rand.Reader, 2))
			processes = append(processes, r.Service)
		}
		must(r, func() (drover.User, error) {
			return r.Identity.CreateUser(ctx, r.owner, drover.UserInput{
				Username: "ann", Email: "ann@mail.example", Role: drover.RoleViewer, Password: new("grey-owl-17"),
			})
		})
		try := func(process int, addr, name, password string, want drover.Kind) {
			r.t.Helper()
			_, err := processes[process].Identity.LogIn(ctx, addr, identity.Credentials{Name: name, Password: password})
			if drover.ErrorKind(err) != want || (err == nil) != (want == 0) {
				r.t.Fatalf("%s at process %d from %s: %v, want %v", name, process, addr, err, want)
			}
		}
		for i := range 5 {
			try(i%2, "192.0.2.1:80", "ann", "wrong-one", drover.KindUnauthenticated)
		}
		for process := range processes {
			try(process, "192.0.2.1:80", "ann", "grey-owl-17", drover.KindRateLimited)
		}
		try(0, "192.0.2.2:80", "ann", "grey-owl-17", 0) // which makes the address known to all
		for i := range 20 {
			try(i%2, "192.0.2.2:80", fmt.Sprintf("nobody-%d", i), "wrong-one", drover.KindUnauthenticated)
		}
		try(2, "192.0.2.2:80", "ben", "wrong-one", drover.KindRateLimited)
		try(2, "192.0.2.2:80", "ann", "grey-owl-17", 0)
	})
}
