package window

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// News is a Reader for vendors that are asked device by device, and that tell
// cheaply which devices have anything new: live, only those are read. A fleet at
// rest then costs next to nothing. A past window is read as by the Reader alone.
//
// A device whose own newest time goes on far before the present, as its clock is behind, has news
// too, and is read from where it is.
type News[T provider.Record] struct {
	Reader[T]
	// Updates returns what the vendor last heard of each device, for those of the
	// given ones of which it heard since an instant; others may be there too. Where
	// the vendor does not permit the call, every device is read.
	Updates func(ctx context.Context, since time.Time, devices []string) (map[string]Update, error)
	// Lag is for how long a device counts as updated: its records may come to the
	// history a while after the vendor has heard of it. Zero means 10 minutes.
	Lag time.Duration
}

// Update is when the vendor heard of a device, and the time of its newest record by the device's
// own clock, zero where the vendor does not say. They are the same where the vendor has but
// the device's.
type Update struct{ Heard, Newest time.Time }

// newsCursor is where a job stands.
type newsCursor struct {
	Updated int64 `json:"u"` // the newest update known, in milliseconds since 1970
	// Pending are the devices that are being read; none where the updates are to
	// be read next.
	Pending []string `json:"p,omitempty"`
	Reader  string   `json:"r,omitempty"`
	// Known is the time of the newest record of each device of which it is long ago: at rest,
	// or behind.
	Known map[string]int64 `json:"k,omitempty"`
}

// Page returns the page that q asks for. Where the reading of the first device
// fails, what was learned of the updates is kept, and the failure is met again by
// the next page: vendors may want that call to be rare.
func (n News[T]) Page(ctx context.Context, q provider.Query) (provider.Page[T], error) {
	if !q.Live() {
		return n.Reader.Page(ctx, q)
	}
	c := newsCursor{Updated: q.From.UnixMilli()}
	if q.Cursor != "" {
		c.Updated = 0
		if err := paging.Decode(q.Cursor, &c); err != nil {
			return provider.Page[T]{}, err
		}
		if c.Updated == 0 { // one that the Reader has made
			c = newsCursor{Updated: q.From.UnixMilli(), Reader: q.Cursor}
		}
	}
	learned := false
	if len(c.Pending) == 0 {
		var err error
		if learned, err = n.update(ctx, &c, q.Devices); err != nil {
			return provider.Page[T]{}, err
		}
	}
	page, err := n.Reader.Page(ctx, provider.Query{Cursor: c.Reader, From: q.From, Ahead: q.Ahead, Devices: c.Pending})
	switch {
	case err != nil && (!learned || provider.Canceled(err)):
		return provider.Page[T]{}, err
	case err != nil:
		page = provider.Page[T]{More: true}
	default:
		c.Reader = page.Cursor
	}
	if !page.More {
		c.Pending = nil
	}
	page.Cursor = paging.Encode(c)
	return page, nil
}

// update puts the devices with news into the cursor. It learns nothing where the
// vendor does not permit that.
func (n News[T]) update(ctx context.Context, c *newsCursor, devices []string) (learned bool, err error) {
	since := time.UnixMilli(c.Updated).UTC().Add(-cmp.Or(n.Lag, 10*time.Minute))
	updates, err := n.Updates(ctx, since, devices)
	if err != nil && provider.KindOf(err) == provider.KindPermanent {
		c.Pending = slices.Clone(devices) // any may have news
		return false, nil
	}
	if err != nil {
		return false, err
	}
	known := c.Known
	newest := c.know(updates, since)
	if c.Reader, err = reachBack(c.Reader, known, newest); err != nil {
		return false, err
	}
	c.Pending = slices.DeleteFunc(slices.Clone(devices), func(device string) bool {
		u, some := updates[device]
		goesOn := known[device] != 0 && newest[device] != 0 && newest[device] != known[device]
		return !some || u.Heard.Before(since) && !goesOn
	})
	// What has waited the longest goes first, and what was read before comes last.
	read := func(device string) int {
		if updates[device].Heard.UnixMilli() > c.Updated {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.Pending, func(a, b string) int {
		return cmp.Or(cmp.Compare(read(a), read(b)), updates[a].Heard.Compare(updates[b].Heard))
	})
	now := n.Now().UnixMilli()
	for _, u := range updates {
		// A time in the future must not hide the updates that come before it.
		if ms := u.Heard.UnixMilli(); ms > c.Updated && ms <= now {
			c.Updated = ms
		}
	}
	return true, nil
}

// know keeps the newest times that are long ago, and returns the newest time of each device.
func (c *newsCursor) know(updates map[string]Update, since time.Time) map[string]int64 {
	newest := make(map[string]int64, len(updates))
	c.Known = map[string]int64{}
	for device, u := range updates {
		if u.Newest.IsZero() {
			continue
		}
		newest[device] = u.Newest.UnixMilli()
		if u.Newest.Before(since) {
			c.Known[device] = newest[device]
		}
	}
	return newest
}

// Heard returns the Updates of News from the rows of an answer, of which each says
// when the vendor heard of a device: at the zero time, where it never did.
func Heard[R any](rows []R, of func(R) (device string, u Update)) map[string]Update {
	updates := map[string]Update{}
	for _, row := range rows {
		if device, u := of(row); !u.Heard.IsZero() {
			updates[device] = u
		}
	}
	return updates
}
