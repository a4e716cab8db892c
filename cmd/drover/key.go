package main

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

type keyCommand struct {
	List   keyList   `cmd:"" help:"List the keys by name; never their secrets."`
	Rotate keyRotate `cmd:"" help:"Create new keys and re-encrypt everything with them, while the service runs."`
}

type keyList struct {
	config.Store
	config.Log
	listing
}

func (keyList) Help() string { return example("drover key list", "drover key list --json") }

// listedKey is a key as a program reads it.
type listedKey struct {
	Purpose   string      `json:"purpose"`
	ID        string      `json:"id"`
	State     string      `json:"state"`
	CreatedAt drover.Time `json:"created_at"`
}

func (c *keyList) Run(w world) error {
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		rows, records := [][]string{{"PURPOSE", "ID", "STATE", "CREATED"}}, []listedKey{}
		for _, set := range []struct {
			purpose string
			table   account.KeyTable
		}{{"signing", account.SigningKeys}, {"sealing", account.DataKeys}} {
			keys, err := s.Accounts.Keys(w, set.table)
			if err != nil {
				return err
			}
			for _, k := range keys {
				state := "retired"
				if k.Active {
					state = "active"
				}
				rows = append(rows, []string{set.purpose, k.ID, state, k.CreatedAt.String()})
				records = append(records, listedKey{set.purpose, k.ID, state, k.CreatedAt})
			}
		}
		return c.print(w, rows, records)
	})
}

type keyRotate struct {
	config.Store
	config.Log
	RefreshTokenLifetime time.Duration `help:"Lifetime of a refresh token: how long an old signing key is kept." default:"720h" env:"DROVER_REFRESH_TOKEN_LIFETIME"`
}

func (keyRotate) Help() string {
	return example("drover key rotate") + "\n\nTo replace the master key: put the new one before the old one, separated by a comma, restart, rotate, and take the old one away."
}

func (c *keyRotate) Run(w world) error {
	return withVault(w, c.Store, c.Log, c.RefreshTokenLifetime, func(_ *store.Store, v *vault.Vault) error {
		done, err := v.Rotate(w)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.out, "signing key %s\nsealing key %s\n%d records sealed again, %d old keys dropped\n",
			done.SigningKey, done.DataKey, done.Resealed, done.Dropped)
		return err
	})
}
