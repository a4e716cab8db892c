package database

import (
	"context"
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
	config = config.Copy()
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresConnect
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &patientConn{Conn: conn, limit: postgresSilence}, nil
	}
	return config, []stdlib.OptionOpenDB{stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		// To compile a statement takes longer than any of ours runs: PostgreSQL would do so
		// with those whose rows it takes for many.
		_, err := conn.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d; SET jit = off", postgresStatement.Milliseconds()))
		return err
	})}
}

// patientConn bounds how long it is waited for each answer, unless the one who reads
// has set a bound of its own.
type patientConn struct {
	net.Conn
	limit time.Duration

	mu  sync.Mutex
	set bool // a deadline is set by the one who reads
}

// Read waits for the limit at the most.
func (c *patientConn) Read(p []byte) (int, error) {
	if err := c.wait(); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *patientConn) wait() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set {
		return nil
	}
	return c.Conn.SetReadDeadline(time.Now().Add(c.limit)) //nolint:forbidigo // a deadline of the network is by the real clock
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
