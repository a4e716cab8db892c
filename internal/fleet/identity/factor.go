package identity

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	// factorLifetime is for how long a second factor that was shown is not asked for again.
	factorLifetime = 10 * time.Minute
	// maxFailures is how many wrong codes there may be one after the other. The delays alone
	// would let someone with the password and many addresses guess a code within months.
	maxFailures = 100
	// recoveryCodes is how many a user has.
	recoveryCodes = 10
	// factorThrottle keeps wrong codes apart from wrong passwords, which a right one forgives.
	factorThrottle = "factor:"
)

// The refusals of second factors.
var (
	errFactorMissing = drover.Errorf(drover.KindConflict, "No second factor is set up")
	errFactorBegun   = drover.Errorf(drover.KindConflict, "No second factor is being set up")
	errFactorThere   = drover.Errorf(drover.KindConflict, "A second factor is set up already")
	errFactorFirst   = drover.Errorf(drover.KindConflict, "An admin must have set up a second factor before it is required")
	errFactorLocked  = drover.Errorf(drover.KindForbidden,
		"Too many wrong codes: use a recovery code, or ask an admin to reset the second factor")
	errSignInAgain = drover.Errorf(drover.KindForbidden, "Sign in again, and set it up within ten minutes")
)

type partContext struct{}

// WithPart lets a request pass also in a session that needs a step of the second factor
// first: it is that step, or ends the session.
func WithPart(ctx context.Context) context.Context {
	return context.WithValue(ctx, partContext{}, true)
}

// stepOf is what a session needs before anything else is done in it.
func stepOf(s account.SessionState) drover.FactorStep {
	switch {
	case !s.Rule.Requires(s.Role, s.EndsAt != nil) || s.SecondFactor && s.FactorAt != nil:
		return ""
	case s.SecondFactor:
		return drover.StepConfirm
	}
	return drover.StepEnrol
}

// entered is the caller of a session, unless the session needs a step of the second factor
// first. Every token and cookie comes through here; one that needs a step is not remembered,
// so that the next request sees when it was taken.
func (s *Directory) entered(ctx context.Context, session account.SessionState) (p drover.Principal, whole bool, err error) {
	p = drover.Principal{
		TenantID: session.TenantID, UserID: session.UserID, SessionID: session.ID, Name: session.Username,
		Role: session.Role, Step: stepOf(session),
	}
	if p.Step != "" && ctx.Value(partContext{}) == nil {
		return drover.Principal{}, false, drover.NeedsFactor(drover.KindForbidden, p.Step)
	}
	p.RequestsPerMinute, err = s.rate(ctx, p)
	return p, p.Step == "", err
}

// Fresh refuses a person whose second factor was not shown in the last minutes. Keys have
// none, and neither have users who were not asked to.
func (s *Directory) Fresh(ctx context.Context, p drover.Principal) error {
	if p.Key || p.SessionID == "" {
		return nil
	}
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if err != nil {
		return err
	}
	if session.SecondFactor && s.freshUntil(session) == nil {
		return drover.NeedsFactor(drover.KindForbidden, drover.StepConfirm)
	}
	return nil
}

// freshUntil is until when the second factor is not asked for again; nil where it is.
func (s *Directory) freshUntil(session account.SessionState) *drover.Time {
	if session.FactorAt == nil || !session.SecondFactor {
		return nil
	}
	until := session.FactorAt.Add(factorLifetime)
	if !s.clock().Before(until) {
		return nil
	}
	return new(drover.At(until))
}

// loginSession is that of someone who has shown all that a login needs.
func (s *Directory) loginSession(user account.Login, lifetime time.Duration) drover.Session {
	session := s.newSession(user, lifetime)
	if user.SecondFactor {
		session.FactorAt = &session.CreatedAt
	}
	return session
}

// checkFactor asks someone with the right password for the second factor, where there is one.
func (s *Directory) checkFactor(ctx context.Context, addr string, user account.Login, sent Credentials) error {
	if !user.SecondFactor {
		return nil
	}
	if sent.Code == "" && sent.Passkey == nil {
		return drover.NeedsFactor(drover.KindUnauthenticated, drover.StepConfirm)
	}
	ok, err := s.proveAny(ctx, addr, principalOf(user, ""), drover.FactorProof{Code: sent.Code, Passkey: sent.Passkey})
	if err == nil && !ok {
		message := "Invalid code of the second factor"
		if sent.Passkey != nil {
			message = passkeyRefused
		}
		err = &drover.Error{Kind: drover.KindUnauthenticated, Message: message, Factor: drover.StepConfirm}
	}
	return err
}

