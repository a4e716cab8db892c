package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long calls that were read may take to be answered once the input has
// ended: longer than the service lets a request take.
const lastAnswers = 30 * time.Second

// answered is a transport that reports the end of its input only when all calls before it
// were answered. A server drops what it is working on when its input ends, and a shell
// that pipes calls in ends it at once.
type answered struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (a answered) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := a.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeredConn{Connection: inner, open: map[jsonrpc.ID]struct{}{}, changed: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type answeredConn struct {
	mcp.Connection
	mu      sync.Mutex
	open    map[jsonrpc.ID]struct{} // calls without an answer
	changed chan struct{}           // an answer was written
	once    sync.Once
	closed  chan struct{}
}

// Read implements mcp.Connection.
func (c *answeredConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.settle(ctx)
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		c.open[call.ID] = struct{}{}
		c.mu.Unlock()
	}
	return message, err
}

// Write implements mcp.Connection.
func (c *answeredConn) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if answer, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, answer.ID)
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	return err
}

// Close implements mcp.Connection.
func (c *answeredConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// settle waits until every call that was read has its answer.
func (c *answeredConn) settle(ctx context.Context) {
	limit := time.NewTimer(lastAnswers)
	defer limit.Stop()
	for c.waiting() {
		select {
		case <-c.changed:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		case <-limit.C:
			return
		}
	}
}

func (c *answeredConn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}
