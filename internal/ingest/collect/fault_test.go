package collect_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

// Faults makes the stub a provider.FaultReader.
func (s *stub) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	s.mu.Lock()
	answer := s.faults
	s.mu.Unlock()
	if answer == nil {
		return provider.Page[provider.FaultReport]{Cursor: "x"}, nil
	}
	return answer(ctx, q)
}

// faulty connects to a stub that reports faults, so often or, with zero, with positions.
func (r *rig) faulty(every time.Duration, name string, start time.Time, devices []string) (*stub, drover.Connection) {
	r.t.Helper()
	info := r.stubInfo()
	info.Faults = &provider.Besides{Every: every, Names: []string{"codes"}, Need: "a scope"}
	r.options.Providers[stubName] = info
	return r.stub(name, start, devices)
}

// faultsNext makes the next poll answer these reports, and those after it none.
func (s *stub) faultsNext(reports ...provider.FaultReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = func(context.Context, provider.Query) (provider.Page[provider.FaultReport], error) {
		page := provider.Page[provider.FaultReport]{Cursor: "x", Records: reports}
		reports = nil
		return page, nil
	}
}

// reports is a report of a device at a time, with codes.
func reports(device string, form fault.Form, at time.Time, codes ...string) provider.FaultReport {
	r := provider.FaultReport{SystemDeviceID: device, Report: fault.Report{At: drover.At(at), Form: form}}
	for _, code := range codes {
		r.Faults = append(r.Faults, fault.Said{Protocol: drover.FaultOBD, Code: code})
	}
	return r
}

// faultsOf are the faults that are stored, in the order in which they were found.
func (r *rig) faultsOf(f drover.FaultFilter) []drover.Fault {
	r.t.Helper()
	list, err := r.fleet.Vehicles.Faults(r.t.Context(), r.principal, f, "", 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func (r *rig) expectFaults(what string, want ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.faultsOf(drover.FaultFilter{}) {
		text := f.Code + " " + string(f.Status)
		if f.ClosedBy != nil {
			text += " by " + string(*f.ClosedBy)
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestFaults collects faults by a job of their own: pages that come again, rows that overlap,
// what is from the past or the future, of a device that is not listed yet, and events.
func TestFaults(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.faulty(15*time.Minute, "broken", noon.Add(-time.Hour), []string{"a"})
		r.run()
		give := func(list ...provider.FaultReport) {
			s.faultsNext(list...)
			r.clock.Advance(15 * time.Minute)
			r.run()
		}
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		first := []provider.FaultReport{reports("a", fault.Listed, at(1), "P1", "P2"), reports("a", fault.Listed, at(1), "P1", "P2")}
		give(first...)
		r.expectFaults("first", "P1 open", "P2 open")
		give(first...)
		r.expectFaults("again", "P1 open", "P2 open")
		give(reports("a", fault.Listed, at(20), "P2"), reports("a", fault.Listed, at(10), "P1", "P2"))
		r.expectFaults("a list without it", "P1 closed by absence", "P2 open")
		give(reports("a", fault.Listed, at(-120), "P7"), reports("a", fault.Listed, at(600), "P8"), reports("a", fault.Listed, at(30), "P2", ""))
		r.expectFaults("too old, ahead, without a code", "P1 closed by absence", "P2 open")
		odd := reports("b", fault.Stated, at(40), "x\x00y")
		odd.Faults[0].Protocol, odd.Faults[0].ID = "smoke", "9"
		give(odd)
		got := r.faultsOf(drover.FaultFilter{DeviceIDs: []string{r.devices(conn)["b"].ID}})
		if len(got) != 1 || got[0].Code != "xy" || got[0].Protocol != drover.FaultUnknown {
			t.Errorf("of an unknown device and protocol: %+v", got)
		}
		r.expectState(conn, drover.ConnectionHealthy)
		var events []drover.EventType
		for _, e := range r.events(drover.EventFaultOpened, drover.EventFaultClosed) {
			events = append(events, e.Type)
		}
		want := []drover.EventType{drover.EventFaultOpened, drover.EventFaultOpened, drover.EventFaultClosed, drover.EventFaultOpened}
		if !slices.Equal(events, want) {
			t.Errorf("events %v, want %v", events, want)
		}
	})
}

// TestFaultsOfThePast has a vendor whose records are older than the connection: they are
// stored, and no one is notified.
func TestFaultsOfThePast(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.faulty(15*time.Minute, "past", noon.Add(-time.Hour), []string{"a"})
		old := reports("a", fault.Stated, noon, "P1")
		old.Faults[0].ID, old.Faults[0].First, old.Faults[0].Last = "1", drover.At(noon.AddDate(0, -1, 0)), drover.At(noon.AddDate(0, 0, -1))
		quiet := reports("a", fault.Observed, noon, "tracker")
		quiet.Faults[0].Quiet = true
		s.faultsNext(old, quiet)
		r.run()
		r.expectFaults("stored", "P1 open", "tracker open")
		for _, e := range r.events(drover.EventFaultOpened) {
			t.Errorf("an event of the past: %s", e.Data)
		}
	})
}

// TestSilentFaults ends what is observed no longer.
func TestSilentFaults(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.faulty(15*time.Minute, "silent", noon.Add(-time.Hour), []string{"a"})
		s.faultsNext(reports("a", fault.Observed, noon.Add(-time.Minute), "P1"))
		r.run()
		r.clock.Advance(29 * 24 * time.Hour)
		r.run()
		r.expectFaults("after 29 days", "P1 open")
		r.clock.Advance(24 * time.Hour)
		r.run()
		r.expectFaults("after 30 days", "P1 closed by silence")
	})
}

