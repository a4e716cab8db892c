package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// leastOverdue is by how much a stream may be late before its connection is stalled,
// where twice its interval is less.
const leastOverdue = 2 * time.Minute

// overdue is the live stream that should have been read longest ago, nil where none
// is late: nobody collects, or those who do are too few.
func (s *Service) overdue(c drover.Connection, streams []store.Stream) *store.Stream {
	grace := max(leastOverdue, 2*c.Configuration.PollInterval())
	var oldest *store.Stream
	for i := range streams {
		st := &streams[i]
		rests := st.History || st.State != store.StreamActive || st.Kind == store.StreamTrips && c.Configuration.Trips != drover.TripsNative
		if rests || s.clock().Sub(nextRun(st, streams).Time) <= grace {
			continue
		}
		if oldest == nil || st.DueAt.Before(oldest.DueAt.Time) {
			oldest = st
		}
	}
	return oldest
}

// stall marks the health of a connection that is overdue. What a vendor or a person
// must mend goes before that.
func (s *Service) stall(h *drover.ConnectionHealth, c drover.Connection, streams []store.Stream) {
	switch h.State {
	case drover.ConnectionPending, drover.ConnectionHealthy, drover.ConnectionDegraded:
	default:
		return
	}
	if late := s.overdue(c, streams); late != nil {
		h.State = drover.ConnectionStalled
		h.Message = new(fmt.Sprintf("The %s were to be read at %s and have not been since: no process of the service collects, or it cannot keep up.", late.Kind, nextRun(late, streams)))
	}
}

// actor says who must act on the state of a connection, of which newest is the stream
// with the most to say; nil is nobody.
func actor(state drover.ConnectionState, newest *store.Stream) *drover.Party {
	who := drover.PartyDrover
	switch {
	case state == drover.ConnectionStalled:
		who = drover.PartyOperator
	case state == drover.ConnectionDisabled, state == drover.ConnectionArchived:
		return nil
	case newest != nil:
		who = actorOn(newest)
	case state == drover.ConnectionHealthy:
		return nil
	}
	return &who
}

// actorOn says who must act on what a stream says.
func actorOn(st *store.Stream) drover.Party {
	kind := ""
	if st.LastErrorKind != nil {
		kind = *st.LastErrorKind
	}
	switch {
	case kind == "limit", st.LastError != nil && strings.HasPrefix(*st.LastError, "Internal error"):
		return drover.PartyOperator
	case kind == string(provider.KindRateLimited):
		return drover.PartyDrover // it comes back when the vendor has said
	case kind == string(provider.KindTemporary):
		return drover.PartyVendor
	default: // refused credentials, what the account may not do, wrong clocks of trackers
		return drover.PartyFleet
	}
}
