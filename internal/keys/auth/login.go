package auth

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// Login checks passwords the way a login has to: throttled, a few at a time,
// and in the same time whether or not the user exists. Those who wait for their
// turn have it by address: a thousand logins from one, right or wrong, do not hold
// up those from another.
//
// Failures are counted in the store too, where all processes see them: otherwise there
// would be so many times as many guesses as processes. Only a password that was hashed is
// counted, so that no one writes more rows than the processors can hash.
type Login struct {
	hasher   *Hasher
	throttle *Throttle
	store    *store.Store
}

// NewLogin returns a Login that hashes with hasher and counts in throttle and in s; nil
// counts in this process alone.
func NewLogin(hasher *Hasher, throttle *Throttle, s *store.Store) *Login {
	return &Login{hasher: hasher, throttle: throttle, store: s}
}

// Check reports whether password fits the stored hash, "" for a user who does
// not exist, and counts the outcome for the address and the user: its id or, of one
// who does not exist, the name as the caller sent it. The error is that of Throttle.Allow, of ctx, of the store, or ErrHash.
func (l *Login) Check(ctx context.Context, addr, username, hash, password string) (bool, error) {
	// Before it waits for a turn. Another process may know the user at the address.
	if l.throttle.Allow(addr, username) != nil {
		if err := l.allow(ctx, addr, username); err != nil {
			return false, err
		}
	}
	ok, err := l.inTurn(ctx, addr, username, hash, password)
	if err != nil || l.store == nil {
		return ok, err
	}
	return ok, l.share(ctx, addr, username, ok)
}

// Guess counts the outcome of a guess at something that is no password, such as a code,
// under a name of its own: a right password must not forgive wrong codes.
func (l *Login) Guess(ctx context.Context, addr, name string, check func() (bool, error)) (bool, error) {
	if err := l.allow(ctx, addr, name); err != nil {
		return false, err
	}
	ok, err := check()
	switch {
	case err != nil:
		return false, err
	case ok:
		l.throttle.Succeed(addr, name)
	default:
		l.throttle.Fail(addr, name)
	}
	if l.store == nil {
		return ok, nil
	}
	return ok, l.share(ctx, addr, name, ok)
}

// inTurn checks a password when its turn has come.
func (l *Login) inTurn(ctx context.Context, addr, username, hash, password string) (bool, error) {
	turn, err := l.hasher.turn(ctx, AddressGroup(addr))
	if err != nil {
		return false, err
	}
	defer turn.Return()
	if err := l.hasher.acquire(ctx); err != nil {
		return false, err
	}
	defer l.hasher.release()
	// Asked again in turn, with every earlier outcome counted: otherwise a
	// thousand guesses sent at once would all pass before the first one fails.
	if err := l.allow(ctx, addr, username); err != nil {
		return false, err
	}
	ok, err := l.verify(hash, password)
	switch {
	case err != nil:
		return false, err
	case ok:
		l.throttle.Succeed(addr, username)
	default:
		l.throttle.Fail(addr, username)
	}
	return ok, nil
}

// allow is Throttle.Allow with what other processes have counted.
func (l *Login) allow(ctx context.Context, addr, username string) error {
	if l.store != nil {
		tries, err := l.store.Accounts.Tries(ctx, sharedKeys(addr, username))
		if err != nil {
			return err
		}
		l.throttle.adopt(addr, username, tries)
	}
	return l.throttle.Allow(addr, username)
}

// knownFor is how long a place of a user is not noted again.
const knownFor = 24 * time.Hour

// share counts an outcome for all processes. A login from the usual place changes nothing.
func (l *Login) share(ctx context.Context, addr, username string, ok bool) error {
	keys, now := sharedKeys(addr, username), l.throttle.now()
	if !ok {
		return l.store.Update(ctx, func(tx *store.Tx) error {
			return tx.Accounts.AddFailure(ctx, keys, drover.At(now), drover.At(now.Add(-failureWindow)))
		})
	}
	tries, err := l.store.Accounts.Tries(ctx, keys)
	if err != nil {
		return err
	}
	pair := tries[keys.Pair]
	if pair.Failures == 0 && tries[keys.Name].Failures == 0 && now.Sub(pair.KnownAt.Time) < knownFor {
		return nil
	}
	return l.store.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddSuccess(ctx, keys, drover.At(now)) })
}

// DropTries forgets counts that hold no one up any more.
func DropTries(ctx context.Context, tx account.Editor, now time.Time) error {
	return tx.DropTries(ctx, drover.At(now.Add(-failureWindow)), drover.At(now.Add(-trustPeriod)))
}

func (l *Login) verify(hash, password string) (bool, error) {
	l.hasher.spare.begin()
	defer l.hasher.spare.end()
	if hash != "" {
		return Verify(hash, password)
	}
	_, err := Verify(noHash, password)
	return false, err
}
