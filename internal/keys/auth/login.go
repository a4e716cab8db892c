package auth

import "context"

// Login checks passwords the way a login has to: throttled, a few at a time,
// and in the same time whether or not the user exists. Those who wait for their
// turn have it by address: a thousand logins from one, right or wrong, do not hold
// up those from another.
type Login struct {
	hasher   *Hasher
	throttle *Throttle
}

// NewLogin returns a Login that hashes with hasher and counts in throttle.
func NewLogin(hasher *Hasher, throttle *Throttle) *Login {
	return &Login{hasher: hasher, throttle: throttle}
}

// Check reports whether password fits the stored hash, "" for a user who does
// not exist, and counts the outcome for the address and the user: its id or, of one
// who does not exist, the name as the caller sent it. The error is that of Throttle.Allow, of ctx, or ErrHash.
func (l *Login) Check(ctx context.Context, addr, username, hash, password string) (bool, error) {
	if err := l.throttle.Allow(addr, username); err != nil {
		return false, err // before it waits for a turn
	}
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

func (l *Login) verify(hash, password string) (bool, error) {
	l.hasher.spare.begin()
	defer l.hasher.spare.end()
	if hash != "" {
		return Verify(hash, password)
	}
	_, err := Verify(nobody, password)
	return false, err
}
