package fleet

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestArchivedHasNoProblem holds that what failed last is no matter of a connection that
// was deleted.
func TestArchivedHasNoProblem(t *testing.T) {
	t.Parallel()
	at := drover.At(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	c := drover.Connection{ID: "c", Configuration: drover.Configuration{Health: drover.ConnectionArchived}}
	jobs := []store.Job{{LastError: new("the provider refused the credentials"), LastErrorAt: &at, LastSuccessAt: &at, ConsecutiveErrors: 3}}
	h := (&core{}).healthOf(c, jobs)
	if h.Message != nil || h.NextRunAt != nil || len(h.Jobs) > 0 || h.Acts != nil || h.LastSuccessAt != &at {
		t.Errorf("the health is %+v", h)
	}
}

// TestStalled moves the clock past the time at which a job was to be read.
func TestStalled(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	read := drover.At(due.Add(-time.Minute))
	for _, c := range []struct {
		state drover.ConnectionState
		poll  int
		after time.Duration
		want  drover.ConnectionState
	}{
		{drover.ConnectionHealthy, 30, 0, drover.ConnectionHealthy},
		{drover.ConnectionHealthy, 30, 2 * time.Minute, drover.ConnectionHealthy},
		{drover.ConnectionHealthy, 30, 2*time.Minute + time.Second, drover.ConnectionStalled},
		{drover.ConnectionDegraded, 30, time.Hour, drover.ConnectionStalled},
		{drover.ConnectionHealthy, 600, 20 * time.Minute, drover.ConnectionHealthy},
		{drover.ConnectionHealthy, 600, 20*time.Minute + time.Second, drover.ConnectionStalled},
		{drover.ConnectionFailing, 30, time.Hour, drover.ConnectionFailing},
		{drover.ConnectionDisabled, 30, time.Hour, drover.ConnectionDisabled},
	} {
		s := &core{clock: func() time.Time { return due.Add(c.after) }}
		conn := drover.Connection{Configuration: drover.Configuration{PollIntervalSeconds: c.poll, Health: c.state, Trips: drover.TripsDerived}}
		h := s.healthOf(conn, []store.Job{
			{Kind: store.JobDevices, State: store.JobActive, DueAt: drover.At(due.Add(24 * time.Hour)), LastSuccessAt: &read},
			{Kind: store.JobPositions, State: store.JobActive, DueAt: drover.At(due), LastSuccessAt: &read},
			{Kind: store.JobPositions, State: store.JobActive, DueAt: drover.Milli(0), Backfill: true, WindowTo: &read, RemainingTo: &read},
		})
		if h.State != c.want {
			t.Errorf("%s, %s after it was due: %s, want %s", c.state, c.after, h.State, c.want)
		}
		if stalled := h.State == drover.ConnectionStalled; stalled && (h.Message == nil || h.Acts == nil || *h.Acts != drover.PartyOperator) {
			t.Errorf("stalled without a word, or without someone who acts: %v %v", h.Message, h.Acts)
		}
	}
}

// TestWhoActs names someone for each kind of trouble.
func TestWhoActs(t *testing.T) {
	t.Parallel()
	now := drover.At(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	trouble := func(kind, text string) *store.Job {
		return &store.Job{LastError: &text, LastErrorKind: &kind, LastErrorAt: &now}
	}
	for _, c := range []struct {
		state  drover.ConnectionState
		newest *store.Job
		want   drover.Party
	}{
		{drover.ConnectionHealthy, nil, ""},
		{drover.ConnectionDisabled, trouble("credentials", "x"), ""},
		{drover.ConnectionArchived, nil, ""},
		{drover.ConnectionPending, nil, drover.PartyDrover},
		{drover.ConnectionFailing, trouble("credentials", "x"), drover.PartyFleet},
		{drover.ConnectionFailing, trouble("permanent", "x"), drover.PartyFleet},
		{drover.ConnectionDegraded, trouble("temporary", "x"), drover.PartyVendor},
		{drover.ConnectionDegraded, trouble("rate_limited", "x"), drover.PartyDrover},
		{drover.ConnectionDegraded, trouble("temporary", "Internal error: what was read could not be stored."), drover.PartyOperator},
		{drover.ConnectionHealthy, trouble("limit", "x"), drover.PartyOperator},
		{drover.ConnectionHealthy, trouble("data", "x"), drover.PartyFleet},
		{drover.ConnectionStalled, trouble("temporary", "x"), drover.PartyOperator},
	} {
		var got drover.Party
		if who := actor(c.state, c.newest); who != nil {
			got = *who
		}
		if got != c.want {
			t.Errorf("%s %v: %q, want %q", c.state, c.newest, got, c.want)
		}
	}
}

// TestHealthOfOthers holds that how a connection is collected is for its owner, under the former name of its jobs too.
func TestHealthOfOthers(t *testing.T) {
	t.Parallel()
	words := "the provider refused the credentials"
	jobs := []drover.JobHealth{{Kind: "positions", LastError: &words}}
	h := drover.ConnectionHealth{ConnectionID: "c", State: drover.ConnectionHealthy, Message: &words, Jobs: jobs, Streams: jobs}
	conn := drover.Connection{ID: "c", TenantID: "owner"}
	if got := shownHealth(drover.Principal{TenantID: "owner"}, conn, h); len(got.Jobs) != 1 || len(got.Streams) != 1 || got.Message == nil {
		t.Errorf("its owner sees %+v", got)
	}
	got := shownHealth(drover.Principal{TenantID: "other"}, conn, h)
	if got.Jobs == nil || got.Streams == nil || len(got.Jobs)+len(got.Streams) > 0 || got.Message != nil {
		t.Errorf("another tenant sees %+v", got)
	}
}
