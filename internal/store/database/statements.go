package database

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxStatements bounds the statements that are kept prepared. The store has some
// 300 texts; a list with many filters adds one for each combination of them.
const maxStatements = 512

// statements keeps the queries that were used last prepared. SQLite compiles a
// statement again each time otherwise, which costs more than running it.
type statements struct {
	db preparer

	mu       sync.Mutex
	prepared *simplelru.LRU[string, *prepared]
}

// prepared is a statement that is closed when it is dropped and no one is about
// to run it. Rows that are being read keep it open by themselves.
type prepared struct {
	*sql.Stmt
	users   int
	dropped bool
}

func (p *prepared) closeUnused() {
	if p.dropped && p.users == 0 {
		_ = p.Close() // nothing is lost with it
	}
}

// preparer is a *sql.DB, or the one connection of the writer.
type preparer interface {
	Writer
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

func newStatements(db preparer) *statements {
	lru, _ := simplelru.NewLRU(maxStatements, func(_ string, p *prepared) { // it fails for a bound below 1
		p.dropped = true
		p.closeUnused()
	})
	return &statements{db: db, prepared: lru}
}

// get prepares a query, or finds it prepared. Release gives it back.
func (s *statements) get(ctx context.Context, query string) (*prepared, error) {
	if p := s.find(query); p != nil {
		return p, nil
	}
	// Not under the lock: it waits for a connection, and those who have one may wait
	// for the lock.
	stmt, err := s.db.PrepareContext(ctx, keptPlan(query))
	if err != nil {
		return nil, err
	}
	return s.add(query, &prepared{Stmt: stmt}), nil
}

// keptPlan is a query whose plan does not depend on its limit. SQLite looks at the value
// that is bound to a bare LIMIT $n to choose a plan, and so compiles the statement again
// for each value that is bound: two thirds of the time of a short read.
func keptPlan(query string) string { return strings.ReplaceAll(query, "LIMIT $", "LIMIT +$") }

func (s *statements) find(query string) *prepared {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.prepared.Get(query)
	if !ok {
		return nil
	}
	p.users++
	return p
}

// add keeps a statement, unless someone else was faster.
func (s *statements) add(query string, p *prepared) *prepared {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.prepared.Get(query); ok {
		p.dropped = true
		p.closeUnused()
		p = known
	} else {
		s.prepared.Add(query, p)
	}
	p.users++
	return p
}

func (s *statements) release(p *prepared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.users--
	p.closeUnused()
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	defer s.release(stmt)
	return stmt.ExecContext(ctx, args...)
}

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	defer s.release(stmt)
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext falls back to an unprepared query where preparing fails: the
// row then carries the error.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	stmt, err := s.get(ctx, query)
	if err != nil {
		return s.db.QueryRowContext(ctx, query, args...)
	}
	defer s.release(stmt)
	return stmt.QueryRowContext(ctx, args...)
}

// count is the number of statements that are kept.
func (s *statements) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prepared.Len()
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prepared.Purge()
}
