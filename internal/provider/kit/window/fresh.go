package window

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
)

// Fresh is a Reader for vendors that are asked for tracks device by device, and
// tell the newest position of the whole fleet in one call: live, that call is made
// at every poll, and the tracks are read, of the devices that have moved on since,
// for what lies between two polls and for what comes late. A past window is read as
// by the Reader alone.
//
// A device whose newest position goes on before the job began, as its clock is behind, is
// read from there.
//
// A newest position must be as full as its point of the track, for the first
// of the two is the one that is kept.
type Fresh struct {
	Reader[provider.Position]
	// Newest returns the newest position of each device that has one. Where the
	// vendor does not permit the call, all tracks are read.
	Newest func(ctx context.Context) ([]provider.Position, error)
	// Every is how often tracks are read at the most; zero means 2 minutes.
	Every time.Duration
	// Poll is how often newest positions are read while tracks are; zero means 15
	// seconds.
	Poll time.Duration
	// Lag is for how long the track of a device is read after its newest position
	// has changed; zero means 10 minutes.
	Lag time.Duration
}

// freshCursor is where a job stands. Times are milliseconds since 1970; names
// are short, as it is stored with every page.
type freshCursor struct {
	Looked int64 `json:"z"`           // when the newest positions were read
	Round  int64 `json:"o,omitempty"` // when the last round of tracks began
	// Known is the time of the newest position of each device, and Changed when it
	// was seen to change, for those whose tracks are read.
	Known   map[string]int64 `json:"k,omitempty"`
	Changed map[string]int64 `json:"c,omitempty"`
	Pending []string         `json:"p,omitempty"` // the devices of the round under way
	Reader  string           `json:"r,omitempty"`
}

// Page returns the page that q asks for. Where the reading of tracks fails, the
// newest positions that were read before are kept, and the failure is met again by
// the next page.
func (f Fresh) Page(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	if !q.Live() {
		return f.Reader.Page(ctx, q)
	}
	c, err := freshCursorOf(q.Cursor)
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	var out provider.Page[provider.Position]
	now := f.Now().UnixMilli()
	looks := len(c.Pending) == 0 || now-c.Looked >= cmp.Or(f.Poll, 15*time.Second).Milliseconds()
	learned := false
	if looks {
		known := maps.Clone(c.Known)
		if out.Records, learned, err = f.look(ctx, &c, q.Devices, now); err != nil {
			return provider.Page[provider.Position]{}, err
		}
		if c.Reader, err = reachBack(c.Reader, known, c.Known); err != nil {
			return provider.Page[provider.Position]{}, err
		}
	}
	if len(c.Pending) == 0 && now-c.Round >= cmp.Or(f.Every, 2*time.Minute).Milliseconds() {
		c.Round, c.Pending = now, c.due(q.Devices, now-cmp.Or(f.Lag, 10*time.Minute).Milliseconds())
	}
	if len(c.Pending) > 0 {
		tracks, err := f.Reader.Page(ctx, provider.Query{Cursor: c.Reader, From: q.From, Ahead: q.Ahead, Devices: c.Pending})
		switch {
		case err == nil:
			c.Reader, out.More = tracks.Cursor, tracks.More
			out.Records = append(out.Records, tracks.Records...)
			if !out.More {
				c.Pending = nil
			}
		case paced(err): // the next poll goes on: newest positions do not wait for tracks
		case !learned, provider.Canceled(err):
			return provider.Page[provider.Position]{}, err
		default:
			out.More = true
		}
	}
	out.Cursor = paging.Encode(c)
	return out, nil
}

// reachBack lets devices be read from where they are whose newest time has gone on from the one
// that was known, before the job began: their clock is behind, so that no window up to the
// present has what they report.
func reachBack(reader string, known, newest map[string]int64) (string, error) {
	if reader == "" {
		return "", nil
	}
	var c cursor
	if err := paging.Decode(reader, &c); err != nil {
		return "", err
	}
	behind := false
	for device, before := range known {
		at := newest[device]
		if before == 0 || at == 0 || at == before || at >= c.From || c.Seen[device] >= before {
			continue
		}
		if c.Seen == nil {
			c.Seen = map[string]int64{}
		}
		c.Seen[device], behind = before, true
	}
	if !behind {
		return reader, nil
	}
	return paging.Encode(c), nil
}

// paced reports whether a call was not made, as the declared limits have no room.
func paced(err error) bool {
	return provider.KindOf(err) == provider.KindRateLimited && provider.StatusOf(err) == 0
}

// look reads the newest positions and returns those that have changed. It learns
// nothing where the vendor does not permit that.
func (f Fresh) look(
	ctx context.Context,
	c *freshCursor,
	devices []string,
	now int64,
) (changed []provider.Position, learned bool, err error) {
	c.Looked = now
	newest, err := f.Newest(ctx)
	if provider.KindOf(err) == provider.KindPermanent && err != nil {
		for _, device := range devices {
			c.Changed[device] = now
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, device := range devices {
		if _, seen := c.Known[device]; !seen { // none may come: its track is read once
			c.Known[device], c.Changed[device] = 0, now
		}
	}
	return slices.DeleteFunc(newest, func(p provider.Position) bool {
		at := p.Time.UnixMilli()
		same := c.Known[p.SystemDeviceID] == at
		if !same {
			c.Known[p.SystemDeviceID], c.Changed[p.SystemDeviceID] = at, now
		}
		return same
	}), true, nil
}

// due returns the devices whose tracks are to be read. Those that have not changed
// since the lag began are read for the last time.
func (c *freshCursor) due(devices []string, lag int64) []string {
	var due []string
	for _, device := range devices {
		at, changed := c.Changed[device]
		if changed {
			due = append(due, device)
		}
		if at < lag {
			delete(c.Changed, device)
		}
	}
	return due
}

// freshCursorOf reads a cursor. One that a Reader has made is gone on with.
func freshCursorOf(text string) (freshCursor, error) {
	var c freshCursor
	if text != "" {
		if err := paging.Decode(text, &c); err != nil {
			return c, err
		}
		if c.Looked == 0 {
			c = freshCursor{Reader: text}
		}
	}
	if c.Known == nil {
		c.Known = map[string]int64{}
	}
	if c.Changed == nil {
		c.Changed = map[string]int64{}
	}
	return c, nil
}
