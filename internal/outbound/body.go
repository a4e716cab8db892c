package outbound

import (
	"context"
	"io"
)

// boundedBody is a response's body that ends with an error past its bound, and
// whose errors are of the kinds in errors.go.
type boundedBody struct {
	from io.ReadCloser
	left int64
	max  int64
	fail func(error) error
	over func() // called at the end of the body or when it is closed; idempotent
	err  error

	// reading is what the body counts for; nil where nothing is counted. It is the
	// body's own, or that of the page.
	reading *reading
	own     bool
	ctx     context.Context //nolint:containedctx // of the attempt, by which Read waits
	raw     int64
	sizes   *structSizes
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	// One byte more than may be returned tells a body of exactly the bound from
	// a longer one.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), tooLarge(b.max)
	} else if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		err = b.fail(err)
	}
	b.left -= int64(n)
	if short := b.count(int64(n)); short != nil {
		n, err = 0, short
	}
	if err != nil {
		b.err = err
		b.over()
	}
	return n, err
}

// count takes memory for bytes that were read.
func (b *boundedBody) count(n int64) error {
	if b.reading == nil {
		return nil
	}
	if err := b.reading.add(b.ctx, n); err != nil {
		return b.fail(err)
	}
	b.raw += n
	return nil
}

// weigh takes memory for what the body is about to be decoded into. The call itself
// is over by then: the time that it may take no longer counts.
func (b *boundedBody) weigh(ctx context.Context, n int64) error {
	if b.reading == nil {
		return nil
	}
	if err := b.reading.add(ctx, n); err != nil {
		return b.fail(err)
	}
	return nil
}

// Close gives back what the raw answer took of memory; what it was decoded into
// counts until the reading ends. The answer is closed first: anyone who waits for its
// place must not find it still open.
func (b *boundedBody) Close() error {
	defer b.over()
	err := b.from.Close()
	if b.reading != nil {
		b.reading.give(b.raw)
		b.raw = 0
		if b.own {
			b.reading.end()
		}
	}
	return err
}
