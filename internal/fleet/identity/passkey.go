package identity

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	// passkeyLifetime is how long a person may take at the device.
	passkeyLifetime = 5 * time.Minute
	// maxPasskeys is how many a user has.
	maxPasskeys = 10
	// passkeyThrottle keeps refused passkeys apart from other failures.
	passkeyThrottle = "passkey:"
	// passkeyRefused are the words of every refusal: the audit has more.
	passkeyRefused = "The passkey was not accepted"
)

// The refusals of passkeys.
var (
	errPasskey     = drover.Errorf(drover.KindUnauthenticated, passkeyRefused)
	errPasskeySite = drover.Errorf(drover.KindConflict,
		"Passkeys need a public address with a name and TLS, which the operator has to set first")
	errPasskeyMost  = drover.Errorf(drover.KindConflict, "A user has at most 10 passkeys")
	errPasskeyThere = drover.Errorf(drover.KindConflict, "The passkey is registered already")
)

// passkeyChallenge is what a device is asked to sign, sealed: every process knows it again, and the
// service keeps nothing about people who never come back.
type passkeyChallenge struct {
	SessionID string // the one that it was asked for in; empty at a sign-in
	Ends      int64  // in milliseconds since 1970
}

// What a challenge is for. It is sealed for that alone.
const (
	toAddPasskey = "passkey.add"
	toUsePasskey = "passkey.use"
)

// challenge makes one for a session; for none, where anyone may sign in.
func (s *Directory) challenge(purpose, sessionID string) (out drover.PasskeyChallenge, err error) {
	site, ok := auth.SiteOf(s.publicURL)
	if !ok {
		return out, errPasskeySite
	}
	ends := s.clock().Add(passkeyLifetime)
	text, err := json.Marshal(passkeyChallenge{sessionID, ends.UnixMilli()})
	if err != nil {
		return out, err
	}
	sealed, err := s.vault.Seal(text, purpose)
	return drover.PasskeyChallenge{
		Challenge: auth.PasskeyText.EncodeToString(sealed), RPID: site.ID, CredentialIDs: []string{}, ExpiresAt: drover.At(ends),
	}, err
}

// spendChallenge uses a challenge up, in the transaction of what it is used for.
type spendChallenge func(tx *store.Tx, tenantID string) error

// answered refuses the answer to a challenge that was not made for a purpose and a session, or has
// run out.
func (s *Directory) answered(ctx context.Context, sealed []byte, purpose, sessionID string) (spendChallenge, error) {
	var c passkeyChallenge
	text, err := s.vault.Open(ctx, sealed, purpose)
	if err != nil || json.Unmarshal(text, &c) != nil || c.SessionID != sessionID || s.clock().UnixMilli() >= c.Ends {
		return nil, auth.ErrPasskeyChallenge
	}
	return func(tx *store.Tx, tenantID string) error {
		err := tx.SignIn.SpendSignIn(ctx, tenantID, auth.HashSecret(string(sealed)), drover.At(time.UnixMilli(c.Ends)))
		if errors.Is(err, store.ErrExists) {
			return auth.ErrPasskeyChallenge
		}
		return err
	}, nil
}

// BeginPasskeySignIn gives a device something to sign, before anyone is known.
func (s *Directory) BeginPasskeySignIn() (drover.PasskeyChallenge, error) {
	return s.challenge(toUsePasskey, "")
}

// BeginPasskeyProof gives a device of the caller something to sign in its session.
func (s *Directory) BeginPasskeyProof(ctx context.Context, p drover.Principal) (out drover.PasskeyChallenge, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	keys, err := s.store.SignIn.Passkeys(ctx, p.TenantID, p.UserID)
	if err != nil {
		return out, err
	}
	if len(keys) == 0 {
		return out, errFactorMissing
	}
	out, err = s.challenge(toUsePasskey, p.SessionID)
	out.CredentialIDs = credentialsOf(keys)
	return out, err
}

// BeginPasskey gives a device something to make a passkey with. What is asked for is what
// BeginFactor asks for.
func (s *Directory) BeginPasskey(
	ctx context.Context, p drover.Principal, addr string, in drover.FactorInput,
) (out drover.PasskeyChallenge, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	if err := s.checkEnrolment(ctx, p, addr, in); err != nil {
		return out, err
	}
	keys, err := s.store.SignIn.Passkeys(ctx, p.TenantID, p.UserID)
	if err != nil {
		return out, err
	}
	if len(keys) >= maxPasskeys {
		return out, errPasskeyMost
	}
	out, err = s.challenge(toAddPasskey, p.SessionID)
	out.UserHandle, out.UserName, out.CredentialIDs = new(userHandle(p.UserID)), &p.Name, credentialsOf(keys)
	return out, err
}

func credentialsOf(keys []account.Passkey) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Credential
	}
	return out
}

// userHandle is what a passkey calls its user: nothing that says who it is.
func userHandle(userID string) string { return auth.PasskeyText.EncodeToString([]byte(userID)) }

