package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// PushedRecord is one record of a batch, or why it could not be read.
type PushedRecord struct {
	drover.Record
	Refused string
}

// PushRecords takes a batch of records for a connection of the caller's own that takes
// them. A record that is refused leaves the others alone.
func (s Connections) PushRecords(ctx context.Context, p drover.Principal, id string, batch []PushedRecord) (drover.RecordResult, error) {
	if err := guard.MayPush(p); err != nil {
		return drover.RecordResult{}, err
	}
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.RecordResult{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Owned(p, c.Connection.TenantID); err != nil {
		return drover.RecordResult{}, err
	}
	info := s.provider(c.IntegrationName)
	switch {
	case !info.Records || s.take == nil:
		return drover.RecordResult{}, drover.InvalidValue(info.Title+" takes no records: only a connection to push does", "path", "connection_id")
	case !c.Active:
		return drover.RecordResult{}, drover.InvalidValue("the connection is not active", "path", "connection_id")
	}
	outcomes := make([]drover.RecordOutcome, len(batch))
	sound, numbers := make([]drover.Record, 0, len(batch)), make([]int, 0, len(batch))
	for i := range batch {
		if batch[i].Refused != "" {
			outcomes[i] = drover.Refused(batch[i].Refused)
			continue
		}
		sound, numbers = append(sound, batch[i].Record), append(numbers, i)
	}
	if len(sound) > 0 {
		taken, err := s.take(ctx, p.TenantID, id, sound)
		if refused, ok := errors.AsType[*drover.Error](err); ok {
			return drover.RecordResult{}, refused
		}
		if err != nil {
			return drover.RecordResult{}, busy("The connection is busy; send the records again", err)
		}
		for i, outcome := range taken {
			outcomes[numbers[i]] = outcome
		}
	}
	return drover.NewRecordResult(outcomes), nil
}

// firstRecord is from when on a connection that takes records collects, unless it says
// otherwise: a past can be sent at any time.
var firstRecord = drover.At(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))

const (
	// quietAfter is how long a connection that takes records may hear nothing before its
	// health says so, and silentAfter how long before someone must look.
	quietAfter  = time.Hour
	silentAfter = 24 * time.Hour
)

// hear says in words how a connection does that no one asks: whether its sender sends.
func (s *core) hear(h *drover.ConnectionHealth, c drover.Connection, jobs []store.Job) {
	if !s.provider(c.IntegrationName).Records || h.Message != nil || !c.Active {
		return
	}
	var last *drover.Time
	for i := range jobs {
		last = later(last, jobs[i].LastSuccessAt)
	}
	if last == nil {
		h.Message = new(fmt.Sprintf("No record has come yet. Nothing is polled: programs send to POST /connection/%s/record.", c.ID))
		h.Acts = new(drover.PartyFleet)
		return
	}
	silence := s.clock().Sub(last.Time)
	if silence < quietAfter {
		return
	}
	h.Message = new(fmt.Sprintf("Silent since %s: no record has come since then. Nothing is polled.", last))
	if silence >= silentAfter {
		h.Acts = new(drover.PartyFleet)
	}
}
