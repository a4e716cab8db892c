package api

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
)

func (s *server) eventRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/event", s.listEvents).
			named("listEvents", tagEvent, "Read the change feed",
				"Events after the cursor, in the order of their sequence; without a cursor from the first one on. "+
					"x-next-cursor is always there: at the end of the feed it is where to go on later, and no Link names a next page. With order=desc the newest come first, and the first has no cursor. With wait the answer is held back until there is an event.").
			lasting().shows(drover.ShareScopes...).can(errorsOfList...),
		opStream(http.MethodGet, "/stream", s.getStream).
			named("getStream", tagEvent, "Stream events", "Events as they come, as server-sent events: id is the sequence, event the type, data the event. "+
				"With Last-Event-ID it resumes after that event. A connection, a tag and a device are each enough to match; of positions only those that match are sent.").
			with(&huma.Param{Name: "Last-Event-ID", In: "header", Description: "Sequence of the last event seen.", Schema: openapi.Text()}).
			lasting().shows(drover.ShareScopes...).can(400, 401, 403, 409, 422),
	}
}

type eventQuery struct {
	drover.EventFilter
	Wait int `query:"wait" default:"0" minimum:"0" maximum:"30" doc:"Seconds to wait for an event where there is none."`
	paging
}

// listEvents reads the change feed. Its cursor is given also at the end, so that
// a reader can go on from there.
func (s *server) listEvents(c *call, q eventQuery) (page[drover.Event], error) {
	var place drover.EventCursor
	if err := q.place(&place); err != nil {
		return page[drover.Event]{}, err
	}
	if q.Cursor != nil && (place.Before != nil) != (q.Order == drover.NewestFirst) {
		return page[drover.Event]{}, badCursor()
	}
	ctx, end := c.Context, func() error { return nil }
	if q.Wait > 0 { // the token may end while it waits
		liftDeadlines(c.w)
		ctx, end = s.whileGood(c)
	}
	feed, err := s.Fleet.Notify.Events(ctx, c.principal, q.EventFilter, place, q.Limit, time.Duration(q.Wait)*time.Second)
	if ended := end(); ended != nil {
		err = ended
	}
	if err != nil || feed.Next == nil {
		return page[drover.Event]{items: feed.Events}, err
	}
	next, err := writeCursor(*feed.Next)
	return page[drover.Event]{items: feed.Events, next: next, end: feed.End}, err
}

func (s *server) listMilestoneEvents(c *call, q paging) (page[drover.Event], error) {
	var place drover.EventCursor
	if err := q.place(&place); err != nil {
		return page[drover.Event]{}, err
	}
	events, err := s.Fleet.Notify.MilestoneEvents(c.Context, c.principal, c.PathValue("milestone_id"), place.Sequence(), q.Limit+1)
	if err != nil {
		return page[drover.Event]{}, err
	}
	return newPage(events, q.Limit, func(e drover.Event) cursor { return drover.EventCursor{After: &e.Sequence} })
}
