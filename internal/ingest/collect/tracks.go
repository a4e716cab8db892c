package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// trackInterval is how often the track between the polls of a vendor is read
	// that reports the newest position alone. It takes a call for each device or so.
	trackInterval = time.Hour
	// trackOverlap is how much of the last window is read again, for what reached
	// the vendor late.
	trackOverlap = 30 * time.Minute
)

// hasTracks reports whether a vendor's tracks are read beside its live job.
func hasTracks(info provider.Info) bool { return info.Features.Snapshot && info.Features.Backfill }

// trackWindow is the cursor of the job of tracks: the window that is read now, and
// the adapter's place in it. Without an end the window is the next one.
type trackWindow struct {
	From   drover.Time  `json:"from"`
	To     *drover.Time `json:"to,omitempty"`
	Cursor string       `json:"cursor,omitempty"`
}

// fetchTrack asks for a page of the track since the last window. Its records are
// live ones that come late: those that are new are announced to everyone.
func (v *run) fetchTrack(ctx context.Context, s *store.Job, devices []string) (fetched, error) {
	w := trackWindow{From: s.WindowFrom}
	if s.Cursor != "" {
		if err := json.Unmarshal([]byte(s.Cursor), &w); err != nil {
			return fetched{}, fmt.Errorf("read the place in the tracks: %w", err)
		}
	}
	if w.To == nil {
		w.To = v.trackEnd(w.From)
	}
	var page provider.Page[provider.Position]
	if w.From.Before(w.To.Time) {
		var err error
		q := provider.Query{Cursor: w.Cursor, From: w.From.Time, To: w.To.Time, Devices: devices}
		if page, err = v.adapter.Positions(ctx, v.readAs().ask(q)); err != nil {
			return fetched{}, err
		}
	}
	next := trackWindow{w.From, w.To, page.Cursor}
	if !page.More {
		next = w.after()
	}
	text, err := json.Marshal(next)
	if err != nil {
		return fetched{}, fmt.Errorf("write the place in the tracks: %w", err)
	}
	// A window that was cut short is followed by the next one at once.
	behind := w.To.Before(v.c.opts.Now().Add(-trackOverlap / 2))
	return fetched{
		cursor: string(text), more: page.More || behind, records: len(page.Records),
		page: v.positions(s, page),
	}, nil
}

// trackEnd is the end of the window that begins at from: now, or what the vendor
// answers at most where much is to be caught up with.
func (v *run) trackEnd(from drover.Time) *drover.Time {
	end := v.c.now()
	if length := v.info.Poll.Window; length > 0 && end.Sub(from.Time) > length {
		end = drover.At(from.Add(length))
	}
	return &end
}

// after is the window that follows one that was read. It overlaps it, and goes on
// in any case.
func (w trackWindow) after() trackWindow {
	from := drover.At(w.To.Add(-trackOverlap))
	if !from.After(w.From.Time) {
		from = w.From
	}
	return trackWindow{From: from}
}
