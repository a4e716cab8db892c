package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
)

// directory returns the use cases about tenants, users and keys, without sessions and sealed
// values.
func directory(s *store.Store) *identity.Directory {
	return identity.New(identity.Options{
		Store: s, Guard: guard.New(s, nil, time.Now), Now: time.Now, Hasher: auth.NewHasher(rand.Reader, runtime.GOMAXPROCS(0)),
	})
}

type operatorCommand struct {
	Key operatorKeyCommand `cmd:"" help:"Manage the keys for the operator's programs."`
}

type operatorKeyCommand struct {
	Create operatorKeyCreate `cmd:"" help:"Create a key and print it, only this time."`
	List   operatorKeyList   `cmd:"" help:"List the keys; never their secrets."`
	Revoke operatorKeyRevoke `cmd:"" help:"Refuse a key from now on."`
}

type operatorKeyCreate struct {
	config.Store
	config.Log
	Name    string        `arg:"" help:"What the key is for."`
	Scope   []string      `required:"" help:"What it may do: tenants:read, tenants:write, usage:read, audit:read or act; repeatable." placeholder:"SCOPE"`
	Expires time.Duration `help:"Lifetime of the key; default unlimited." placeholder:"TIME"`
}

func (operatorKeyCreate) Help() string {
	return example("drover operator key create backend --scope tenants:read,tenants:write,act",
		"drover operator key create billing --scope usage:read --expires 8760h")
}

func (c *operatorKeyCreate) Run(w world) error {
	k := drover.OperatorKey{Name: c.Name}
	for _, scope := range c.Scope {
		k.Scopes = append(k.Scopes, drover.OperatorScope(scope))
	}
	if c.Expires < 0 {
		return misused("--expires: must be positive, such as 8760h")
	}
	if c.Expires > 0 {
		k.ExpiresAt = new(drover.At(time.Now().Add(c.Expires)))
	}
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		_, secret, err := directory(s).CreateOperatorKey(asking(w, "operator-key.create", "", ""), k)
		if drover.ErrorKind(err) == drover.KindInvalid {
			return misused("%s; the scopes are %s", strings.TrimPrefix(err.Error(), "Value error, "), joined(drover.OperatorScopes))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w.out, secret)
		return err
	})
}

func joined[T ~string](values []T) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}

type operatorKeyList struct {
	config.Store
	config.Log
	listing
}

func (operatorKeyList) Help() string {
	return example("drover operator key list", "drover operator key list --json")
}

func (c *operatorKeyList) Run(w world) error {
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		keys, err := s.SignIn.OperatorKeys(w)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED"}}
		for _, k := range keys {
			rows = append(rows, []string{k.ID, k.Name, joined(k.Scopes), k.CreatedAt.String(), orDash(k.ExpiresAt), orDash(k.LastUsedAt)})
		}
		return c.print(w, rows, append([]drover.OperatorKey{}, keys...))
	})
}

type operatorKeyRevoke struct {
	config.Store
	config.Log
	ID string `arg:"" help:"Id of the key, as drover operator key list shows it."`
}

func (operatorKeyRevoke) Help() string {
	return example("drover operator key revoke 01932f6e-7c1b-7a52-9d4e-3f1f6a6b8c01")
}

func (c *operatorKeyRevoke) Run(w world) error {
	return withStore(w, c.Store, c.Log, func(s *store.Store) error {
		err := directory(s).RevokeOperatorKey(asking(w, "operator-key.delete", "", ""), c.ID)
		if drover.ErrorKind(err) == drover.KindNotFound {
			return errors.New("there is no operator key with the id " + c.ID)
		}
		return err
	})
}
