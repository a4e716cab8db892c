package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

// maxWait bounds a long poll, in seconds.
const maxWait = 30

// eventPlace is the cursor of a feed: the sequence after which it goes on.
type eventPlace struct {
	After *int64 `json:"s"`
}

func (p *eventPlace) sound() bool { return p.After != nil && *p.After >= 0 }

func (p *eventPlace) after() int64 {
	if p.After == nil {
		return 0
	}
	return *p.After
}

// listEvents reads the change feed. Its cursor is given also at the end, so that
// a reader can go on from there.
func (s *server) listEvents(c *call) (page[drover.Event], error) {
	q := c.URL.Query()
	var place eventPlace
	limit, err := paging(q, &place)
	if err != nil {
		return page[drover.Event]{}, err
	}
	types, err := eventTypes(q)
	if err != nil {
		return page[drover.Event]{}, err
	}
	wait, err := decode.QueryInt(q, "wait", 0, 0, maxWait)
	if err != nil {
		return page[drover.Event]{}, err
	}
	if wait > 0 {
		liftDeadlines(c.w)
	}
	feed, err := s.Fleet.Events(c.Context, c.principal, types, place.after(), limit, time.Duration(wait)*time.Second)
	if err != nil {
		return page[drover.Event]{}, err
	}
	text, err := json.Marshal(eventPlace{&feed.Next})
	if err != nil {
		return page[drover.Event]{}, fmt.Errorf("write cursor: %w", err)
	}
	return page[drover.Event]{items: feed.Events, next: base64.RawURLEncoding.EncodeToString(text)}, nil
}

// eventTypes reads the types of a filter, which can be repeated.
func eventTypes(q url.Values) ([]drover.EventType, error) {
	var types []drover.EventType
	for _, name := range q["type"] {
		typ, err := decode.QueryEnum(url.Values{"type": {name}}, "type", drover.EventTypes...)
		if err != nil {
			return nil, err
		}
		types = append(types, typ)
	}
	return types, nil
}

func (s *server) listMilestoneEvents(c *call) (page[drover.Event], error) {
	var place eventPlace
	limit, err := paging(c.URL.Query(), &place)
	if err != nil {
		return page[drover.Event]{}, err
	}
	events, err := s.Fleet.MilestoneEvents(c.Context, c.principal, c.PathValue("milestone_id"), place.after(), limit+1)
	if err != nil {
		return page[drover.Event]{}, err
	}
	return newPage(events, limit, func(e drover.Event) any { return eventPlace{&e.Sequence} })
}
