package collect

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
)

// tellShown notifies of what the devices show now, of the kinds that webhooks ask for: as often as
// the history keeps a value. What is read of the past is no news.
func (b *readingBatch) tellShown(ctx context.Context, tx *store.Tx, job *store.Job) error {
	v := b.run
	if job.Backfill || job.Kind == store.JobTracks || len(b.kept) == 0 {
		return nil
	}
	kinds, err := journal.ReadingKinds(ctx, tx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil || len(kinds) == 0 {
		return err
	}
	devices := map[string]bool{}
	for g := range b.kept {
		devices[g.device] = devices[g.device] || slices.Contains(kinds, g.Kind)
	}
	var series []store.ReadingSeries
	for g, s := range b.series {
		if devices[g.device] && slices.Contains(kinds, g.Kind) {
			series = append(series, b.stored(s))
		}
	}
	shown := slices.DeleteFunc(track.ShownReadings(series), func(r drover.NewestReading) bool {
		return r.Suspect != nil || !b.kept[gaugeOf(r.Reading)]
	})
	var events []drover.Event
	for part := range slices.Chunk(shown, eventPositions) {
		e, err := drover.NewEvent(drover.EventReadingUpdated, v.c.now(), drover.ReadingBatch{ConnectionID: v.claim.ConnectionID, Readings: part})
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	return v.tell(ctx, tx, events)
}
