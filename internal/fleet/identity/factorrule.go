package identity

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// FactorRule reads whose second factor the tenant requires.
func (s *Directory) FactorRule(ctx context.Context, p drover.Principal) (drover.FactorRule, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.FactorRule{}, err
	}
	return s.store.SignIn.FactorRule(ctx, p.TenantID)
}

// UpdateFactorRule changes what was sent. An admin must have a second factor before anyone
// needs one: otherwise one who cannot set it up could lock all out.
func (s *Directory) UpdateFactorRule(
	ctx context.Context, p drover.Principal, in drover.FactorRuleUpdate,
) (rule drover.FactorRule, err error) {
	if err := guard.MayAdminister(p); err != nil {
		return rule, err
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if _, err := tx.Accounts.TenantForUpdate(ctx, p.TenantID); err != nil {
			return err
		}
		before, err := tx.SignIn.FactorRule(ctx, p.TenantID)
		if err != nil {
			return err
		}
		rule = drover.FactorRule{RequiredRoles: before.RequiredRoles, IncludeSSO: before.IncludeSSO}
		if in.RequiredRoles != nil {
			rule.RequiredRoles = in.RequiredRoles
		}
		in.IncludeSSO.ApplyValue(&rule.IncludeSSO)
		rule.RequiredRoles = slices.DeleteFunc(slices.Clone(drover.Roles), func(r drover.Role) bool {
			return !slices.Contains(rule.RequiredRoles, r)
		})
		if slices.Equal(before.RequiredRoles, rule.RequiredRoles) && before.IncludeSSO == rule.IncludeSSO {
			return nil
		}
		admins, err := tx.Accounts.AdminsForUpdate(ctx, p.TenantID)
		if err != nil {
			return err
		}
		if len(rule.RequiredRoles) > 0 && !slices.ContainsFunc(admins, func(u drover.User) bool { return u.SecondFactor }) {
			return errFactorFirst
		}
		return tx.SignIn.SetFactorRule(ctx, p.TenantID, rule)
	})
	if err != nil {
		return rule, err
	}
	return rule, s.vault.Refresh(ctx)
}
