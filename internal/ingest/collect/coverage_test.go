package collect_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// covered is what a connection's coverage says of a field.
func (r *rig) covered(conn drover.Connection, field string) drover.Coverage {
	r.t.Helper()
	list, err := r.fleet.Connections.Coverage(r.t.Context(), r.principal, conn.ID, 7)
	if err != nil {
		r.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(c drover.Coverage) bool { return c.Field == field })
	if i < 0 {
		r.t.Fatalf("the coverage says nothing of %s", field)
	}
	return list[i]
}

// expectOffer checks what the coverage says that an account may read.
func (r *rig) expectOffer(conn drover.Connection, field string, want drover.Offer, need string) {
	r.t.Helper()
	if c := r.covered(conn, field); c.Declared != want || deref(c.Need) != need {
		r.t.Errorf("%s: %+v, want %s %q", field, c, want, need)
	}
}

// TestReadingsThatAreWithheld has readings that the account may not read, then may, with nothing to
// report: what the account lacks is not shown any longer. New credentials begin without it too.
func TestReadingsThatAreWithheld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		var vendor provider.Config
		info := r.stubInfo()
		info.Readings = []drover.ReadingSeries{fuel}
		info.New = func(c provider.Config) (provider.Provider, error) {
			vendor = c
			return r.stubs.get(c.Credentials["stub"])
		}
		r.options.Providers[stubName] = info
		_, conn := r.stub("withheld readings", noon, []string{"a"})
		r.run()
		vendor.Withhold(string(fuel.Kind), "a scope")
		r.pass(2 * time.Minute)
		r.expectOffer(conn, string(fuel.Kind), drover.OfferRefused, "a scope")
		vendor.Permit(string(fuel.Kind))
		r.pass(2 * time.Minute)
		r.expectOffer(conn, string(fuel.Kind), drover.OfferNative, "")
		r.collector = r.another("second") // whose adapter has seen nothing
		r.pass(2 * time.Minute)
		r.expectOffer(conn, string(fuel.Kind), drover.OfferNative, "")
		vendor.Withhold(string(fuel.Kind), "a plan")
		r.pass(2 * time.Minute)
		vendor.Withhold(string(fuel.Kind), "a scope")
		r.pass(2 * time.Minute)
		r.expectOffer(conn, string(fuel.Kind), drover.OfferRefused, "a scope")
		credentials := map[string]string{"stub": "withheld readings", "trips": "yes"}
		_, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID,
			drover.ConnectionUpdate{Credentials: drover.Some(credentials)})
		if err != nil {
			t.Fatal(err)
		}
		r.expectOffer(conn, string(fuel.Kind), drover.OfferNative, "")
		r.pass(2 * time.Minute)
		r.expectOffer(conn, string(fuel.Kind), drover.OfferNative, "")
	})
}

// TestCoverageLost lets a provider send no fuel any more: it is announced once, after a day in which
// the vehicle drove, and again only once it had come back. Neither a vehicle that rests, of which
// positions and an odometer come on, nor fuel that is not believed is a loss.
func TestCoverageLost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.stub("gone", noon.Add(-time.Hour), []string{"a"}, native)
		hours, level, drives := 0, 80.0, true
		pass := func(n int) {
			for range n {
				r.clock.Advance(time.Hour)
				hours++
				p := saying(r.clock.Now().Add(-time.Minute), said(odometer, 100_000+float64(hours)*1000))
				if level > 0 {
					p.Readings = append(p.Readings, said(fuel, level))
				}
				s.next(p)
				if drives {
					end := drover.At(r.clock.Now().Add(-time.Minute))
					s.tripsNext(provider.Trip{
						SystemDeviceID: "a", SystemTripID: strconv.Itoa(hours), StartTime: drover.At(end.Add(-20 * time.Minute)), EndTime: end,
					})
				}
				r.run()
			}
		}
		expect := func(what string, n int) {
			t.Helper()
			events := r.events(drover.EventCoverageLost)
			if len(events) != n {
				t.Fatalf("%s: %d events, want %d", what, len(events), n)
			}
			for _, e := range events {
				if diff := cmp.Diff([]string{"fuel_level_percent"}, decode[drover.CoverageLoss](t, e).Fields); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		}
		pass(2)
		level = 0
		pass(23)
		expect("within a day", 0)
		pass(4)
		expect("after a day", 1)
		pass(4)
		expect("the next hours", 1)
		level = 80
		pass(2)
		level = 0
		pass(27)
		expect("lost again", 2)

		level = 80
		pass(2)
		drives, level = false, 0
		pass(60)
		expect("parked, with positions", 2)
		drives = true
		pass(1)
		expect("the first trip after that", 2)
		drives, level = false, 80
		pass(1)
		r.clock.Advance(30 * time.Hour)
		r.run()
		expect("no positions either", 2)
		drives, level = true, 180 // which no tank holds
		pass(30)
		expect("not believed", 2)
	})
}
