package identity

import (
	"bytes"
	"context"
	"errors"
	"net/mail"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// maxPreferences bounds what a user's programs keep with it.
const maxPreferences = 16 << 10

// The refusals of a change of users.
var (
	errTaken     = drover.Errorf(drover.KindConflict, "The username or the e-mail address is taken")
	errLastAdmin = drover.Errorf(drover.KindConflict, "The last admin cannot be removed")
)

// Users lists the tenant's users by id, after the id given.
func (s *Directory) Users(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.User, error) {
	if err := guard.MayAdminister(p); err != nil {
		return nil, err
	}
	return s.store.Accounts.UsersPage(ctx, p.TenantID, string(after), limit)
}

// CreateUser adds a user to the caller's tenant.
func (s *Directory) CreateUser(ctx context.Context, p drover.Principal, in drover.UserInput) (drover.User, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.User{}, err
	}
	u := drover.User{
		ID: store.NewID(), TenantID: p.TenantID, Username: strings.TrimSpace(in.Username), Email: strings.TrimSpace(in.Email),
		Role: in.Role, CreatedAt: s.now(),
	}
	if err := checkUser(u); err != nil {
		return drover.User{}, err
	}
	if err := mayBe(p, u); err != nil {
		return drover.User{}, err
	}
	hash, err := s.firstHash(ctx, u, in.Password)
	if err != nil {
		return drover.User{}, err
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.User, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaUsers, 1); err != nil {
			return u, err
		}
		return u, orTaken(tx.Accounts.AddUser(ctx, u, hash))
	})
}

// firstHash is that of a new user, who needs no password where the tenant's people sign in
// by its own provider.
func (s *Directory) firstHash(ctx context.Context, u drover.User, password *string) (string, error) {
	if password != nil {
		return s.hashFor(ctx, u, *password, 1)
	}
	stored, err := s.store.SignIn.SingleSignOn(ctx, u.TenantID)
	if err == nil && !stored.Settings.Enabled {
		err = drover.Invalid("missing", "Field required", "body", "password")
	}
	return "", err
}

func orTaken(err error) error {
	if errors.Is(err, store.ErrExists) {
		return errTaken
	}
	return err
}

func checkUser(u drover.User) error {
	if u.Username == "" {
		return drover.InvalidValue("a username must not be blank", "body", "username")
	}
	if err := account.CheckUsername(u.Username); err != nil {
		return drover.InvalidValue(err.Error(), "body", "username")
	}
	return checkEmail(u.Email)
}

// checkEmail refuses what is no address, or one with a name beside it.
func checkEmail(address string) error {
	if a, err := mail.ParseAddress(address); err != nil || a.Address != address {
		return drover.Invalid("value_error", "value is not a valid email address", "body", "email")
	}
	return nil
}

// hashFor hashes the password of a user to be stored, unless its name is taken or there is
// no place for more users: that is known at once, and a hash is not.
func (s *Directory) hashFor(ctx context.Context, u drover.User, password string, more int64) (string, error) {
	if err := checkPassword(u, password); err != nil {
		return "", err
	}
	taken, err := s.store.Accounts.NameTaken(ctx, u)
	if err != nil {
		return "", err
	}
	if taken {
		return "", errTaken
	}
	if err := guard.Room(ctx, s.store.Accounts, u.TenantID, drover.QuotaUsers, more); err != nil {
		return "", err
	}
	return s.hasher.Hash(ctx, u.TenantID, password)
}

func checkPassword(u drover.User, password string) error {
	if err := auth.CheckChosen(password, u.Username, u.Email); err != nil {
		return drover.InvalidValue(err.Error(), "body", "password")
	}
	return nil
}

// ownUser refuses another tenant's user.
func (s *Directory) ownUser(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayAdminister(p); err != nil {
		return err
	}
	other, err := s.store.Accounts.OtherUser(ctx, p.TenantID, id)
	if err == nil && other {
		return drover.Forbidden()
	}
	return err
}

