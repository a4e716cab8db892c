package simulate

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// driverName is what the simulated disk is registered as.
const driverName = "simulated"

// disks are the processes by their data folder: that is how a driver, of which there
// is one, finds whose statement it runs.
var disks sync.Map // of *process

// diskDriver opens SQLite files whose statements can fail, wait, or be the last one
// of their process.
type diskDriver struct{ sqlite *sqlite.Driver }

// registerDisk makes the driver known; once for the test binary.
var registerDisk = sync.OnceFunc(func() {
	db, err := sql.Open("sqlite", "")
	if err != nil {
		panic(err) // it opens nothing yet
	}
	sql.Register(driverName, diskDriver{db.Driver().(*sqlite.Driver)}) //nolint:forcetypeassert // it is what that name stands for
	_ = db.Close()
})

// Open implements driver.Driver.
func (d diskDriver) Open(dsn string) (driver.Conn, error) {
	path, _, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
	path, err := url.PathUnescape(path)
	if err != nil {
		return nil, err
	}
	p, ok := disks.Load(filepath.Dir(path))
	if !ok {
		return nil, errors.New("no one's disk: " + path)
	}
	conn, err := d.sqlite.Open(dsn)
	if err != nil {
		return nil, err
	}
	return &diskConn{sqliteConn: conn.(sqliteConn), process: p.(*process)}, nil //nolint:forcetypeassert // both are what they are
}

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type diskConn struct {
	sqliteConn
	process *process
	full    bool // no page can be added
}

const commit = "COMMIT"

// around runs a statement when it is its turn, unless it fails or never comes to it.
func (c *diskConn) around(ctx context.Context, query string, args []driver.NamedValue, run func() error) error {
	if err := c.process.statement(ctx, query, args); err != nil {
		return err
	}
	if err := c.fill(ctx); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	if query == commit {
		return c.process.committed()
	}
	return nil
}

// fill makes the disk full, or gives it room again: SQLite itself then says so.
func (c *diskConn) fill(ctx context.Context) error {
	if c.full == c.process.isFull() {
		return nil
	}
	c.full = c.process.isFull()
	pages := "4294967294"
	if c.full {
		pages = "1" // it is never below what there is
	}
	rows, err := c.sqliteConn.QueryContext(ctx, "PRAGMA max_page_count = "+pages, nil)
	if err != nil {
		return err
	}
	return rows.Close()
}

// ExecContext implements driver.ExecerContext.
func (c *diskConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (res driver.Result, err error) {
	err = c.around(ctx, query, args, func() (err error) {
		res, err = c.sqliteConn.ExecContext(ctx, query, args)
		return err
	})
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *diskConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.around(ctx, query, args, func() (err error) {
		rows, err = c.sqliteConn.QueryContext(ctx, query, args)
		return err
	})
	return rows, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *diskConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if c.process.dead.Load() {
		return nil, errDead
	}
	s, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &diskStmt{sqliteStmt: s.(sqliteStmt), conn: c, query: query}, nil //nolint:forcetypeassert // the driver's own
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type diskStmt struct {
	sqliteStmt
	conn  *diskConn
	query string
}

// ExecContext implements driver.StmtExecContext.
func (s *diskStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (res driver.Result, err error) {
	err = s.conn.around(ctx, s.query, args, func() (err error) {
		res, err = s.sqliteStmt.ExecContext(ctx, args)
		return err
	})
	return res, err
}

// QueryContext implements driver.StmtQueryContext.
func (s *diskStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = s.conn.around(ctx, s.query, args, func() (err error) {
		rows, err = s.sqliteStmt.QueryContext(ctx, args)
		return err
	})
	return rows, err
}

// copyDisk copies what a process has written, as it lies there. The shared memory
// beside it goes with the process.
func copyDisk(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"drover.db", "drover.db-wal"} {
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from) //nolint:gosec // a folder of ours
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to) //nolint:gosec // a folder of ours
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
