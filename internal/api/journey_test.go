package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// vendorHost needs no name server and lies in no private network.
const vendorHost = "93.184.216.34"

// journey is a simulated vehicle's way from A to B, as its vendor reports it.
type journey struct {
	*service
	vehicle sim.Vehicle
	trip    sim.Trip
	device  drover.Device
	id      string
}

// newJourney is a service whose clock and work the test steers, with a
// milestone for one trip of a vehicle.
func newJourney(t *testing.T, database string) *journey {
	t.Helper()
	fleet := sim.New(sim.Options{Seed: 5, Vehicles: 3})
	v := fleet.Vehicles()[0]
	day := time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC)
	trip := fleet.Trips(v, day, day.AddDate(0, 0, 2))[1]
	s := &service{t: t, clock: clocktest.New(trip.StartTime.Add(-time.Hour)), tenant: store.NewID(), client: &http.Client{}}
	account := sim.NewAccount(fleet, s.clock.Now, map[string]string{"token": "t"})
	o := storetest.Options(t, database)
	var err error
	s.app, err = app.New(t.Context(), config.Serve{
		Store: config.Store{Data: t.TempDir(), Database: o.URL}, Role: "all", AccessTokenLifetime: 24 * time.Hour,
		RefreshTokenLifetime: 48 * time.Hour,
		MaxInFlight:          16, MaxStreams: 16, MilestoneTimeout: 15 * time.Minute, MilestoneRadius: 200, StreamHeartbeat: time.Second,
		CollectionLease: time.Minute,
	}, app.Options{
		Logger: slog.New(slog.DiscardHandler), Version: "test", Now: s.clock.Now,
		Vendors: map[string]http.Handler{vendorHost: traccartest.New(account)},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.app.API)
	t.Cleanup(func() {
		s.app.Streams.Close()
		server.Close()
		if err := s.app.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.url = server.URL
	s.addUser()
	j := &journey{service: s, vehicle: v, trip: trip}
	j.connect()
	return j
}

func (j *journey) principal() drover.Principal {
	return drover.Principal{TenantID: j.tenant, Role: drover.RoleAdmin}
}

// connect links the vendor and sets the milestone.
func (j *journey) connect() {
	j.t.Helper()
	ctx := j.t.Context()
	start := drover.At(j.clock.Now())
	if _, err := j.app.Fleet.Connections.CreateConnection(ctx, j.principal(), drover.ConnectionInput{
		IntegrationName: drover.Traccar, BusinessName: "b", CollectionStartTime: &start,
		Credentials: map[string]string{"base_url": "https://" + vendorHost, "token": "t"},
	}); err != nil {
		j.t.Fatal(err)
	}
	j.work()
	devices, err := j.app.Fleet.Devices.Devices(ctx, j.principal(), drover.DeviceFilter{}, "", 100)
	if err != nil {
		j.t.Fatal(err)
	}
	for _, d := range devices {
		if d.SystemDeviceID == j.vehicle.ID {
			j.device = d
		}
	}
	m, err := j.app.Fleet.Milestones.CreateMilestone(ctx, j.principal(), drover.MilestoneInput{
		DeviceID: j.device.ID, StartPoint: j.trip.Start, EndPoint: j.trip.End, StartTime: new(drover.At(j.trip.StartTime)),
		EndTime: new(drover.At(j.trip.EndTime)),
	})
	if err != nil {
		j.t.Fatal(err)
	}
	j.id = m.ID
}

// work does what is due at the clock's present.
func (j *journey) work() {
	j.t.Helper()
	for _, run := range []func(context.Context) error{j.app.Collector.RunDue, j.app.Milestones.RunDue} {
		if err := run(j.t.Context()); err != nil {
			j.t.Fatal(err)
		}
	}
}

// data reads the data of an answer.
func data[T any](s *service, path string) T {
	s.t.Helper()
	resp := s.get(path)
	var answer struct{ Data T }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %d, %v", path, resp.StatusCode, err)
	}
	return answer.Data
}

// checkStep holds what the milestone says against what the feed has reported.
func (j *journey) checkStep(reported []drover.Event) {
	j.t.Helper()
	m := data[drover.Milestone](j.service, "/milestone/"+j.id)
	update := data[drover.MilestoneProgress](j.service, "/milestone/"+j.id+"/update")
	if update.CurrentPosition == nil && m.Status == drover.TripNotStarted {
		return // the vendor has reported nothing yet
	}
	latest := data[drover.CurrentPosition](j.service, "/device/"+j.device.ID+"/position")
	want := drover.TripNotStarted
	var end *drover.Event
	for i := range reported {
		switch reported[i].Type {
		case drover.EventMilestoneStarted:
			want = drover.TripInProgress
		case drover.EventMilestoneEnded:
			want, end = drover.TripEnded, &reported[i]
		default:
		}
	}
	if m.Status != want {
		j.t.Errorf("at %s it is %s, and the feed says %s", j.clock.Now(), m.Status, want)
	}
	if update.CurrentPosition == nil || *update.LastUpdatedAt != latest.Timestamp {
		j.t.Errorf("at %s the update record has %+v, the device %+v", j.clock.Now(), update.CurrentPosition, latest)
	}
	timedOut := j.clock.Now().Sub(latest.Timestamp.Time) >= 15*time.Minute
	if (update.ETA == nil) != timedOut || (update.DistanceToDestinationKM == nil) != timedOut {
		j.t.Errorf("at %s, with a position of %s: eta %v", j.clock.Now(), latest.Timestamp, update.ETA)
	}
	if end != nil && update.ETA != nil {
		var ended struct {
			OccurredAt drover.Time `json:"occurred_at"`
		}
		if err := json.Unmarshal(end.Data, &ended); err != nil || *update.ETA != ended.OccurredAt {
			j.t.Errorf("arrived at %v, and the eta is %v", ended.OccurredAt, update.ETA)
		}
	}
}

// A simulated vehicle drives from A to B: the feed reports its start, its
// positions and its end, in order and once, and the update record agrees at each
// step.
func TestJourney(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			j := newJourney(t, database)
			live := j.stream("?type=milestone.started&type=milestone.ended&type=milestone.timed_out&device_id=" + j.device.ID)
			_, cursor := j.feed("")
			var reported []drover.Event
			for j.clock.Now().Before(j.trip.EndTime.Add(10 * time.Minute)) {
				j.clock.Advance(time.Minute)
				j.work()
				resp := j.get("/event?limit=1000&cursor=" + cursor)
				var answer struct{ Data []drover.Event }
				if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
					t.Fatal(err)
				}
				cursor = resp.Header.Get("X-Next-Cursor")
				reported = append(reported, answer.Data...)
				j.checkStep(reported)
			}
			j.checkFeed(reported, live)
			j.checkHistory()
		})
	}
}

