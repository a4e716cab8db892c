// Package load generates HTTP load with little overhead.
package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// warmUp goes before each measurement and is not counted.
const warmUp = 200 * time.Millisecond

// Request is one request, rendered, ready to be sent again and again.
type Request []byte

// NewRequest renders a request. The token and the body may be empty.
func NewRequest(method, path, token, body string) Request {
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: drover\r\n", method, path)
	if token != "" {
		text += "Authorization: Bearer " + token + "\r\n"
	}
	if body != "" {
		text += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return Request(text + "\r\n" + body)
}

// Target is a server and what it is asked.
type Target struct {
	Address  string
	Requests []Request
}

// Rate sends requests over several connections, each taking its next one when
// the answer to the last is there, and returns the answers a second. Several
// targets share the connections.
func Rate(ctx context.Context, clients int, span time.Duration, targets ...Target) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, warmUp+span)
	defer cancel()
	begin := time.Now().Add(warmUp)
	counts := make([]int, clients)
	failures := make([]error, clients)
	var senders sync.WaitGroup
	for i := range clients {
		t := targets[i%len(targets)]
		senders.Go(func() { counts[i], failures[i] = sendUntil(ctx, t, begin, i*len(t.Requests)/clients) })
	}
	senders.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / span.Seconds(), errors.Join(failures...)
}

// sendUntil goes round the requests from a place of its own until ctx is done,
// and counts the answers after begin.
func sendUntil(ctx context.Context, t Target, begin time.Time, place int) (int, error) {
	requests := t.Requests
	c, err := Dial(ctx, t.Address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	n := 0
	for ctx.Err() == nil {
		status, err := c.Send(requests[place%len(requests)])
		if err != nil {
			return n, fmt.Errorf("send a request: %w", err)
		}
		if status/100 != 2 {
			return n, fmt.Errorf("the answer was %d to %s", status, FirstLine(requests[place%len(requests)]))
		}
		if time.Now().After(begin) {
			n++
		}
		place++
	}
	return n, nil
}

// FirstLine is the method, the path and the protocol.
func FirstLine(r Request) string {
	line, _, _ := bytes.Cut(r, []byte("\r\n"))
	return string(line)
}

// Conn is one kept-alive connection. It reads no more of an answer than it must
// to find the end, so that the generator costs little beside what it loads.
type Conn struct {
	net.Conn
	buffer []byte
	Head   []byte // of the last answer
	Body   []byte
}

// Dial connects to a server.
func Dial(ctx context.Context, address string) (*Conn, error) {
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &Conn{Conn: raw, buffer: make([]byte, 64<<10)}, nil
}

var (
	headEnd      = []byte("\r\n\r\n")
	lengthHeader = []byte("\r\nContent-Length: ")
)

// Send sends a request and reads the answer, whose length must be announced.
func (c *Conn) Send(r Request) (status int, err error) {
	if _, err := c.Write(r); err != nil {
		return 0, err
	}
	have, want := 0, -1
	for want < 0 || have < want {
		if have == len(c.buffer) {
			c.buffer = append(c.buffer, make([]byte, len(c.buffer))...)
		}
		n, err := c.Read(c.buffer[have:])
		if err != nil {
			return 0, err
		}
		have += n
		if want >= 0 {
			continue
		}
		if end := bytes.Index(c.buffer[:have], headEnd); end >= 0 {
			length, err := contentLength(c.buffer[:end+2])
			if err != nil {
				return 0, err
			}
			want = end + len(headEnd) + length
			c.Head = c.buffer[:end+2]
		}
	}
	c.Body = c.buffer[len(c.Head)+2 : want]
	return strconv.Atoi(string(c.Head[9:12]))
}

func contentLength(head []byte) (int, error) {
	_, rest, found := bytes.Cut(head, lengthHeader)
	if !found {
		return 0, io.ErrUnexpectedEOF
	}
	digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return strconv.Atoi(string(digits))
}