// UpdateUser changes the fields that were sent. A new password ends the user's
// sessions. The last admin can be disabled on the command line alone, where it can be
// enabled again.
func (s *Directory) UpdateUser(ctx context.Context, p drover.Principal, id string, in drover.UserUpdate) (drover.User, error) {
	if err := s.ownUser(ctx, p, id); err != nil {
		return drover.User{}, err
	}
	hash := ""
	if in.Password.Value != nil {
		seen, err := s.store.Accounts.LoginByID(ctx, p.TenantID, id)
		if err != nil {
			return drover.User{}, guard.OrNotFound(err, guard.UnknownUser, id)
		}
		u, err := applyUser(p, seen.User, in)
		if err != nil {
			return drover.User{}, err
		}
		if hash, err = s.hashFor(ctx, u, *in.Password.Value, 0); err != nil {
			return drover.User{}, err
		}
	}
	var changed drover.User
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		admins, err := tx.Accounts.AdminsForUpdate(ctx, p.TenantID)
		if err != nil {
			return err
		}
		before, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownUser, id)
		}
		if changed, err = applyUser(p, before, in); err != nil {
			return err
		}
		if (changed.Role != drover.RoleAdmin || changed.Disabled) && isLast(admins, id) && !guard.OnCommandLine(ctx) {
			return errLastAdmin
		}
		return s.storeUser(ctx, tx, before, changed, hash)
	})
	if err != nil {
		return drover.User{}, err
	}
	return changed, s.refresh(ctx)
}

// applyUser is a user with the fields that were sent.
func applyUser(p drover.Principal, before drover.User, in drover.UserUpdate) (drover.User, error) {
	u := before
	in.Username.ApplyValue(&u.Username)
	in.Email.ApplyValue(&u.Email)
	in.Role.ApplyValue(&u.Role)
	in.Disabled.ApplyValue(&u.Disabled)
	u.Username, u.Email = strings.TrimSpace(u.Username), strings.TrimSpace(u.Email)
	if err := checkUser(u); err != nil {
		return u, err
	}
	// Who sets a password or a role can act with it.
	return u, errors.Join(mayBe(p, before), mayBe(p, u))
}

// mayBe keeps a caller from making, changing or deleting a user that it could not be:
// one with more rights, or any where the caller is a key that ends or is held to
// networks, which a user is not.
func mayBe(p drover.Principal, u drover.User) error {
	if p.Bound() {
		return drover.Forbidden()
	}
	return mayGrant(p, u.Role.Permissions())
}

func isLast(admins []drover.User, id string) bool { return len(admins) == 1 && admins[0].ID == id }

func (s *Directory) storeUser(ctx context.Context, tx *store.Tx, before, after drover.User, hash string) error {
	if before != after {
		if err := orTaken(tx.Accounts.SetUser(ctx, after)); err != nil {
			return err
		}
	}
	if hash == "" {
		return nil
	}
	return errors.Join(tx.Accounts.SetPassword(ctx, after, hash), tx.SignIn.RevokeSessions(ctx, after, s.now()))
}

// DeleteUser removes a user with its sessions.
func (s *Directory) DeleteUser(ctx context.Context, p drover.Principal, id string) error {
	if err := s.ownUser(ctx, p, id); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		admins, err := tx.Accounts.AdminsForUpdate(ctx, p.TenantID)
		if err != nil {
			return err
		}
		u, err := tx.Accounts.UserForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownUser, id)
		}
		if err := mayBe(p, u); err != nil {
			return err
		}
		if isLast(admins, id) {
			return errLastAdmin
		}
		return tx.Accounts.DropUser(ctx, u)
	})
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}

