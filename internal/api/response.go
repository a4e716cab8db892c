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

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// page is one page of a list.
type page[T any] struct {
	items []T
	next  string // cursor of the next page; empty on the last
	// end says that next is where to go on later: there is no next page yet.
	end bool
	// changes are the rows instead of items where a list is one of changes.
	changes []drover.Change
}

// pager is a page of any type.
type pager interface {
	listType() reflect.Type
	content() (items any, next string, end bool)
}

func (p page[T]) listType() reflect.Type { return reflect.TypeFor[[]T]() }
func (p page[T]) content() (any, string, bool) {
	if p.changes != nil {
		return p.changes, p.next, p.end
	}
	return p.items, p.next, p.end
}

// newPage cuts a list that was read with one item more than asked for, and makes
// the cursor of the last one that is shown.
func newPage[T any](items []T, limit int, place func(last T) cursor) (page[T], error) {
	if len(items) <= limit {
		return page[T]{items: items}, nil
	}
	items = items[:limit]
	next, err := writeCursor(place(items[limit-1]))
	return page[T]{items: items, next: next}, err
}

func writeCursor(place cursor) (string, error) {
	text, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("write cursor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

// paging are the parameters of every list.
type paging struct {
	Limit  int     `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"Records a page."`
	Cursor *string `query:"cursor" doc:"x-next-cursor of the page before."`
}

// place reads the cursor into a place of the list, which is left alone without
// one.
func (p paging) place(into cursor) error {
	if p.Cursor == nil {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(*p.Cursor)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		err = dec.Decode(into)
	}
	if err != nil || !into.Valid() {
		return badCursor()
	}
	return nil
}

// sorted reads the cursor of a list whose order the caller has chosen.
func (p paging) sorted(order string, numbers bool) (drover.SortCursor, error) {
	var place drover.SortCursor
	if err := p.place(&place); err != nil {
		return place, err
	}
	if !place.Of(order, numbers) {
		return place, badCursor()
	}
	return place, nil
}

// sortedPage is newPage of such a list.
func sortedPage[T any](items []drover.Sorted[T], limit int) (page[T], error) {
	cut, err := newPage(items, limit, func(last drover.Sorted[T]) cursor { return last.Place })
	return page[T]{items: drover.Records(cut.items), next: cut.next}, err
}

func badCursor() error {
	return drover.InvalidValue("cursor is not one that this list returned", "query", "cursor")
}

// cursor is a pointer to one of the places of the root package.
type cursor interface{ Valid() bool }

// answer is the text of an answer: it is written whole, so that its length is known
// and a fault in writing it can still be answered.
type answer struct {
	bytes.Buffer
	encoder *json.Encoder // writes to it
}

// appender is a result that writes itself.
type appender interface{ appendJSON(b []byte) []byte }

// encode writes a result as JSON.
func (a *answer) encode(result any) error {
	if own, ok := result.(appender); ok {
		a.Buffer = *bytes.NewBuffer(own.appendJSON(a.Bytes()))
		return nil
	}
	if err := a.encoder.Encode(result); err != nil {
		return err
	}
	a.Truncate(a.Len() - 1) // the encoder's line break
	return nil
}

// answers are reused.
var answers = sync.Pool{New: func() any {
	a := &answer{}
	a.encoder = json.NewEncoder(&a.Buffer)
	a.encoder.SetEscapeHTML(false)
	return a
}}

// jsonType is the same in every answer, and no one changes what the list holds.
var jsonType = []string{"application/json"}

// write sends the answer of an operation that went well.
func (s *server) write(c *call, result any) error {
	if _, done := result.(streamed); done {
		return nil
	}
	if _, empty := result.(nothing); empty {
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if p, ok := result.(pager); ok {
		items, next, end := p.content()
		setNext(c, next)
		if end {
			c.w.Header().Del("Link")
		}
		result = items
	}
	if d, ok := result.(document); ok {
		memory, err := s.take(c, int64(len(d.body)))
		if err != nil {
			return err
		}
		defer memory.Return()
		c.turn.Return()
		c.w.Header().Set("Content-Type", d.contentType)
		c.w.Header().Set("Content-Length", strconv.Itoa(len(d.body)))
		_, _ = c.w.Write(d.body) // the caller may have gone away
		return nil
	}
	buf := answers.Get().(*answer)
	defer answers.Put(buf)
	buf.Reset()
	buf.WriteString(`{"data":`)
	if err := buf.encode(result); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	buf.WriteString("}\n")
	if c.tagged {
		tag := guard.RecordTag(buf.Bytes()[len(`{"data":`) : buf.Len()-len("}\n")])
		c.w.Header()["Etag"] = []string{tag} // in the form that Set would make of it each time
		if c.Method == http.MethodGet && guard.NamesTag(c.Header.Get("If-None-Match"), tag) {
			c.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	memory, err := s.take(c, int64(buf.Len()))
	if err != nil {
		return err
	}
	defer memory.Return()
	c.turn.Return()
	h := c.w.Header()
	h["Content-Type"] = jsonType
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	c.w.WriteHeader(http.StatusOK)
	_, _ = c.w.Write(buf.Bytes()) // the status is sent, and the caller may have gone away
	return nil
}

// setNext names the next page, and returns its address; none on the last.
func setNext(c *call, next string) string {
	if next == "" {
		return ""
	}
	q := c.URL.Query()
	q.Set("cursor", next)
	u := url.URL{Path: c.URL.Path, RawQuery: q.Encode()}
	c.w.Header().Set("X-Next-Cursor", next)
	c.w.Header().Set("Link", "<"+u.String()+`>; rel="next"`)
	return u.String()
}
