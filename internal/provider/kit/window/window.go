// Package window reads a job of records from vendors that are asked by time:
// device by device, a few devices at a time, or the whole fleet at once. An
// adapter says how to fetch one window; Reader does the rest: the cursor, the
// overlap for late records, long spans in short windows, and pages.
package window

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// Reader turns windows into pages of the seam's jobs. Fetch and Now are
// required.
//
// Live, it remembers the newest record of each device and asks from Overlap
// before that. A device that was silent for long, and then sends all that it
// stored, is therefore read in full; a record that arrives after newer ones of
// the same device is read where it is less than Overlap older than they are.
type Reader[T provider.Record] struct {
	// Fetch returns every record of the window. It may return more.
	Fetch func(ctx context.Context, w Window) ([]T, error)
	Now   func() time.Time

	// Batch is how many devices one window is for; zero means the whole fleet.
	Batch int
	// Length is the longest window; zero means a day.
	Length time.Duration
	// Overlap is how far before the newest record live windows start; zero
	// means 10 minutes.
	Overlap time.Duration
	// Reach bounds how far back a silent device is asked for; zero means a day.
	// Where a window is for several devices, the most silent one sets its start,
	// so that a shorter reach saves reading the others again.
	Reach time.Duration
	// Before and After widen each window, for vendors that select trips by their
	// start or cut them at the edges. After never passes the present.
	Before, After time.Duration
	// Span takes the place of Length, and its margin that of Before and After, where
	// how much can be asked for turns out while reading.
	Span *Span

	// Calls and Records end a page: it makes no further call after so many;
	// zero means 25 calls, 5000 records.
	Calls, Records int
}

// Window is one question to the vendor: these devices, from From inclusive to To
// exclusive. Devices is empty where the window is for the whole fleet.
type Window struct {
	Devices  []string
	From, To time.Time
}

// Page returns the page that q asks for.
//
// A failure after the first call of a page ends the page with what was read
// before it: work that was done is kept, and the failure, where it lasts, is met
// again by the next page.
func (r Reader[T]) Page(ctx context.Context, q provider.Query) (provider.Page[T], error) {
	r.setDefaults()
	if now := r.Now; q.Ahead != 0 {
		r.Now = func() time.Time { return now().Add(q.Ahead) }
	}
	c, err := r.start(q)
	if err != nil {
		return provider.Page[T]{}, err
	}
	var page provider.Page[T]
	for calls := 0; calls < r.Calls && len(page.Records) < r.Records; calls++ {
		batch, ok := r.batch(&c, q.Devices)
		if !ok {
			break
		}
		records, err := r.read(ctx, &c, batch, q)
		if err != nil && calls > 0 && !provider.Canceled(err) {
			break
		}
		if err != nil {
			return provider.Page[T]{}, err
		}
		page.Records = append(page.Records, records...)
	}
	_, page.More = r.batch(&c, q.Devices)
	if !page.More {
		c.finish()
	}
	page.Cursor = paging.Encode(c)
	return page, nil
}

func (r *Reader[T]) setDefaults() {
	if r.Span != nil {
		r.Length, r.Before, r.After = r.Span.Length, r.Span.Margin, r.Span.Margin
	}
	r.Length = cmp.Or(r.Length, 24*time.Hour)
	r.Overlap = cmp.Or(r.Overlap, 10*time.Minute)
	r.Reach = cmp.Or(r.Reach, 24*time.Hour)
	r.Calls = cmp.Or(r.Calls, 25)
	r.Records = cmp.Or(r.Records, 5000)
}

// start returns the cursor of q, with a round under way.
func (r *Reader[T]) start(q provider.Query) (cursor, error) {
	c := cursor{From: q.From.UnixMilli()}
	if q.Cursor != "" {
		c = cursor{}
		if err := paging.Decode(q.Cursor, &c); err != nil {
			return cursor{}, err
		}
	}
	if c.To == 0 {
		c.To = r.Now().UnixMilli()
		if !q.Live() {
			c.To = q.To.UnixMilli()
		}
	}
	return c, nil
}

