package database

import (
	"sync"
	"sync/atomic"
)

// Cache keeps what was read of some tables until a transaction has written to one of
// them. It may forget at any time, and never gives what is older than the newest
// commit.
type Cache[T any] interface {
	Get(key Key) (T, bool)
	// Begin is called before a record is read, and Put, with what it returned, once
	// it was. Put keeps nothing that was read while a table may have changed.
	Begin() Mark
	Put(key Key, v T, begun Mark)
}

// Key names a record as one tenant sees it.
type Key struct{ Asker, ID string }

// Mark is a moment between two commits to the tables of a cache.
type Mark struct {
	commits uint64
	steady  bool
}

// Steady says that what is read from now on may be kept.
func (m Mark) Steady() bool { return m.steady }

// NewCache makes a cache, of at most some records, of what is read of the tables.
// Where the database cannot know of every change, or a table is not among those to be
// cached, it keeps nothing.
func NewCache[T any](db DB, most int, names ...string) Cache[T] {
	c := &cache[T]{most: most}
	for _, name := range names {
		t := db.table(name)
		if t == nil {
			return none[T]{}
		}
		c.tables = append(c.tables, t)
	}
	return c
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

// cache holds records that were read since a table last changed.
type cache[T any] struct {
	tables []*table
	most   int

	mu      sync.RWMutex
	commits uint64
	records map[Key]T
}

// Begin adds the counts up: they only grow, so two sums are the same where each of
// the counts is.
func (c *cache[T]) Begin() Mark {
	now := Mark{steady: true}
	for _, t := range c.tables {
		commits := t.commits.Load()
		now.commits, now.steady = now.commits+commits, now.steady && commits%2 == 0
	}
	return now
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
	if c.records == nil || c.commits < begun.commits || len(c.records) >= c.most {
		c.records, c.commits = map[Key]T{}, begun.commits
	}
	c.records[key] = v
}
