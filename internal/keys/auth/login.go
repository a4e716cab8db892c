package auth

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/quota"
)

const (
	// loginQueue is how many logins may wait for their turn, and loginWait how long.
	loginQueue = 1000
	loginWait  = 20 * time.Second
)

// Login checks passwords the way a login has to: throttled, a few at a time,
// and in the same time whether or not the user exists. Those who wait for their
// turn have it by address: a thousand logins from one, right or wrong, do not hold
// up those from another.
type Login struct {
	hasher   *Hasher
	throttle *Throttle
	turns    *quota.Pool
}

// NewLogin returns a Login that hashes with hasher and counts in throttle.
func NewLogin(hasher *Hasher, throttle *Throttle) *Login {
	return &Login{hasher: hasher, throttle: throttle, turns: quota.New(quota.Config{
		Size: int64(cap(hasher.slots)), Share: 1, Queue: loginQueue, Wait: loginWait,
	})}
}

// Check reports whether password fits the stored hash, "" for a user who does
// not exist, and counts the outcome for the address and the name as the caller
// sent it. The error is that of Throttle.Allow, of ctx, or ErrHash.
func (l *Login) Check(ctx context.Context, addr, username, hash, password string) (bool, error) {
	if err := l.throttle.Allow(addr, username); err != nil {
		return false, err // before it waits for a turn
	}
	turn, err := l.turn(ctx, addr)
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
	if err := l.throttle.Allow(addr, username); err != nil {
		return false, err
	}
	ok, err := l.verify(hash, password)
	if err != nil {
		return false, err
	}
	if !ok {
		l.throttle.Fail(addr, username)
		return false, nil
	}
	l.throttle.Succeed(addr, username)
	return true, nil
}

// turn waits until it is an address's turn.
func (l *Login) turn(ctx context.Context, addr string) (*quota.Place, error) {
	turn, err := l.turns.Take(ctx, AddressGroup(addr), 1)
	if errors.Is(err, quota.ErrFull) {
		return nil, &drover.Error{Kind: drover.KindUnavailable, Message: "Too many logins at once, try again later", RetryAfter: time.Second}
	}
	return turn, err
}

func (l *Login) verify(hash, password string) (bool, error) {
	l.hasher.spare.begin()
	defer l.hasher.spare.end()
	if hash != "" {
		return Verify(hash, password)
	}
	_, err := Verify(nobody, password)
	return false, err
}
