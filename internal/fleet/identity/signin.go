package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/openid"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	// SignInLifetime is how long a person may take at the provider.
	SignInLifetime = 10 * time.Minute
	// issuerTime bounds each call to a provider.
	issuerTime = 8 * time.Second
	// consolePath begins the pages of the console.
	consolePath = "/console/"
)

// NoSignIn are the words for an address at which no one can begin to sign in: whether
// there never was one, or it is switched off, is not said.
const NoSignIn = "Single sign-on is not available at this address"

// signIn is a sign-in under way. The browser keeps it, sealed: what it begins it alone can
// end, and the service keeps nothing about people who never come back.
type signIn struct {
	TenantID string
	Issuer   string
	ClientID string
	openid.Attempt
	ReturnTo string
	Ends     int64 // in milliseconds since 1970
}

// signInBind keeps a sealed sign-in from being anything else that is sealed.
const signInBind = "sign-in"

// BeginSignIn says where a person signs in. Cookie is what the browser must show when it
// comes back.
func (s *Directory) BeginSignIn(ctx context.Context, in drover.SignInInput) (start drover.SignInStart, cookie string, err error) {
	attempt := signIn{Ends: s.clock().Add(SignInLifetime).UnixMilli(), Attempt: openid.Attempt{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
	}}
	if attempt.ReturnTo, err = returnTo(in.ReturnTo); err != nil {
		return start, "", err
	}
	stored, err := s.store.SignIn.SingleSignOnByCode(ctx, in.Code)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return start, "", err
	}
	if err != nil || !stored.Settings.Enabled || stored.TenantSuspended {
		return start, "", drover.Errorf(drover.KindNotFound, NoSignIn)
	}
	if s.publicURL == "" {
		return start, "", drover.Errorf(drover.KindConflict, "The operator has to set the public address of the service first")
	}
	attempt.TenantID, attempt.Issuer, attempt.ClientID = stored.TenantID, *stored.Settings.Issuer, *stored.Settings.ClientID
	registered, err := s.registration(ctx, stored)
	if err != nil {
		return start, "", err
	}
	provider, err := openid.Discover(ctx, s.issuers, attempt.Issuer, s.clock)
	if err != nil {
		return start, "", s.refusedBy(ctx, attempt.TenantID, err)
	}
	text, err := json.Marshal(attempt)
	if err != nil {
		return start, "", err
	}
	sealed, err := s.vault.Seal(text, signInBind)
	return drover.SignInStart{URL: provider.AuthURL(registered, attempt.Attempt)}, base64.RawURLEncoding.EncodeToString(sealed), err
}

// returnTo refuses what is no page of the console: a browser must not be sent elsewhere.
func returnTo(sent *string) (string, error) {
	if sent == nil || *sent == "" {
		return consolePath, nil
	}
	if !strings.HasPrefix(*sent, consolePath) || strings.Contains(*sent, "//") || strings.Contains(*sent, "..") ||
		strings.ContainsFunc(*sent, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return "", drover.InvalidValue("return_to must be a path under /console/", "body", "return_to")
	}
	return *sent, nil
}

// SignedIn is a session that a provider has opened.
type SignedIn struct {
	Principal drover.Principal
	Cookie    string
	ReturnTo  string
}

