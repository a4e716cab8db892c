package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

// page is one page of a list.
type page[T any] struct {
	items []T
	next  string // cursor of the next page; empty on the last
}

// pager is a page of any type.
type pager interface {
	listType() reflect.Type
	content() (items any, next string)
}

func (p page[T]) listType() reflect.Type { return reflect.TypeFor[[]T]() }
func (p page[T]) content() (any, string) { return p.items, p.next }

// newPage cuts a list that was read with one item more than asked for, and makes
// the cursor of the last one that is shown.
func newPage[T any](items []T, limit int, place func(last T) any) (page[T], error) {
	if len(items) <= limit {
		return page[T]{items: items}, nil
	}
	items = items[:limit]
	text, err := json.Marshal(place(items[limit-1]))
	if err != nil {
		return page[T]{}, fmt.Errorf("write cursor: %w", err)
	}
	return page[T]{items: items, next: base64.RawURLEncoding.EncodeToString(text)}, nil
}

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// paging reads limit and cursor of a list. The place is left alone without a
// cursor.
func paging(q url.Values, place any) (limit int, err error) {
	if limit, err = decode.QueryInt(q, "limit", defaultLimit, 1, maxLimit); err != nil {
		return 0, err
	}
	if !q.Has("cursor") {
		return limit, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.Get("cursor"))
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		err = dec.Decode(place)
	}
	if err != nil || !soundPlace(place) {
		return 0, badCursor()
	}
	return limit, nil
}

// soundPlace reports whether a place read from a cursor is one that a list could
// have ended at. A database would fail on what is no id.
func soundPlace(place any) bool {
	switch p := place.(type) {
	case *string:
		return isID(*p)
	case *store.TripCursor:
		return isID(p.ID)
	case *store.AttemptCursor:
		return isID(p.EventID)
	case *eventPlace:
		return p.sound()
	case *predictionPlace:
		return !p.After.IsZero()
	case *positionPlace:
		return !p.After.IsZero()
	}
	return true
}

func isID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

func badCursor() *drover.Error {
	return drover.InvalidValue("cursor is not one that this list returned", "query", "cursor")
}

// buffers are reused: an answer is written whole, so that its length is known
// and a fault in writing it can still be answered.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write sends the answer of an operation that went well.
func write(c *call, result any) error {
	if _, done := result.(streamed); done {
		return nil
	}
	if _, empty := result.(nothing); empty {
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if p, ok := result.(pager); ok {
		items, next := p.content()
		setNext(c, next)
		result = items
	}
	if d, ok := result.(document); ok {
		c.w.Header().Set("Content-Type", d.contentType)
		c.w.Header().Set("Content-Length", strconv.Itoa(len(d.body)))
		_, _ = c.w.Write(d.body) // a caller who has gone cannot be told
		return nil
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	buf.WriteString(`{"data":`)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	buf.Truncate(buf.Len() - 1) // the encoder's line break
	buf.WriteString("}\n")
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(buf.Bytes()) // the status is sent: a caller who has gone cannot be told
	return nil
}

func setNext(c *call, next string) {
	if next == "" {
		return
	}
	q := c.URL.Query()
	q.Set("cursor", next)
	u := url.URL{Path: c.URL.Path, RawQuery: q.Encode()}
	c.w.Header().Set("X-Next-Cursor", next)
	c.w.Header().Set("Link", "<"+u.String()+`>; rel="next"`)
}
