package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// codeLifetime is how long a code can be used.
const codeLifetime = 7 * 24 * time.Hour

// OfferShare offers a connection to another tenant, which reads nothing before it
// accepts. Where it is offered already, nothing changes.
func (s Shares) OfferShare(ctx context.Context, p drover.Principal, id string, in drover.ShareInput) (drover.Share, error) {
	if err := s.ownConnection(ctx, p, id); err != nil {
		return drover.Share{}, err
	}
	share := drover.Share{ID: store.NewID(), ConnectionID: id, OwnerTenantID: p.TenantID, CreatedAt: s.now(), ExpiresAt: in.ExpiresAt}
	grant, err := s.checkOffer(in)
	if err != nil {
		return share, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Share, error) {
		var err error
		if share.TenantID, err = s.recipient(ctx, tx, p, in); err != nil {
			return share, err
		}
		return offer(ctx, tx.Shares, share, grant)
	})
}

// ShareWith is OfferShare of everything to a tenant by its id.
func (s Shares) ShareWith(ctx context.Context, p drover.Principal, id, tenantID string) (drover.Share, error) {
	if err := s.ownConnection(ctx, p, id); err != nil {
		return drover.Share{}, err
	}
	share := drover.Share{ID: store.NewID(), ConnectionID: id, OwnerTenantID: p.TenantID, TenantID: tenantID, CreatedAt: s.now()}
	if _, err := s.store.Accounts.Tenant(ctx, tenantID); err != nil {
		return share, guard.OrNotFound(err, guard.UnknownTenant, tenantID)
	}
	if tenantID == p.TenantID {
		return share, drover.InvalidValue(sharedWithOwner, "path", "tenant_id")
	}
	var offered drover.Share
	err := s.guard.Update(ctx, p, func(tx *store.Tx) (err error) {
		offered, err = offer(ctx, tx.Shares, share, drover.FullGrant)
		return err
	})
	return offered, err
}

const sharedWithOwner = "a connection is not shared with its owner"

func offer(ctx context.Context, tx store.SharesTx, share drover.Share, grant drover.Grant) (drover.Share, error) {
	if err := tx.AddShare(ctx, share, grant); err != nil {
		return share, err
	}
	return tx.ShareWith(ctx, share.OwnerTenantID, share.ConnectionID, share.TenantID)
}

// checkOffer checks an offer in the order of its fields.
func (s *core) checkOffer(in drover.ShareInput) (drover.Grant, error) {
	switch {
	case in.TenantID == nil && in.Code == nil:
		return 0, drover.Invalid("missing", "Field required", "body", "tenant_id")
	case in.TenantID != nil && in.Code != nil:
		return 0, drover.InvalidValue("tenant_id and code exclude each other", "body", "code")
	case in.ExpiresAt != nil && !in.ExpiresAt.After(s.clock()):
		return 0, drover.InvalidValue("expires_at must lie in the future", "body", "expires_at")
	}
	if in.Scopes == nil {
		return drover.FullGrant, nil
	}
	grant := drover.GrantRecords
	if slices.Contains(in.Scopes, drover.ScopePositions) {
		grant |= drover.GrantPositions
	}
	if slices.Contains(in.Scopes, drover.ScopeDrivers) {
		grant |= drover.GrantDrivers
	}
	if slices.Contains(in.Scopes, drover.ScopeReadings) {
		grant |= drover.GrantReadings
	}
	if slices.Contains(in.Scopes, drover.ScopeSafety) {
		grant |= drover.GrantSafety
	}
	return grant, nil
}

// recipient finds the tenant that an offer names.
func (s *core) recipient(ctx context.Context, tx *store.Tx, p drover.Principal, in drover.ShareInput) (string, error) {
	var id, field string
	if in.Code != nil {
		var err error
		field = "code"
		id, err = tx.Shares.TakeShareCode(ctx, codeHash(*in.Code))
		if errors.Is(err, store.ErrNotFound) {
			return "", drover.InvalidValue("the code is not known, used or expired", "body", field)
		} else if err != nil {
			return "", err
		}
	} else {
		id, field = *in.TenantID, "tenant_id"
		if _, err := tx.Accounts.Tenant(ctx, id); errors.Is(err, store.ErrNotFound) {
			return "", drover.InvalidValue(fmt.Sprintf(guard.UnknownTenant, id), "body", field)
		} else if err != nil {
			return "", err
		}
	}
	if id == p.TenantID {
		return "", drover.InvalidValue(sharedWithOwner, "body", field)
	}
	return id, nil
}