// TestFaultsWithPositions collects lists that come with positions, live ones alone.
func TestFaultsWithPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.faulty(0, "beside", noon.Add(-time.Hour), []string{"a"})
		r.run()
		give := func(minutes int, codes ...string) {
			p := at("a", noon.Add(time.Duration(minutes)*time.Minute), 48, 11)
			list := reports("a", fault.Listed, time.Time{}, codes...).Report
			list.At, list.Fades = drover.Time{}, true
			p.Faults = &list
			s.next(p)
			r.clock.Advance(time.Minute)
			r.run()
		}
		give(0, "P1")
		r.expectFaults("first", "P1 open")
		give(1)
		r.expectFaults("an empty list", "P1 closed by absence")
		give(2, "P2")
		s.next(at("a", noon.Add(3*time.Minute), 48, 11)) // which says nothing of faults
		r.clock.Advance(time.Minute)
		r.run()
		r.expectFaults("no list", "P1 closed by absence", "P2 open")
		r.clock.Advance(30 * 24 * time.Hour)
		r.run()
		r.expectFaults("silence", "P1 closed by absence", "P2 closed by silence")
	})
}

// TestTooManyFaults has a vendor that sends 50,000 faults, of one device and of many: what is
// stored is bounded, and the connection goes on.
func TestTooManyFaults(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.faulty(15*time.Minute, "flood", noon.Add(-time.Hour), []string{"a", "b"})
		r.run()
		var codes []string
		for i := range 50_000 {
			codes = append(codes, fmt.Sprint("P", i))
		}
		flood := []provider.FaultReport{reports("a", fault.Listed, noon, codes...)}
		for _, code := range codes[:3000] {
			flood = append(flood, reports("b", fault.Observed, noon, code))
		}
		s.faultsNext(flood...)
		r.clock.Advance(15 * time.Minute)
		r.run()
		if got := len(r.faultsOf(drover.FaultFilter{})); got != 2*fault.MaxOpen {
			t.Errorf("%d faults, want %d", got, 2*fault.MaxOpen)
		}
		s.next(at("a", noon.Add(time.Minute), 48, 11))
		r.clock.Advance(time.Minute)
		r.run()
		r.expectState(conn, drover.ConnectionHealthy)
		const words = "Faults of 2 of the devices are not stored: of each there are at most 200 that are open."
		if !slices.ContainsFunc(r.health(conn).Jobs, func(j drover.JobHealth) bool { return deref(j.LastError) == words }) {
			t.Errorf("no job says that faults are missing: %+v", r.health(conn).Jobs)
		}
	})
}

// TestFaultsOfManyDevices stores all faults of a large fleet, which come in one answer.
func TestFaultsOfManyDevices(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const devices, each = 100, 100
		s, conn := r.faulty(15*time.Minute, "fleet", noon.Add(-time.Hour), named(devices))
		r.run()
		var codes []string
		for i := range each {
			codes = append(codes, fmt.Sprint("P", i))
		}
		var all []provider.FaultReport
		for _, name := range named(devices) {
			all = append(all, reports(name, fault.Listed, noon, codes...))
		}
		s.faultsNext(all...)
		r.clock.Advance(15 * time.Minute)
		r.run()
		n, after := 0, drover.IDCursor("")
		for {
			page, err := r.fleet.Vehicles.Faults(t.Context(), r.principal, drover.FaultFilter{}, after, 10_000)
			if err != nil {
				t.Fatal(err)
			}
			if n += len(page); len(page) < 10_000 {
				break
			}
			after = drover.IDCursor(page[len(page)-1].ID)
		}
		if n != devices*each {
			t.Errorf("%d faults are stored, want %d", n, devices*each)
		}
		for _, j := range r.health(conn).Jobs {
			if j.LastError != nil {
				t.Errorf("%s: %s", j.Kind, *j.LastError)
			}
		}
	})
}

// TestFaultsThatAreWithheld has a vendor that does not let the account read faults: that is a
// fact of the connection's coverage and no failure, and is over when they may be read.
func TestFaultsThatAreWithheld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.faulty(15*time.Minute, "withheld", noon.Add(-time.Hour), []string{"a"})
		s.faults = func(context.Context, provider.Query) (provider.Page[provider.FaultReport], error) {
			return provider.Page[provider.FaultReport]{}, &provider.StatusError{Status: http.StatusForbidden}
		}
		r.run()
		r.expectOffer(conn, drover.FieldFault, drover.OfferRefused, "a scope")
		r.expectState(conn, drover.ConnectionHealthy)
		s.faultsNext() // the account may read them, and there are none
		r.clock.Advance(7 * time.Hour)
		r.run()
		r.expectOffer(conn, drover.FieldFault, drover.OfferNative, "")
		s.faultsNext(reports("a", fault.Listed, noon.Add(time.Minute), "P1"))
		r.clock.Advance(7 * time.Hour)
		r.run()
		if c := r.covered(conn, drover.FieldFault); c.Declared != drover.OfferNative || c.DevicesWith != 1 {
			t.Errorf("allowed: %+v", c)
		}
		s.mu.Lock()
		s.faults = func(context.Context, provider.Query) (provider.Page[provider.FaultReport], error) {
			return provider.Page[provider.FaultReport]{}, &provider.StatusError{Status: http.StatusInternalServerError}
		}
		s.mu.Unlock()
		for range 8 {
			r.clock.Advance(20 * time.Minute)
			r.run()
		}
		r.expectState(conn, drover.ConnectionDegraded) // and not failing
	})
}
