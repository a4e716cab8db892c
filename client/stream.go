package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// maxFrame bounds an event on a stream.
const maxFrame = 8 << 20

// maxPause bounds the wait before a stream is opened again.
const maxPause = 30 * time.Second

// Events follows the live stream after a sequence, from now on where it is negative. A
// stream that is cut goes on where it was, so that no event is missed and none comes
// twice. It ends with the context, or with a refusal.
func (c *Client) Events(ctx context.Context, after int64, query url.Values) iter.Seq2[drover.Event, error] {
	return func(yield func(drover.Event, error) bool) {
		pause := firstWait
		for {
			received, err := c.follow(ctx, &after, query, yield)
			switch refused, _ := errors.AsType[*Error](err); {
			case errors.Is(err, errEnough):
				return
			case ctx.Err() != nil:
				yield(drover.Event{}, ctx.Err())
				return
			case refused != nil && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests:
				yield(drover.Event{}, err)
				return
			}
			if received {
				pause = firstWait
			}
			if err := c.wait(ctx, pause); err != nil {
				yield(drover.Event{}, err)
				return
			}
			pause = min(2*pause, maxPause)
		}
	}
}

// errEnough says that the loop over events has ended.
var errEnough = errors.New("enough")

// follow reads a stream until it is cut, and notes how far it came.
func (c *Client) follow(ctx context.Context, after *int64, query url.Values, yield func(drover.Event, error) bool) (received bool, err error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if *after >= 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(*after, 10))
	}
	resp, err := c.Call(ctx, http.MethodGet, "/stream", query, header, nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxFrame)
	var id, data string
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if value != "" { // a comment
				continue
			}
			if data != "" {
				received = true
				if err := deliver(data, yield); err != nil {
					return received, err
				}
			}
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				*after = n
			}
			data = ""
		}
	}
	if err := lines.Err(); err != nil {
		return received, fmt.Errorf("read the stream: %w", err)
	}
	return received, io.EOF
}

func deliver(data string, yield func(drover.Event, error) bool) error {
	var e drover.Event
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return fmt.Errorf("read an event: %w", err)
	}
	if !yield(e, nil) {
		return errEnough
	}
	return nil
}

// Download writes a file, such as that of an export, to w. Where the connection is cut
// it asks for the rest.
func (c *Client) Download(ctx context.Context, path string, w io.Writer) (int64, error) {
	var done int64
	for i := 1; ; i++ {
		header := http.Header{"Accept": {"*/*"}}
		if done > 0 {
			header.Set("Range", "bytes="+strconv.FormatInt(done, 10)+"-")
		}
		resp, err := c.Call(ctx, http.MethodGet, path, nil, header, nil)
		if err != nil {
			return done, err
		}
		if done > 0 && resp.StatusCode != http.StatusPartialContent {
			_ = resp.Body.Close() // nothing of it is used
			return done, errors.New("the service does not go on with a file that was cut")
		}
		n, err := io.Copy(w, resp.Body)
		_ = resp.Body.Close() // what matters was read
		done += n
		if err == nil {
			return done, nil
		}
		if i == attempts || ctx.Err() != nil {
			return done, fmt.Errorf("read the file: %w", err)
		}
	}
}