// EndSignIn takes what the provider sent the browser back with, and opens a session of the
// console. Cookie is what BeginSignIn gave the browser.
func (s *Directory) EndSignIn(ctx context.Context, cookie string, in drover.SignInAnswer) (out SignedIn, err error) {
	attempt, err := s.openSignIn(ctx, cookie)
	if err != nil {
		return out, err
	}
	if in.TenantID != attempt.TenantID || subtle.ConstantTimeCompare([]byte(in.State), []byte(attempt.State)) != 1 {
		return out, s.refused(ctx, attempt.TenantID, "foreign_answer", errSignIn("the answer belongs to another sign-in"))
	}
	if err := s.spend(ctx, attempt); err != nil {
		return out, err
	}
	stored, err := s.store.SignIn.SingleSignOn(ctx, attempt.TenantID)
	if err != nil {
		return out, err
	}
	set := stored.Settings
	switch {
	case stored.TenantSuspended:
		return out, s.refused(ctx, attempt.TenantID, "tenant_suspended", drover.Forbidden())
	case !set.Enabled || *set.Issuer != attempt.Issuer || *set.ClientID != attempt.ClientID:
		return out, s.refused(ctx, attempt.TenantID, "settings_changed", errSignIn("the settings have changed meanwhile"))
	}
	registered, err := s.registration(ctx, stored)
	if err != nil {
		return out, err
	}
	provider, err := openid.Discover(ctx, s.issuers, attempt.Issuer, s.clock)
	if err != nil {
		return out, s.refusedBy(ctx, attempt.TenantID, err)
	}
	iss := ""
	if in.Issuer != nil {
		iss = *in.Issuer
	}
	claims, err := provider.Redeem(ctx, registered, attempt.Attempt, in.Code, iss)
	if err != nil {
		return out, s.refusedBy(ctx, attempt.TenantID, err)
	}
	user, err := s.admitted(ctx, stored, claims)
	if err != nil {
		return out, err
	}
	session := s.newSession(user, consoleIdle)
	session.EndsAt = new(drover.At(s.now().Add(time.Duration(set.SessionHours) * time.Hour)))
	session.ExpiresAt = drover.At(endOf(session.EndsAt, session.ExpiresAt.Time))
	if set.EndProviderSession {
		session.LogoutURL = guard.OrNull(provider.LogoutURL(registered, s.page(consolePath)))
	}
	out.ReturnTo = attempt.ReturnTo
	out.Principal, out.Cookie, err = s.openConsole(ctx, user, session)
	return out, err
}

// openSignIn reads the sign-in that a browser has begun.
func (s *Directory) openSignIn(ctx context.Context, cookie string) (signIn, error) {
	const words = "it was not begun in this browser, or has taken too long"
	attempt := s.unsealSignIn(ctx, cookie)
	if attempt.TenantID == "" {
		return attempt, errSignIn(words)
	}
	if s.clock().UnixMilli() >= attempt.Ends {
		return attempt, s.refused(ctx, attempt.TenantID, "too_late", errSignIn(words))
	}
	return attempt, nil
}

// unsealSignIn reads a sign-in that was begun, however long ago; it is empty where the cookie is none
// of ours.
func (s *Directory) unsealSignIn(ctx context.Context, cookie string) (attempt signIn) {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || cookie == "" {
		return attempt
	}
	if text, err := s.vault.Open(ctx, sealed, signInBind); err != nil || json.Unmarshal(text, &attempt) != nil {
		return signIn{}
	}
	return attempt
}

// SignInTenant is the tenant by whose provider someone signs in: that of the address where people
// begin or, where there is no code of one, of the sign-in that a browser has begun. Empty is none.
func (s *Directory) SignInTenant(ctx context.Context, code, cookie string) (string, error) {
	if code == "" {
		return s.unsealSignIn(ctx, cookie).TenantID, nil
	}
	stored, err := s.store.SignIn.SingleSignOnByCode(ctx, code)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return stored.TenantID, err
}

// spend lets a sign-in come back once.
func (s *Directory) spend(ctx context.Context, attempt signIn) error {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		return tx.SignIn.SpendSignIn(ctx, attempt.TenantID, auth.HashSecret(attempt.State), drover.At(time.UnixMilli(attempt.Ends)))
	})
	if errors.Is(err, store.ErrExists) {
		return s.refused(ctx, attempt.TenantID, "answered_before", errSignIn("the answer was used before"))
	}
	return err
}

// errSignIn is a sign-in that failed, in words that its person may read.
func errSignIn(words string) *drover.Error {
	return drover.Errorf(drover.KindUnauthenticated, "Single sign-on failed: %s", words)
}

