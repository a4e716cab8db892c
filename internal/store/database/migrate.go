package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

func migrate(ctx context.Context, dialect goose.Dialect, db *sql.DB, files fs.FS, options ...goose.ProviderOption) (int, error) {
	p, err := migrator(dialect, db, files, options...)
	if err != nil {
		return 0, err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return 0, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

func pending(ctx context.Context, dialect goose.Dialect, db *sql.DB, files fs.FS) (int, error) {
	p, err := migrator(dialect, db, files)
	if err != nil {
		return 0, err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return 0, err
	}
	statuses, err := p.Status(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the state of migrations: %w", err)
	}
	n := 0
	for _, s := range statuses {
		if s.State == goose.StatePending {
			n++
		}
	}
	return n, nil
}

func version(ctx context.Context, dialect goose.Dialect, db *sql.DB, files fs.FS) (int64, error) {
	p, err := migrator(dialect, db, files)
	if err != nil {
		return 0, err
	}
	v, err := p.GetDBVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the state of migrations: %w", err)
	}
	return v, nil
}

// Known is the number of the last step of a folder.
func Known(steps fs.FS) (known int64, err error) {
	entries, err := fs.ReadDir(steps, ".")
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	for _, entry := range entries {
		n, err := stepNumber(entry.Name())
		if err != nil {
			return 0, err
		}
		known = max(known, n)
	}
	return known, nil
}

func stepNumber(name string) (int64, error) {
	number, _, _ := strings.Cut(name, "_")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("migration %s has no number: %w", name, err)
	}
	return n, nil
}

// ErrNewer says that the schema is that of a newer drover, whose rows this one might
// misread and miscount.
var ErrNewer = errors.New("the database is newer than this drover")

func refuseNewer(ctx context.Context, p *goose.Provider) error {
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the state of migrations: %w", err)
	}
	sources := p.ListSources()
	if known := sources[len(sources)-1].Version; version > known {
		return fmt.Errorf("%w: it has schema %d, and this one knows %d; install the newer drover", ErrNewer, version, known)
	}
	return nil
}

func migrator(dialect goose.Dialect, db *sql.DB, files fs.FS, options ...goose.ProviderOption) (*goose.Provider, error) {
	steps, err := migrationSteps(dialect, files)
	if err != nil {
		return nil, err
	}
	// Steps that were written side by side may arrive in another order than their
	// numbers'.
	options = append(options, goose.WithAllowOutofOrder(true), goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	p, err := goose.NewProvider(dialect, db, nil, options...)
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	return p, nil
}

// migrationSteps picks the files that concern the database: they are named
// NNNNN_subject.sql where they serve both databases, and NNNNN_subject.sqlite.sql
// or NNNNN_subject.postgres.sql where they serve one. Each runs whole in one
// transaction.
func migrationSteps(dialect goose.Dialect, files fs.FS) ([]*goose.Migration, error) {
	database := "sqlite"
	if dialect == goose.DialectPostgres {
		database = "postgres"
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var steps []*goose.Migration
	for _, entry := range entries {
		parts := strings.Split(strings.TrimSuffix(entry.Name(), ".sql"), ".")
		if len(parts) == 2 && parts[1] != database {
			continue
		}
		version, err := stepNumber(entry.Name())
		if err != nil {
			return nil, err
		}
		text, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error {
				if dialect == goose.DialectPostgres {
					return stepOfPostgres(ctx, tx, string(text))
				}
				_, err := tx.ExecContext(ctx, string(text))
				return err
			},
		}, nil))
	}
	return steps, nil
}
