package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

type userCommand struct {
	Add        userAdd        `cmd:"" help:"Add a user; the password is prompted for, or read from standard input."`
	List       userList       `cmd:"" help:"List a tenant's users."`
	Disable    userDisable    `cmd:"" help:"Block a user and refuse its tokens."`
	Enable     userEnable     `cmd:"" help:"Let a disabled user in again."`
	Password   userPassword   `cmd:"" help:"Set a user's password and end its sessions."`
	Sessions   userSessions   `cmd:"" help:"List a user's sessions, or end them."`
	Factor     userFactor     `cmd:"" name:"second-factor" help:"Show or reset a user's second factor."`
	BreakGlass userBreakGlass `cmd:"" help:"Let a user sign in with its password even if the tenant has disabled passwords."`
}

type userAdd struct {
	config.Store
	config.Log
	Tenant   string `required:"" help:"Name of the tenant." placeholder:"NAME"`
	Username string `required:"" help:"Name to log in with." placeholder:"U"`
	Email    string `required:"" help:"E-mail address, to log in with as well." placeholder:"E"`
	Role     string `required:"" help:"What the user may do: admin, member or viewer." enum:"admin,member,viewer"`
}

func (userAdd) Help() string {
	return example("drover user add --tenant northern-haulage --username ann --email ann@northern.example --role admin")
}

func (c *userAdd) Run(w world) error {
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Tenant)
		if err != nil {
			return err
		}
		password, err := readPassword(w)
		if err != nil {
			return err
		}
		operator := drover.Principal{TenantID: t.ID, Name: guard.OperatorName, Role: drover.RoleAdmin}
		u, err := directory(s).CreateUser(asking(w, "user.create", "user", ""), operator,
			drover.UserInput{Username: c.Username, Email: c.Email, Role: drover.Role(c.Role), Password: &password})
		if drover.ErrorKind(err) == drover.KindInvalid {
			return misused("%s", strings.TrimPrefix(err.Error(), "Value error, "))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w.out, u.ID)
		return err
	})
}

func userAction(u drover.User, verb string) action {
	return action{u.TenantID, "user." + verb, "user", u.ID}
}

// readPassword asks for a password on a terminal, and reads the first line of
// standard input otherwise. It is never an argument, which others could see.
func readPassword(w world) (string, error) {
	file, ok := w.in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) { // a descriptor fits
		line, err := bufio.NewReader(io.LimitReader(w.in, 2*auth.MaxPasswordBytes)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the password: %w", err)
		}
		if line == "" {
			return "", errors.New("no password on standard input")
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	fmt.Fprint(w.err, "Password: ")
	first, err := term.ReadPassword(int(file.Fd())) // a descriptor fits
	fmt.Fprint(w.err, "\nAgain: ")
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	second, err := term.ReadPassword(int(file.Fd())) // a descriptor fits
	fmt.Fprintln(w.err)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if string(first) != string(second) {
		return "", errors.New("the passwords differ")
	}
	return string(first), nil
}

type userList struct {
	config.Store
	config.Log
	listing
	Tenant string `required:"" help:"Name of the tenant." placeholder:"NAME"`
}

func (userList) Help() string {
	return example("drover user list --tenant northern-haulage", "drover user list --tenant northern-haulage --json")
}

func (c *userList) Run(w world) error {
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		t, err := findTenant(w, s, c.Tenant)
		if err != nil {
			return err
		}
		users, err := s.Accounts.Users(w, t.ID)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "USERNAME", "EMAIL", "ROLE", "STATE"}}
		for _, u := range users {
			state := "enabled"
			if u.Disabled {
				state = "disabled"
			}
			rows = append(rows, []string{u.ID, u.Username, u.Email, string(u.Role), state})
		}
		return c.print(w, rows, append([]drover.User{}, users...))
	})
}

// userName names a user by its username or e-mail address.
type userName struct {
	config.Store
	config.Log
	Username string `arg:"" help:"Username or e-mail address."`
}

func (c *userName) with(w world, f func(s *store.Store, u drover.User) error) error {
	return withStore(w, c.Store, c.Log, c.found(w, f))
}

// read is for what only reads.
func (c *userName) read(w world, f func(s *store.Store, u drover.User) error) error {
	return withExisting(w, c.Store, c.Log, c.found(w, f))
}

