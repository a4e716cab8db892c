package declared

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// asked is what a call is made with.
type asked struct {
	device   string
	from, to time.Time
	cursor   string
}

// fill writes the value of a name in a request: what is asked for, or a credential that is not
// secret.
func (a *adapter) fill(q asked) func(name string) string {
	return func(name string) string {
		name, form, _ := strings.Cut(name, ":")
		switch name {
		case "device":
			return q.device
		case "cursor":
			return q.cursor
		case "from":
			return written(q.from, form)
		case "to":
			if form == "date" { // the last day of which something is asked for
				return written(q.to.Add(-time.Millisecond), form)
			}
			return written(q.to, form)
		default:
			return a.shown[name]
		}
	}
}

// forms are how times are written in requests.
var forms = map[string]func(time.Time) string{
	"":          wire.ISO,
	"iso":       wire.ISO,
	"iso_milli": wire.ISOMilli,
	"date":      func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"seconds":   func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
	"millis":    func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) },
}

func written(t time.Time, form string) string {
	if write, ok := forms[form]; ok && !t.IsZero() {
		return write(t)
	}
	return ""
}

// page is a page of a list.
type page struct {
	rows []json.RawMessage
	next string // the cursor of the next page; empty behind the last
	raw  json.RawMessage
}

// read reads the page of a list that cursor leads to.
func (a *adapter) read(ctx context.Context, r *Request, q asked, cursor string) (page, error) {
	query := url.Values{}
	for name, value := range r.Query {
		if text := fill(value, a.fill(q)); text != "" {
			query.Set(name, text)
		}
	}
	if p := r.Pages; p != nil {
		p.ask(query, cursor)
	}
	var raw json.RawMessage
	err := a.call(ctx, r, q, query, &raw)
	if r.MissingIsEmpty && provider.StatusOf(err) == http.StatusNotFound {
		return page{}, nil
	}
	if err != nil {
		return page{}, err
	}
	if a.answer.Status == http.StatusNoContent {
		return page{}, nil
	}
	rows, err := list(raw, r.Records)
	if err != nil {
		return page{}, err
	}
	if a.cfg.Used != nil {
		a.cfg.Used(provider.Use{Part: r.part, From: r.from, To: r.to, Rows: len(rows)})
	}
	out := page{rows: rows, raw: raw}
	if r.Pages != nil {
		out.next, err = r.Pages.following(raw, rows, cursor, r)
	}
	return out, err
}

// all reads every page of a list.
func (a *adapter) all(ctx context.Context, r *Request, q asked) ([]json.RawMessage, error) {
	return paging.ByCursor(func(cursor string) ([]json.RawMessage, string, error) {
		got, err := a.read(ctx, r, q, cursor)
		return got.rows, got.next, err
	})
}

// call makes a call.
func (a *adapter) call(ctx context.Context, r *Request, q asked, query url.Values, into *json.RawMessage) error {
	escaped := func(name string) string { return url.PathEscape(a.fill(q)(name)) }
	if r.Post != "" {
		body := map[string]string{}
		for name, value := range r.Body {
			body[name] = fill(value, a.fill(q))
		}
		path := fill(r.Post, escaped)
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		return a.api.Post(ctx, path, body, into)
	}
	return a.api.Get(ctx, fill(r.Get, escaped), query, into)
}

// ask adds to a query what names a page.
func (p *Pages) ask(query url.Values, cursor string) {
	switch {
	case p.Number != "":
		query.Set(p.Number, strconv.Itoa(paging.Number(cursor)))
	case p.Skip != "":
		if read := paging.PlaceOf(cursor).Read; read > 0 {
			query.Set(p.Skip, strconv.Itoa(read))
		}
	case p.Cursor != "" && cursor != "":
		query.Set(p.Cursor, cursor)
	}
}

// following returns the cursor of the page behind one; empty behind the last.
func (p *Pages) following(raw json.RawMessage, rows []json.RawMessage, cursor string, r *Request) (string, error) {
	total := wire.Gauge(scalarAt(raw, p.Total)).Ptr()
	switch {
	case len(rows) == 0, p.More != "" && scalarAt(raw, p.More) != "true":
		return "", nil
	case p.Cursor != "":
		return scalarAt(raw, p.Next), nil
	case p.Number != "":
		number := paging.Number(cursor)
		if total != nil && float64(number*p.Size) >= *total || total == nil && p.Size > 0 && len(rows) < p.Size {
			return "", nil
		}
		return paging.Cursor(number + 1), nil
	}
	first, distinct, err := ids(rows, r)
	if err != nil {
		return "", err
	}
	place := paging.PlaceOf(cursor)
	if total != nil && float64(place.Read+distinct) >= *total {
		return "", nil
	}
	next, _ := place.Next(first, distinct) // the first page once more: the server ignores the number
	return next, nil
}

// ids returns the id of the first row, and how many different ones there are.
func ids(rows []json.RawMessage, r *Request) (first string, distinct int, err error) {
	seen := map[string]bool{}
	for i, row := range rows {
		s, err := r.scope(row, nil)
		if err != nil {
			return "", 0, err
		}
		id := ""
		if text := r.Device.text(s); text != nil {
			id = *text
		}
		if i == 0 {
			first = id
		}
		seen[id] = true
	}
	return first, len(seen), nil
}

// mostRows is how many records one answer may have.
const mostRows = 200_000

