package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// keyUse is how exactly it is known when a key was last used.
const keyUse = 10 * time.Minute

// APIKeys lists the tenant's keys by id, after the id given.
func (s *Directory) APIKeys(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.APIKey, error) {
	if err := guard.MayAdminister(p); err != nil {
		return nil, err
	}
	return s.store.SignIn.APIKeys(ctx, p.TenantID, string(after), limit)
}

// CreateAPIKey makes a key. Its secret is shown this once.
func (s *Directory) CreateAPIKey(ctx context.Context, p drover.Principal, in drover.APIKeyInput) (drover.APIKeyCreated, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.APIKeyCreated{}, err
	}
	made, err := s.newAPIKey(in)
	if err != nil {
		return drover.APIKeyCreated{}, err
	}
	if err := bind(p, in.Owner, &made.APIKey); err != nil {
		return drover.APIKeyCreated{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.APIKeyCreated, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaAPIKeys, 1); err != nil {
			return made, err
		}
		return made, tx.SignIn.AddAPIKey(ctx, p.TenantID, made.APIKey, auth.HashSecret(made.Key))
	})
}

// newAPIKey checks a key in the order of its fields, and makes its secret.
func (s *Directory) newAPIKey(in drover.APIKeyInput) (drover.APIKeyCreated, error) {
	key := drover.APIKeyCreated{APIKey: drover.APIKey{
		ID: store.NewID(), Name: strings.TrimSpace(in.Name), Role: in.Role, Networks: []string{}, CreatedAt: s.now(), ExpiresAt: in.ExpiresAt,
	}}
	switch {
	case key.Name == "":
		return key, drover.InvalidValue("a name must not be blank", "body", "name")
	case in.Role == nil && in.Scopes == nil:
		return key, drover.Invalid("missing", "Field required", "body", "role")
	case in.Role != nil && in.Scopes != nil:
		return key, drover.InvalidValue("role and scopes exclude each other", "body", "scopes")
	case in.Role != nil:
		key.Scopes = in.Role.Permissions()
	default:
		key.Scopes = slices.DeleteFunc(slices.Clone(drover.Permissions), func(x drover.Permission) bool {
			return !slices.Contains(in.Scopes, x) && (x != drover.PermissionRead || pushesOnly(in.Scopes))
		})
	}
	for i, text := range in.Networks {
		network, err := parseNetwork(text)
		if err != nil {
			return key, drover.InvalidValue("a network is an address, or one with the length of its prefix, such as 192.0.2.0/24", "body",
				"networks", i)
		}
		key.Networks = append(key.Networks, network.String())
	}
	if in.ExpiresAt != nil && !in.ExpiresAt.After(s.clock()) {
		return key, drover.InvalidValue("expires_at must lie in the future", "body", "expires_at")
	}
	key.Key = newSecret(drover.APIKeyPrefix)
	return key, nil
}

// pushesOnly reports whether scopes are those of a key that sends records and does nothing
// else: it often lies in a place where others can find it, such as a vehicle.
func pushesOnly(scopes []drover.Permission) bool {
	return len(scopes) > 0 && !slices.ContainsFunc(scopes, func(x drover.Permission) bool { return x != drover.PermissionPush })
}

// newSecret is the secret of a key.
func newSecret(prefix string) string {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // it never fails
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(raw))
}

// parseNetwork reads a network, or a single address as one of its own.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}

// mayGrant keeps a caller from giving others more than it has.
func mayGrant(p drover.Principal, permissions []drover.Permission) error {
	for _, x := range permissions {
		if !p.Can(x) {
			return drover.Forbidden()
		}
	}
	return nil
}

// bind holds a key to what its maker is: what it does not say it inherits, and more it is
// refused. It ends with the user who made it, or whose key did, unless it is the tenant's.
func bind(p drover.Principal, owner drover.KeyOwner, made *drover.APIKey) error {
	user := p.UserID
	if p.Key {
		user = p.MakerID
	}
	made.Owner, made.MakerID, made.MakerName = cmp.Or(owner, drover.KeyOfUser), guard.OrNull(user), p.Name
	switch {
	case user == "": // a service, for which a user could not answer
		made.Owner = drover.KeyOfTenant
	case p.Key && made.Owner == drover.KeyOfTenant: // it would outlive the key's own maker
		return drover.Forbidden()
	}
	if made.ExpiresAt == nil {
		made.ExpiresAt = p.ExpiresAt
	}
	if len(made.Networks) == 0 {
		for _, own := range p.Networks {
			made.Networks = append(made.Networks, own.String())
		}
	}
	return covers(p, *made)
}

