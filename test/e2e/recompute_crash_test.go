package e2e

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const (
	recomputeRounds  = 5
	recomputeDevices = 8
	recomputeDays    = 24
)

// TestRecomputeThroughKills ends the service while it derives trips again, by other
// rules in each round. The job goes on after the restart, and what it comes to is what
// deriving everything from scratch comes to: no trip is lost, none is there twice, and
// one that stays the same keeps its id.
func TestRecomputeThroughKills(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRecompute(t, newSite(t, name))
			random := rand.New(rand.NewPCG(uint64(len(name)), 1)) // the same moments each time
			midway, round := 0, 0
			// Where the job was always done before anyone saw that, it is tried again.
			for ; round < recomputeRounds || midway == 0 && round < 10*recomputeRounds; round++ {
				stop := 300 + 300*(round%2) // the vehicles stand for 8 minutes on the way
				if r.round(stop, random.IntN(recomputeDevices)) {
					midway++
				}
			}
			if midway == 0 {
				t.Errorf("none of %d kills came while the job was under way", round)
			}
		})
	}
}

// recompute is an installation with a past.
type recompute struct {
	t         *testing.T
	site      site
	conn      string
	devices   []string
	positions []drover.Position // of each device
	begin     time.Time
	ids       map[string]string // of the trips back, which all rules find, by device and start
}