// checkFeed expects each step once, positions in between, and the same steps of
// the live stream.
func (j *journey) checkFeed(reported []drover.Event, live *frames) {
	j.t.Helper()
	var steps []string
	var sequences []int64
	between := 0
	for i, e := range reported {
		if i > 0 && e.Sequence != reported[i-1].Sequence+1 {
			j.t.Errorf("after %d came %d", reported[i-1].Sequence, e.Sequence)
		}
		switch e.Type {
		case drover.EventMilestoneStarted, drover.EventMilestoneEnded, drover.EventMilestoneTimedOut:
			steps = append(steps, string(e.Type))
			sequences = append(sequences, e.Sequence)
		case drover.EventPositionUpdated:
			if len(steps) == 1 && strings.Contains(string(e.Data), j.device.ID) {
				between++
			}
		default:
		}
	}
	check(j.t, steps, []string{"milestone.started", "milestone.ended"})
	if between < 5 {
		j.t.Errorf("%d events with positions of the device on its way", between)
	}
	check(j.t, live.events(j.t, len(sequences)), sequences)
	var own []string
	for _, e := range data[[]drover.Event](j.service, "/milestone/"+j.id+"/event") {
		own = append(own, string(e.Type))
	}
	check(j.t, own, []string{"milestone.created", "milestone.started", "milestone.entered", "milestone.ended"})
}

// checkHistory expects predictions on the way, held against the arrival.
func (j *journey) checkHistory() {
	j.t.Helper()
	update := data[drover.MilestoneProgress](j.service, "/milestone/"+j.id+"/update")
	history := data[[]drover.ETAPrediction](j.service, "/milestone/"+j.id+"/eta-history")
	if len(history) < 2 {
		j.t.Fatalf("%d predictions", len(history))
	}
	for _, p := range history {
		if p.ArrivedAt == nil || *p.ArrivedAt != *update.ETA || *p.ErrorSeconds != p.ETA.Sub(p.ArrivedAt.Time).Seconds() {
			j.t.Errorf("%+v, and it arrived at %v", p, update.ETA)
		}
	}
	first := data[[]drover.ETAPrediction](j.service, "/milestone/"+j.id+"/eta-history?limit=1")
	check(j.t, first, history[:1])
}