// MakeShareCode makes a code that stands for the caller's tenant in one offer.
func (s Shares) MakeShareCode(ctx context.Context, p drover.Principal) (drover.ShareCode, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.ShareCode{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.ShareCode, error) {
		raw := make([]byte, 15)
		_, _ = rand.Read(raw) // it never fails
		code := drover.ShareCode{Code: base32.StdEncoding.EncodeToString(raw), ExpiresAt: drover.At(s.clock().Add(codeLifetime))}
		return code, tx.Shares.AddShareCode(ctx, p.TenantID, codeHash(code.Code), code.ExpiresAt)
	})
}

func codeHash(code string) string {
	sum := sha256.Sum256([]byte(strings.ToUpper(strings.TrimSpace(code))))
	return hex.EncodeToString(sum[:])
}

// Shares lists what the caller's tenant shares and what is shared with it.
func (s Shares) Shares(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.Share, error) {
	if err := guard.MayAdminister(p); err != nil {
		return nil, err
	}
	return s.store.Shares.Shares(ctx, p.TenantID, string(after), limit)
}

// ConnectionShares lists with whom a connection is shared, for its owner.
func (s Shares) ConnectionShares(ctx context.Context, p drover.Principal, id string) ([]drover.Share, error) {
	if err := s.ownConnection(ctx, p, id); err != nil {
		return nil, err
	}
	return s.store.Shares.ConnectionShares(ctx, p.TenantID, id)
}

// share finds a share that the caller's tenant gives or gets.
func (s *core) share(ctx context.Context, p drover.Principal, id string) (drover.Share, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.Share{}, err
	}
	share, err := s.store.Shares.Share(ctx, id)
	if err != nil {
		return share, guard.OrNotFound(err, guard.UnknownShare, id)
	}
	if share.TenantID != p.TenantID && share.OwnerTenantID != p.TenantID {
		return share, drover.Forbidden()
	}
	return share, nil
}

// AcceptShare takes an offer. Again, it changes nothing.
func (s Shares) AcceptShare(ctx context.Context, p drover.Principal, id string) (drover.Share, error) {
	share, err := s.share(ctx, p, id)
	switch {
	case err != nil:
		return share, err
	case share.TenantID != p.TenantID:
		return share, drover.Forbidden()
	case share.State == drover.ShareExpired:
		return share, drover.InvalidValue("the share has expired", "path", "share_id")
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Share, error) {
		if err := tx.Shares.AcceptShare(ctx, share, s.now()); err != nil {
			return share, err
		}
		accepted, err := tx.Shares.Share(ctx, id)
		return accepted, guard.OrNotFound(err, guard.UnknownShare, id)
	})
}

// EndShare ends a share, or declines an offer, from either side.
func (s Shares) EndShare(ctx context.Context, p drover.Principal, id string) error {
	share, err := s.share(ctx, p, id)
	if err != nil {
		return err
	}
	return s.endShare(ctx, p, share, drover.Errorf(drover.KindNotFound, guard.UnknownShare, id))
}

// Unshare takes another tenant's access back.
func (s Shares) Unshare(ctx context.Context, p drover.Principal, id, tenantID string) error {
	if err := s.ownConnection(ctx, p, id); err != nil {
		return err
	}
	if _, err := s.store.Accounts.Tenant(ctx, tenantID); err != nil {
		return guard.OrNotFound(err, guard.UnknownTenant, tenantID)
	}
	share, err := s.store.Shares.ShareWith(ctx, p.TenantID, id, tenantID)
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownTenant, tenantID)
	}
	return s.endShare(ctx, p, share, drover.Errorf(drover.KindNotFound, guard.UnknownTenant, tenantID))
}

func (s *core) endShare(ctx context.Context, p drover.Principal, share drover.Share, gone error) error {
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		ended, err := tx.Shares.DropShare(ctx, share)
		if err == nil && !ended {
			return gone
		}
		return err
	})
}
