package collect_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// answering is a vendor that answers everything alike.
func answering(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a recorder takes everything
	}
}

// states steps through time and notes each state that a connection gets into.
func (r *rig) states(conn drover.Connection, d time.Duration) []drover.ConnectionState {
	r.t.Helper()
	var seen []drover.ConnectionState
	for end := r.clock.Now().Add(d); r.clock.Now().Before(end); {
		r.pass(time.Minute)
		seen = append(seen, r.health(conn).State)
	}
	return slices.Compact(seen)
}

// TestOutage breaks a vendor for an hour. Its connection tells, the other one is
// read on time, and afterwards everything is there.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]struct {
		answer http.HandlerFunc
		kind   provider.Kind
		words  string
		states []drover.ConnectionState
	}{
		"Down": {
			answer: answering(http.StatusBadGateway, "<html>Bad gateway</html>"), kind: provider.KindTemporary,
			words: "the provider answered 502", states: []drover.ConnectionState{drover.ConnectionDegraded, drover.ConnectionFailing},
		},
		"Garbage": {
			answer: answering(http.StatusOK, "\x00\xff\x17garbage"), kind: provider.KindTemporary,
			words:  "the provider's answer could not be read: it is not JSON",
			states: []drover.ConnectionState{drover.ConnectionDegraded, drover.ConnectionFailing},
		},
		"Page": {
			answer: answering(http.StatusOK, "<!DOCTYPE html><title>We will be back</title>", "Content-Type", "text/html"),
			kind:   provider.KindTemporary,
			words:  "the provider's answer could not be read: it is a web page, not JSON",
			states: []drover.ConnectionState{drover.ConnectionDegraded, drover.ConnectionFailing},
		},
		"Refused": {
			answer: answering(http.StatusUnauthorized, `{"errors":[{"reason":"expired"}]}`), kind: provider.KindCredentials,
			words: "the provider refused the credentials", states: []drover.ConnectionState{drover.ConnectionFailing},
		},
		"Limited": {
			answer: answering(http.StatusTooManyRequests, "slow down", "Retry-After", "600"), kind: provider.KindRateLimited,
			words: "the provider asks for fewer calls (429)", states: []drover.ConnectionState{drover.ConnectionDegraded, drover.ConnectionFailing},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				broken := r.flespi("broken.test", false, noon.Add(-3*time.Hour))
				sound, other := r.stub("sound", noon, []string{"a"})
				r.expectState(broken.conn, drover.ConnectionPending)
				r.run()
				r.expectState(broken.conn, drover.ConnectionHealthy)

				broken.fail(trouble.answer)
				polls := len(sound.queries())
				if diff := cmp.Diff(trouble.states, notHealthy(r.states(broken.conn, time.Hour))); diff != "" {
					t.Errorf("the states (-want +got):\n%s", diff)
				}
				if got := len(sound.queries()) - polls; got != 60 {
					t.Errorf("the other connection was polled %d times in the hour, want 60", got)
				}
				r.expectState(other, drover.ConnectionHealthy)
				r.checkTrouble(broken.conn, trouble.kind, trouble.words)

				broken.fail(nil)
				r.collectNow()
				r.expectState(broken.conn, drover.ConnectionHealthy)
				if h := r.health(broken.conn); h.Message != nil {
					t.Errorf("the message after the recovery is %q", *h.Message)
				}
				r.checkTruth(broken, false)
				r.checkAlarms(broken.conn, trouble.words)
			})
		})
	}
}

func notHealthy(states []drover.ConnectionState) []drover.ConnectionState {
	return slices.Compact(slices.DeleteFunc(states, func(s drover.ConnectionState) bool { return s == drover.ConnectionHealthy }))
}

// checkTrouble looks for what a user reads of a broken connection.
func (r *rig) checkTrouble(conn drover.Connection, kind provider.Kind, words string) {
	r.t.Helper()
	h := r.health(conn)
	if h.Message == nil || !strings.Contains(*h.Message, words) || strings.Contains(*h.Message, token) {
		r.t.Errorf("the message is %q, want %q in it", deref(h.Message), words)
	}
	if h.NextRunAt == nil || h.NextRunAt.Before(r.clock.Now()) || h.NextRunAt.After(r.clock.Now().Add(31*time.Minute)) {
		r.t.Errorf("the next run is at %v, now is %v", h.NextRunAt, r.clock.Now())
	}
	reported := false
	for _, s := range h.Jobs {
		if s.ConsecutiveErrors == 0 {
			continue
		}
		reported = true
		if deref(s.LastErrorKind) != string(kind) || !strings.Contains(deref(s.LastError), words) || s.LastErrorAt == nil {
			r.t.Errorf("job %s has the error %q of kind %q, want %q of kind %q", s.Kind, deref(s.LastError), deref(s.LastErrorKind), words, kind)
		}
	}
	if !reported {
		r.t.Error("no job tells of an error")
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// checkAlarms expects one event of a failure with its reason, and one of the
// recovery.
func (r *rig) checkAlarms(conn drover.Connection, words string) {
	r.t.Helper()
	type alarm struct {
		ID     string  `json:"id"`
		Reason *string `json:"reason"`
	}
	var got []drover.EventType
	for _, e := range r.events(drover.EventConnectionFailing, drover.EventConnectionRecovered) {
		a := decode[alarm](r.t, e)
		if a.ID != conn.ID {
			r.t.Errorf("%s of connection %s, want %s", e.Type, a.ID, conn.ID)
		}
		if e.Type == drover.EventConnectionFailing && !strings.Contains(deref(a.Reason), words) {
			r.t.Errorf("the reason is %q, want %q", deref(a.Reason), words)
		}
		got = append(got, e.Type)
	}
	if diff := cmp.Diff([]drover.EventType{drover.EventConnectionFailing, drover.EventConnectionRecovered}, got); diff != "" {
		r.t.Errorf("the events (-want +got):\n%s", diff)
	}
}

// TestRecoveryIsToldWhereItComesInSteps has two jobs fail, of which one is
// mended before the other: degraded in between is no recovery, nor does it make
// the recovery be forgotten.
func TestRecoveryIsToldWhereItComesInSteps(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("steps", noon, []string{"a"}, native)
		r.run()
		broken := provider.Errorf(provider.KindTemporary, "the provider answered 500")
		page := provider.Page[provider.Position]{Cursor: "x"}
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) { return page, broken }
		r.pass(30 * time.Minute)
		r.expectState(conn, drover.ConnectionFailing)
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{}, broken
		}
		r.pass(time.Minute)
		s.positions = nil
		r.collectNow()
		r.expectState(conn, drover.ConnectionFailing)
		s.trips = nil
		r.collectNow()
		r.expectState(conn, drover.ConnectionHealthy)
		r.checkAlarms(conn, "the provider answered 500")
	})
}

