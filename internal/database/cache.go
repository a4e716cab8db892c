package database

import (
	"sync"
	"sync/atomic"
)

// Cache keeps records of one table until a transaction has written to it. It may
// forget at any time, and never gives what is older than the newest commit.
type Cache[T any] interface {
	Get(key Key) (T, bool)
	// Begin is called before a record is read, and Put, with what it returned, once
	// it was. Put keeps nothing that was read while the table may have changed.
	Begin() Mark
	Put(key Key, v T, begun Mark)
}

// Key names a record as one tenant sees it.
type Key struct{ Asker, ID string }

// Mark is a moment between two commits to a table.
type Mark struct {
	commits uint64
	steady  bool
}

// NewCache makes a cache of a table's records. Where the database cannot know of
// every change, or the table is not among those to be cached, it keeps nothing.
func NewCache[T any](db DB, name string) Cache[T] {
	if t := db.table(name); t != nil {
		return &cache[T]{table: t}
	}
	return none[T]{}
}

// none is the cache that is switched off.
type none[T any] struct{}

func (none[T]) Get(Key) (v T, ok bool) { return v, false }
func (none[T]) Begin() Mark            { return Mark{} }
func (none[T]) Put(Key, T, Mark)       {}

// table counts the commits that wrote to a table. While one is under way the
// count is odd.
type table struct {
	commits atomic.Uint64
	touched bool // by the transaction under way; the writer's own
}

// tables are those whose records are cached, by name.
type tables map[string]*table

func newTables(names []string) tables {
	all := tables{}
	for _, name := range names {
		all[name] = &table{}
	}
	return all
}

// touch notes that the transaction under way writes to a table.
func (t tables) touch(name string) {
	if one, ok := t[name]; ok {
		one.touched = true
	}
}

func (t tables) touchAll() {
	for _, one := range t {
		one.touched = true
	}
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

// cache holds records of one table that were read since it last changed.
type cache[T any] struct {
	table *table

	mu      sync.RWMutex
	commits uint64
	records map[Key]T
}

// maxCached bounds the memory, at some 500 bytes each.
const maxCached = 10_000

func (c *cache[T]) Begin() Mark {
	commits := c.table.commits.Load()
	return Mark{commits: commits, steady: commits%2 == 0}
}

func (c *cache[T]) Get(key Key) (v T, ok bool) {
	now := c.Begin()
	if !now.steady {
		return v, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.commits != now.commits {
		return v, false
	}
	v, ok = c.records[key]
	return v, ok
}

func (c *cache[T]) Put(key Key, v T, begun Mark) {
	if !begun.steady || c.Begin() != begun {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commits > begun.commits {
		return
	}
	if c.records == nil || c.commits < begun.commits || len(c.records) >= maxCached {
		c.records, c.commits = map[Key]T{}, begun.commits
	}
	c.records[key] = v
}
