package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// OpenVault reads the master key, or makes it in the data folder where none is
// given, and opens the keys of the database with it.
func OpenVault(
	ctx context.Context,
	c config.Store,
	s *store.Store,
	logger *slog.Logger,
	now func() time.Time,
	keep time.Duration,
) (*vault.Vault, error) {
	master, err := masterKey(ctx, c, s)
	if err != nil {
		return nil, fmt.Errorf("master key: %w", err)
	}
	return vault.Open(ctx, vault.Options{Store: s, Master: master, Now: now, Logger: logger, KeepSigningKeys: keep})
}

// keyCommandTimeout is how long the command that prints the master key may take: a start would otherwise
// wait for ever for a key store that does not answer.
const keyCommandTimeout = 30 * time.Second

func masterKey(ctx context.Context, c config.Store, s *store.Store) (*secret.Master, error) {
	if err := c.CheckMasterKey(); err != nil {
		return nil, err
	}
	switch {
	case c.MasterKey != "":
		return secret.ParseMaster(c.MasterKey)
	case c.MasterKeyCommand != "":
		ctx, cancel := context.WithTimeout(ctx, keyCommandTimeout)
		defer cancel()
		return secret.MasterOfCommand(ctx, c.MasterKeyCommand)
	}
	path := c.MasterKeyPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := mayMakeKey(ctx, c, s); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(c.Data, 0o700); err != nil {
			return nil, fmt.Errorf("make the data folder: %w", err)
		}
	}
	return secret.LoadOrCreateMaster(path, rand.Reader)
}

// mayMakeKey refuses to make a master key that would open nothing: where a file
// was named, and where the database has keys that another one sealed.
func mayMakeKey(ctx context.Context, c config.Store, s *store.Store) error {
	if c.MasterKeyFile != "" {
		return fmt.Errorf("%s is missing", c.MasterKeyFile)
	}
	keys, err := s.Accounts.Keys(ctx, account.SigningKeys)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		return fmt.Errorf("%s is missing; the database was created with a master key: put it there, or name it with --master-key-file",
			c.MasterKeyPath())
	}
	return nil
}