// proveAny checks either kind of second factor of a user.
func (s *Directory) proveAny(ctx context.Context, addr string, p drover.Principal, sent drover.FactorProof) (ok bool, err error) {
	if sent.Passkey == nil {
		return s.prove(ctx, addr, p, sent.Code)
	}
	_, err = s.usePasskey(ctx, addr, p, *sent.Passkey)
	if errors.Is(err, errPasskey) {
		return false, nil
	}
	return err == nil, err
}

// prove checks a code of a user's second factor, and uses it up. Wrong ones are counted as
// wrong passwords are, over all processes, and for the user in all.
func (s *Directory) prove(ctx context.Context, addr string, p drover.Principal, code string) (ok bool, err error) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	check := s.spendRecovery
	if auth.IsCode(code) {
		check = s.spendCode
	}
	ok, err = s.login.Guess(ctx, addr, factorThrottle+p.UserID, func() (bool, error) { return check(ctx, p, code) })
	if err == nil && !ok || errors.Is(err, errFactorLocked) {
		err = errors.Join(err, s.AuditRefusal(guard.Acting(ctx, "user.second-factor.use"), p))
	}
	return ok, err
}

// spendCode accepts a code of the authenticator app once. The row is locked meanwhile: of a
// thousand guesses sent at once, to whichever process, each sees the failures before it.
func (s *Directory) spendCode(ctx context.Context, p drover.Principal, code string) (ok bool, err error) {
	app, err := s.store.SignIn.TOTP(ctx, p.TenantID, p.UserID)
	if errors.Is(err, store.ErrNotFound) || err == nil && app.ConfirmedAt == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	secret, err := s.vault.Open(ctx, app.Sealed, app.Bind()...)
	if err != nil {
		return false, err
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.SignIn.TOTPForUpdate(ctx, p.TenantID, p.UserID)
		if errors.Is(err, store.ErrNotFound) { // it was removed meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		if now.Failures >= maxFailures {
			return errFactorLocked
		}
		step, good := auth.CodeStep(secret, code, s.clock(), now.LastStep)
		if ok = good; ok {
			now.LastStep, now.Failures = step, 0
		} else {
			now.Failures++
		}
		return tx.SignIn.CountCode(ctx, now)
	})
	return ok, err
}

// spendRecovery accepts a recovery code once. It forgives wrong codes of the app: it cannot
// be guessed, so that who has it is the user.
func (s *Directory) spendRecovery(ctx context.Context, p drover.Principal, code string) (ok bool, err error) {
	ctx = guard.About(guard.Acting(ctx, "user.recovery-code.use"), "user", p.UserID)
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		ok, err = tx.SignIn.SpendRecoveryCode(ctx, drover.User{TenantID: p.TenantID, ID: p.UserID}, auth.HashRecoveryCode(code))
		if err != nil || !ok {
			return err
		}
		if app, err := tx.SignIn.TOTPForUpdate(ctx, p.TenantID, p.UserID); err == nil {
			app.Failures = 0
			if err := tx.SignIn.CountCode(ctx, app); err != nil {
				return err
			}
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return s.guard.Audit(ctx, tx, p, "", drover.AuditDone)
	})
	return ok, err
}

// SecondFactor says what the caller has besides its password.
func (s *Directory) SecondFactor(ctx context.Context, p drover.Principal) (out drover.SecondFactor, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if err != nil {
		return out, err
	}
	out.Enabled, out.Required = session.SecondFactor, session.Rule.Requires(session.Role, session.EndsAt != nil)
	out.ConfirmedUntil = s.freshUntil(session)
	if out.RecoveryCodes, err = s.store.SignIn.RecoveryCodes(ctx, p.TenantID, p.UserID); err != nil {
		return out, err
	}
	keys, err := s.store.SignIn.Passkeys(ctx, p.TenantID, p.UserID)
	if err != nil {
		return out, err
	}
	out.Passkeys = []drover.Passkey{}
	for _, k := range keys {
		out.Passkeys = append(out.Passkeys, k.Passkey)
	}
	out.App, err = hasApp(ctx, s.store.SignIn, p)
	return out, err
}

