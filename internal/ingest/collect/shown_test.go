package collect_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// asking adds a webhook of the principal that asks for kinds of readings.
func (r *rig) asking(kinds ...drover.ReadingKind) {
	r.t.Helper()
	now := drover.At(noon)
	w := drover.Webhook{ID: store.NewID(), URL: "https://hooks.example/", Enabled: true, CreatedAt: now, UpdatedAt: now}
	w.Filters.ReadingKinds = kinds
	r.update(func(ctx context.Context, tx *store.Tx) error {
		return tx.Webhooks.AddWebhook(ctx, store.Webhook{Webhook: w, TenantID: r.principal.TenantID}, []byte("sealed"))
	})
}

// told are the readings of the tenant's events, a line for each event.
func (r *rig) told() []string {
	r.t.Helper()
	out := []string{}
	for _, e := range r.events(drover.EventReadingUpdated) {
		var list []string
		for _, reading := range decode[drover.ReadingBatch](r.t, e).Readings {
			list = append(list, fmt.Sprint(reading.NativeName, " ", reading.Value))
		}
		out = append(out, strings.Join(list, ", "))
	}
	return out
}

// TestReadingEvents announces what devices show, of the kinds that webhooks ask for: the
// owner's, and a recipient's with the right to readings. What says nothing new, comes late, is
// not believed, is of a series that is not shown, or of the past, is no news.
func TestReadingEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("told", noon.Add(-time.Hour), []string{"a"}, endingAt(noon.Add(2*time.Hour)))
		r.run()
		ago := func(d time.Duration) time.Time { return noon.Add(-d) }
		give := func(records ...provider.Position) {
			s.next(records...)
			r.clock.Advance(time.Minute)
			r.run()
		}
		expect := func(what string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(append([]string{}, want...), r.told()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		give(saying(ago(50*time.Minute), said(odometer, 100_000), said(fuel, 90)))
		expect("no one asks")

		r.asking(drover.ReadingOdometer)
		give(saying(ago(40*time.Minute), said(odometer, 110_000), said(fuel, 80)))
		want := []string{"odo 110000"}
		expect("one kind", want...)
		give(saying(ago(39*time.Minute), said(odometer, 110_100)))
		give(saying(ago(45*time.Minute), said(odometer, 105_000)))
		give(saying(ago(30*time.Minute), said(odometer, 5)))
		tracker := drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceTracker, NativeName: "counted"}
		give(saying(ago(29*time.Minute), said(tracker, 7)))
		expect("nothing new, late, not believed, not shown", want...)

		owner := r.principal
		r.anotherTenant()
		recipient := r.principal
		r.asking(drover.ReadingFuelPercent)
		r.principal = owner
		share := drover.Share{
			ID: store.NewID(), OwnerTenantID: owner.TenantID, TenantID: recipient.TenantID, ConnectionID: conn.ID, CreatedAt: drover.At(noon),
		}
		give(saying(ago(25*time.Minute), said(fuel, 70)))
		expect("another tenant asks", want...)
		r.update(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(tx.Shares.AddShare(ctx, share, drover.FullGrant), tx.Shares.AcceptShare(ctx, share, drover.At(noon)))
		})
		give(saying(ago(20*time.Minute), said(odometer, 112_000), said(fuel, 60)))
		want = append(want, "fuel 60, odo 112000")
		expect("whom it is shared with", want...)
		receive := func(context.Context, *store.Tx, work.Route, work.Message) error { return nil }
		if err := journal.NewRelay(r.store, receive, slog.New(slog.DiscardHandler)).Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.principal = recipient
		expect("the recipient's feed", "fuel 60, odo 112000")
	})
}

// TestReadingsOfThePastAreNoNews reads the past of a connection whose webhook asks for them.
func TestReadingsOfThePastAreNoNews(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		r.asking(drover.ReadingOdometer)
		s, conn := r.stub("told-past", noon.Add(-48*time.Hour), []string{"a"}, endingAt(noon.Add(2*time.Hour)))
		s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			page, at := provider.Page[provider.Position]{Cursor: "x"}, noon.Add(-24*time.Hour)
			if !q.Live() && !at.Before(q.From) && at.Before(q.To) {
				page.Records = []provider.Position{saying(at, said(odometer, 100_000))}
			}
			return page, nil
		}
		r.run()
		r.pass(time.Hour)
		if n := len(r.readings(r.devices(conn)["a"].ID)); n != 1 {
			t.Errorf("%d readings of the past are stored, want 1", n)
		}
		if told := r.told(); len(told) != 0 {
			t.Errorf("told %v", told)
		}
	})
}