// found runs f with the user that is named.
func (c *userName) found(w world, f func(s *store.Store, u drover.User) error) func(s *store.Store) error {
	return func(s *store.Store) error {
		l, err := s.Accounts.LoginByName(w, c.Username)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no user named %q", c.Username)
		}
		if err != nil {
			return err
		}
		return f(s, l.User)
	}
}

// updateUser changes a user by the rules of the API.
func updateUser(w world, s *store.Store, u drover.User, verb string, in drover.UserUpdate) error {
	_, err := directory(s).UpdateUser(asking(w, "user."+verb, "user", u.ID), operator(u.TenantID), u.ID, in)
	if drover.ErrorKind(err) == drover.KindInvalid {
		return errors.New(strings.TrimPrefix(err.Error(), "Value error, "))
	}
	return err
}

type userDisable struct{ userName }

func (userDisable) Help() string { return example("drover user disable ann") }

func (c *userDisable) Run(w world) error {
	return c.with(w, func(s *store.Store, u drover.User) error {
		return updateUser(w, s, u, "disable", drover.UserUpdate{Disabled: drover.Some(true)})
	})
}

type userEnable struct{ userName }

func (userEnable) Help() string { return example("drover user enable ann") }

func (c *userEnable) Run(w world) error {
	return c.with(w, func(s *store.Store, u drover.User) error {
		return updateUser(w, s, u, "enable", drover.UserUpdate{Disabled: drover.Some(false)})
	})
}

type userPassword struct{ userName }

func (userPassword) Help() string { return example("drover user password ann < new-password.txt") }

func (c *userPassword) Run(w world) error {
	return c.with(w, func(s *store.Store, u drover.User) error {
		password, err := readPassword(w)
		if err != nil {
			return err
		}
		return updateUser(w, s, u, "password", drover.UserUpdate{Password: drover.Some(password)})
	})
}

type userFactor struct {
	userName
	Reset bool `help:"Remove it with all passkeys and recovery codes, and end the user's sessions."`
}

func (userFactor) Help() string {
	return "For a user who has lost it, where no admin can sign in. It also lets in an admin of a tenant that requires one.\n\n" +
		example("drover user second-factor ann", "drover user second-factor ann --reset")
}

func (c *userFactor) Run(w world) error {
	if !c.Reset {
		return c.read(w, func(s *store.Store, u drover.User) error {
			codes, err := s.SignIn.RecoveryCodes(w, u.TenantID, u.ID)
			if err != nil {
				return err
			}
			keys, err := s.SignIn.Passkeys(w, u.TenantID, u.ID)
			if err != nil {
				return err
			}
			state := "none"
			if u.SecondFactor {
				state = fmt.Sprintf("set up, %d passkeys, %d recovery codes left", len(keys), codes)
			}
			_, err = fmt.Fprintln(w.out, state)
			return err
		})
	}
	return c.with(w, func(s *store.Store, u drover.User) error {
		return operate(w, s, userAction(u, "second-factor.delete"), func(tx *store.Tx) error {
			return errors.Join(tx.SignIn.DropSecondFactor(w, u), tx.SignIn.RevokeSessions(w, u, now()))
		})
	})
}

type userSessions struct {
	userName
	listing
	End bool `help:"End all sessions; their tokens are refused from now on."`
}

func (userSessions) Help() string {
	return example("drover user sessions ann", "drover user sessions ann --end")
}

// listedSession is a session as a program reads it.
type listedSession struct {
	ID        string      `json:"id"`
	CreatedAt drover.Time `json:"created_at"`
	ExpiresAt drover.Time `json:"expires_at"`
}

func (c *userSessions) Run(w world) error {
	if c.End {
		return c.with(w, func(s *store.Store, u drover.User) error {
			return operate(w, s, userAction(u, "sessions.delete"), func(tx *store.Tx) error { return tx.SignIn.RevokeSessions(w, u, now()) })
		})
	}
	return c.read(w, func(s *store.Store, u drover.User) error {
		sessions, err := s.SignIn.Sessions(w, u, now())
		if err != nil {
			return err
		}
		rows, records := [][]string{{"ID", "CREATED", "EXPIRES"}}, []listedSession{}
		for _, session := range sessions {
			records = append(records, listedSession{session.ID, session.CreatedAt, session.ExpiresAt})
			rows = append(rows, []string{session.ID, session.CreatedAt.String(), session.ExpiresAt.String()})
		}
		return c.print(w, rows, records)
	})
}
