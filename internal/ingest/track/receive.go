package track

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// lesson is a journey that is sent to the owner of its device.
type lesson struct {
	DeviceID  string          `json:"device_id"`
	StartedAt drover.Time     `json:"started_at"`
	Lessons   json.RawMessage `json:"lessons"`
}

// Receive takes what another tenant has sent, in a transaction of the recipient's own:
// positions of a device that is shared with it, which move its milestones on, or a journey
// that a recipient's milestone has made of a device of its own. A message that no version of
// this program sends is an error, and waits for one that knows it.
func (t *Tracker) Receive(ctx context.Context, tx *store.Tx, r work.Route, m work.Message) error {
	switch m.Kind {
	case work.MessagePositions:
		var b Batch
		if err := json.Unmarshal(m.Content, &b); err != nil {
			return fmt.Errorf("read positions of another tenant: %w", err)
		}
		return t.judgeOf(ctx, tx, r.RecipientID, b)
	case work.MessageJourney:
		var l lesson
		if err := json.Unmarshal(m.Content, &l); err != nil {
			return fmt.Errorf("read a journey of another tenant: %w", err)
		}
		j := history.Journey{DeviceID: l.DeviceID, Kind: history.MilestoneJourney, StartedAt: l.StartedAt, Lessons: l.Lessons}
		return tx.History.AddJourney(ctx, r.RecipientID, j, arrival.MaxOwn)
	}
	return fmt.Errorf("a message of another tenant is of the unknown kind %q", m.Kind)
}

// inOrder goes through the devices that other tenants track, tenant by tenant.
func inOrder[T any](of map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, tenant := range slices.Sorted(maps.Keys(of)) {
			if !yield(tenant, of[tenant]) {
				return
			}
		}
	}
}
