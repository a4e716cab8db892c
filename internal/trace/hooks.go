package trace

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
)

// Transport follows the calls that are made for a trace. It names neither host nor path, and
// gives the trace to no one.
func Transport(next http.RoundTripper) http.RoundTripper { return transport{next} }

type transport struct{ next http.RoundTripper }

// RoundTrip makes the call.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	_, span := Start(r.Context(), Client, r.Method)
	if span == nil {
		return t.next.RoundTrip(r)
	}
	defer span.End()
	span.Text(Method, r.Method)
	res, err := t.next.RoundTrip(r)
	span.FailOn(err)
	if err == nil {
		span.Number(Status, res.StatusCode)
	}
	return res, err
}

// Statement begins the span of a statement. Its text holds no parameters, but is long: what it
// does and to which table is enough.
func Statement(ctx context.Context, system, query string) *Span {
	if From(ctx) == nil {
		return nil
	}
	name := summary(query)
	_, span := Start(ctx, Client, name)
	span.Text(System, system)
	span.Text(Summary, name)
	return span
}

// summary is the first word of a statement and the first table that it names.
func summary(query string) string {
	words := strings.Fields(query[:min(len(query), 1000)])
	if len(words) == 0 {
		return "statement"
	}
	verb := strings.ToUpper(words[0])
	for i, word := range words[:len(words)-1] {
		switch strings.ToUpper(word) {
		case "FROM", "INTO", "UPDATE", "JOIN":
			if table := tableName(words[i+1]); table != "" {
				return verb + " " + table
			}
		}
	}
	if tableName(strings.ToLower(verb)) == "" {
		return "statement"
	}
	return verb
}

// tableName is a word where it is the name of a table.
func tableName(word string) string {
	name, _, _ := strings.Cut(word, "(")
	name = strings.TrimRight(name, ",;)")
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return ""
		}
	}
	return name
}

// Logs adds the trace to what is logged for it.
func Logs(next slog.Handler) slog.Handler { return handler{next} }

type handler struct{ slog.Handler }

// Handle logs a record.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if s := From(ctx); s != nil {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", s.TraceID()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs and WithGroup keep it.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup begins a group.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
