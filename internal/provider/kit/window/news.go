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
type News[T provider.Record] struct {
	Reader[T]
	// Updates returns when the vendor last heard of each device, for those of the
	// given ones of which it heard since an instant; others may be there too. Where
	// the vendor does not permit the call, every device is read.
	Updates func(ctx context.Context, since time.Time, devices []string) (map[string]time.Time, error)
	// Lag is for how long a device counts as updated: its records may come to the
	// history a while after the vendor has heard of it. Zero means 10 minutes.
	Lag time.Duration
}

// newsCursor is where a job stands.
type newsCursor struct {
	Updated int64 `json:"u"` // the newest update known, in milliseconds since 1970
	// Pending are the devices that are being read; none where the updates are to
	// be read next.
	Pending []string `json:"p,omitempty"`
	Reader  string   `json:"r,omitempty"`
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
	c.Pending = slices.DeleteFunc(slices.Clone(devices), func(device string) bool {
		at, known := updates[device]
		return !known || at.Before(since)
	})
	// What has waited the longest goes first, and what was read before comes last.
	read := func(device string) int {
		if updates[device].UnixMilli() > c.Updated {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.Pending, func(a, b string) int {
		return cmp.Or(cmp.Compare(read(a), read(b)), updates[a].Compare(updates[b]))
	})
	now := n.Now().UnixMilli()
	for _, at := range updates {
		// A time in the future must not hide the updates that come before it.
		if ms := at.UnixMilli(); ms > c.Updated && ms <= now {
			c.Updated = ms
		}
	}
	return true, nil
}

// Heard returns the Updates of News from the rows of an answer, of which each says
// when the vendor heard of a device: at the zero time, where it never did.
func Heard[R any](rows []R, of func(R) (device string, at time.Time)) map[string]time.Time {
	updates := map[string]time.Time{}
	for _, row := range rows {
		if device, at := of(row); !at.IsZero() {
			updates[device] = at
		}
	}
	return updates
}
