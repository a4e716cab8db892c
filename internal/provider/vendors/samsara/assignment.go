package samsara

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var assignments = &provider.Assignments{Besides: provider.Besides{
	Every: 5 * time.Minute, Names: []string{"driver-vehicle-assignments"}, Need: "Read Assignments",
}}

const (
	// assignmentWindow is what one page has all assignments of.
	assignmentWindow = 24 * time.Hour
	// assignmentsAgain is how far back each round begins, assignmentsLate how far the first of a
	// day does: drivers confirm their log days later.
	assignmentsAgain, assignmentsLate = assignmentWindow, 8 * assignmentWindow
)

// assignmentCursor is where the job of assignments stands. Times are milliseconds since 1970.
type assignmentCursor struct {
	From int64 `json:"f"`
	Late int64 `json:"l"` // when the first round of the day began
}

// Assignments implements provider.AssignmentReader: it reads day by day, all of a day at once.
func (a *Adapter) Assignments(ctx context.Context, q provider.Query) (provider.Page[provider.Assignment], error) {
	now := a.cfg.Now().Add(q.Ahead).UTC()
	c := assignmentCursor{From: q.From.UnixMilli(), Late: now.UnixMilli()}
	if q.Cursor != "" {
		if err := paging.Decode(q.Cursor, &c); err != nil {
			return provider.Page[provider.Assignment]{}, err
		}
	}
	from := time.UnixMilli(c.From).UTC()
	to := earlier(from.Add(assignmentWindow), now)
	page := provider.Page[provider.Assignment]{More: to.Before(now)}
	if from.Before(to) {
		rows, err := all[assignment](ctx, a, "/fleet/driver-vehicle-assignments", url.Values{
			"filterBy": {"vehicles"}, "startTime": {wire.ISOMilli(from)}, "endTime": {wire.ISOMilli(to)},
		})
		if err != nil {
			return provider.Page[provider.Assignment]{}, err
		}
		page.Records, page.Whole = stated(rows), &provider.Span{From: from, To: to}
	}
	if c.From = to.UnixMilli(); !page.More {
		back := assignmentsAgain
		if now.Sub(time.UnixMilli(c.Late)) >= assignmentWindow {
			back, c.Late = assignmentsLate, now.UnixMilli()
		}
		c.From = max(q.From.UnixMilli(), now.Add(-back).UnixMilli())
	}
	page.Cursor = paging.Encode(c)
	return page, nil
}

// stated are assignments by what they are known by: their beginning and their type, with a number
// where a vehicle has several of both. Passengers do not drive.
func stated(rows []assignment) (records []provider.Assignment) {
	order.By(rows, func(a, b assignment) int {
		return cmp.Or(a.Start.Compare(b.Start.Time), cmp.Compare(a.Driver.ID, b.Driver.ID))
	})
	type name struct{ vehicle, id string }
	seen, told := map[name]int{}, map[string]bool{}
	for _, row := range rows {
		vehicle := row.Vehicle.ID.String()
		if vehicle == "" || row.Start.IsZero() || row.Passenger {
			continue
		}
		id := row.Start.Record().String() + " " + row.Type.String()
		again := vehicle + " " + id + " " + row.Driver.ID.String()
		if told[again] {
			continue // once more in the next page
		}
		told[again] = true
		seen[name{vehicle, id}]++
		if n := seen[name{vehicle, id}]; n > 1 {
			id = fmt.Sprint(id, " ", n)
		}
		r := provider.Assignment{
			SystemDeviceID: vehicle, ID: id, DriverID: row.Driver.ID.Ptr(), Method: row.method(), From: row.Start.Record(),
		}
		if !row.End.IsZero() {
			r.To = new(row.End.Record())
		}
		records = append(records, r)
	}
	return records
}

var _ provider.AssignmentReader = (*Adapter)(nil)