// AddPasskey stores a new passkey of the caller, which counts at once. The first second factor comes
// with recovery codes, and ends the user's other sessions: they have not shown it.
func (s *Directory) AddPasskey(ctx context.Context, p drover.Principal, in drover.PasskeyInput) (out drover.PasskeyCreated, err error) {
	if err := errors.Join(guard.Person(p), s.Fresh(ctx, p)); err != nil {
		return out, err
	}
	key, spend, err := s.newPasskey(ctx, p, in)
	if err == nil {
		ctx = guard.About(ctx, "passkey", key.ID)
		err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
			out.RecoveryCodes, err = s.storePasskey(ctx, tx, p, key, spend)
			return err
		})
	}
	if refused, ok := errors.AsType[auth.PasskeyError](err); ok {
		return out, drover.InvalidValue("the passkey was not accepted: "+refused.Error(), "body")
	}
	if err != nil {
		return out, err
	}
	out.Passkey = key.Passkey
	return out, s.vault.Refresh(ctx)
}

// newPasskey reads what a browser has made.
func (s *Directory) newPasskey(
	ctx context.Context, p drover.Principal, in drover.PasskeyInput,
) (key account.Passkey, spend spendChallenge, err error) {
	raw, err := passkeyBytes(in.CredentialID, in.ClientData, in.AuthenticatorData, in.PublicKey)
	if err != nil {
		return key, nil, err
	}
	site, _ := auth.SiteOf(s.publicURL)
	sealed, err := site.Challenge(auth.PasskeyCreate, raw[1])
	if err != nil {
		return key, nil, err
	}
	if spend, err = s.answered(ctx, sealed, toAddPasskey, p.SessionID); err != nil {
		return key, nil, err
	}
	made, err := site.Register(raw[0], raw[2], raw[3])
	return account.Passkey{
		Passkey:  drover.Passkey{ID: store.NewID(), Name: in.Name, BackedUp: made.Moved, CreatedAt: s.now()},
		TenantID: p.TenantID, UserID: p.UserID, Credential: auth.PasskeyText.EncodeToString(raw[0]),
		PublicKey: made.PublicKey, Counter: made.Counter, MayMove: made.MayMove,
	}, spend, err
}

// passkeyBytes reads what browsers send.
func passkeyBytes(texts ...string) ([][]byte, error) {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		var err error
		if out[i], err = auth.PasskeyText.DecodeString(text); err != nil {
			return nil, auth.ErrPasskeyForm
		}
	}
	return out, nil
}

// storePasskey returns recovery codes, where it is the user's first second factor.
func (s *Directory) storePasskey(
	ctx context.Context, tx *store.Tx, p drover.Principal, key account.Passkey, spend spendChallenge,
) ([]string, error) {
	u, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, p.UserID)
	if err != nil {
		return nil, err
	}
	others, err := tx.SignIn.Passkeys(ctx, p.TenantID, p.UserID)
	if err != nil {
		return nil, err
	}
	if len(others) >= maxPasskeys {
		return nil, errPasskeyMost
	}
	if err := spend(tx, p.TenantID); err != nil {
		return nil, err
	}
	if err := tx.SignIn.AddPasskey(ctx, key); err != nil {
		if errors.Is(err, store.ErrExists) {
			err = errPasskeyThere
		}
		return nil, err
	}
	if err := tx.SignIn.ConfirmSession(ctx, p.TenantID, p.SessionID, key.CreatedAt); err != nil || u.SecondFactor {
		return []string{}, err
	}
	codes, hashes := newRecoveryCodes()
	return codes, errors.Join(tx.SignIn.SetRecoveryCodes(ctx, u, hashes), tx.SignIn.SetSecondFactor(ctx, u, true),
		tx.SignIn.RevokeOtherSessions(ctx, u, p.SessionID, key.CreatedAt))
}

// RenamePasskey gives a passkey of the caller another name.
func (s *Directory) RenamePasskey(
	ctx context.Context, p drover.Principal, id string, in drover.PasskeyUpdate,
) (out drover.Passkey, err error) {
	if err := guard.Person(p); err != nil {
		return out, err
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		key, err := s.ownPasskey(ctx, tx.SignIn, p, id)
		if err != nil {
			return err
		}
		same := key.Name == in.Name
		key.Name = in.Name
		if out = key.Passkey; same {
			return nil
		}
		return tx.SignIn.SetPasskey(ctx, key)
	})
	return out, err
}

// RemovePasskey takes a passkey from the caller, whose second factor was shown a moment ago. With the
// last of all that is one the recovery codes go too.
func (s *Directory) RemovePasskey(ctx context.Context, p drover.Principal, id string) error {
	if err := errors.Join(guard.Person(p), s.Fresh(ctx, p)); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		u, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, p.UserID)
		if err != nil {
			return err
		}
		if _, err := s.ownPasskey(ctx, tx.SignIn, p, id); err != nil {
			return err
		}
		if err := tx.SignIn.DropPasskey(ctx, p.TenantID, id); err != nil {
			return err
		}
		left, err := tx.SignIn.Passkeys(ctx, p.TenantID, p.UserID)
		if err != nil || len(left) > 0 {
			return err
		}
		if app, err := hasApp(ctx, tx.SignIn.SignInReader, p); err != nil || app {
			return err
		}
		return tx.SignIn.DropSecondFactor(ctx, u)
	})
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}