// refusedBy gives the refusals of package openid the words of the interface.
func (s *Directory) refusedBy(ctx context.Context, tenantID string, err error) error {
	refused, ok := errors.AsType[*openid.Error](err)
	if !ok {
		return err
	}
	answer := errSignIn(refused.Error())
	switch refused.Reason {
	case openid.Unreachable, openid.BadDiscovery, openid.IssuerMismatch, openid.ClientRefused:
		answer = drover.Errorf(drover.KindConflict, "The identity provider cannot be used: %s", refused.Error())
	default:
	}
	return s.refused(ctx, tenantID, string(refused.Reason), answer)
}

// refused writes down why a sign-in was refused, for the admins of its tenant; the person
// itself may not be shown that.
func (s *Directory) refused(ctx context.Context, tenantID, reason string, answer *drover.Error) error {
	who := drover.Principal{TenantID: tenantID, Name: "single sign-on"}
	return errors.Join(answer, s.AuditRefusal(guard.Acting(ctx, "session.sso."+reason), who))
}

// SignOut ends the caller's session as LogOut does, and says where it ends at the provider.
func (s *Directory) SignOut(ctx context.Context, p drover.Principal) (drover.SignOut, error) {
	if err := guard.Person(p); err != nil {
		return drover.SignOut{}, err
	}
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if err != nil {
		return drover.SignOut{}, err
	}
	return drover.SignOut{URL: session.LogoutURL}, s.LogOut(ctx, p)
}

// admitted finds the user that someone is, or makes one. All who are not let in are
// answered alike: whose an address is, and which there are, is not for them.
func (s *Directory) admitted(ctx context.Context, stored account.SingleSignOn, claims openid.Claims) (account.Login, error) {
	user, reason, err := s.admit(ctx, stored, claims)
	if errors.Is(err, errTaken) {
		reason, err = "address_taken", nil
	}
	if kind := drover.ErrorKind(err); kind == drover.KindForbidden { // no place for more users
		reason, err = "limit_reached", nil
	}
	if err != nil {
		return user, err
	}
	if reason != "" {
		return user, s.refused(ctx, stored.TenantID, reason, drover.Forbidden())
	}
	return user, nil
}

func (s *Directory) admit(
	ctx context.Context, stored account.SingleSignOn, claims openid.Claims,
) (user account.Login, reason string, err error) {
	set := stored.Settings
	email, verified := claims.Email(set.TrustEmail)
	if len(set.EmailDomains) > 0 && (!verified || !set.HasDomain(email)) {
		return user, "address_outside_the_domains", nil
	}
	role := set.DefaultRole
	if set.RoleClaim != nil {
		if role = set.RoleOf(claims.Values(*set.RoleClaim)); role == nil {
			return user, "no_role", nil
		}
	}
	user, err = s.store.SignIn.LoginByIdentity(ctx, stored.TenantID, *set.Issuer, claims.Subject)
	if errors.Is(err, store.ErrNotFound) {
		if !verified {
			return user, "address_not_verified", nil
		}
		user, reason, err = s.newcomer(ctx, stored, claims, email, role)
	}
	switch {
	case err != nil || reason != "":
		return user, reason, err
	case user.Disabled:
		return user, "user_disabled", nil
	case set.RoleClaim != nil && user.Role != *role:
		return user, "", s.assign(ctx, &user, *role)
	}
	return user, "", nil
}

