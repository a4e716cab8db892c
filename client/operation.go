package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"time"
)

// ErrNotModified says that a record is still as it was when its ETag was read.
var ErrNotModified = errors.New("the record has not changed")

// CallOption is something of a single call.
type CallOption func(*callSettings)

type callSettings struct {
	header http.Header
	answer *http.Header
}

// IdempotencyKey names a POST, so that the same one made again gives the first answer,
// also from another process. Without it each call has a key of its own.
func IdempotencyKey(key string) CallOption { return WithHeader("Idempotency-Key", key) }

// IfMatch makes a change only where the record is still the one with this ETag.
func IfMatch(etag string) CallOption { return WithHeader("If-Match", etag) }

// IfNoneMatch reads a record only where it is another one than that with this ETag;
// otherwise the error is ErrNotModified.
func IfNoneMatch(etag string) CallOption { return WithHeader("If-None-Match", etag) }

// WithHeader sends a header.
func WithHeader(name, value string) CallOption {
	return func(s *callSettings) { s.header.Set(name, value) }
}

// ReadHeader keeps the headers of the answer, such as its ETag. Of a list they are those
// of the newest page.
func ReadHeader(into *http.Header) CallOption { return func(s *callSettings) { s.answer = into } }

func settings(options []CallOption) callSettings {
	s := callSettings{header: http.Header{}}
	for _, o := range options {
		o(&s)
	}
	return s
}

// one makes a call of an operation whose answer is a T.
func one[T any](ctx context.Context, c *Client, method, path string, query, body any, options []CallOption) (T, error) {
	var out T
	s := settings(options)
	header, err := c.do(ctx, method, path, values(query), s.header, body, &out)
	if s.answer != nil {
		*s.answer = header
	}
	return out, err
}

// pages makes the calls of an operation whose answer is a list of T, page by page.
func pages[T any](ctx context.Context, c *Client, path string, query any, options []CallOption) iter.Seq2[T, error] {
	return list[T](ctx, c, path, values(query), settings(options))
}

// List goes through a list page by page, as long as the loop goes on. An error ends it.
// A cursor in the query is where it begins. A page may be empty before the end: a feed
// gives a cursor also where it ends, to go on from later, but links no next page there.
func List[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return list[T](ctx, c, path, query, settings(nil))
}

func list[T any](ctx context.Context, c *Client, path string, query url.Values, s callSettings) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := url.Values{}
		maps.Copy(q, query)
		for {
			var page []T
			header, err := c.do(ctx, http.MethodGet, path, q, s.header, nil, &page)
			if s.answer != nil {
				*s.answer = header
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, record := range page {
				if !yield(record, nil) {
					return
				}
			}
			next := header.Get("X-Next-Cursor")
			if next == "" || next == q.Get("cursor") || len(page) == 0 && header.Get("Link") == "" {
				return
			}
			q.Set("cursor", next)
		}
	}
}

// GetExportFile is GET /export/{export_id}/file. It writes the file of an export that
// is done to w, and asks for the rest where the connection is cut.
func (c *Client) GetExportFile(ctx context.Context, exportID string, w io.Writer) (int64, error) {
	return c.Download(ctx, "/export/"+url.PathEscape(exportID)+"/file", w)
}

// GetTile is GET /tile/{z}/{x}/{y}. It returns a Mapbox vector tile, which is empty where
// the fleet has not driven.
func (c *Client) GetTile(ctx context.Context, z, x, y int) ([]byte, error) {
	resp, err := c.Call(ctx, http.MethodGet, fmt.Sprintf("/tile/%d/%d/%d", z, x, y), nil, http.Header{}, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	tile, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read a tile: %w", err)
	}
	return tile, nil
}

// Optional is a field that may be left out, be null, or have a value. Its zero value is
// left out.
type Optional[T any] struct {
	set   bool
	value *T
}

// Some is a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{set: true, value: &v} }

// Null is a field that is null, which clears it.
func Null[T any]() Optional[T] { return Optional[T]{set: true} }

// Get is the value, and whether there is one.
func (o Optional[T]) Get() (T, bool) {
	if o.value == nil {
		var none T
		return none, false
	}
	return *o.value, true
}

// IsZero reports whether the field is left out.
func (o Optional[T]) IsZero() bool { return !o.set }

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// UnmarshalJSON reads a value, or null.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	o.set = true
	return json.Unmarshal(text, &o.value)
}

// text is the value as a query has it.
func (o Optional[T]) text() string {
	if o.value == nil {
		return ""
	}
	return fmt.Sprint(*o.value)
}

// values are the parameters of a query, whose fields are tagged with their names. What
// is zero is left out.
func values(query any) url.Values {
	if query == nil {
		return nil
	}
	out, v := url.Values{}, reflect.ValueOf(query)
	for f, field := range v.Fields() {
		if field.IsZero() {
			continue
		}
		name := f.Tag.Get("query")
		if field.Kind() != reflect.Slice {
			out.Set(name, parameter(field.Interface()))
			continue
		}
		for i := range field.Len() {
			out.Add(name, parameter(field.Index(i).Interface()))
		}
	}
	return out
}

func parameter(v any) string {
	switch v := v.(type) {
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case interface{ text() string }:
		return v.text()
	}
	return fmt.Sprint(v)
}
