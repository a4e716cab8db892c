package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// postgresStatement is how long the server works on a statement, or waits for a
	// lock, before it gives up.
	postgresStatement = 20 * time.Second
	// postgresTenant is the same with Citus, where it waits for a tenant's server.
	postgresTenant = 4 * time.Second
	// postgresSilence is how long a server is waited for that says nothing. It is
	// longer: a server that is well ends a statement by itself.
	postgresSilence = 25 * time.Second
	// postgresConnect bounds the making of a connection.
	postgresConnect = 10 * time.Second
)

// bounded makes the connections of a pool give up: by the server's own bound of a
// statement and, where the server is silent, by the connection's. A context for
// each read would cost more, and anyone who forgets it would wait for ever.
func bounded(config *pgx.ConnConfig) (*pgx.ConnConfig, []stdlib.OptionOpenDB) {
	return boundedBy(config, postgresStatement, postgresSilence)
}

func boundedBy(config *pgx.ConnConfig, statement, silence time.Duration) (*pgx.ConnConfig, []stdlib.OptionOpenDB) {
	config = config.Copy()
	several := severalHosts(config)
	switch {
	case config.ConnectTimeout != 0:
	case several:
		config.ConnectTimeout = postgresOther
	default:
		config.ConnectTimeout = postgresConnect
	}
	dial := config.DialFunc
	known := newServers(dial)
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &patientConn{Conn: conn, limit: silence, now: time.Now} //nolint:forbidigo // deadlines of the network are by the real clock
		if several {
			c.made, c.server = c.now(), known.at(network, address)
		}
		return c, nil
	}
	// To compile a statement takes longer than any of ours runs: PostgreSQL would do so
	// with those whose rows it takes for many.
	// Where tenants lie on several servers, one that does not answer holds no one for long.
	timeout := fmt.Sprintf("SELECT set_config('statement_timeout', CASE WHEN to_regclass('pg_dist_partition') IS NULL THEN '%d' ELSE '%d' END, false)",
		statement.Milliseconds(), min(statement, postgresTenant).Milliseconds())
	return config, onConnect(timeout + "; SET jit = off; " + noteTimeline)
}

// onConnect runs statements on each new connection of a pool.
func onConnect(statements string) []stdlib.OptionOpenDB {
	return []stdlib.OptionOpenDB{stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statements)
		return err
	})}
}

// patientConn bounds how long it is waited for each answer, unless the one who reads
// has set a bound of its own.
type patientConn struct {
	net.Conn
	limit time.Duration
	now   func() time.Time
	// server is asked where it says nothing, if another could take its place; nil otherwise.
	server *server
	made   time.Time

	mu  sync.Mutex
	set bool // a deadline is set by the one who reads
}

// Read waits for the limit at the most, and no longer than the server is there.
func (c *patientConn) Read(p []byte) (int, error) {
	for waited := time.Duration(0); ; {
		if c.server != nil && c.server.gone(c.made) {
			return 0, errSilent
		}
		step := c.limit - waited
		if c.server != nil {
			step = min(step, postgresDoubt)
		}
		bounded, err := c.wait(step)
		if err != nil {
			return 0, err
		}
		waited += step
		n, err := c.Conn.Read(p)
		late, ok := errors.AsType[net.Error](err)
		if n > 0 || !ok || !late.Timeout() || !bounded || waited >= c.limit || !c.wants() || !c.server.answers(c.now) {
			return n, err
		}
	}
}

// wait bounds the next read by a step, and reports whether it did: the one who reads may have
// set a bound of its own.
func (c *patientConn) wait(step time.Duration) (bounded bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set {
		return false, nil
	}
	return true, c.Conn.SetReadDeadline(c.now().Add(step))
}

// wants reports whether the one who reads still has no bound of its own.
func (c *patientConn) wants() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.set
}

// SetDeadline is called by the driver when a context ends, and with no time when
// that is over.
func (c *patientConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = !t.IsZero()
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline is the same for reading alone.
func (c *patientConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = !t.IsZero()
	return c.Conn.SetReadDeadline(t)
}