// newcomer is someone whom the provider has not sent before: the user whom an admin made
// with the address, or a new one.
func (s *Directory) newcomer(
	ctx context.Context, stored account.SingleSignOn, claims openid.Claims, email string, role *drover.Role,
) (user account.Login, reason string, err error) {
	// A name in place of an address would find the user who is called so.
	if checkEmail(email) != nil {
		return user, "bad_address", nil //nolint:nilerr // the reason says it, without what the provider sent
	}
	user, err = s.store.Accounts.LoginByEmail(ctx, email)
	made := errors.Is(err, store.ErrNotFound)
	switch {
	case made && stored.Settings.NewUsers != drover.NewUsersAutomatic:
		return user, "not_invited", nil
	case made && role == nil:
		return user, "no_role", nil
	case made:
		user.User = drover.User{
			ID: store.NewID(), TenantID: stored.TenantID, Email: email, Role: *role, CreatedAt: s.now(),
		}
		if user.Username, err = s.freeName(ctx, user.User, claims.Username()); err != nil {
			return user, "", err
		}
		if refused := checkUser(user.User); refused != nil {
			return user, "bad_address", nil //nolint:nilerr // the reason says it, without what the provider sent
		}
	case err != nil:
		return user, "", err
	case user.TenantID != stored.TenantID, !sameAddress(user.Email, email):
		return account.Login{}, "address_taken", nil
	case user.Disabled:
		return user, "user_disabled", nil
	}
	issuer := *stored.Settings.Issuer
	if known, err := s.store.SignIn.Identified(ctx, user.User, issuer); err != nil || known {
		return user, "address_of_another_identity", err
	}
	verb := "user.identity.create"
	if made {
		verb = "user.create"
	}
	ctx = guard.About(guard.Acting(ctx, verb), "user", user.ID)
	return user, "", s.guard.Update(ctx, principalOf(user, ""), func(tx *store.Tx) error {
		if made {
			if err := guard.Within(ctx, tx, user.TenantID, drover.QuotaUsers, 1); err != nil {
				return err
			}
			if err := orTaken(tx.Accounts.AddUser(ctx, user.User, "")); err != nil {
				return err
			}
		}
		return orTaken(tx.SignIn.AddIdentity(ctx, user.User, issuer, claims.Subject, s.now()))
	})
}

// sameAddress reports whether two addresses are one mailbox, whose letters may be large or
// small. Users are found by a form in which a wide letter is a common one, which keeps
// two of them from looking alike; but the two may be different people's mailboxes.
func sameAddress(a, b string) bool {
	return asciiLower(a) == asciiLower(b)
}

func asciiLower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// maxNames is how many names are tried for a new user.
const maxNames = 5

// freeName is a name for a new user: the one that the provider has, or that of the
// address, with a few characters more where another user has it.
func (s *Directory) freeName(ctx context.Context, u drover.User, wanted string) (string, error) {
	base, _, _ := strings.Cut(wanted, "@")
	if base == "" || account.CheckUsername(base) != nil || len(base) > 200 {
		base, _, _ = strings.Cut(u.Email, "@")
	}
	if account.CheckUsername(base) != nil || len(base) > 200 {
		base = "user"
	}
	u.Username = base
	for range maxNames {
		taken, err := s.store.Accounts.NameTaken(ctx, drover.User{ID: u.ID, Username: u.Username, Email: u.Email})
		if err != nil || !taken {
			return u.Username, err
		}
		u.Username = base + "-" + strings.ToLower(rand.Text()[:5])
	}
	return "", errTaken
}

// assign gives a user the role that its provider says. The last admin stays one: a tenant
// without any could not be repaired.
func (s *Directory) assign(ctx context.Context, user *account.Login, role drover.Role) error {
	ctx = guard.About(guard.Acting(ctx, "user.update"), "user", user.ID)
	err := s.guard.Update(ctx, principalOf(*user, ""), func(tx *store.Tx) error {
		admins, err := tx.Accounts.AdminsForUpdate(ctx, user.TenantID)
		if err != nil || isLast(admins, user.ID) {
			return err
		}
		u, err := tx.Accounts.UserForUpdate(ctx, user.TenantID, user.ID)
		if err != nil {
			return err
		}
		u.Role = role
		user.User = u
		return tx.Accounts.SetUser(ctx, u)
	})
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}
