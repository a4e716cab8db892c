package providertest

import (
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	rules "github.com/drover-fleet/drover/internal/rules/fault"
	"github.com/drover-fleet/drover/internal/sim"
)

// testFaultReports holds that faults are reported of the vehicles that have one and of no
// other, whether they come by a call of their own or with positions, and that what comes again
// changes nothing.
func testFaultReports(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	r.clock.Advance(3 * time.Hour)
	broken := map[string]bool{}
	for _, v := range r.fleet.Vehicles() {
		broken[h.ID(v)] = v.Broken()
	}
	adapter := r.adapter(t)
	devices := map[string]*rules.Device{}
	for range 2 {
		for _, report := range r.faultReports(t, adapter) {
			if _, known := broken[report.SystemDeviceID]; !known {
				t.Errorf("a report of %q, which is no vehicle", report.SystemDeviceID)
			}
			if report.At.IsZero() || report.At.After(r.clock.Now().Add(r.h.Tolerance.Time)) {
				t.Errorf("a report of %s", report.At)
			}
			for _, said := range report.Faults {
				if said.Code == "" || !slices.Contains(drover.FaultProtocols, said.Protocol) {
					t.Errorf("a fault without a code or a protocol: %+v", said)
				}
			}
			if devices[report.SystemDeviceID] == nil {
				devices[report.SystemDeviceID] = rules.Of(nil)
			}
			devices[report.SystemDeviceID].Apply(report.Report)
		}
	}
	seen := 0
	for id, is := range broken {
		open := 0
		if d := devices[id]; d != nil {
			open = len(d.Changes())
		}
		if seen += open; open > 0 && !is || open > 2 {
			t.Errorf("vehicle %s has a fault: %t, and %d were reported", id, is, open)
		}
	}
	if seen == 0 {
		t.Error("no fault was reported")
	}
}

// faultReports reads a round of live reports.
func (r *rig) faultReports(t *testing.T, adapter provider.Provider) (all []provider.FaultReport) {
	t.Helper()
	q := provider.Query{From: began, Devices: r.ids()}
	for more := true; more; {
		if !r.h.Info.Faults.Asked() {
			page, err := adapter.Positions(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Records {
				if p.Faults != nil {
					report := provider.FaultReport{SystemDeviceID: p.SystemDeviceID, Report: *p.Faults}
					report.At = p.Time
					all = append(all, report)
				}
			}
			q.Cursor, more = page.Cursor, page.More
			continue
		}
		reader, ok := adapter.(*noting).Provider.(provider.FaultReader)
		if !ok {
			t.Fatal("the adapter reads no faults, and says that it does")
		}
		page, err := reader.Faults(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Records...)
		q.Cursor, more = page.Cursor, page.More
	}
	return all
}

// testSafetyReports holds that safety events are reported of the vehicles that have one and of
// no other, each with the provider's word, and that a second round names none otherwise.
func testSafetyReports(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	r.clock.Advance(3 * time.Hour)
	broken := map[string]bool{}
	for _, v := range r.fleet.Vehicles() {
		broken[h.ID(v)] = v.Broken()
	}
	reader, ok := r.adapter(t).(*noting).Provider.(provider.SafetyReader)
	if !ok {
		t.Fatal("the adapter reads no safety events, and says that it does")
	}
	q := provider.Query{From: began, Devices: r.ids()}
	seen := map[string]drover.SafetyEvent{}
	for round := range 2 {
		for more := true; more; {
			page, err := reader.SafetyEvents(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Records {
				if !broken[e.SystemDeviceID] || e.NativeType == "" || e.StartTime.IsZero() || e.SystemEventID == "" ||
					!slices.Contains(h.Info.Safety.Types, e.Type) {
					t.Errorf("an event %+v of vehicle %s", e.SafetyEvent, e.SystemDeviceID)
				}
				key := e.SystemDeviceID + " " + e.SystemEventID
				if before, again := seen[key]; round > 0 && again && !drover.SameSafetyEvent(before, e.SafetyEvent) {
					t.Errorf("%s was %+v and is %+v", key, before, e.SafetyEvent)
				}
				seen[key] = e.SafetyEvent
			}
			q.Cursor, more = page.Cursor, page.More
		}
	}
	if len(seen) == 0 {
		t.Error("no event was reported")
	}
}
