package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
)

type tenantSSO struct {
	tenantName
	Set       bool   `help:"Change settings from standard input: a JSON object with the fields of PATCH /account/sso."`
	PublicURL string `help:"Public address of the service, to print the redirect address." env:"DROVER_PUBLIC_URL" placeholder:"URL"`
}

func (tenantSSO) Help() string {
	return "The client secret is read from standard input, and never printed.\n\n" +
		example("drover tenant sso northern-haulage", "drover tenant sso northern-haulage --set < sso.json",
			`echo '{"password_login":true}' | drover tenant sso northern-haulage --set`)
}

func (c *tenantSSO) Run(w world) error {
	var in drover.SingleSignOnUpdate
	if c.Set {
		text, err := io.ReadAll(io.LimitReader(w.in, 1<<20))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		if err := decode.JSON(text, &in); err != nil {
			return misused("standard input: %s", inWords(err))
		}
	}
	if !c.Set {
		return withExisting(w, c.Store, c.Log, func(s *store.Store) error { return c.print(w, s, nil, (*identity.Directory).SingleSignOn) })
	}
	return withVault(w, c.Store, c.Log, 0, func(s *store.Store, v *vault.Vault) error {
		return c.print(w, s, v, func(d *identity.Directory, _ context.Context, who drover.Principal) (drover.SingleSignOn, error) {
			return d.UpdateSingleSignOn(asking(w, "account.sso.update", "tenant", who.TenantID), who, in)
		})
	})
}

// print shows how a tenant's people sign in, after it was read or changed.
func (c *tenantSSO) print(
	w world, s *store.Store, v *vault.Vault, do func(*identity.Directory, context.Context, drover.Principal) (drover.SingleSignOn, error),
) error {
	t, err := findTenant(w, s, c.Name)
	if err != nil {
		return err
	}
	who := operator(t.ID)
	who.OperatorScopes = drover.OperatorScopes // who has the machine can let people in again
	d := identity.New(identity.Options{Store: s, Vault: v, Guard: guard.New(s, v, time.Now), Now: time.Now, PublicURL: c.PublicURL})
	shown, err := do(d, w, who)
	if drover.ErrorKind(err) == drover.KindInvalid {
		return misused("%s", inWords(err))
	}
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w.out)
	enc.SetIndent("", "  ")
	return enc.Encode(shown)
}

type userBreakGlass struct {
	userName
	Off bool `help:"No longer."`
}

func (userBreakGlass) Help() string {
	return "For one admin whose password is kept where it is needed when the provider fails. No operation of the interface sets this.\n\n" +
		example("drover user break-glass ann", "drover user break-glass ann --off")
}

func (c *userBreakGlass) Run(w world) error {
	return c.with(w, func(s *store.Store, u drover.User) error {
		return operate(w, s, userAction(u, "break-glass"), func(tx *store.Tx) error { return tx.Accounts.SetBreakGlass(w, u, !c.Off) })
	})
}

// inWords says what is wrong with a field, and with which.
func inWords(err error) string {
	e, ok := errors.AsType[*drover.Error](err)
	if !ok || len(e.Loc) < 2 {
		return err.Error()
	}
	return fmt.Sprintf("%v: %s", e.Loc[1], strings.TrimPrefix(e.Message, "Value error, "))
}
