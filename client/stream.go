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
)

// maxFrame bounds an event on a stream.
const maxFrame = 8 << 20

// maxPause bounds the wait before a stream is opened again.
const maxPause = 30 * time.Second

// maxSilence is how long a stream may be silent before it counts as cut. The service
// sends something every 15 seconds.
const maxSilence = time.Minute

// FromNow is where a stream begins that is about what is to come. Where that is it knows
// from its first event or heartbeat on: anyone who must miss nothing begins after a sequence.
const FromNow int64 = -1

// GetStream is GET /stream. It follows the events after a sequence, or FromNow. A stream
// that is cut goes on where it was, so that no event is missed and none comes twice. It
// ends with the context, or with a refusal.
func (c *Client) GetStream(ctx context.Context, after int64, query GetStreamQuery) iter.Seq2[Event, error] {
	return follow[Event](ctx, c, "/stream", after, values(query))
}

// GetSharedJourneyStream is GET /public/share/{share_token}/stream. It follows a shared journey
// until its link ends.
func (c *Client) GetSharedJourneyStream(ctx context.Context, shareToken string) iter.Seq2[SharedJourney, error] {
	return follow[SharedJourney](ctx, c, "/public/share/"+url.PathEscape(shareToken)+"/stream", FromNow, nil)
}

func follow[T any](ctx context.Context, c *Client, path string, after int64, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		pause := firstWait
		for {
			received, err := readStream(ctx, c, path, &after, query, yield)
			switch refused, _ := errors.AsType[*Error](err); {
			case errors.Is(err, errEnough):
				return
			case errors.Is(err, errEvent):
				yield(none, err)
				return
			case ctx.Err() != nil:
				yield(none, ctx.Err())
				return
			case refused != nil && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests:
				yield(none, err)
				return
			}
			if received {
				pause = firstWait
			}
			if err := c.wait(ctx, spread(pause)); err != nil {
				yield(none, err)
				return
			}
			pause = min(2*pause, maxPause)
		}
	}
}

// Why a stream is not opened again.
var (
	errEnough = errors.New("the loop over events has ended, or what it is about")
	errEvent  = errors.New("read an event")
)

// readStream reads a stream until it is cut, and notes how far it came.
func readStream[T any](
	ctx context.Context,
	c *Client,
	path string,
	after *int64,
	query url.Values,
	yield func(T, error) bool,
) (received bool, err error) {
	header := http.Header{"Accept": {"text/event-stream"}}
	if *after >= 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(*after, 10))
	}
	resp, err := c.call(ctx, http.MethodGet, path, query, header, nil, maxSilence)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxFrame)
	var id, name, data string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			data = value
		case "":
			if value != "" { // a comment
				continue
			}
			if name == "end" {
				return received, errEnough
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
			name, data = "", ""
		}
	}
	if err := lines.Err(); err != nil {
		return received, fmt.Errorf("read the stream: %w", err)
	}
	return received, io.EOF
}

func deliver[T any](data string, yield func(T, error) bool) error {
	var e T
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return fmt.Errorf("%w: %w", errEvent, err)
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
