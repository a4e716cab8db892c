package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/quota"
)

const (
	// hashQueue is how many may wait for their turn, and hashWait how long.
	hashQueue = 1000
	hashWait  = 20 * time.Second
)

// noHash is a hash that no password has, at today's cost. Login compares
// with it.
const noHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Hasher hashes and verifies passwords, no more at once than there are
// processors: a burst of logins waits its turn, and takes neither the memory
// nor the processors from everything else. A hash is made in one go, which takes tens of
// milliseconds.
//
// Anyone who waits has its turn by holder, a tenant or an address: a thousand hashes for one
// do not hold up another.
type Hasher struct {
	rand  io.Reader
	slots chan struct{}
	turns *quota.Pool
	spare spare
}

// NewHasher returns a Hasher that takes salts from rand, for a program that has as many
// processors.
func NewHasher(rand io.Reader, processors int) *Hasher {
	return &Hasher{rand: rand, slots: make(chan struct{}, processors), spare: spare{processors: processors}, turns: quota.New(quota.Config{
		Size: int64(processors), Share: 1, Queue: hashQueue, Wait: hashWait,
	})}
}

// Hash is the function Hash, at the turn of a holder. It gives up when ctx is done first.
func (h *Hasher) Hash(ctx context.Context, holder, password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	turn, err := h.turn(ctx, holder)
	if err != nil {
		return "", err
	}
	defer turn.Return()
	if err := h.acquire(ctx); err != nil {
		return "", err
	}
	defer h.release()
	h.spare.begin()
	defer h.spare.end()
	return Hash(password, h.rand)
}

// Verify is the function Verify, in turn. It gives up when ctx is done first.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (bool, error) {
	if err := h.acquire(ctx); err != nil {
		return false, err
	}
	defer h.release()
	h.spare.begin()
	defer h.spare.end()
	return Verify(hash, password)
}

// turn waits until it is a holder's turn.
func (h *Hasher) turn(ctx context.Context, holder string) (*quota.Place, error) {
	turn, err := h.turns.Take(ctx, holder, 1)
	if errors.Is(err, quota.ErrFull) {
		return nil, &drover.Error{Kind: drover.KindUnavailable, Message: "Too many logins at once, try again later", RetryAfter: time.Second}
	}
	return turn, err
}

func (h *Hasher) acquire(ctx context.Context) error {
	// A request that is over must not win a free slot by chance.
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait to hash a password: %w", err)
	}
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

func (h *Hasher) release() { <-h.slots }
