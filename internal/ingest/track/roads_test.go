package track_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// driven is a way of a number of positions from a place and a time on, each 200 m to the
// north of the one before.
func driven(from drover.Coordinate, at time.Time, n int) []drover.Position {
	way := make([]drover.Position, n)
	for i := range way {
		p := geo.Destination(from, 0, float64(i)*200)
		way[i] = drover.Position{
			Time: drover.At(at.Add(time.Duration(i) * 15 * time.Second)), Latitude: p.Latitude, Longitude: p.Longitude, Heading: new(0.0),
		}
	}
	return way
}

// trip stores a way and the trip that it is.
func (r *rig) trip(way []drover.Position, valid bool) drover.Trip {
	r.t.Helper()
	ctx := r.t.Context()
	d, err := r.store.Fleet.Device(ctx, r.m.TenantID, r.m.DeviceID)
	if err != nil {
		r.t.Fatal(err)
	}
	id := store.NewID()
	t := drover.Trip{ID: id, DeviceID: d.ID, SystemTripID: id, StartTime: way[0].Time, EndTime: way[len(way)-1].Time, IsValid: valid}
	r.update(func(tx *store.Tx) error {
		rows := make([]history.Position, len(way))
		for i, p := range way {
			rows[i] = history.Of(d.ID, p)
		}
		if _, err := tx.History.AddPositions(ctx, r.m.TenantID, rows); err != nil {
			return err
		}
		return tx.Trips.AddTrip(ctx, store.Trip{Trip: t, Access: store.Access{TenantID: r.m.TenantID}, ConnectionID: d.ConnectionID})
	})
	return t
}

// settled waits until something is so. PostgreSQL shows changes once no transaction of the
// server is open that is older, and other tests have some.
func settled(so func() bool) bool {
	for deadline := time.Now().Add(2 * time.Minute); !so(); {
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(5 * time.Millisecond)
	}
	return true
}

type drawn struct {
	connection        string
	week, square, sum int64
}

// roads are those that a tenant sees.
func roads(t *testing.T, s *store.Store, tenantID string) map[drawn]bool {
	t.Helper()
	all := map[drawn]bool{}
	err := s.Trips.EachRoad(t.Context(), tenantID, store.RoadRange{Last: 1 << 40, Limit: 1000}, false, func(r store.Road) error {
		all[drawn{r.ConnectionID, r.Week, r.Square, r.Sum}] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRoads draws trips once they are stored: each part into its week, and what is
// invalid or long past not at all. To do it again changes nothing.
func TestRoads(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		r := newRig(t, s, journey())
		trips, seen := 0, 0
		draw := func() map[drawn]bool {
			t.Helper()
			w := track.NewRoads(s, func() time.Time { return r.now }, slog.New(slog.DiscardHandler))
			if !settled(func() bool {
				due, _, _, err := s.Trips.TripsToDraw(t.Context(), r.m.TenantID, 10)
				if err != nil {
					t.Fatal(err)
				}
				return seen+len(due) == trips
			}) {
				t.Fatalf("not all of %d trips are to be drawn", trips)
			}
			if err := w.RunDue(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			seen = trips
			return roads(t, s, r.m.TenantID)
		}
		trip := func(way []drover.Position, valid bool) {
			t.Helper()
			trips++
			r.trip(way, valid)
		}
		if got := draw(); len(got) != 0 {
			t.Fatalf("without trips there are %v", got)
		}
		trip(driven(depot, epoch.AddDate(0, 0, -60), 20), true)
		trip(driven(depot, epoch.Add(-time.Hour), 20), false)
		if got := draw(); len(got) != 0 {
			t.Fatalf("an invalid trip and an old one are drawn: %v", got)
		}
		trip(driven(depot, epoch.Add(-2*time.Hour), 30), true)
		first := draw()
		if len(first) < 4 {
			t.Fatalf("a trip of six kilometres has %v", first)
		}
		trip(driven(depot, epoch.Add(-30*time.Minute), 30), true)
		if again := draw(); len(again) != len(first) {
			t.Errorf("the same road again has %v, before %v", again, first)
		} else {
			for road := range again {
				if !first[road] {
					t.Errorf("the same road again is another: %v", road)
				}
			}
		}
		border := time.UnixMilli(history.Week(drover.At(epoch)) * (7 * 24 * time.Hour).Milliseconds())
		trip(driven(site, border.Add(-3*time.Minute), 30), true)
		weeks := map[int64]int{}
		for road := range draw() {
			weeks[road.week]++
		}
		if len(weeks) != 2 {
			t.Errorf("a trip over the end of a week is drawn in %v", weeks)
		}
		r.now = epoch.AddDate(0, 0, 60)
		trip(driven(site, r.now.Add(-time.Hour), 30), true)
		for road := range draw() {
			weeks[road.week]++
		}
		if len(weeks) != 3 {
			t.Errorf("with a trip of a later week there are %v", weeks)
		}
	})
}

// TestRoadsOfEach draws for each tenant, also where what is stored of the one before it cannot be read.
func TestRoadsOfEach(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		ctx := t.Context()
		broken, whole := newRig(t, s, journey()), newRig(t, s, journey())
		if broken.m.TenantID > whole.m.TenantID {
			broken, whole = whole, broken
		}
		drive := func(rigs ...*rig) error {
			t.Helper()
			for _, r := range rigs {
				r.trip(driven(depot, epoch.Add(-time.Hour), 30), true)
				if !settled(func() bool {
					due, _, _, err := s.Trips.TripsToDraw(ctx, r.m.TenantID, 10)
					return err != nil || len(due) == 1
				}) {
					t.Fatal("the trip is not to be drawn")
				}
			}
			return track.NewRoads(s, func() time.Time { return epoch }, slog.New(slog.DiscardHandler)).RunDue(ctx, 0)
		}
		if err := drive(broken); err != nil {
			t.Fatal(err)
		}
		var unreadable []store.Road
		for r := range roads(t, s, broken.m.TenantID) {
			unreadable = append(unreadable, store.Road{ConnectionID: r.connection, Week: r.week, Square: r.square, Sum: r.sum, Cells: []byte("x")})
		}
		if err := s.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Trips.SetRoads(ctx, broken.m.TenantID, unreadable) }); err != nil {
			t.Fatal(err)
		}
		if err := drive(broken, whole); err == nil || !strings.Contains(err.Error(), broken.m.TenantID) {
			t.Errorf("what cannot be read of a tenant is %v", err)
		}
		if got := roads(t, s, whole.m.TenantID); len(got) == 0 {
			t.Error("the tenant after it has no roads")
		}
	})
}

