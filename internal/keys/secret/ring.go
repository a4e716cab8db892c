package secret

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
)

// DataKey is a key as the database keeps it: sealed by a master key. KeyID of
// Sealed tells by which one.
type DataKey struct {
	ID        string
	Sealed    []byte
	CreatedAt drover.Time
	Active    bool // seals; the others only open
}

// NewDataKey makes an active data key. The id is part of everything the key
// will seal, so it should be short.
func NewDataKey(m *Master, id string, now time.Time) (DataKey, error) {
	if id == "" || len(id) > maxKeyID {
		return DataKey{}, fmt.Errorf("id of a data key must have 1 to %d bytes", maxKeyID)
	}
	raw := make([]byte, keyBytes)
	defer clear(raw)
	if _, err := rand.Read(raw); err != nil {
		return DataKey{}, fmt.Errorf("make data key: %w", err)
	}
	key := DataKey{ID: id, CreatedAt: drover.At(now), Active: true}
	return key.sealedBy(m, raw)
}

// Rewrap returns key, which from can open, sealed under the first key of to.
// Both may be the same Master: one that lists a new key before the old one.
// What the data key itself sealed stays as it is.
func Rewrap(from, to *Master, key DataKey) (DataKey, error) {
	raw, err := key.open(from)
	if err != nil {
		return DataKey{}, err
	}
	defer clear(raw)
	return key.sealedBy(to, raw)
}

func (k DataKey) sealedBy(m *Master, raw []byte) (DataKey, error) {
	sealed, err := m.Seal(raw, k.binding())
	if err != nil {
		return DataKey{}, fmt.Errorf("seal data key %q: %w", k.ID, err)
	}
	k.Sealed = sealed
	return k, nil
}

func (k DataKey) open(m *Master) ([]byte, error) {
	raw, err := m.Open(k.Sealed, k.binding())
	if errors.Is(err, ErrUnknownKey) {
		return nil, fmt.Errorf("open data key %q: the master key that sealed it is not among those given: %w", k.ID, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open data key %q: %w", k.ID, err)
	}
	return raw, nil
}

func (k DataKey) binding() []byte { return binding("data key", k.ID) }

// Ring is the data keys, opened: one seals, all open. It does not change; after
// a rotation the caller opens a new one.
//
// A Ring is safe for concurrent use.
type Ring struct {
	keys keys
}

// OpenRing opens the data keys of a database. Of several active ones the newest
// seals: two processes that both made the first key of a new database must not
// stop each other. The error is ErrUnknownKey where m lacks the master key that
// sealed one of them.
func OpenRing(m *Master, stored []DataKey) (*Ring, error) {
	r := &Ring{}
	stored = slices.Clone(stored)
	order.By(stored, byAge)
	for _, key := range stored {
		if err := r.add(m, key); err != nil {
			return nil, err
		}
	}
	if r.keys.sealing == "" {
		return nil, errors.New("no active data key")
	}
	return r, nil
}

func byAge(a, b DataKey) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
}

func (r *Ring) add(m *Master, key DataKey) error {
	if _, taken := r.keys.byID[key.ID]; taken {
		return fmt.Errorf("two data keys have the id %q", key.ID)
	}
	raw, err := key.open(m)
	if err != nil {
		return err
	}
	defer clear(raw)
	if err := r.keys.add(key.ID, raw); err != nil {
		return fmt.Errorf("open data key %q: %w", key.ID, err)
	}
	if key.Active {
		r.keys.sealing = key.ID
	}
	return nil
}

// Active is the id of the data key that seals. Whatever has another KeyID is to
// be sealed again before its key may be deleted.
func (r *Ring) Active() string { return r.keys.sealing }

// Seal encrypts plain. The bind parts name what it belongs to, such as the
// tenant and the connection; Open wants the same ones.
func (r *Ring) Seal(plain []byte, bind ...string) ([]byte, error) {
	if r.keys.sealing == "" {
		return nil, errors.New("no active data key")
	}
	return r.keys.seal(plain, binding(bind...)), nil
}

// Open decrypts what Seal made with any key of the ring. The error is
// ErrUnknownKey or ErrTampered.
func (r *Ring) Open(sealed []byte, bind ...string) ([]byte, error) {
	return r.keys.open(sealed, binding(bind...))
}

// String names the ring by its active key.
func (r *Ring) String() string { return "data key " + r.keys.sealing }

// Format prints the same as String, whatever the verb.
func (r *Ring) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, r.String()) }

// LogValue logs the same as String.
func (r *Ring) LogValue() slog.Value { return slog.StringValue(r.String()) }
