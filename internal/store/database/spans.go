package database

import (
	"context"
	"database/sql"

	"github.com/drover-fleet/drover/internal/trace"
)

// spanned is a database whose reads are parts of traces. Those of a transaction are by
// themselves.
type spanned struct{ DB }

func (d spanned) Reader() Reader { return spannedReader{d.DB.Reader(), d.Name()} }

func (d spanned) View(ctx context.Context, f func(Reader) error) error {
	return d.DB.View(ctx, func(r Reader) error { return f(spannedReader{r, d.Name()}) })
}

// Update follows a transaction as a whole too: it may wait for others, and its commit for the disk.
func (d spanned) Update(ctx context.Context, urgency Urgency, f func(*Tx) error) error {
	ctx, span := trace.Start(ctx, trace.Client, "transaction")
	defer span.End()
	span.Text(trace.System, d.Name())
	err := d.DB.Update(ctx, urgency, f)
	span.FailOn(err)
	return err
}

type spannedReader struct {
	Reader
	system string
}

func (r spannedReader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	defer trace.Statement(ctx, r.system, query).End()
	return r.Reader.QueryContext(ctx, query, args...)
}

func (r spannedReader) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	span := trace.Statement(ctx, r.system, query)
	defer span.End()
	return r.Reader.QueryRowContext(ctx, query, args...)
}
