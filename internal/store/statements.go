package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// statements prepares each query text once. SQLite compiles a statement anew
// each time otherwise, which costs more than running it.
type statements struct {
	db preparer
	// tables are told what is written to them; nil where nothing is.
	tables tables
	// changes counts the statements run that may change data. Only the writer, of
	// which there is one, has such.
	changes int

	mu       sync.RWMutex
	prepared map[string]prepared
}

// prepared is a statement with the tables that it writes to.
type prepared struct {
	*sql.Stmt
	writes  []*table
	changes bool
}

// preparer is a *sql.DB, or the one connection of the writer.
type preparer interface {
	querier
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func newStatements(db preparer, t tables) *statements {
	return &statements{db: db, tables: t, prepared: map[string]prepared{}}
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	p, ok := s.prepared[query]
	s.mu.RUnlock()
	if !ok {
		var err error
		if p, err = s.prepare(ctx, query); err != nil {
			return nil, err
		}
	}
	if p.changes {
		s.changes++
	}
	for _, t := range p.writes {
		t.touched = true
	}
	return p.Stmt, nil
}

func (s *statements) prepare(ctx context.Context, query string) (prepared, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.prepared[query]; ok {
		return p, nil
	}
	stmt, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{Stmt: stmt}
	if s.tables != nil {
		p.writes, p.changes = s.tables.writtenBy(query), changes(query)
	}
	s.prepared[query] = p
	return p, nil
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext falls back to an unprepared query where preparing fails: the
// row then carries the error. One row is there before anybody could wish to
// cancel it, and watching for that costs two goroutines each time.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	stmt, err := s.get(ctx, query)
	if err != nil {
		return s.db.QueryRowContext(ctx, query, args...)
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	clear(s.prepared)
	return errors.Join(errs...)
}