func newRecompute(t *testing.T, s site) *recompute {
	t.Helper()
	r := &recompute{
		t: t, site: s, conn: store.NewID(), ids: map[string]string{},
		begin: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -recomputeDays-1),
	}
	r.positions = commuting(r.begin)
	tenant, ctx := s.world.Owner.ID, t.Context()
	r.open(func(opened *store.Store) {
		tracker := &track.Tracker{Config: milestone.DefaultConfig(), Now: time.Now}
		err := opened.Update(ctx, func(tx *store.Tx) error {
			return tx.Fleet.AddConnection(ctx, drover.Connection{
				ID: r.conn, TenantID: tenant, IntegrationName: drover.Traccar, BusinessName: "past", CollectionStartTime: drover.At(r.begin),
			}, []byte("sealed"), drover.At(r.begin))
		})
		for i := 0; i < recomputeDevices && err == nil; i++ {
			id := store.NewID()
			r.devices = append(r.devices, id)
			err = opened.Update(ctx, func(tx *store.Tx) error { return r.add(tx, tracker, id) })
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// commuting is a vehicle that drives out and back each day, and stands for eight
// minutes on the way.
func commuting(begin time.Time) (out []drover.Position) {
	for minute := 0; minute < recomputeDays*24*60; minute += 4 {
		m := minute % (24 * 60)
		north, kph := 0.0, 0.0
		switch {
		case m < 20:
			north, kph = float64(m)/20, 30
		case m < 28:
			north = 1
		case m < 48:
			north, kph = 1+float64(m-28)/20, 30
		case m < 400:
			north = 2
		case m < 440:
			north, kph = 2-float64(m-400)/20, 30
		}
		out = append(out, drover.Position{
			Time: drover.At(begin.Add(time.Duration(minute) * time.Minute)), Latitude: 52 + north/10,
			Longitude: 13, SpeedKPH: &kph,
		})
	}
	return out
}

// add stores a device with its positions and the trips that they make.
func (r *recompute) add(tx *store.Tx, tracker *track.Tracker, id string) error {
	ctx, tenant := r.t.Context(), r.site.world.Owner.ID
	if err := tx.Fleet.AddDevice(ctx, tenant, drover.Device{ID: id, ConnectionID: r.conn, SystemDeviceID: id},
		drover.At(r.begin)); err != nil {
		return err
	}
	rows := make([]history.Position, len(r.positions))
	for i, p := range r.positions {
		rows[i] = history.Of(id, p)
	}
	if _, err := tx.History.AddPositions(ctx, tenant, rows); err != nil {
		return err
	}
	from := track.Source{TenantID: tenant, ConnectionID: r.conn, Poll: time.Minute}
	absorbed, err := tracker.Absorb(ctx, tx, from, map[string][]drover.Position{id: r.positions}, true)
	if err != nil {
		return err
	}
	return absorbed.Keep(ctx, tx.Fleet)
}

// open opens the store while no process runs.
func (r *recompute) open(use func(*store.Store)) {
	r.t.Helper()
	r.site.rest(r.t)
	opened, err := app.OpenStore(r.t.Context(), config.Store{Data: r.site.data, Database: r.site.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		r.t.Fatal(err)
	}
	use(opened)
	if err := opened.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// round derives all again with another stop, kills the service once some devices are
// done, and checks what has become of the trips. It reports whether the job was under
// way then.
func (r *recompute) round(stopSeconds, done int) (midway bool) {
	r.t.Helper()
	p := serve(r.t, r.site, collecting...)
	c := logIn(r.t, p, "demo")
	c.must(r.t, nil, http.MethodPatch, "/account/settings", fmt.Sprintf(`{"trip_rules":{"stop_seconds":%d}}`, stopSeconds))
	var job drover.Recompute
	path := "/trip-recompute"
	c.must(r.t, &job, http.MethodPost, path, fmt.Sprintf(`{"from":%q,"to":%q,"connection_id":%q}`, drover.At(r.begin),
		drover.At(r.begin.AddDate(0, 0, recomputeDays+1)), r.conn))
	path += "/" + job.ID
	eventually(r.t, func() error {
		c.must(r.t, &job, http.MethodGet, path, "")
		if job.DevicesDone < done || job.State == drover.JobQueued {
			return fmt.Errorf("%d devices are done, want %d", job.DevicesDone, done)
		}
		return nil
	})
	p.kill()
	r.open(func(opened *store.Store) { midway = r.release(opened, job.ID) })

	p = serve(r.t, r.site, collecting...)
	c = logIn(r.t, p, "demo")
	eventually(r.t, func() error {
		c.must(r.t, &job, http.MethodGet, path, "")
		if job.State != drover.JobDone || job.DevicesDone != recomputeDevices {
			return fmt.Errorf("the job is %s with %d devices done", job.State, job.DevicesDone)
		}
		return nil
	})
	p.kill()
	r.open(func(opened *store.Store) { r.check(opened, stopSeconds) })
	return midway
}

// release gives a job free that a dead process has claimed, as a minute would, and
// reports whether it is under way.
func (r *recompute) release(opened *store.Store, id string) (underWay bool) {
	r.t.Helper()
	ctx := r.t.Context()
	err := opened.Update(ctx, func(tx *store.Tx) error {
		job, err := tx.Jobs.RecomputeForUpdate(ctx, r.site.world.Owner.ID, id)
		if err != nil || job.DueAt == nil {
			return err
		}
		underWay = true
		job.DueAt = new(drover.At(time.Now()))
		return tx.Jobs.SetRecompute(ctx, job)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return underWay
}

// check holds the trips of all devices against those derived from scratch.
func (r *recompute) check(opened *store.Store, stopSeconds int) {
	r.t.Helper()
	rules := trip.DefaultRules()
	rules.StopAfter = time.Duration(stopSeconds) * time.Second
	load := func(span trip.Span) (out []trip.Known, err error) {
		for _, p := range r.positions {
			if !p.Time.Before(span.From.Time) && p.Time.Before(span.To.Time) {
				out = append(out, trip.Known{Position: p})
			}
		}
		return out, nil
	}
	_, scratch, err := trip.Rebuild(rules, r.positions[0].Time, r.positions[len(r.positions)-1].Time, load)
	if err != nil {
		r.t.Fatal(err)
	}
	var want []trip.Span
	for _, d := range scratch.Trips {
		want = append(want, d.Span())
	}
	for _, device := range r.devices {
		stored, err := opened.Trips.Trips(r.t.Context(), r.site.world.Owner.ID, drover.TripFilter{DeviceID: device}, nil, 1000)
		if err != nil {
			r.t.Fatal(err)
		}
		var got []trip.Span
		for _, s := range stored {
			got = append(got, trip.Span{From: s.StartTime, To: s.EndTime})
			key := fmt.Sprint(device, s.StartTime)
			if before, some := r.ids[key]; some && before != s.ID {
				r.t.Errorf("the trip %s became %s", before, s.ID)
			}
			if s.StartTime.Hour() > 0 {
				r.ids[key] = s.ID
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.t.Fatalf("with a stop of %d s the trips of %s (-scratch +stored):\n%s", stopSeconds, device, diff)
		}
	}
}
