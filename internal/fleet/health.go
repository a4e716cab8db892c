package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// leastOverdue is by how much a job may be late before its connection is stalled,
// where twice its interval is less.
const leastOverdue = 2 * time.Minute

// overdue is the live job that should have been read longest ago, nil where none
// is late: no one collects, or those who do are too few.
func (s *core) overdue(c drover.Connection, jobs []store.Job) *store.Job {
	grace := max(leastOverdue, 2*c.Configuration.PollInterval())
	var oldest *store.Job
	for i := range jobs {
		st := &jobs[i]
		rests := st.Backfill || st.State != store.JobActive || st.Kind == store.JobTrips && c.Configuration.Trips != drover.TripsNative
		if rests || s.clock().Sub(nextRun(st, jobs).Time) <= grace {
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
func (s *core) stall(h *drover.ConnectionHealth, c drover.Connection, jobs []store.Job) {
	switch h.State {
	case drover.ConnectionPending, drover.ConnectionHealthy, drover.ConnectionDegraded:
	default:
		return
	}
	if late := s.overdue(c, jobs); late != nil {
		h.State = drover.ConnectionStalled
		h.Message = new(fmt.Sprintf("The %s were to be read at %s and have not been since: no process of the service collects, or it cannot keep up.", late.Kind, nextRun(late, jobs)))
	}
}

// actor says who must act on the state of a connection, of which newest is the job
// with the most to say; nil is no one.
func actor(state drover.ConnectionState, newest *store.Job) *drover.Party {
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

// actorOn says who must act on what a push says.
func actorOn(st *store.Job) drover.Party {
	kind := ""
	if st.LastErrorKind != nil {
		kind = *st.LastErrorKind
	}
	switch {
	case kind == "limit", kind == "file", st.LastError != nil && strings.HasPrefix(*st.LastError, "Internal error"):
		return drover.PartyOperator
	case kind == string(provider.KindRateLimited):
		return drover.PartyDrover // it comes back when the vendor has said
	case kind == string(provider.KindTemporary):
		return drover.PartyVendor
	default: // refused credentials, what the account may not do, wrong clocks of trackers
		return drover.PartyFleet
	}
}