// TestPacedIsNoFailure has an adapter run into the limit that it declares itself.
func TestPacedIsNoFailure(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("paced", noon, []string{"a"})
		until := noon.Add(7 * time.Minute)
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			if r.clock.Now().Before(until) {
				return provider.Page[provider.Position]{}, &provider.Error{Kind: provider.KindRateLimited, Until: until, Err: errors.New("used up")}
			}
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}
		r.run()
		r.pass(6 * time.Minute)
		if n := len(s.queries()); n != 1 {
			t.Errorf("asked %d times before the limit has room, want once", n)
		}
		if h := r.health(conn); h.Message != nil || h.State == drover.ConnectionDegraded {
			t.Errorf("the connection is %s: %q", h.State, deref(h.Message))
		}
		r.pass(2 * time.Minute)
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestPageThatCannotBeStored has the commit of a page fail for a while: the vendor
// is not asked again and again, the user learns that it is not the vendor's fault,
// and nothing is lost.
func TestPageThatCannotBeStored(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("unstorable", noon, []string{"a"})
		r.run()
		unreadable := store.Milestone{
			Milestone: drover.Milestone{
				ID: store.NewID(), TenantID: r.principal.TenantID, DeviceID: r.devices(conn)["a"].ID, Status: drover.TripNotStarted,
				StartTime: drover.At(noon),
			},
			DeviceTenantID: r.principal.TenantID, State: []byte(`{"status":`),
		}
		r.update(func(ctx context.Context, tx *store.Tx) error { return tx.Trips.AddMilestone(ctx, unreadable) })
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			return provider.Page[provider.Position]{Cursor: "x", Records: []provider.Position{at("a", noon.Add(time.Second), -37, 145)}}, nil
		}
		asked := len(s.queries())
		r.pass(10 * time.Minute)
		if n := len(s.queries()) - asked; n > 10 {
			t.Errorf("asked %d times in ten minutes", n)
		}
		r.expectState(conn, drover.ConnectionFailing)
		r.checkTrouble(conn, provider.KindTemporary, "Internal error: what was read could not be stored.")
		r.update(func(ctx context.Context, tx *store.Tx) error {
			return tx.Trips.DropMilestone(ctx, unreadable.TenantID, unreadable.ID)
		})
		r.collectNow()
		r.expectState(conn, drover.ConnectionHealthy)
		if n := len(r.positions(unreadable.DeviceID)); n != 1 {
			t.Errorf("%d positions, want 1", n)
		}
	})
}

// update changes what is stored.
func (r *rig) update(f func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	ctx := r.t.Context()
	if err := r.store.Update(ctx, func(tx *store.Tx) error { return f(ctx, tx) }); err != nil {
		r.t.Fatal(err)
	}
}

// TestTextsThatDatabasesRefuse has a vendor report texts with zero bytes and numbers
// that are none.
func TestTextsThatDatabasesRefuse(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("refused", noon.Add(-time.Hour), nil, native)
		s.devices = []provider.Device{{SystemDeviceID: "a\x00", Description: new("left\x00right\xff"), Active: true}}
		position := at("a\x00", noon.Add(-time.Minute), -37, 145)
		position.DriverID = new("d\x00")
		s.next(position, at("a", noon.Add(-2*time.Minute), nan, 145))
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{Cursor: "x", Records: []provider.Trip{{
				SystemDeviceID: "a", SystemTripID: "t\x00", StartTime: drover.At(noon.Add(-time.Hour)), EndTime: drover.At(noon),
				DistanceMetres: &nan, Start: &drover.Coordinate{Latitude: nan},
			}}}, nil
		}
		r.run()
		r.expectState(conn, drover.ConnectionHealthy)
		device := r.devices(conn)["a"]
		if deref(device.Description) != "leftright\uFFFD" {
			t.Errorf("the device is %+v", device)
		}
		if got := r.positions(device.ID); len(got) != 1 || deref(got[0].DriverID) != "d" {
			t.Errorf("the positions are %v", got)
		}
		if got := r.trips(drover.TripFilter{}); len(got) != 1 || got[0].SystemTripID != "t" || got[0].DistanceMetres != nil ||
			got[0].StartLatitude != nil {
			t.Errorf("the trips are %v", got)
		}
	})
}

var nan = math.NaN()
