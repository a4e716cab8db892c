package declared_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie/bouncietest"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive/motivetest"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela/ruptelatest"
	"github.com/drover-fleet/drover/internal/sim"
)

// read reads a file of testdata.
func read(t *testing.T, name string) provider.Info {
	t.Helper()
	file, err := declared.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return file.Info()
}

// vendors are providers that have an adapter in Go, and a file.
func vendors(t *testing.T) map[string]struct {
	inGo    provider.Info
	harness providertest.Harness
} {
	t.Helper()
	return map[string]struct {
		inGo    provider.Info
		harness providertest.Harness
	}{
		"newest positions, pages that are skipped, a token": {bouncie.Info, providertest.Harness{
			Info: read(t, "bouncie.yaml"),
			Credentials: map[string]string{
				"client_id": "drover-test", "client_secret": "c1i3nt-s3cr3t",
				"redirect_uri": "https://drover.example/callback", "authorization_code": "c0d3-0f-c0ns3nt",
			},
			Readings:     []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingFuelPercent},
			Vendor:       bouncietest.New,
			ID:           func(v sim.Vehicle) string { return v.IMEI },
			ExpectDevice: func(_ sim.Vehicle, want *provider.Device) { want.Registration, want.Active = nil, true },
		}},
		"newest positions and a backfill, pages by number": {motive.Info, providertest.Harness{
			Info:        read(t, "motive.yaml"),
			Credentials: map[string]string{"api_key": "9e90504a-82f0-4ed4"},
			Vendor:      motivetest.New,
			TripDrivers: true,
			Readings: []drover.ReadingKind{
				drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingSupply,
			},
			OtherReadings: []string{"odometer", "engine_hours"},
			ExpectPosition: func(s sim.Sample, want *provider.Position, _ bool) {
				if !motivetest.ReportsIgnition(s) {
					want.Ignition = nil
				}
			},
			ExpectTrip: func(truth sim.Trip, want *provider.Trip) {
				want.DrivingSeconds = new(truth.EndTime.Sub(truth.StartTime).Seconds())
			},
		}},
		"updates and a backfill, pages by a cursor": {ruptela.Info, providertest.Harness{
			Info:        read(t, "ruptela.yaml"),
			Credentials: map[string]string{"api_key": "k3y-of-the-fleet"},
			Vendor:      ruptelatest.New,
			ID:          ruptelatest.ObjectID,
			Readings: []drover.ReadingKind{
				drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingFuelLitres,
				drover.ReadingCharge, drover.ReadingSupply, drover.ReadingCoolant, drover.ReadingAmbient, drover.ReadingProbe, drover.ReadingDoor,
				drover.ReadingPTOActive,
			},
			Tolerance:    providertest.Tolerance{SpeedKPH: 0.5, Metres: 5},
			ExpectDevice: func(_ sim.Vehicle, want *provider.Device) { want.Year, want.Active = nil, true },
			ExpectTrip:   func(_ sim.Trip, want *provider.Trip) { want.AuxiliarySeconds = nil },
		}},
	}
}

// TestConformance runs the suite of the adapters on files.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, v := range vendors(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, v.harness)
		})
	}
}

// TestSameAsInGo holds that a file reads what the adapter in Go reads, to the last digit, but
// for the faults of vehicles, which files do not describe.
func TestSameAsInGo(t *testing.T) {
	t.Parallel()
	for name, v := range vendors(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := clocktest.New(time.Date(2024, 5, 6, 8, 0, 0, 0, time.UTC))
			fleet := sim.New(sim.Options{Vehicles: 130, Seed: 3})
			account := sim.NewAccount(fleet, clock.Now, v.harness.Credentials)
			served := carried{v.harness.Vendor(account)}
			inGo := adapter(t, v.inGo, v.harness.Credentials, served, clock.Now)
			inFile := adapter(t, v.harness.Info, v.harness.Credentials, served, clock.Now)
			devices := whole(t, inGo.Devices)
			same(t, "devices", devices, whole(t, inFile.Devices))
			var ids []string
			for _, d := range devices {
				ids = append(ids, d.SystemDeviceID)
			}
			live := provider.Query{From: clock.Now().Add(-2 * time.Hour), Devices: ids[:12]}
			past := provider.Query{From: clock.Now().Add(-26 * time.Hour), To: clock.Now().Add(-20 * time.Hour), Devices: ids[:12]}
			same(t, "live positions", withoutFaults(job(t, inGo.Positions, live)), job(t, inFile.Positions, live))
			same(t, "trips", job(t, inGo.Trips, live), job(t, inFile.Trips, live))
			if v.inGo.Features.Backfill {
				same(t, "past positions", withoutFaults(job(t, inGo.Positions, past)), job(t, inFile.Positions, past))
			}
		})
	}
}

func withoutFaults(records []provider.Position) []provider.Position {
	for i := range records {
		records[i].Faults = nil
	}
	return records
}

type carried struct{ vendor http.Handler }

func (c carried) RoundTrip(req *http.Request) (*http.Response, error) {
	return providertest.Carry(c.vendor, req), nil
}

func adapter(
	t *testing.T, info provider.Info, credentials map[string]string, served http.RoundTripper, now func() time.Time,
) provider.Provider {
	t.Helper()
	p, err := info.New(provider.Config{
		Credentials: credentials, BaseURL: "https://vendor.test", Now: now,
		HTTP: outbound.New(outbound.Options{Transport: served, Now: now, Timeout: 10 * time.Minute}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func whole[T any](t *testing.T, list func(context.Context, string) (provider.Page[T], error)) (all []T) {
	t.Helper()
	for cursor, more := "", true; more; {
		page, err := list(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		all, cursor, more = append(all, page.Records...), page.Cursor, page.More
	}
	return all
}

func job[T any](t *testing.T, read func(context.Context, provider.Query) (provider.Page[T], error), q provider.Query) (all []T) {
	t.Helper()
	for more := true; more; {
		page, err := read(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all, q.Cursor, more = append(all, page.Records...), page.Cursor, page.More
	}
	return all
}

// same compares records in any order, each once.
func same[T any](t *testing.T, what string, want, got []T) {
	t.Helper()
	lines := func(records []T) []string {
		var list []string
		for _, r := range records {
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(text))
		}
		slices.SortFunc(list, cmp.Compare[string])
		return slices.Compact(list)
	}
	if len(want) == 0 {
		t.Errorf("%s: the adapter in Go reads none: nothing is compared", what)
	}
	if diff := gocmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("%s differ (-in Go +in a file):\n%.3000s", what, diff)
	}
}
