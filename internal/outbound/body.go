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

	// budget is the process's, nil where there is none, and grow waits for a place
	// in it.
	budget *Budget
	grow   func() error
	large  bool
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
	if b.budget != nil && !b.large && b.max-b.left > smallAnswer {
		if b.err = b.grow(); b.err != nil {
			b.over()
			return 0, b.err
		}
		b.large = true
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

// Close gives back what the answer took of the budget: whoever reads one closes it
// when it is decoded.
func (b *boundedBody) Close() error {
	defer b.over()
	if b.large {
		b.large = false
		b.budget.give()
	}
	return b.from.Close()
}
