package window

import (
	"context"
	"strconv"
	"time"
)

// fetch is what Again asks for a page.
type fetch[T any] func(ctx context.Context, from, to time.Time, cursor string, devices []string) (records []T, next string, err error)

// Spans parts a window for a vendor that answers for no longer time than span. The cursor of a
// page is its start.
func Spans[T any](span time.Duration, read func(ctx context.Context, from, to time.Time) ([]T, error)) fetch[T] {
	return func(ctx context.Context, from, to time.Time, cursor string, _ []string) (records []T, next string, err error) {
		if cursor != "" {
			if from, err = time.Parse(time.RFC3339, cursor); err != nil {
				return nil, "", err
			}
		}
		if end := from.Add(span); end.Before(to) {
			to, next = end, end.Format(time.RFC3339Nano)
		}
		records, err = read(ctx, from, to)
		return records, next, err
	}
}

// Devices parts the devices for a vendor that is asked for no more than some at a time. The
// cursor of a page is the place of its first device.
func Devices[T any](most int, read func(ctx context.Context, from, to time.Time, devices []string) ([]T, error)) fetch[T] {
	return func(ctx context.Context, from, to time.Time, cursor string, devices []string) (records []T, next string, err error) {
		first := 0
		if cursor != "" {
			if first, err = strconv.Atoi(cursor); err != nil {
				return nil, "", err
			}
		}
		first = min(max(first, 0), len(devices))
		last := min(first+most, len(devices))
		if last < len(devices) {
			next = strconv.Itoa(last)
		}
		if first == last {
			return nil, "", nil
		}
		records, err = read(ctx, from, to, devices[first:last])
		return records, next, err
	}
}
