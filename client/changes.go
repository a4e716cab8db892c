package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
)

// ChangePage is what to do to a copy, and the cursor to keep with it: best in one
// transaction of the copy's own.
type ChangePage[T any] struct {
	// Restart says that the copy begins, or begins again: forget what it has.
	Restart bool
	// Changed are records as they are now, Deleted the ids of those that are gone.
	Changed []T
	Deleted []string
	Cursor  string
}

// Changes brings a copy of a list's records up to date, from the cursor that was kept last;
// an empty one begins it. It ends when the copy is up to date. Path is /connection, /device,
// /driver, /fault, /milestone, /reading, /safety-event, /stop or /trip.
func Changes[T any](ctx context.Context, c *Client, path, cursor string) iter.Seq2[ChangePage[T], error] {
	return func(yield func(ChangePage[T], error) bool) {
		restart := cursor == ""
		for {
			query := url.Values{"sort": {"updated_at"}, "limit": {"1000"}}
			if cursor != "" {
				query.Set("cursor", cursor)
			}
			var rows []json.RawMessage
			header, err := c.Do(ctx, http.MethodGet, path, query, nil, &rows)
			if refused, ok := errors.AsType[*Error](err); ok && refused.Status == http.StatusGone && !restart {
				cursor, restart = "", true
				continue
			}
			page := ChangePage[T]{Restart: restart}
			if err == nil {
				page.Cursor = header.Get("X-Next-Cursor")
				err = page.read(rows)
			}
			if !yield(page, err) || err != nil || header.Get("Link") == "" {
				return
			}
			cursor, restart = page.Cursor, false
		}
	}
}

// read sorts the rows of an answer.
func (p *ChangePage[T]) read(rows []json.RawMessage) error {
	for _, row := range rows {
		var deletion DeletedRecord
		if err := json.Unmarshal(row, &deletion); err != nil {
			return fmt.Errorf("read a change: %w", err)
		}
		if !deletion.DeletedAt.IsZero() {
			p.Deleted = append(p.Deleted, deletion.ID)
			continue
		}
		var record T
		if err := json.Unmarshal(row, &record); err != nil {
			return fmt.Errorf("read a change: %w", err)
		}
		p.Changed = append(p.Changed, record)
	}
	return nil
}