// ownPasskey reads a passkey of the caller, and keeps others from changing it.
func (*Directory) ownPasskey(ctx context.Context, tx account.SignInEditor, p drover.Principal, id string) (account.Passkey, error) {
	other, err := tx.OtherPasskey(ctx, p.TenantID, id)
	if err != nil {
		return account.Passkey{}, err
	}
	key, err := tx.PasskeyForUpdate(ctx, p.TenantID, id)
	if other || err == nil && key.UserID != p.UserID {
		return key, drover.Forbidden()
	}
	return key, guard.OrNotFound(err, guard.UnknownPasskey, id)
}

// SignInByPasskey opens a session of the console for the user of a passkey. It is both factors: the
// device, and what it has verified the person by. People who cannot sign in with a password cannot
// with a passkey alone either: their provider decides.
func (s *Directory) SignInByPasskey(
	ctx context.Context, addr string, sent drover.PasskeyProof,
) (p drover.Principal, cookie string, err error) {
	user, err := s.usePasskey(ctx, addr, drover.Principal{}, sent)
	if err != nil {
		return p, "", err
	}
	if user.Disabled || user.TenantSuspended {
		return p, "", errors.Join(drover.Forbidden(), s.auditLogin(ctx, user))
	}
	if !user.PasswordLogin || user.PasswordHash == "" {
		return p, "", errors.Join(errPasskey, s.auditLogin(ctx, user))
	}
	return s.openConsole(ctx, user, s.loginSession(user, consoleIdle))
}

// usePasskey finds the user whose passkey has signed a challenge, which is good once. Where a user is
// known already it must be that one's. Every refusal is errPasskey.
func (s *Directory) usePasskey(
	ctx context.Context, addr string, p drover.Principal, sent drover.PasskeyProof,
) (user account.Login, err error) {
	name := passkeyThrottle + sent.CredentialID
	if err := s.throttle.Allow(addr, name); err != nil {
		return user, err
	}
	user, err = s.spendPasskey(ctx, p, sent)
	refused, ok := errors.AsType[auth.PasskeyError](err)
	if err == nil {
		s.throttle.Succeed(addr, name)
	}
	if !ok {
		return user, err
	}
	s.throttle.Fail(addr, name)
	if p.UserID == "" {
		p = principalOf(user, "")
	}
	if p.UserID == "" {
		return user, errPasskey
	}
	action := "user.passkey.use"
	if refused == auth.ErrPasskeyCopied {
		action = "user.passkey.copied"
	}
	return user, errors.Join(errPasskey, s.AuditRefusal(guard.About(guard.Acting(ctx, action), "user", p.UserID), p))
}

func (s *Directory) spendPasskey(ctx context.Context, p drover.Principal, sent drover.PasskeyProof) (user account.Login, err error) {
	raw, err := passkeyBytes(sent.ClientData, sent.AuthenticatorData, sent.Signature)
	if err != nil {
		return user, err
	}
	site, _ := auth.SiteOf(s.publicURL)
	sealed, err := site.Challenge(auth.PasskeyGet, raw[0])
	if err != nil {
		return user, err
	}
	spend, err := s.answered(ctx, sealed, toUsePasskey, p.SessionID)
	if err != nil {
		return user, err
	}
	key, user, err := s.store.SignIn.LoginByPasskey(ctx, sent.CredentialID)
	if errors.Is(err, store.ErrNotFound) {
		return user, auth.ErrPasskeyUnknown
	}
	if err != nil {
		return user, err
	}
	known := p.UserID != ""
	if known && p.UserID != user.ID || (!known || sent.UserHandle != "") && sent.UserHandle != userHandle(user.ID) {
		return user, auth.ErrPasskeyUnknown
	}
	return user, s.store.Update(ctx, func(tx *store.Tx) error {
		key, err := tx.SignIn.PasskeyForUpdate(ctx, key.TenantID, key.ID)
		if errors.Is(err, store.ErrNotFound) { // it was removed meanwhile
			return auth.ErrPasskeyUnknown
		}
		if err != nil {
			return err
		}
		now, refused := site.Verify(auth.Passkey{PublicKey: key.PublicKey, Counter: key.Counter, MayMove: key.MayMove}, raw[0], raw[1], raw[2])
		if refused != nil && !errors.Is(refused, auth.ErrPasskeyCopied) {
			return refused
		}
		if err := spend(tx, key.TenantID); err != nil { // what is sent twice is no copy
			return err
		}
		if refused != nil {
			return refused
		}
		key.Counter, key.BackedUp, key.LastUsedAt = now.Counter, now.Moved, new(s.now())
		return tx.SignIn.SetPasskey(ctx, key)
	})
}
