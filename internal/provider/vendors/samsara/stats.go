package samsara

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// cursor is where a job of positions stands. Times are milliseconds since
// 1970.
//
// A live job first opens the feed, which gives a cursor and the newest
// position of each vehicle only; then reads the history from where the job
// begins up to that moment; then follows the feed. In this order nothing falls
// between the two.
type cursor struct {
	Feed string `json:"f,omitempty"` // the feed's own cursor
	Read int64  `json:"r,omitempty"` // when the feed was read last

	// The cursors of the feeds of readings, and when these were read last.
	Stats []string `json:"s,omitempty"`
	Heard int64    `json:"h,omitempty"`

	// What is left of the history, and the vendor's cursor within its window.
	From int64  `json:"a,omitempty"`
	To   int64  `json:"b,omitempty"`
	Page string `json:"p,omitempty"`
}

// feedOverlap is how far before the last reading of a feed the history starts
// that replaces it: records come late.
const feedOverlap = time.Hour

// driverReach is how far back drivers are looked up for what the feed brings: the
// newest position of a vehicle that was given up may be years old.
const driverReach = 24 * time.Hour

func startCursor(q provider.Query) (cursor, error) {
	if q.Cursor == "" {
		c := cursor{From: q.From.UnixMilli()}
		if !q.Live() {
			c.To = q.To.UnixMilli()
		}
		return c, nil
	}
	var c cursor
	return c, paging.Decode(q.Cursor, &c)
}

// readStats reads one page of a job of positions.
func (a *Adapter) readStats(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	var page provider.Page[provider.Position]
	c, err := startCursor(q)
	if err != nil {
		return page, err
	}
	switch {
	case c.From < c.To:
		page.Records, err = a.history(ctx, &c)
		page.More = q.Live() || c.From < c.To
	case q.Live():
		page.Records, page.More, err = a.feed(ctx, &c)
		if err == nil && !page.More {
			page.Readings, err = a.readings(ctx, &c)
		}
	}
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	page.Cursor = paging.Encode(c)
	return page, nil
}

// feed reads one page of the feed, which it opens where there is none yet.
func (a *Adapter) feed(ctx context.Context, c *cursor) (records []provider.Position, more bool, err error) {
	opening := c.Feed == ""
	query := statsQuery()
	if !opening {
		query.Set("after", c.Feed)
	}
	answer, err := client.Get[list[stats]](ctx, a.api, "/fleet/vehicles/stats/feed", query)
	if provider.StatusOf(err) == http.StatusBadRequest && !opening {
		*c = cursor{From: c.Read - feedOverlap.Milliseconds(), Stats: c.Stats, Heard: c.Heard}
		return a.feed(ctx, c)
	}
	if err != nil {
		return nil, false, err
	}
	records = positions(answer.Data)
	from, to := span(records)
	now := a.cfg.Now()
	c.Read = now.UnixMilli()
	if opening {
		c.To = max(c.Read, to.UnixMilli())
	}
	c.Feed, more = answer.Pagination.next(c.Feed)
	return records, more || c.From < c.To, a.addDrivers(ctx, records, later(from, now.Add(-driverReach)), to)
}

// history reads one page of a day of the history and moves the cursor past it.
func (a *Adapter) history(ctx context.Context, c *cursor) ([]provider.Position, error) {
	end := min(c.From+positionWindow.Milliseconds(), c.To)
	from, to := time.UnixMilli(c.From), time.UnixMilli(end)
	query := statsQuery()
	query.Set("startTime", wire.ISOMilli(from))
	query.Set("endTime", wire.ISOMilli(to))
	if c.Page != "" {
		query.Set("after", c.Page)
	}
	answer, err := client.Get[list[stats]](ctx, a.api, "/fleet/vehicles/stats/history", query)
	if err != nil {
		return nil, err
	}
	var more bool
	if c.Page, more = answer.Pagination.next(c.Page); !more {
		c.From, c.Page = end, ""
	}
	records := positions(answer.Data)
	return records, a.addDrivers(ctx, records, from, to)
}

func statsQuery() url.Values {
	return url.Values{"types": {"gps"}, "decorations": {"engineStates,obdOdometerMeters"}}
}

func positions(rows []stats) []provider.Position {
	var records []provider.Position
	for _, row := range rows {
		records = append(records, row.records()...)
	}
	return records
}

// span returns the window that holds the records.
func span(records []provider.Position) (from, to time.Time) {
	for i, r := range records {
		if i == 0 {
			from, to = r.Time.Time, r.Time.Time
		}
		from, to = earlier(from, r.Time.Time), later(to, r.Time.Time)
	}
	return from, to.Add(time.Millisecond)
}

// shifts are the assignments of drivers to vehicles that overlap a window.
type shifts struct {
	from, to  time.Time
	byVehicle map[string][]assignment
}

// addDrivers fills in who drove: positions do not tell.
func (a *Adapter) addDrivers(ctx context.Context, records []provider.Position, from, to time.Time) error {
	if len(records) == 0 || !from.Before(to) {
		return nil
	}
	if !a.shifts.from.Equal(from) || !a.shifts.to.Equal(to) {
		rows, err := all[assignment](ctx, a, "/fleet/driver-vehicle-assignments", url.Values{
			"filterBy": {"vehicles"}, "startTime": {wire.ISOMilli(from)}, "endTime": {wire.ISOMilli(to)},
		})
		if err != nil && !notPermitted(err) {
			return fmt.Errorf("read drivers: %w", err)
		}
		a.shifts = shifts{from, to, byVehicle(rows)}
	}
	for i := range records {
		r := &records[i]
		r.DriverID = driverAt(a.shifts.byVehicle[r.SystemDeviceID], r.Time.Time)
	}
	return nil
}
