package outbound

import (
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
	if err != nil {
		b.err = err
		b.over()
	}
	return n, err
}

func (b *boundedBody) Close() error {
	defer b.over()
	return b.from.Close()
}
