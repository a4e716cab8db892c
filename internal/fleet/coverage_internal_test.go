package fleet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// TestCovered holds what is declared against what was seen, and what was refused against both.
func TestCovered(t *testing.T) {
	t.Parallel()
	newest := drover.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	declared := []drover.ReadingSeries{
		{Kind: drover.ReadingOdometer, NativeName: "a", Source: drover.SourceVehicle},
		{Kind: drover.ReadingOdometer, NativeName: "b"},
		{Kind: drover.ReadingProbe, NativeName: "t", Channel: "1"},
		{Kind: drover.ReadingProbe, NativeName: "t", Channel: "2"},
	}
	seen := []store.ReadingCoverage{
		{Kind: drover.ReadingOdometer, Devices: 3, Newest: newest, Names: []string{"b"}, Sources: []drover.ReadingSource{drover.SourceTracker}},
		{Kind: drover.ReadingDEF, Devices: 0, Newest: newest, Names: []string{"old"}},
	}
	forms := map[string]string{
		"withheld odometer_metres": "a scope", "withheld probe_celsius": "a scope", "withheld door_open": "a plan", "other": "x",
	}
	half, none := new(0.75), new(0.0)
	for _, test := range []struct {
		kind    drover.ReadingKind
		devices int
		want    drover.Coverage
	}{
		{drover.ReadingOdometer, 4, drover.Coverage{
			Declared: drover.OfferNative, NativeNames: []string{"b"}, Sources: []drover.ReadingSource{drover.SourceTracker}, DevicesWith: 3, Share: half,
			NewestAt: &newest,
		}},
		{drover.ReadingProbe, 4, drover.Coverage{Declared: drover.OfferRefused, Need: new("a scope"), NativeNames: []string{"t"}, Share: none}},
		{drover.ReadingDoor, 4, drover.Coverage{Declared: drover.OfferRefused, Need: new("a plan"), Share: none}},
		{drover.ReadingDEF, 4, drover.Coverage{Declared: drover.OfferNative, NativeNames: []string{"old"}, Share: none, NewestAt: &newest}},
		{drover.ReadingCharge, 4, drover.Coverage{Declared: drover.OfferNone, Share: none}},
		{drover.ReadingCharge, 0, drover.Coverage{Declared: drover.OfferNone}},
	} {
		test.want.Field, test.want.Devices = string(test.kind), test.devices
		if test.want.NativeNames == nil {
			test.want.NativeNames = []string{}
		}
		if test.want.Sources == nil {
			test.want.Sources = []drover.ReadingSource{}
		}
		if diff := cmp.Diff(test.want, covered(test.kind, declared, seen, forms, test.devices)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.kind, diff)
		}
	}
}

// TestCoveredSafety shows a type that is refused alone, and all types where all are refused.
func TestCoveredSafety(t *testing.T) {
	t.Parallel()
	of := &provider.Safety{Types: []drover.SafetyType{drover.SafetySpeeding, drover.SafetyBraking}}
	refused := func(forms map[string]string) map[drover.SafetyType]string {
		needs := map[drover.SafetyType]string{}
		for i, c := range coveredSafety(of, nil, forms, 2) {
			if c.Declared == drover.OfferRefused {
				needs[drover.SafetyTypes[i]] = *c.Need
			}
		}
		return needs
	}
	one := map[string]string{"withheld safety_event.speeding": "a scope", "withheld safety_event.crash": "not offered"}
	if diff := cmp.Diff(map[drover.SafetyType]string{drover.SafetySpeeding: "a scope"}, refused(one)); diff != "" {
		t.Errorf("one type (-want +got):\n%s", diff)
	}
	one["withheld safety_event"] = "a plan"
	all := map[drover.SafetyType]string{drover.SafetySpeeding: "a plan", drover.SafetyBraking: "a plan", drover.SafetyOther: "a plan"}
	if diff := cmp.Diff(all, refused(one)); diff != "" {
		t.Errorf("all types (-want +got):\n%s", diff)
	}
}
