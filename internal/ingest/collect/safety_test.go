package collect_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// SafetyEvents makes the stub a provider.SafetyReader.
func (s *stub) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	s.mu.Lock()
	answer := s.safety
	s.mu.Unlock()
	if answer == nil {
		return provider.Page[provider.SafetyEvent]{Cursor: "x"}, nil
	}
	return answer(ctx, q)
}

// safetyNext makes the next poll answer these events, and those after it none.
func (s *stub) safetyNext(events ...provider.SafetyEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.safety = func(context.Context, provider.Query) (provider.Page[provider.SafetyEvent], error) {
		page := provider.Page[provider.SafetyEvent]{Cursor: "x", Records: events}
		events = nil
		return page, nil
	}
}

// dangerous connects to a stub that reports safety events.
func (r *rig) dangerous(name string, devices ...string) (*stub, drover.Connection) {
	r.t.Helper()
	info := r.stubInfo()
	info.Safety = &provider.Safety{
		Besides: provider.Besides{Every: 5 * time.Minute, Need: "a scope"}, Types: []drover.SafetyType{drover.SafetyBraking},
	}
	r.options.Providers[stubName] = info
	return r.stub(name, noon.Add(-48*time.Hour), devices)
}

// danger is an event of device a.
func danger(id string, at time.Time, typ drover.SafetyType, native string) provider.SafetyEvent {
	return provider.SafetyEvent{SystemDeviceID: "a", SafetyEvent: drover.SafetyEvent{
		SystemEventID: id, Type: typ, NativeType: native, StartTime: drover.At(at), DriverID: drover.NewDriverID(new("D-1")),
	}}
}

func (r *rig) expectDangers(what string, want ...string) {
	r.t.Helper()
	list, err := r.fleet.Vehicles.SafetyEvents(r.t.Context(), r.principal, drover.SafetyFilter{}, "", 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%s %s (%s) %s", e.SystemEventID, e.Type, e.NativeType, e.Status))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestSafetyEvents collects safety events: pages that come again, events that change later, types
// that no one knows, those that the connection maps, what is from the past or the future, and
// what a database refuses.
func TestSafetyEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.dangerous("danger", "a")
		r.run()
		give := func(events ...provider.SafetyEvent) {
			t.Helper()
			s.safetyNext(events...)
			r.clock.Advance(5 * time.Minute)
			r.run()
		}
		first := danger("1", noon, drover.SafetyBraking, "hard_brake")
		give(first, first)
		r.expectDangers("first", "1 harsh_braking (hard_brake) open")
		give(first)
		r.expectDangers("again", "1 harsh_braking (hard_brake) open")
		first.Status, first.Latitude = drover.SafetyDismissed, new(math.NaN())
		give(first)
		r.expectDangers("dismissed", "1 harsh_braking (hard_brake) dismissed")
		first.SpeedKPH = new(40.0) // of which no one is notified
		odd := danger("2", noon, "smoke", "Rule\x00 7")
		nameless := danger("", noon.Add(time.Minute), "", "")
		give(first, nameless, odd) // lists show them by time
		r.expectDangers("unknown types", "1 harsh_braking (hard_brake) dismissed", "2 other (Rule 7) open",
			"2026-03-10T12:01:00Z other other (other) open")
		give(danger("3", noon.Add(-72*time.Hour), drover.SafetyCrash, "x"), danger("4", noon.Add(24*time.Hour), drover.SafetyCrash, "x"),
			danger("5", noon.Add(-36*time.Hour), drover.SafetyCrash, "old"))
		set := map[string]string{"Rule 7": string(drover.SafetySpeeding)}
		_, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID, drover.ConnectionUpdate{
			Configuration: drover.Some(drover.ConfigurationUpdate{SafetyTypes: drover.Some(set)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		give(odd)
		r.expectDangers("mapped", "1 harsh_braking (hard_brake) dismissed", "2 speeding (Rule 7) open",
			"2026-03-10T12:01:00Z other other (other) open", "5 crash (old) open")
		r.expectState(conn, drover.ConnectionHealthy)
		var events []string
		for _, e := range r.events(drover.EventSafetyRecorded, drover.EventSafetyUpdated) {
			events = append(events, strings.TrimPrefix(string(e.Type), "safety_event."))
		}
		if diff := cmp.Diff([]string{"recorded", "updated", "recorded", "recorded", "updated"}, events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestManySafetyEvents stores a large page in parts.
func TestManySafetyEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.dangerous("many dangers", "a")
		var events []provider.SafetyEvent
		for i := range 2500 {
			events = append(events, danger(fmt.Sprint(i), noon.Add(-time.Duration(i)*time.Second), drover.SafetySpeeding, "overspeed"))
		}
		s.safetyNext(events...)
		r.run()
		list, err := r.fleet.Vehicles.SafetyEvents(t.Context(), r.principal, drover.SafetyFilter{}, "", 10_000)
		if err != nil || len(list) != len(events) {
			t.Errorf("%d events, %v", len(list), err)
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestSafetyEventsThatAreWithheld says in the coverage what the account lacks, until it has it.
func TestSafetyEventsThatAreWithheld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.dangerous("no dangers", "a")
		s.safety = func(context.Context, provider.Query) (provider.Page[provider.SafetyEvent], error) {
			return provider.Page[provider.SafetyEvent]{}, &provider.StatusError{Status: http.StatusUnauthorized}
		}
		r.run()
		r.expectOffer(conn, "safety_event.harsh_braking", drover.OfferRefused, "a scope")
		r.expectOffer(conn, "safety_event.crash", drover.OfferNone, "")
		r.expectState(conn, drover.ConnectionHealthy)
		s.safetyNext() // the account may read them, and there are none
		r.clock.Advance(7 * time.Hour)
		r.run()
		r.expectOffer(conn, "safety_event.harsh_braking", drover.OfferNative, "")
		r.expectState(conn, drover.ConnectionHealthy)
	})
}