// list returns the list of an answer. An answer that has none is about something else.
func list(raw json.RawMessage, path string) ([]json.RawMessage, error) {
	at, err := descend(raw, path)
	if err != nil {
		return nil, err
	}
	none := unreadable("it has no list at " + cmp.Or(path, "."))
	d := json.NewDecoder(bytes.NewReader(at))
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		return nil, none
	}
	rows := []json.RawMessage{}
	for d.More() {
		var row json.RawMessage
		if d.Decode(&row) != nil {
			return nil, none
		}
		if len(rows) == mostRows { // a few bytes are a record: more would take much more than the answer
			return nil, unreadable("it has more than 200000 records")
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// descend goes along a path without decoding what lies beside it. In a list that is empty
// there is nothing, which is an empty list again.
func descend(raw json.RawMessage, path string) (json.RawMessage, error) {
	for step := range steps(path) {
		var list []json.RawMessage
		if i, err := strconv.Atoi(step); err == nil && json.Unmarshal(raw, &list) == nil && list != nil {
			if i < 0 {
				i += len(list)
			}
			if i < 0 || i >= len(list) {
				return json.RawMessage("[]"), nil
			}
			raw = list[i]
			continue
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil, unreadable("it is no object")
		}
		raw = object[step]
	}
	return raw, nil
}

// scalarAt is the text of a value of an answer; "" where there is none.
func scalarAt(raw json.RawMessage, path string) string {
	if path == "" {
		return ""
	}
	at, err := descend(raw, path)
	if err != nil {
		return ""
	}
	var text wire.Text
	if json.Unmarshal(at, &text) != nil {
		return ""
	}
	return text.String()
}

func unreadable(words string) error {
	return provider.Errorf(provider.KindTemporary, "the provider's answer could not be read: %s", words)
}

// scope returns what the values of a row are taken from.
func (r *Request) scope(raw json.RawMessage, vars map[string]string) (scope, error) {
	row, err := tree(raw)
	if err != nil {
		return scope{}, unreadable("a record is no JSON")
	}
	row = follow(row, r.Record)
	return scope{row: row, within: follow(row, r.Within), vars: vars}, nil
}

// chosen reports whether a record is one of those that are read.
func (r *Request) chosen(s scope) bool {
	for path, values := range r.Where {
		if !slices.Contains(values, scalar(s.at(path))) {
			return false
		}
	}
	for path, values := range r.Unless {
		if slices.Contains(values, scalar(s.at(path))) {
			return false
		}
	}
	return true
}

// open finds the failures of an answer with status 200.
func (f *File) open(answer []byte) ([]byte, error) {
	for _, e := range f.Errors {
		if e.Path != "" && slices.Contains(e.Is, scalarAt(answer, e.Path)) {
			return nil, e.error(nil)
		}
	}
	return answer, nil
}

// meaning gives an answer with an error status the meaning that the file says.
func (f *File) meaning(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if !ok {
		return err
	}
	for _, e := range f.Errors {
		if e.Path == "" && (e.Status == 0 || e.Status == status.Status) && strings.Contains(status.Body, e.Contains) {
			return e.error(err)
		}
	}
	return err
}

// error is the failure as an error of its kind. The status stays.
func (e Failure) error(cause error) error {
	says := cmp.Or(e.Says, "the provider refuses this call")
	out := &provider.Error{Kind: provider.Kind(e.Means), Until: provider.RetryAt(cause), Err: errors.New(says)}
	if cause != nil {
		out.Err = provider.Errorf(out.Kind, "%s: %w", says, cause)
	}
	return out
}

// sign returns what authenticates each request.
func (f *File) sign(credentials provider.Credentials) func(req *http.Request, token string) {
	return func(req *http.Request, token string) {
		value := func(name string) string {
			if name == "token" {
				return token
			}
			return credentials[name]
		}
		if len(f.Login.Basic) == 2 {
			req.SetBasicAuth(fill(f.Login.Basic[0], value), fill(f.Login.Basic[1], value))
		}
		for name, text := range f.Login.Header {
			req.Header.Set(name, fill(text, value))
		}
		for name, text := range f.Login.Query {
			client.AddQuery(req, name, fill(text, value))
		}
	}
}

// find finds the token where it is not called access_token.
func (t *Token) find() func(answer []byte) string {
	if t.At == "" {
		return nil
	}
	return func(answer []byte) string { return scalarAt(answer, t.At) }
}

// request makes the call of a token. It only reads, so that it may be repeated.
func (t *Token) request(ctx context.Context, address string, credentials provider.Credentials) (*http.Request, error) {
	filled := func(fields map[string]string) map[string]string {
		out := map[string]string{}
		for name, text := range fields {
			out[name] = fill(text, func(name string) string { return credentials[name] })
		}
		return out
	}
	ctx = outbound.WithRetry(ctx)
	var req *http.Request
	var err error
	if t.JSON != nil {
		req, err = wire.PostJSON(ctx, address, filled(t.JSON))
	} else {
		form := url.Values{}
		for name, text := range filled(t.Form) {
			form.Set(name, text)
		}
		req, err = wire.PostForm(ctx, address, form)
	}
	if err == nil && len(t.Basic) == 2 {
		pair := filled(map[string]string{"name": t.Basic[0], "password": t.Basic[1]})
		req.SetBasicAuth(pair["name"], pair["password"])
	}
	return req, err
}
