package paging

import (
	"context"

	"github.com/drover-fleet/drover/internal/provider"
)

// List is a list that is read page by page, as provider.Calls has that of devices.
type List[T any] func(ctx context.Context, cursor string) (provider.Page[T], error)

// Whole is the list of a vendor that answers with all of it at once.
func Whole[T any](read func(ctx context.Context) ([]T, error)) List[T] {
	return func(ctx context.Context, _ string) (provider.Page[T], error) {
		records, err := read(ctx)
		return page(records, "", err)
	}
}

// Linked is a list in which each page leads to the next. read returns the page that
// cursor leads to, the first one for an empty cursor, and the cursor of the next
// page, which is empty behind the last.
func Linked[T any](read func(ctx context.Context, cursor string) (records []T, next string, err error)) List[T] {
	return func(ctx context.Context, cursor string) (provider.Page[T], error) {
		records, next, err := read(ctx, cursor)
		return page(records, next, err)
	}
}

// Numbered is a list of which read returns a page by its number, from 1 on, and
// whether there is another. The cursor is the number.
func Numbered[T any](read func(ctx context.Context, number int) (records []T, more bool, err error)) List[T] {
	return Linked(func(ctx context.Context, cursor string) ([]T, string, error) {
		number := Number(cursor)
		records, more, err := read(ctx, number)
		if !more {
			return records, "", err
		}
		return records, Cursor(number + 1), err
	})
}

// Rounds reads a list over and over, as a live job: its first page follows the
// last one, at the next poll.
func (l List[T]) Rounds(ctx context.Context, q provider.Query) (provider.Page[T], error) {
	page, err := l(ctx, q.Cursor)
	if err == nil && !page.More {
		page.Cursor = Cursor(1)
	}
	return page, err
}

func page[T any](records []T, next string, err error) (provider.Page[T], error) {
	if err != nil {
		return provider.Page[T]{}, err
	}
	return provider.Page[T]{Records: records, Cursor: next, More: next != ""}, nil
}
