package fleet_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestHealthForRecipients holds that those whom a connection is shared with learn its
// state, how many devices it has, and neither the words of its vendor nor its jobs.
func TestHealthForRecipients(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx, partner := r.t.Context(), r.people["partner admin"]
		c := r.connect()
		share := must(r, func() (drover.Share, error) { return r.Shares.ShareWith(ctx, r.owner, c.ID, partner.TenantID) })
		must(r, func() (drover.Share, error) { return r.Shares.AcceptShare(ctx, partner, share.ID) })
		r.addDevice(c)
		const words = "account 4711 is overdrawn"
		st := store.Job{
			TenantID: c.TenantID, ConnectionID: c.ID, ID: store.NewID(), Kind: store.JobPositions, State: store.JobActive,
			WindowFrom: drover.At(r.now), DueAt: drover.At(r.now), CreatedAt: drover.At(r.now),
		}
		r.update(func(tx *store.Tx) error { return tx.Fleet.AddJob(ctx, st) })
		st.ConsecutiveErrors, st.LastError, st.LastErrorKind, st.LastErrorAt = 1, new(words), new("permanent"), new(drover.At(r.now))
		r.update(func(tx *store.Tx) error { _, err := tx.Fleet.SetJob(ctx, st); return err })
		for who, sees := range map[string]bool{"owner viewer": true, "partner admin": false} {
			p := r.people[who]
			one := must(r, func() (drover.ConnectionDiagnosis, error) { return r.Connections.ConnectionHealth(ctx, p, c.ID) })
			all := must(r, func() ([]drover.ConnectionView, error) {
				return r.Connections.ConnectionsWithHealth(ctx, p, "", "", 10)
			})
			if len(all) != 1 || *all[0].Devices != 1 {
				r.t.Errorf("%s: the list counts the devices of %d connections wrongly: %+v", who, len(all), all)
			}
			for what, answer := range map[string]any{"the health": one, "the list": all} {
				text, err := json.Marshal(answer)
				if err != nil {
					r.t.Fatal(err)
				}
				if got := strings.Contains(string(text), words); got != sees {
					r.t.Errorf("%s: %s says what the vendor said: %t, want %t", who, what, got, sees)
				}
				if got := strings.Contains(string(text), st.ID); got != sees {
					r.t.Errorf("%s: %s names a job: %t, want %t", who, what, got, sees)
				}
			}
		}
	})
}