// covers refuses a caller what is done with a key that it could not be: one with more
// rights, a later end or other networks.
func covers(p drover.Principal, k drover.APIKey) error {
	if p.ExpiresAt != nil && (k.ExpiresAt == nil || k.ExpiresAt.After(p.ExpiresAt.Time)) || len(p.Networks) > 0 && len(k.Networks) == 0 {
		return drover.Forbidden()
	}
	for _, text := range k.Networks {
		network, err := netip.ParsePrefix(text)
		if len(p.Networks) > 0 && (err != nil || !slices.ContainsFunc(p.Networks, func(own netip.Prefix) bool {
			return own.Bits() <= network.Bits() && own.Contains(network.Addr())
		})) {
			return drover.Forbidden()
		}
	}
	return mayGrant(p, k.Scopes)
}

// DeleteAPIKey revokes a key, in every process within a second.
func (s *Directory) DeleteAPIKey(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayAdminister(p); err != nil {
		return err
	}
	other, err := s.store.SignIn.OtherAPIKey(ctx, p.TenantID, id)
	if err != nil {
		return err
	}
	if other {
		return drover.Forbidden()
	}
	key, err := s.store.SignIn.APIKey(ctx, p.TenantID, id)
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownAPIKey, id)
	}
	if err := covers(p, key); err != nil {
		return err
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		dropped, err := tx.SignIn.DropAPIKey(ctx, p.TenantID, id)
		if err == nil && !dropped {
			return drover.Errorf(drover.KindNotFound, guard.UnknownAPIKey, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}

// authenticateKey tells whose an API key is, and whether it may be used from
// where the request comes.
func (s *Directory) authenticateKey(ctx context.Context, key string) (drover.Principal, error) {
	version, now := s.vault.Version(), s.clock()
	known, ok := s.known.get(key, version, now)
	if !ok {
		var err error
		if known, err = s.findKey(ctx, key, now); err != nil {
			return drover.Principal{}, err
		}
		if known.principal.RequestsPerMinute, err = s.rate(ctx, known.principal); err != nil {
			return drover.Principal{}, err
		}
		s.known.put(key, version, known)
	}
	if len(known.networks) > 0 && !slices.ContainsFunc(known.networks, func(n netip.Prefix) bool { return n.Contains(guard.Address(ctx)) }) {
		return drover.Principal{}, drover.Forbidden()
	}
	return known.principal, nil
}

// makerCan reports whether the maker of a key is still there and may do what the key may.
func makerCan(k account.KeyState) bool {
	return k.MakerRole != nil && !slices.ContainsFunc(k.Scopes,
		func(x drover.Permission) bool { return !slices.Contains(k.MakerRole.Permissions(), x) })
}

func (s *Directory) findKey(ctx context.Context, key string, now time.Time) (knownToken, error) {
	k, err := s.store.SignIn.APIKeyByHash(ctx, auth.HashSecret(key))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return knownToken{}, auth.ErrUnauthenticated()
	case err != nil:
		return knownToken{}, err
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return knownToken{}, auth.ErrUnauthenticated()
	case k.Owner == drover.KeyOfUser && !makerCan(k):
		return knownToken{}, auth.ErrUnauthenticated()
	case k.Suspended:
		return knownToken{}, drover.Forbidden()
	}
	if k.LastUsedAt == nil || now.Sub(k.LastUsedAt.Time) >= keyUse {
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			return tx.SignIn.UseAPIKey(ctx, k.TenantID, k.ID, drover.At(now), drover.At(now.Add(-keyUse)))
		})
		if err != nil {
			return knownToken{}, err
		}
	}
	known := knownToken{principal: drover.Principal{
		TenantID: k.TenantID, UserID: k.ID, Name: k.Name, Key: true, Scopes: k.Scopes,
		ExpiresAt: k.ExpiresAt,
	}, until: now.Add(keyUse)}
	if k.Role != nil {
		known.principal.Role = *k.Role
	}
	if k.Owner == drover.KeyOfUser {
		known.principal.MakerID = *k.MakerID
	}
	if k.ExpiresAt != nil && k.ExpiresAt.Before(known.until) {
		known.until = k.ExpiresAt.Time
	}
	for _, text := range k.Networks {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return knownToken{}, errors.New("read the networks of an API key")
		}
		known.networks = append(known.networks, network)
	}
	known.principal.Networks = known.networks
	return known, nil
}
