package store

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// table counts the commits that wrote to a table. While one is under way the
// count is odd.
type table struct {
	commits atomic.Uint64
	touched bool // by the transaction under way; the writer's own
}

// tables are those whose records are remembered, by name. SQLite's one writer
// knows of every change that this process makes, and looks for those of others.
type tables map[string]*table

func newTables(names ...string) tables {
	all := tables{}
	for _, name := range names {
		all[name] = &table{}
	}
	return all
}

// writtenBy lists the tables that a statement writes to: all where it does not
// begin in a way that tells.
func (t tables) writtenBy(query string) []*table {
	if !changes(query) {
		return nil
	}
	words := append(opening(query), "", "", "")
	if words[0] == "INSERT" && words[1] == "OR" && words[2] == "FAIL" {
		words = slices.Delete(words, 1, 3)
	}
	var name string
	switch {
	case words[0] == "UPDATE" && words[1] != "OR":
		name = words[1]
	case words[0] == "INSERT" && words[1] == "INTO", words[0] == "DELETE" && words[1] == "FROM":
		name = words[2]
	default:
		return t.all()
	}
	name, _, _ = strings.Cut(name, "(")
	if known, ok := t[name]; ok {
		return []*table{known}
	}
	return nil
}

// changes reports whether a statement may change data.
func changes(query string) bool {
	words := opening(query)
	return len(words) == 0 || !slices.Contains([]string{"SELECT", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"}, words[0])
}

// opening is the first words of a statement.
func opening(query string) []string { return strings.Fields(query[:min(len(query), 200)]) }

func (t tables) all() []*table {
	var all []*table
	for _, one := range t {
		all = append(all, one)
	}
	return all
}

// change makes what was touched look changed from now on, until and after the end
// of the commit that the caller makes.
func (t tables) change(commit func() error) error {
	for _, one := range t {
		if one.touched {
			one.commits.Add(1)
		}
	}
	err := commit()
	for _, one := range t {
		if one.touched {
			one.touched = false
			one.commits.Add(1)
		}
	}
	return err
}

// remembered holds records of one table that were read since it last changed.
// Without a table it holds none.
type remembered[T any] struct {
	table *table

	mu      sync.RWMutex
	commits uint64
	records map[recordKey]T
}

type recordKey struct{ asker, id string }

// maxRemembered bounds the memory, at some 500 bytes each.
const maxRemembered = 10_000

// now is the count that what is read from now on may be put under; false where
// it may not.
func (r *remembered[T]) now() (commits uint64, ok bool) {
	if r.table == nil {
		return 0, false
	}
	commits = r.table.commits.Load()
	return commits, commits%2 == 0
}

func (r *remembered[T]) get(key recordKey) (v T, ok bool) {
	commits, steady := r.now()
	if !steady {
		return v, false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.commits != commits {
		return v, false
	}
	v, ok = r.records[key]
	return v, ok
}

// put remembers what was read after commits was the count, unless the table may
// have changed meanwhile.
func (r *remembered[T]) put(key recordKey, v T, commits uint64) {
	if now, steady := r.now(); !steady || now != commits {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.commits > commits {
		return
	}
	if r.records == nil || r.commits < commits || len(r.records) >= maxRemembered {
		r.records, r.commits = map[recordKey]T{}, commits
	}
	r.records[key] = v
}
