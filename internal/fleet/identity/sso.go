package identity

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/openid"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// errNoDoor keeps a tenant from locking out everyone who could let it in again.
var errNoDoor = drover.Errorf(drover.KindConflict, "An admin must have signed in by the provider before password login is switched off")

// SingleSignOn reads how the tenant's people sign in.
func (s *Directory) SingleSignOn(ctx context.Context, p drover.Principal) (drover.SingleSignOn, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.SingleSignOn{}, err
	}
	stored, err := s.store.SignIn.SingleSignOn(ctx, p.TenantID)
	return s.viewSSO(stored), err
}

func (s *Directory) viewSSO(stored account.SingleSignOn) drover.SingleSignOn {
	v := drover.SingleSignOn{SSOSettings: stored.Settings, PasswordLogin: stored.PasswordLogin}
	if s.publicURL != "" {
		v.RedirectURI = new(s.redirectURI(stored.TenantID))
		if stored.Code != "" {
			v.SignInURL = new(s.page("/console/sso?code=" + stored.Code))
		}
	}
	return v
}

// page is the address of a page of the console.
func (s *Directory) page(path string) string { return strings.TrimSuffix(s.publicURL, "/") + path }

// redirectURI is where a provider sends people back to. Each tenant has its own, so that
// one's provider cannot pass its people on to another's and be given the code.
func (s *Directory) redirectURI(tenantID string) string { return s.page("/console/sso/" + tenantID) }

// UpdateSingleSignOn changes what was sent. A provider can make anyone an admin, so only
// those may set it who could be one.
func (s *Directory) UpdateSingleSignOn(
	ctx context.Context, p drover.Principal, in drover.SingleSignOnUpdate,
) (out drover.SingleSignOn, err error) {
	if err := guard.MayAdminister(p); err != nil {
		return out, err
	}
	if err := mayBe(p, drover.User{Role: drover.RoleAdmin}); err != nil {
		return out, err
	}
	if in.Issuer.Value != nil && s.checkURL != nil {
		if err := s.checkURL(ctx, *in.Issuer.Value); err != nil {
			return out, refusedURL(err)
		}
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		before, err := tx.SignIn.SingleSignOnForUpdate(ctx, p.TenantID)
		if err != nil {
			return err
		}
		after, err := s.applySSO(before, in)
		if err != nil {
			return err
		}
		if before.PasswordLogin == after.PasswordLogin && !in.ClientSecret.Set && reflect.DeepEqual(before.Settings, after.Settings) {
			out = s.viewSSO(before)
			return nil
		}
		out = s.viewSSO(after)
		if err := s.checkDoor(ctx, tx, p, after); err != nil {
			return err
		}
		return tx.SignIn.SetSingleSignOn(ctx, after)
	})
	return out, err
}

// refusedURL is the answer to an issuer that must not be called.
func refusedURL(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return drover.InvalidValue(err.Error(), "body", "issuer")
}

// applySSO is what is stored with the fields that were sent.
func (s *Directory) applySSO(stored account.SingleSignOn, in drover.SingleSignOnUpdate) (account.SingleSignOn, error) {
	settings, moved := in.Apply(stored.Settings)
	in.PasswordLogin.ApplyValue(&stored.PasswordLogin)
	if stored.Code == "" { // the first time
		stored.ID, stored.Code = store.NewID(), strings.ToLower(newSecret(""))
	}
	if in.ClientSecret.Set || moved || stored.Sealed == nil {
		secret := ""
		in.ClientSecret.ApplyValue(&secret)
		settings.HasClientSecret = secret != ""
		var err error
		if stored.Sealed, err = s.vault.Seal([]byte(secret), stored.Bind()...); err != nil {
			return stored, err
		}
	}
	if err := settings.Check(); err != nil {
		return stored, err
	}
	if !stored.PasswordLogin && !settings.Enabled {
		return stored, drover.InvalidValue("without single sign-on no one could sign in", "body", "password_login")
	}
	stored.Settings = settings
	return stored, nil
}

// checkDoor lets password login be switched off only where an admin has signed in by the
// provider. The operator can always switch it on again.
func (*Directory) checkDoor(ctx context.Context, tx *store.Tx, p drover.Principal, after account.SingleSignOn) error {
	if after.PasswordLogin || p.Operates() {
		return nil
	}
	admins, err := tx.Accounts.AdminsForUpdate(ctx, p.TenantID)
	if err != nil {
		return err
	}
	for _, u := range admins {
		if known, err := tx.SignIn.Identified(ctx, u, *after.Settings.Issuer); err != nil || known {
			return err
		}
	}
	return errNoDoor
}

// TestSingleSignOn asks the provider what it says of itself. Nothing is stored.
func (s *Directory) TestSingleSignOn(ctx context.Context, p drover.Principal) (drover.SSOTest, error) {
	out := drover.SSOTest{Algorithms: []string{}}
	if err := guard.MayAdminister(p); err != nil {
		return out, err
	}
	stored, err := s.store.SignIn.SingleSignOn(ctx, p.TenantID)
	if err != nil {
		return out, err
	}
	if stored.Settings.Issuer == nil {
		return out, drover.Errorf(drover.KindConflict, "No issuer is set")
	}
	provider, err := openid.Discover(ctx, s.issuers, *stored.Settings.Issuer, s.clock)
	if err == nil {
		out.AuthorizationEndpoint, out.Algorithms = &provider.Endpoint, provider.Accepted()
		out.NamesIssuer, out.EndsSessions = provider.NamesIssuer, provider.EndSession != ""
		out.Keys, err = provider.Keys(ctx)
	}
	if refused, ok := errors.AsType[*openid.Error](err); ok {
		out.Error = new(refused.Error())
		return out, nil
	}
	out.OK = err == nil
	return out, err
}

// registration is how a tenant's provider knows the service.
func (s *Directory) registration(ctx context.Context, stored account.SingleSignOn) (openid.Registration, error) {
	secret, err := s.vault.Open(ctx, stored.Sealed, stored.Bind()...)
	registered := openid.Registration{
		ClientID: *stored.Settings.ClientID, ClientSecret: string(secret), RedirectURI: s.redirectURI(stored.TenantID),
		Scopes: stored.Settings.Scopes,
	}
	if claim := stored.Settings.RoleClaim; claim != nil {
		registered.RoleClaim = *claim
	}
	return registered, err
}

// issuerClient calls providers by a guarded transport.
func issuerClient(rt http.RoundTripper) *http.Client {
	if rt == nil {
		return nil
	}
	return openid.Client(rt, issuerTime)
}
