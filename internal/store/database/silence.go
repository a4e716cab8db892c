package database

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// postgresDoubt is how long a server that is one of several may say nothing before it is
	// asked on another connection whether it is there, and postgresAnswer how long it has for that.
	postgresDoubt  = 4 * time.Second
	postgresAnswer = 4 * time.Second
	// postgresOther bounds the making of a connection where another server can be tried.
	postgresOther = 3 * time.Second
)

// errSilent says that a server answers no one, on this connection or another.
var errSilent = errors.New("the server does not answer")

// servers are those of a pool that has several to choose from. One that is frozen, or whose
// network is gone, keeps its connections: without asking it, those who wait would wait for
// as long as a statement may take, one connection after the other.
type servers struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	mu   sync.Mutex
	all  map[string]*server
}

// server is one of them.
type server struct {
	reach func(ctx context.Context) (net.Conn, error)

	// silent is when it was last found to answer no one, in nanoseconds since 1970: connections that are
	// older are given up.
	silent atomic.Int64

	turn     chan struct{} // full while it is asked
	answered time.Time     // when it was last known whether it answers
	well     bool          // and whether it did
}

func newServers(dial func(ctx context.Context, network, address string) (net.Conn, error)) *servers {
	return &servers{dial: dial, all: map[string]*server{}}
}

func (s *servers) at(network, address string) *server {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.all[address]
	if found == nil {
		found = &server{turn: make(chan struct{}, 1), reach: func(ctx context.Context) (net.Conn, error) { return s.dial(ctx, network, address) }}
		s.all[address] = found
	}
	return found
}

// gone reports whether the server does not answer since a connection was made.
func (s *server) gone(made time.Time) bool { return s.silent.Load() > made.UnixNano() }

// answers asks whether the server is there. Of those who wonder at once, one asks: it may take as long
// for each of them.
func (s *server) answers(now func() time.Time) bool {
	began := now()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.answered.After(began) {
		return s.well
	}
	s.well = s.ask(now) == nil
	s.answered = now()
	if !s.well {
		s.silent.Store(s.answered.UnixNano())
	}
	return s.well
}

// ask sends what every connection begins with where TLS is wanted: PostgreSQL answers it with a
// letter before it knows who asks.
func (s *server) ask(now func() time.Time) error {
	ctx, cancel := context.WithTimeout(context.Background(), postgresAnswer)
	defer cancel()
	conn, err := s.reach(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it was only asked
	if err := conn.SetDeadline(now().Add(postgresAnswer)); err != nil {
		return err
	}
	const length, request = 8, 80877103
	var question [length]byte
	binary.BigEndian.PutUint32(question[:4], length)
	binary.BigEndian.PutUint32(question[4:], request)
	if _, err := conn.Write(question[:]); err != nil {
		return err
	}
	_, err = io.ReadFull(conn, question[:1])
	return err
}
