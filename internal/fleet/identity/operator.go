package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

// CommandLine is who the operator is at the command line, for what concerns no tenant.
var CommandLine = drover.Principal{TenantID: drover.OperatorTenant, Name: guard.OperatorName, OperatorScopes: drover.OperatorScopes}

// mayOperate refuses all but operators with a scope.
func mayOperate(p drover.Principal, scope drover.OperatorScope) error {
	if p.TenantID != drover.OperatorTenant {
		return drover.Forbidden()
	}
	if !p.May(scope) {
		return drover.Requires(scope)
	}
	return nil
}

// CreateOperatorKey makes a key of the operator and its secret, which is shown this once.
// No operation of the interface leads here: who makes such keys has the machine.
func (s *Directory) CreateOperatorKey(ctx context.Context, k drover.OperatorKey) (made drover.OperatorKey, secret string, err error) {
	k.ID, k.Name, k.CreatedAt = store.NewID(), strings.TrimSpace(k.Name), s.now()
	switch {
	case k.Name == "" || len(k.Name) > 255:
		return k, "", drover.InvalidValue("a name has 1 to 255 characters", "name")
	case len(k.Scopes) == 0:
		return k, "", drover.InvalidValue("a key needs a scope", "scopes")
	case k.ExpiresAt != nil && !k.ExpiresAt.After(s.clock()):
		return k, "", drover.InvalidValue("the end must lie in the future", "expires_at")
	}
	for _, scope := range k.Scopes {
		if !slices.Contains(drover.OperatorScopes, scope) {
			return k, "", drover.InvalidValue("there is no scope "+string(scope), "scopes")
		}
	}
	secret = newSecret(drover.OperatorKeyPrefix)
	err = s.guard.Update(guard.About(ctx, "operator-key", k.ID), CommandLine, func(tx *store.Tx) error {
		return tx.SignIn.AddOperatorKey(ctx, k, auth.HashSecret(secret))
	})
	return k, secret, err
}

// RevokeOperatorKey ends a key in every process within a second.
func (s *Directory) RevokeOperatorKey(ctx context.Context, id string) error {
	return s.guard.Update(guard.About(ctx, "operator-key", id), CommandLine, func(tx *store.Tx) error {
		dropped, err := tx.SignIn.DropOperatorKey(ctx, id)
		if err == nil && !dropped {
			return drover.Errorf(drover.KindNotFound, guard.UnknownOperatorKey, id)
		}
		return err
	})
}

// AuthenticateOperator finds the operator's key of an Authorization header. Ok is false
// where it holds something else.
func (s *Directory) AuthenticateOperator(ctx context.Context, header string) (p drover.Principal, ok bool, err error) {
	token, bad := auth.Bearer(header)
	if bad != nil || !strings.HasPrefix(token, drover.OperatorKeyPrefix) {
		return p, false, nil //nolint:nilerr // who else it may be is found out by Authenticate
	}
	p, err = s.operatorKey(ctx, token)
	return p, true, err
}

// operatorKey finds a key of the operator by its secret.
func (s *Directory) operatorKey(ctx context.Context, token string) (drover.Principal, error) {
	version, now := s.vault.Version(), s.clock()
	if k, ok := s.operators.get(token, version, now); ok {
		return k.principal, nil
	}
	k, err := s.store.SignIn.OperatorKeyByHash(ctx, auth.HashSecret(token))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return drover.Principal{}, auth.ErrUnauthenticated()
	case err != nil:
		return drover.Principal{}, err
	case k.ExpiresAt != nil && !now.Before(k.ExpiresAt.Time):
		return drover.Principal{}, auth.ErrUnauthenticated()
	}
	if k.LastUsedAt == nil || now.Sub(k.LastUsedAt.Time) >= keyUse {
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			return tx.SignIn.UseOperatorKey(ctx, k.ID, drover.At(now), drover.At(now.Add(-keyUse)))
		})
		if err != nil {
			return drover.Principal{}, err
		}
	}
	p := drover.Principal{TenantID: drover.OperatorTenant, UserID: k.ID, Name: k.Name, Key: true, OperatorScopes: k.Scopes}
	s.operators.put(token, version, knownToken{principal: p, until: endOf(k.ExpiresAt, now.Add(keyUse))})
	return p, nil
}

// endOf is the earlier of two times, of which the first may be none.
func endOf(end *drover.Time, until time.Time) time.Time {
	if end != nil && end.Before(until) {
		return end.Time
	}
	return until
}

// act lets a key of the operator be an admin of a tenant. That it does is written down on
// both sides once an hour; what it changes has entries of its own.
func (s *Directory) act(ctx context.Context, token, tenantID string) (drover.Principal, error) {
	p, err := s.operatorKey(ctx, token)
	if err != nil {
		return p, err
	}
	switch {
	case !p.May(drover.OperatorAct):
		return p, drover.Requires(drover.OperatorAct)
	case tenantID == "":
		return p, drover.Errorf(drover.KindMalformed, "An operator key needs the header "+drover.TenantHeader+" with the id of a tenant")
	case !drover.IsID(tenantID):
		return p, drover.Errorf(drover.KindMalformed, drover.TenantHeader+" must be the id of a tenant")
	}
	version, now := s.vault.Version(), s.clock()
	if k, ok := s.acting.get(actingName(token, tenantID), version, now); ok {
		return k.principal, nil
	}
	tenant, err := s.store.Accounts.Tenant(ctx, tenantID)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && tenant.Erasing:
		return p, drover.Errorf(drover.KindMalformed, drover.TenantHeader+" names no tenant: %s", tenantID)
	case err != nil:
		return p, err
	case tenant.Suspended:
		return p, drover.Forbidden()
	}
	p.TenantID, p.Scopes = tenant.ID, drover.Permissions
	if p.RequestsPerMinute, err = s.rate(ctx, p); err != nil {
		return p, err
	}
	if err := s.store.Update(ctx, func(tx *store.Tx) error { return s.guard.AuditActing(ctx, tx, p) }); err != nil {
		return p, err
	}
	s.acting.put(actingName(token, tenantID), version, knownToken{principal: p, until: now.Add(keyUse)})
	return p, nil
}

// actingName is how a key is remembered together with the tenant that it acts in.
func actingName(token, tenantID string) string { return token + "\n" + tenantID }

// rate is how many requests a minute the operator lets a caller's tenant make.
func (s *Directory) rate(ctx context.Context, p drover.Principal) (int64, error) {
	return s.store.Accounts.Limit(ctx, p.TenantID, drover.QuotaRequestsPerMinute)
}

// OperatorAudit lists what operators did, newest first.
func (s *Directory) OperatorAudit(
	ctx context.Context, p drover.Principal, f drover.AuditFilter, before drover.IDCursor, limit int,
) ([]drover.Audit, error) {
	if err := mayOperate(p, drover.OperatorAuditRead); err != nil {
		return nil, err
	}
	return s.store.Accounts.Audit(ctx, drover.OperatorTenant, f, string(before), limit)
}
