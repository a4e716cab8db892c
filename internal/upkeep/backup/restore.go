package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/drover-fleet/drover/internal/store"
)

// Target is where a backup is brought back to: a PostgreSQL, or the file of an
// embedded database.
type Target struct {
	URL  string
	Path string
}

// Restore brings a backup back to where there is no database yet: it replaces
// nothing. The copy is checked before it takes its place.
func Restore(ctx context.Context, file string, t Target) (Manifest, error) {
	near := filepath.Dir(t.Path)
	if t.URL != "" {
		near = os.TempDir()
	}
	folder, err := os.MkdirTemp(near, ".drover-restore-")
	if err != nil {
		return Manifest{}, fmt.Errorf("make a folder for the copy: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // what is left is a copy
	whole := filepath.Join(folder, copyName)
	m, err := extract(file, whole)
	if err != nil {
		return m, err
	}
	switch {
	case m.Database == "sqlite" && t.URL != "":
		return m, errors.New("the backup is one of SQLite, and --database names a PostgreSQL")
	case m.Database == "postgres" && t.URL == "":
		return m, errors.New("the backup is one of PostgreSQL: name an empty database with --database")
	}
	if m.Schema > store.KnownSchema() {
		return m, fmt.Errorf("%w: the backup has schema %d, and this one knows %d; install the newer drover", store.ErrNewer, m.Schema,
			store.KnownSchema())
	}
	if t.URL != "" {
		return m, restorePostgres(ctx, t.URL, whole)
	}
	return m, restoreSQLite(ctx, t.Path, whole)
}

// restoreSQLite puts the copy in its place once its pages have been read.
func restoreSQLite(ctx context.Context, path, whole string) error {
	for _, there := range []string{path, path + "-wal", path + "-shm"} {
		if _, err := os.Lstat(there); err == nil {
			return fmt.Errorf("%s is there already; move it away first", there)
		}
	}
	s, err := store.Open(ctx, store.Options{Path: whole})
	if err != nil {
		return err
	}
	if err := errors.Join(s.CheckPages(ctx), renewChanges(ctx, s), s.Close()); err != nil {
		return err
	}
	if err := os.Link(whole, path); err != nil { // unlike a rename it replaces nothing
		return fmt.Errorf("put the database in its place: %w", err)
	}
	return nil
}

func restorePostgres(ctx context.Context, url, whole string) error {
	s, err := store.Open(ctx, store.Options{URL: url})
	if err != nil {
		return err
	}
	empty, err := s.Empty(ctx)
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	if !empty {
		return errors.New("the database is not empty; name a new one with --database")
	}
	if err := load(ctx, url, whole); err != nil {
		return err
	}
	if s, err = store.Open(ctx, store.Options{URL: url}); err != nil {
		return err
	}
	return errors.Join(renewChanges(ctx, s), s.Close())
}

// renewChanges makes programs that keep a copy take a new snapshot: they may have seen
// what the backup does not have.
func renewChanges(ctx context.Context, s *store.Store) error {
	return s.Update(ctx, func(tx *store.Tx) error { return tx.Fleet.RenewChanges(ctx) })
}
