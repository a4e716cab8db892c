package work

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// leaseClock is the clock of leases and of the turns of connections. On PostgreSQL
// it is the server's, which all processes share: times that they give are taken as
// so long from now, and times that they get are given in the same way. Where it is
// nil, times are taken as they are given.
type leaseClock struct{ now func() time.Time }

// serverNow is the server's clock in milliseconds. It stands still within a
// statement, so that an index can be searched with it.
const serverNow = `(EXTRACT(EPOCH FROM statement_timestamp()) * 1000)::bigint`

// param is parameter n, a time that sent has made.
func (c *leaseClock) param(n int) string {
	if c == nil {
		return fmt.Sprintf("$%d", n)
	}
	return fmt.Sprintf("(%s + $%d::bigint)", serverNow, n)
}

func (c *leaseClock) sent(t drover.Time) any {
	if c == nil {
		return t
	}
	return t.Sub(c.now()).Milliseconds()
}

// column is a time that read understands.
func (c *leaseClock) column(name string) string {
	if c == nil {
		return name
	}
	return `(` + name + ` - ` + serverNow + `)`
}

func (c *leaseClock) read(v int64) drover.Time {
	if c == nil {
		return drover.Milli(v)
	}
	return drover.At(c.now().Add(time.Duration(v) * time.Millisecond))
}

// least is the smaller of two numbers. Where tenants lie apart, no clock may be asked within
// CASE.
func least(words database.Dialect, a, b string) string {
	if words.Name() == "sqlite" {
		return `MIN(` + a + `, ` + b + `)`
	}
	return `LEAST(` + a + `, ` + b + `)`
}
