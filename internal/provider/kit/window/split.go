package window

import "time"

// Halves reads a span of time from vendors that cut long answers. Where fetch says
// that its answer was cut, the two halves of the span are read instead, down to
// spans that are no longer than shortest, whose answers are taken as they are.
func Halves[T any](
	from, to time.Time,
	shortest time.Duration,
	fetch func(from, to time.Time) (rows []T, cut bool, err error),
) ([]T, error) {
	rows, cut, err := fetch(from, to)
	if err != nil || !cut || to.Sub(from) <= shortest {
		return rows, err
	}
	middle := from.Add(to.Sub(from) / 2).Truncate(time.Second)
	first, err := Halves(from, middle, shortest, fetch)
	if err != nil {
		return nil, err
	}
	second, err := Halves(middle, to, shortest, fetch)
	return append(first, second...), err
}

// Onward reads what follows an instant from vendors that answer with at most full
// rows, the oldest first, and have no cursor: a full answer goes on with the time
// of its newest row. Rows of that time come twice. Where more than an answer holds
// have the same time, it goes on a second later.
func Onward[T any](from time.Time, full int, at func(T) time.Time, fetch func(from time.Time) ([]T, error)) ([]T, error) {
	return onward(from, func(rows int) bool { return rows < full }, at, fetch)
}

// OnwardBelow is Onward for vendors whose largest answer is not known. An answer is
// taken for whole only where a larger one has come before: most is how many rows that
// one had, and grows.
func OnwardBelow[T any](from time.Time, most *int, at func(T) time.Time, fetch func(from time.Time) ([]T, error)) ([]T, error) {
	return onward(from, func(rows int) bool {
		whole := rows < max(*most, 1)
		*most = max(*most, rows)
		return whole
	}, at, fetch)
}

func onward[T any](from time.Time, whole func(rows int) bool, at func(T) time.Time, fetch func(from time.Time) ([]T, error)) ([]T, error) {
	var all []T
	for {
		rows, err := fetch(from)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		if whole(len(rows)) {
			return all, nil
		}
		newest := at(rows[0])
		for _, row := range rows[1:] {
			if t := at(row); t.After(newest) {
				newest = t
			}
		}
		switch newest.Compare(from) {
		case 1:
			from = newest
		case 0:
			from = from.Add(time.Second)
		default: // not what was asked for: it would never end
			return all, nil
		}
	}
}