// TestRoadsOfErased leaves out what is drawn of a connection that is gone meanwhile, or is
// to be, and what another process has drawn.
func TestRoadsOfErased(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		ctx := t.Context()
		r := newRig(t, s, journey())
		d, err := s.Fleet.Device(ctx, r.m.TenantID, r.m.DeviceID)
		if err != nil {
			t.Fatal(err)
		}
		some := []store.Road{
			{ConnectionID: d.ConnectionID, Week: 2900, Square: 1 << 28, Sum: 1, Cells: []byte("x")},
			{ConnectionID: store.NewID(), Week: 2900, Square: 1 << 28, Sum: 1, Cells: []byte("x")},
		}
		set := func() error {
			return s.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Trips.SetRoads(ctx, r.m.TenantID, some) })
		}
		if err := set(); err != nil {
			t.Fatal(err)
		}
		if got := roads(t, s, r.m.TenantID); len(got) != 1 {
			t.Fatalf("of a connection that is there and one that is not there are %v", got)
		}
		if got := roads(t, s, store.NewID()); len(got) != 0 {
			t.Errorf("another tenant sees %v", got)
		}
		r.update(func(tx *store.Tx) error {
			if _, err := tx.Trips.EraseRoads(ctx, r.m.TenantID, d.ConnectionID); err != nil {
				return err
			}
			return tx.Jobs.AddPurge(ctx, work.Purge{TenantID: r.m.TenantID, ConnectionID: d.ConnectionID}, drover.At(epoch))
		})
		if err := set(); err != nil {
			t.Fatal(err)
		}
		if got := roads(t, s, r.m.TenantID); len(got) != 0 {
			t.Errorf("of a connection that is to be erased there are %v", got)
		}

		r.trip(driven(depot, epoch.Add(-time.Hour), 5), true)
		var places []store.RoadPlace
		var was store.RoadPlace
		if !settled(func() bool {
			_, places, was, err = s.Trips.TripsToDraw(ctx, r.m.TenantID, 10)
			return err != nil || len(places) == 1
		}) || err != nil {
			t.Fatal(places, err)
		}
		move := func() error {
			return s.Update(ctx, func(tx *store.Tx) error { return tx.Trips.MoveRoadPlace(ctx, r.m.TenantID, was, places[0]) })
		}
		if err := move(); err != nil {
			t.Fatal(err)
		}
		if err := move(); !errors.Is(err, store.ErrDrawn) {
			t.Errorf("the same step twice: %v", err)
		}
		if trips, _, _, err := s.Trips.TripsToDraw(ctx, r.m.TenantID, 10); err != nil || len(trips) != 0 {
			t.Errorf("there are %d trips to draw, %v", len(trips), err)
		}
	})
}
