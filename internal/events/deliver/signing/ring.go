package signing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Overlap is how long the secret before goes on signing after a rotation.
const Overlap = 24 * time.Hour

// Ring is the secrets of one target, the newest first.
type Ring []Secret

// Secret is one of them. ExpiresAt is nil for the newest.
type Secret struct {
	Text      string       `json:"secret"`
	ExpiresAt *drover.Time `json:"expires_at"`

	key []byte
}

// NewRing makes a ring with one new secret.
func NewRing() (Ring, error) { return Ring(nil).Rotate(time.Time{}) }

// Rotate adds a new secret. The one before stays valid for Overlap, those before
// that no longer.
func (r Ring) Rotate(now time.Time) (Ring, error) {
	text, err := NewSecret(rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(text)
	if err != nil {
		return nil, err
	}
	out := Ring{{Text: text, key: key}}
	if len(r) > 0 {
		before := r[0]
		before.ExpiresAt = drover.TimePtr(now.Add(Overlap))
		out = append(out, before)
	}
	return out, nil
}

// View is the newest secret as it is shown.
func (r Ring) View(now time.Time) drover.WebhookSecret {
	v := drover.WebhookSecret{Secret: r[0].Text}
	if len(r) > 1 && r[1].ExpiresAt.After(now) {
		v.PreviousExpiresAt = r[1].ExpiresAt
	}
	return v
}

// Sign sets the headers of a delivery: a signature by each secret that is valid.
func (r Ring) Sign(h http.Header, id string, at time.Time, body []byte) {
	signatures := make([]string, 0, len(r))
	for _, s := range r {
		if s.ExpiresAt == nil || s.ExpiresAt.After(at) {
			signatures = append(signatures, sign(s.key, id, at, body))
		}
	}
	h.Set(HeaderID, id)
	h.Set(headerTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, strings.Join(signatures, " "))
}

// Vault seals and opens what is stored.
type Vault interface {
	Seal(plain []byte, bind ...string) ([]byte, error)
	Open(ctx context.Context, sealed []byte, bind ...string) ([]byte, error)
}

// Seal returns the ring as it is stored with the record that s names.
func (r Ring) Seal(v Vault, s store.Sealed) (store.Sealed, error) {
	plain, err := json.Marshal(r)
	if err != nil {
		return s, errors.New("write webhook secrets")
	}
	if s.Sealed, err = v.Seal(plain, s.Bind()...); err != nil {
		return s, fmt.Errorf("seal webhook secrets: %w", err)
	}
	return s, nil
}

// Open reads a ring that Seal made.
func Open(ctx context.Context, v Vault, s store.Sealed) (Ring, error) {
	plain, err := v.Open(ctx, s.Sealed, s.Bind()...)
	if err != nil {
		return nil, fmt.Errorf("open webhook secrets: %w", err)
	}
	var r Ring
	if err := json.Unmarshal(plain, &r); err != nil || len(r) == 0 {
		return nil, errors.New("read webhook secrets: the sealed text is no list")
	}
	for i := range r {
		if r[i].key, err = keyOf(r[i].Text); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Account reads the ring of a tenant's milestones, and makes it where there is
// none yet.
func Account(ctx context.Context, s *store.Store, v Vault, tenantID string) (Ring, error) {
	stored, err := s.Webhooks.AccountSecrets(ctx, tenantID)
	if errors.Is(err, store.ErrNotFound) {
		if err := addAccount(ctx, s, v, tenantID); err != nil {
			return nil, err
		}
		// Another process may have been first: what is stored counts.
		stored, err = s.Webhooks.AccountSecrets(ctx, tenantID)
	}
	if err != nil {
		return nil, err
	}
	return Open(ctx, v, stored)
}

func addAccount(ctx context.Context, s *store.Store, v Vault, tenantID string) error {
	ring, err := NewRing()
	if err != nil {
		return err
	}
	sealed, err := ring.Seal(v, store.Sealed{TenantID: tenantID, ID: store.NewID()})
	if err != nil {
		return err
	}
	return s.Update(ctx, func(tx *store.Tx) error { return tx.Webhooks.AddAccountSecrets(ctx, sealed) })
}
