package outbound

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"net/http"
	"time"
)

// Events is a push of server-sent events.
type Events struct {
	*held
	body  io.ReadCloser
	lines *bufio.Reader
	size  int64
}

// Events implements Pushes.
func (c *Client) Events(req *http.Request, silence time.Duration) (*Events, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "text/event-stream")
	resp, held, err := c.open(req, silence) //nolint:bodyclose // Close does
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || media != "text/event-stream" {
		closeBody(resp.Body)
		held.close()
		return nil, failure(KindTemporary, nil, "the provider opened no push: it answered %d with %s", resp.StatusCode, orNothing(media))
	}
	return &Events{held: held, body: resp.Body, lines: bufio.NewReader(resp.Body)}, nil
}

func orNothing(media string) string {
	if media == "" || len(media) > 60 {
		return "no type"
	}
	return media
}

// Next returns the data of the next event, which is good until the next call. Events
// without data, and comments, are passed over.
func (e *Events) Next() ([]byte, error) {
	e.next()
	e.size = 0
	var data []byte
	for some := false; ; {
		line, err := e.line()
		if err != nil {
			return nil, e.broken(err)
		}
		if len(line) == 0 {
			if some {
				return data, nil
			}
			e.next()
			e.size = 0
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		if some {
			data = append(data, '\n')
		}
		data, some = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
	}
}

// line reads a line without its end.
func (e *Events) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := e.lines.ReadSlice('\n')
		e.size += int64(len(piece))
		if short := e.count(int64(len(piece)), e.size); short != nil {
			return nil, short
		}
		line = append(line, piece...)
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // it is returned itself
			return nil, err
		}
	}
}

// Close ends the push.
func (e *Events) Close() {
	e.close()
	closeBody(e.body)
}