// UpdateOwn changes the caller's own password, which needs the old one, and its
// preferences.
func (s *Directory) UpdateOwn(ctx context.Context, p drover.Principal, addr string, in drover.OwnUpdate) (drover.Profile, error) {
	if err := guard.Person(p); err != nil {
		return drover.Profile{}, err
	}
	hash, err := s.checkOwn(ctx, p, addr, in)
	if err != nil {
		return drover.Profile{}, err
	}
	u := drover.User{TenantID: p.TenantID, ID: p.UserID}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if in.Preferences != nil {
			if err := tx.Accounts.SetPreferences(ctx, p.TenantID, p.UserID, string(in.Preferences)); err != nil {
				return err
			}
		}
		if hash == "" {
			return nil
		}
		return errors.Join(tx.Accounts.SetPassword(ctx, u, hash), tx.SignIn.RevokeOtherSessions(ctx, u, p.SessionID, s.now()))
	})
	if err != nil {
		return drover.Profile{}, err
	}
	if err := s.vault.Refresh(ctx); err != nil {
		return drover.Profile{}, err
	}
	return s.Profile(ctx, p)
}

// checkOwn checks a change in the order of its fields, and hashes the password.
func (s *Directory) checkOwn(ctx context.Context, p drover.Principal, addr string, in drover.OwnUpdate) (hash string, err error) {
	if in.Password != nil {
		if hash, err = s.newPassword(ctx, p, addr, in); err != nil {
			return "", err
		}
	}
	switch {
	case in.Preferences == nil:
	case !bytes.HasPrefix(in.Preferences, []byte("{")):
		return "", drover.Invalid("dict_type", "Input should be a valid dictionary", "body", "preferences")
	case len(in.Preferences) > maxPreferences:
		return "", drover.InvalidValue("preferences have at most 16384 bytes", "body", "preferences")
	}
	return hash, nil
}

// newPassword checks the old password, as slowly as a login does, and hashes the
// new one.
func (s *Directory) newPassword(ctx context.Context, p drover.Principal, addr string, in drover.OwnUpdate) (string, error) {
	if in.OldPassword == nil {
		return "", drover.Invalid("missing", "Field required", "body", "old_password")
	}
	user, err := s.store.Accounts.LoginByID(ctx, p.TenantID, p.UserID)
	if err != nil {
		return "", err
	}
	ok, err := s.login.Check(ctx, addr, user.ID, user.PasswordHash, *in.OldPassword)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errors.Join(drover.InvalidValue("the password is wrong", "body", "old_password"), s.AuditRefusal(ctx, p))
	}
	if err := checkPassword(user.User, *in.Password); err != nil {
		return "", err
	}
	return s.hasher.Hash(ctx, p.TenantID, *in.Password)
}

// OwnSessions lists the caller's own sessions, oldest first.
func (s *Directory) OwnSessions(ctx context.Context, p drover.Principal) ([]drover.UserSession, error) {
	if err := guard.Person(p); err != nil {
		return nil, err
	}
	sessions, err := s.store.SignIn.Sessions(ctx, drover.User{TenantID: p.TenantID, ID: p.UserID}, s.now())
	views := make([]drover.UserSession, len(sessions))
	for i, x := range sessions {
		views[i] = drover.UserSession{
			ID: x.ID, Kind: drover.SessionToken, Current: x.ID == p.SessionID, CreatedAt: x.CreatedAt,
			ExpiresAt: x.ExpiresAt,
		}
		if x.CookieHash != "" {
			views[i].Kind = drover.SessionConsole
		}
	}
	return views, err
}

// EndSession ends one of the caller's own sessions.
func (s *Directory) EndSession(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.Person(p); err != nil {
		return err
	}
	other, err := s.store.SignIn.OtherSession(ctx, p.TenantID, id)
	if err != nil {
		return err
	}
	session, err := s.store.SignIn.Session(ctx, p.TenantID, id)
	if other || err == nil && session.UserID != p.UserID {
		return drover.Forbidden()
	}
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownSession, id)
	}
	if session.RevokedAt != nil {
		return drover.Errorf(drover.KindNotFound, guard.UnknownSession, id)
	}
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error { return tx.SignIn.RevokeSession(ctx, p.TenantID, id, s.now()) })
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}