// BeginFactor makes the secret of an authenticator app, which counts once a code of it was
// shown. The password is asked for, so that someone at a session that was left open cannot
// lock its user out.
func (s *Directory) BeginFactor(
	ctx context.Context, p drover.Principal, addr string, in drover.FactorInput,
) (out drover.FactorSecret, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	if there, err := hasApp(ctx, s.store.SignIn, p); err != nil || there {
		return out, cmp.Or(err, error(errFactorThere))
	}
	if err := s.checkEnrolment(ctx, p, addr, in); err != nil {
		return out, err
	}
	secret := auth.NewFactorSecret()
	app := account.TOTP{TenantID: p.TenantID, UserID: p.UserID}
	if app.Sealed, err = s.vault.Seal(secret, app.Bind()...); err != nil {
		return out, err
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if _, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, p.UserID); err != nil {
			return err
		}
		if there, err := hasApp(ctx, tx.SignIn.SignInReader, p); err != nil || there {
			return cmp.Or(err, error(errFactorThere))
		}
		return tx.SignIn.SetTOTP(ctx, app)
	})
	return drover.FactorSecret{Secret: auth.FactorText(secret), URI: auth.FactorURI(secret, s.issuerName(), p.Name)}, err
}

// hasApp reports whether a user has an authenticator app that counts.
func hasApp(ctx context.Context, from account.SignInReader, p drover.Principal) (bool, error) {
	app, err := from.TOTP(ctx, p.TenantID, p.UserID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return app.ConfirmedAt != nil, err
}

// checkEnrolment asks for the password, or for a sign-in at the provider a moment ago; of those
// who have a second factor already, for that.
func (s *Directory) checkEnrolment(ctx context.Context, p drover.Principal, addr string, in drover.FactorInput) error {
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if err != nil {
		return err
	}
	if session.SecondFactor {
		return s.Fresh(ctx, p)
	}
	if session.EndsAt != nil {
		if s.clock().Sub(session.CreatedAt.Time) >= factorLifetime {
			return errSignInAgain
		}
		return nil
	}
	if in.Password == nil {
		return drover.Invalid("missing", "Field required", "body", "password")
	}
	user, err := s.store.Accounts.LoginByID(ctx, p.TenantID, p.UserID)
	if err != nil {
		return err
	}
	ok, err := s.login.Check(ctx, addr, user.ID, user.PasswordHash, *in.Password)
	if err == nil && !ok {
		return errors.Join(drover.InvalidValue("the password is wrong", "body", "password"), s.AuditRefusal(ctx, p))
	}
	return err
}

// issuerName is what authenticator apps show for the service.
func (s *Directory) issuerName() string {
	if u, err := url.Parse(s.publicURL); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return "drover"
}

var errWrongCode = drover.InvalidValue("the code is wrong", "body", "code")

// ConfirmFactor makes the authenticator app count, once its code was shown. The user's other
// sessions end: they have not shown it.
func (s *Directory) ConfirmFactor(
	ctx context.Context, p drover.Principal, addr string, in drover.FactorCode,
) (out drover.RecoveryCodes, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	app, err := s.store.SignIn.TOTP(ctx, p.TenantID, p.UserID)
	if errors.Is(err, store.ErrNotFound) {
		return out, errFactorBegun
	}
	if err != nil {
		return out, err
	}
	secret, err := s.vault.Open(ctx, app.Sealed, app.Bind()...)
	if err != nil {
		return out, err
	}
	u, now := drover.User{TenantID: p.TenantID, ID: p.UserID}, s.now()
	codes, hashes := newRecoveryCodes()
	good, err := s.login.Guess(ctx, addr, factorThrottle+p.UserID, func() (good bool, err error) {
		err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
			if _, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, p.UserID); err != nil {
				return err
			}
			stored, err := tx.SignIn.TOTPForUpdate(ctx, p.TenantID, p.UserID)
			switch {
			case errors.Is(err, store.ErrNotFound):
				return errFactorBegun
			case err != nil:
				return err
			case stored.ConfirmedAt != nil:
				return errFactorThere
			case !slices.Equal(stored.Sealed, app.Sealed): // it was begun again meanwhile
				return nil
			}
			step, ok := auth.CodeStep(secret, strings.ReplaceAll(in.Code, " ", ""), now.Time, stored.LastStep)
			if good = ok; !good {
				return nil
			}
			stored.ConfirmedAt, stored.LastStep = &now, step
			return errors.Join(tx.SignIn.SetTOTP(ctx, stored), tx.SignIn.SetRecoveryCodes(ctx, u, hashes),
				tx.SignIn.SetSecondFactor(ctx, u, true), tx.SignIn.ConfirmSession(ctx, p.TenantID, p.SessionID, now),
				tx.SignIn.RevokeOtherSessions(ctx, u, p.SessionID, now))
		})
		return good, err
	})
	switch {
	case err != nil:
		return out, err
	case !good:
		return out, errWrongCode
	}
	return drover.RecoveryCodes{Codes: codes}, s.vault.Refresh(ctx)
}

