package outbound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// protocolHeader names what is spoken over a websocket.
const protocolHeader = "Sec-Websocket-Protocol"

// Socket is a websocket.
type Socket struct {
	*held
	conn *websocket.Conn
}

// Socket implements Pushes. The request has the address, with http or https, and
// the headers; a subprotocol stands there, too.
func (c *Client) Socket(req *http.Request, silence time.Duration) (*Socket, error) {
	s := &Socket{}
	var opening error
	dial := roundTrip(func(dialled *http.Request) (*http.Response, error) {
		var resp *http.Response
		resp, s.held, opening = c.open(dialled.WithContext(req.Context()), silence)
		return resp, opening
	})
	header := req.Header.Clone()
	protocols := header.Values(protocolHeader)
	header.Del(protocolHeader)
	conn, _, err := websocket.Dial(req.Context(), req.URL.String(), &websocket.DialOptions{ //nolint:bodyclose // the connection is closed
		HTTPHeader: header, Subprotocols: protocols, HTTPClient: &http.Client{Transport: dial, CheckRedirect: noRedirect},
		CompressionMode: websocket.CompressionDisabled,
	})
	switch {
	case opening != nil:
		return nil, opening
	case err != nil:
		if s.held != nil {
			s.close()
		}
		return nil, failure(KindTemporary, nil, "the provider opened no push: it does not speak WebSocket at this address")
	}
	conn.SetReadLimit(-1) // count keeps it
	s.conn = conn
	return s, nil
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Read returns the next message, which is good until the next call.
func (s *Socket) Read() ([]byte, error) {
	s.next()
	_, from, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, s.broken(err)
	}
	var message bytes.Buffer
	piece := make([]byte, 4<<10)
	for {
		n, err := from.Read(piece)
		message.Write(piece[:n])
		if short := s.count(int64(n), int64(message.Len())); short != nil {
			return nil, s.broken(short)
		}
		if errors.Is(err, io.EOF) {
			return message.Bytes(), nil
		}
		if err != nil {
			return nil, s.broken(err)
		}
	}
}

// Write sends a text message, Send a binary one.
func (s *Socket) Write(message []byte) error { return s.send(websocket.MessageText, message) }

// Send sends a binary message.
func (s *Socket) Send(message []byte) error { return s.send(websocket.MessageBinary, message) }

func (s *Socket) send(kind websocket.MessageType, message []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.client.opts.Timeout)
	defer cancel()
	if err := s.conn.Write(ctx, kind, message); err != nil {
		return s.broken(err)
	}
	return nil
}

// Close ends the socket.
func (s *Socket) Close() {
	_ = s.conn.CloseNow() // the other side notices
	s.close()
}
