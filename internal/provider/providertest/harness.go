package providertest

import (
	"net/http"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// Harness is what the suite needs to know of an adapter and its fake.
type Harness struct {
	Info provider.Info
	// Credentials are the ones that the vendor accepts. Secret ones have at
	// least eight characters, so that they are recognised in a log.
	Credentials map[string]string
	// Vendor serves an account as the vendor would.
	Vendor func(*sim.Account) http.Handler
	// BasePath is the path of the base URL, such as /api.
	BasePath string
	// Lacks are the subtests that cannot hold for this vendor, with the reason.
	Lacks map[string]string
	// Tolerance is how far a value may be off, for vendors whose formats have
	// fewer digits than the truth.
	Tolerance Tolerance

	// Readings are the kinds that the fake serves with live positions. OtherReadings are
	// the vendor's names of those that are not what the vehicle's instruments show.
	Readings      []drover.ReadingKind
	OtherReadings []string
	// PolledReadings says that they come by polls alone, and not by the vendor's push.
	PolledReadings bool

	// TripDrivers says that the vendor's trips name their drivers.
	TripDrivers bool

	// DriverID is the vendor's id of a driver. Nil: the one of the vehicle.
	DriverID func(string) string

	// Notice is a notice as the vendor sends it by itself, signed with a secret; for
	// vendors with Info.Notices.
	Notice func(secret string) (http.Header, []byte)

	// ID is the vehicle's id at this vendor. Nil: Vehicle.ID.
	ID func(sim.Vehicle) string
	// ExpectDevice, ExpectPosition and ExpectTrip change what the suite expects
	// of a record, which is the truth as far as Features says. They are
	// for what the vendor cannot report and Features cannot say.
	ExpectDevice   func(sim.Vehicle, *provider.Device)
	ExpectPosition func(s sim.Sample, want *provider.Position, live bool)
	ExpectTrip     func(sim.Trip, *provider.Trip)
}

// test is one subtest of the suite.
type test struct {
	name    string
	applies bool
	run     func(*testing.T, *Harness)
}

func (h *Harness) tests() []test {
	history, trips := h.Info.Features.Backfill, h.Info.Features.Trips
	every := !h.Info.Features.Snapshot // not the newest of each poll alone
	return []test{
		{"Info", true, testInfo},
		{"Check/Accepted", true, testAccepted},
		{"Check/Refused", true, testRefused},
		{"Devices/All", true, testDevices},
		{"Drivers/All", h.Info.Features.Drivers, testDrivers},
		{"Positions/Live", true, testLive},
		{"Positions/Late", every, testLate},
		{"Positions/Resume", true, testResume},
		{"Positions/Repeat", true, testRepeat},
		{"Positions/Window", history, testWindow},
		{"Positions/Quality", true, testQuality},
		{"Trips/Live", trips, testTripsLive},
		{"Trips/Resume", trips, testTripsResume},
		{"Trips/Edges", trips, testTripsEdges},
		{"Trips/Window", trips, testTripsWindow},
		{"Reports/Safety", h.Info.Safety != nil, testSafetyReports},
		{"Reports/Faults", h.Info.Faults != nil, testFaultReports},
		{"Reports/Assignments", h.Info.Assignments != nil, testAssignments},
		{"Faults/RateLimited", true, failing(tooMany, provider.KindRateLimited)},
		{"Faults/Unavailable", true, failing(unavailable, provider.KindTemporary)},
		{"Faults/Unreachable", true, failing(unreachable, provider.KindTemporary)},
		{"Faults/CutBody", true, failing(cutBody, provider.KindTemporary)},
		{"Faults/Garbage", true, failing(garbage, provider.KindTemporary)},
		{"Faults/UnknownShape", true, testUnknownShape},
		{"Faults/ErrorOnce", true, testErrorOnce},
		{"Faults/Canceled", true, testCanceled},
		{"Faults/SessionEnded", true, testSessionEnded},
		{"Faults/Revoked", true, testRevoked},
		{"Faults/ChangedOrder", true, spoilt(reversed)},
		{"Faults/RepeatedRecords", true, spoilt(repeated)},
		{"Push/Live", h.Info.Push != nil, testPush},
		{"Push/Faults", h.Info.Push != nil, testPushFaults},
		{"Push/Cut", h.Info.Push != nil, testPushCut},
		{"Push/Refused", h.Info.Push != nil, testPushRefused},
		{"Push/Limits", h.Info.Push != nil, testPushLimits},
		{"Notices", h.Info.Notices != nil, testNotices},
		{"Limits", true, testLimits},
	}
}

// Run runs the suite. Each part is a subtest with a fleet of its own.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.ID == nil {
		h.ID = func(v sim.Vehicle) string { return v.ID }
	}
	if h.DriverID == nil {
		h.DriverID = func(id string) string { return id }
	}
	// The suite makes garbage as no server does, and little of it lives: to collect it
	// less often saves a fifth of its processor time.
	debug.SetGCPercent(400)
	tests := h.tests()
	for name, reason := range h.Lacks {
		known := slices.ContainsFunc(tests, func(test test) bool { return test.name == name && test.applies })
		if !known || reason == "" {
			t.Errorf("Lacks names %q with reason %q: not a subtest that applies, or no reason", name, reason)
		}
	}
	for _, test := range tests {
		if _, lacks := h.Lacks[test.name]; lacks || !test.applies {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, &h)
		})
	}
}