// newRecoveryCodes makes ten, with what is stored of them.
func newRecoveryCodes() (codes, hashes []string) {
	for range recoveryCodes {
		code := auth.NewRecoveryCode()
		codes, hashes = append(codes, code), append(hashes, auth.HashRecoveryCode(code))
	}
	return codes, hashes
}

// ConfirmSession shows the second factor again in the caller's session.
func (s *Directory) ConfirmSession(
	ctx context.Context, p drover.Principal, addr string, in drover.FactorProof,
) (out drover.FactorConfirmed, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if err != nil {
		return out, err
	}
	if !session.SecondFactor {
		return out, errFactorMissing
	}
	if in.Code == "" && in.Passkey == nil {
		return out, drover.Invalid("missing", "Field required", "body", "code")
	}
	ok, err := s.proveAny(ctx, addr, p, in)
	switch {
	case err != nil:
		return out, err
	case !ok && in.Passkey != nil:
		return out, drover.InvalidValue("the passkey was not accepted", "body", "passkey")
	case !ok:
		return out, errWrongCode
	}
	now := s.now()
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error { return tx.SignIn.ConfirmSession(ctx, p.TenantID, p.SessionID, now) })
	return drover.FactorConfirmed{ConfirmedUntil: drover.At(now.Add(factorLifetime))}, err
}

// NewRecoveryCodes replaces the caller's. Its second factor was shown a moment ago.
func (s *Directory) NewRecoveryCodes(ctx context.Context, p drover.Principal) (out drover.RecoveryCodes, err error) {
	codes, hashes := newRecoveryCodes()
	err = s.changeFactor(ctx, p, func(tx *store.Tx, u drover.User) error { return tx.SignIn.SetRecoveryCodes(ctx, u, hashes) })
	return drover.RecoveryCodes{Codes: codes}, err
}

// RemoveFactor takes the caller's second factor away, which was shown a moment ago.
func (s *Directory) RemoveFactor(ctx context.Context, p drover.Principal) error {
	err := s.changeFactor(ctx, p, func(tx *store.Tx, u drover.User) error { return tx.SignIn.DropSecondFactor(ctx, u) })
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}

// changeFactor changes the second factor of the caller, where it has one that is fresh.
func (s *Directory) changeFactor(ctx context.Context, p drover.Principal, change func(tx *store.Tx, u drover.User) error) error {
	if err := errors.Join(guard.Person(p), s.Fresh(ctx, p)); err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		u, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, p.UserID)
		if err != nil {
			return err
		}
		if !u.SecondFactor {
			return errFactorMissing
		}
		return change(tx, u)
	})
}

// ResetFactor takes a user's second factor away, and ends its sessions.
func (s *Directory) ResetFactor(ctx context.Context, p drover.Principal, id string) error {
	if err := s.ownUser(ctx, p, id); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		u, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownUser, id)
		}
		if err := mayBe(p, u); err != nil {
			return err
		}
		if !u.SecondFactor {
			return errFactorMissing
		}
		return errors.Join(tx.SignIn.DropSecondFactor(ctx, u), tx.SignIn.RevokeSessions(ctx, u, s.now()))
	})
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}