// batch returns the devices to ask for next: false at the end of the round. A
// device that is no longer known starts the round again, which repeats records
// and loses none.
func (r *Reader[T]) batch(c *cursor, devices []string) ([]string, bool) {
	if c.Done || (r.Batch > 0 && len(devices) == 0) {
		return nil, false
	}
	if r.Batch == 0 {
		return nil, true
	}
	first := 0
	if c.Next != "" {
		if first = slices.Index(devices, c.Next); first < 0 {
			first, c.At = 0, 0
		}
	}
	return devices[first:min(first+r.Batch, len(devices))], true
}

// read asks for one window of a batch and moves the cursor past it.
func (r *Reader[T]) read(ctx context.Context, c *cursor, batch []string, q provider.Query) ([]T, error) {
	from := c.At
	if from == 0 {
		from = r.since(c, batch, q)
	}
	to := min(from+r.Length.Milliseconds(), c.To)
	var records []T
	if from < to {
		var err error
		w := r.widen(batch, from, to)
		if q.Live() && to >= c.To {
			w.To = r.upToNow(w.To, from)
		}
		if records, err = r.Fetch(ctx, w); err != nil {
			return nil, err
		}
	}
	if !q.Live() {
		records = slices.DeleteFunc(records, func(t T) bool {
			_, at := t.Key()
			return at.UnixMilli() < from || at.UnixMilli() >= to
		})
	}
	if c.At = to; to >= c.To {
		r.advance(c, batch, q.Devices)
	}
	if q.Live() {
		r.remember(c, records)
	}
	return records, nil
}

func (r *Reader[T]) widen(batch []string, from, to int64) Window {
	w := Window{
		Devices: batch,
		From:    time.UnixMilli(from).UTC().Add(-r.Before),
		To:      time.UnixMilli(to).UTC(),
	}
	if now := r.Now(); r.After > 0 && w.To.Before(now) {
		w.To = w.To.Add(r.After)
		if w.To.After(now) {
			w.To = now.UTC()
		}
	}
	return w
}

// upToNow is the end of the last live window of a batch: what has come since the
// round began is read with it, as far as a window may be long, rather than in the
// next round. A round is long where each device takes a call.
func (r *Reader[T]) upToNow(to time.Time, from int64) time.Time {
	now := r.Now().UTC()
	if longest := time.UnixMilli(from).UTC().Add(r.Length); longest.Before(now) {
		now = longest
	}
	if now.After(to) {
		return now
	}
	return to
}

// since returns where the windows of a batch start.
func (r *Reader[T]) since(c *cursor, batch []string, q provider.Query) int64 {
	if !q.Live() || c.Last == 0 {
		return c.From
	}
	// Not the present but the last round bounds the reach: after an outage,
	// what happened meanwhile is read in full.
	floor := max(c.From, c.Last-r.Reach.Milliseconds())
	start := func(device string) int64 {
		seen := c.Seen[device]
		if seen > 0 && seen < c.From { // it is known to report times before the job began
			return max(c.Last-r.Reach.Milliseconds(), seen-r.Overlap.Milliseconds())
		}
		return max(floor, seen-r.Overlap.Milliseconds())
	}
	if r.Batch == 0 {
		return start(fleet)
	}
	since := start(batch[0])
	for _, device := range batch[1:] {
		since = min(since, start(device))
	}
	return since
}

// advance moves the cursor to the batch after this one.
func (r *Reader[T]) advance(c *cursor, batch, devices []string) {
	c.At, c.Next = 0, ""
	if r.Batch == 0 {
		c.Done = true
		return
	}
	next := slices.Index(devices, batch[len(batch)-1]) + 1
	if c.Done = next >= len(devices); !c.Done {
		c.Next = devices[next]
	}
}

// remember keeps the newest time of each device. A time in the future, from a
// tracker with a wrong clock, must not hide what comes after.
func (r *Reader[T]) remember(c *cursor, records []T) {
	for _, record := range records {
		device, at := record.Key()
		if r.Batch == 0 {
			device = fleet
		}
		if ms := min(at.UnixMilli(), c.To); ms > c.Seen[device] {
			if c.Seen == nil {
				c.Seen = map[string]int64{}
			}
			c.Seen[device] = ms
		}
	}
}
