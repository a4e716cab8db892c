package track_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// manned is week with drivers: of the trips in the first half of each period two take
// turns, those in the second half name no one.
func manned(days int) []drover.Position {
	positions := week(days)
	for i := range positions {
		switch m := i * 2 % 720; {
		case m < 8:
			positions[i].DriverID = new("ann")
		case m < 300 && i%3 > 0:
			positions[i].DriverID = new("bo")
		}
	}
	return positions
}

// trips are the stored trips with their drivers.
func (r *rig) trips(f drover.TripFilter) []drover.TripView {
	r.t.Helper()
	list, err := r.store.Trips.TripViews(r.t.Context(), r.m.TenantID, f, nil, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// drivers are the trips' starts in minutes and who drove.
func (r *rig) drivers(f drover.TripFilter) []string {
	r.t.Helper()
	var out []string
	for _, t := range r.trips(f) {
		name := "no one"
		if t.DriverID.Value != nil {
			name = t.DriverID.Value.Value
		}
		out = append(out, fmt.Sprintf("%g %s", t.StartTime.Sub(epoch).Minutes(), name))
	}
	return out
}

// TestDriverOfDerivedTrips has positions come in any order and number: the driver of a
// trip is always the one that most of its positions name.
func TestDriverOfDerivedTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		random := rand.New(rand.NewPCG(4, 2))
		r.now = epoch.AddDate(0, 0, 4)
		positions := manned(3)
		arriving := slices.Clone(positions)
		random.Shuffle(len(arriving), func(i, k int) { arriving[i], arriving[k] = arriving[k], arriving[i] })
		for batch := range slices.Chunk(arriving, 400) {
			slices.SortFunc(batch, byTime)
			r.absorb(false, batch...)
		}
		seen := map[string]int{}
		for _, got := range r.trips(drover.TripFilter{}) {
			within := slices.DeleteFunc(slices.Clone(positions), func(p drover.Position) bool {
				return p.Time.Before(got.StartTime.Time) || p.Time.After(got.EndTime.Time)
			})
			want := drover.NewDriverID(trip.Driver(within))
			if (want == nil) != (got.DriverID.Value == nil) || want != nil && *want != *got.DriverID.Value {
				r.t.Errorf("the trip of %s was driven by %v, want %v", got.StartTime, got.DriverID.Value, want)
			}
			if want != nil {
				seen[want.Value]++
			} else {
				seen["no one"]++
			}
		}
		if seen["bo"] == 0 || seen["no one"] == 0 {
			r.t.Errorf("the trips are of %v, want some of bo and some of no one", seen)
		}
		all := r.drivers(drover.TripFilter{})
		byBo := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s[len(s)-3:] != " bo" })
		if got := r.drivers(drover.TripFilter{DriverID: "bo"}); !slices.Equal(got, byBo) {
			r.t.Errorf("the trips of bo are %v, want %v", got, byBo)
		}
		slices.Reverse(byBo)
		if got := r.drivers(drover.TripFilter{DriverID: "bo", Order: drover.NewestFirst, DeviceID: r.m.DeviceID}); !slices.Equal(got, byBo) {
			r.t.Errorf("newest first the trips of bo are %v, want %v", got, byBo)
		}
	})
}

// TestLatePositionsChangeTheDriver has most of what names the driver come after the trip
// was stored, and expects the trip to keep its id.
func TestLatePositionsChangeTheDriver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 2)
		var early, late []drover.Position
		for _, p := range manned(1) {
			if p.DriverID != nil && *p.DriverID == "bo" && p.Time.Before(epoch.Add(20*time.Minute)) {
				late = append(late, p)
			} else {
				early = append(early, p)
			}
		}
		r.absorb(false, early...)
		before := r.trips(drover.TripFilter{})[0]
		if before.DriverID.Value == nil || before.DriverID.Value.Value != "ann" {
			r.t.Fatalf("the first trip was driven by %v, want ann", before.DriverID.Value)
		}
		r.absorb(false, late...)
		after := r.trips(drover.TripFilter{})[0]
		if after.ID != before.ID || after.DriverID.Value == nil || after.DriverID.Value.Value != "bo" {
			r.t.Errorf("trip %s was driven by %v, want %s by bo", after.ID, after.DriverID.Value, before.ID)
		}
	})
}

// TestDriverOfVendorsTrips has the vendor's word go before that of the positions, which
// are asked only where they may know.
func TestDriverOfVendorsTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 2)
		stored, err := r.store.Fleet.Device(r.t.Context(), r.m.TenantID, r.m.DeviceID)
		if err != nil {
			r.t.Fatal(err)
		}
		r.receive(manned(1)...)
		source := track.Source{TenantID: r.m.TenantID, ConnectionID: stored.ConnectionID, NativeTrips: true}
		put := func(id string, hour int, driver *string) {
			r.t.Helper()
			start := epoch.Add(time.Duration(hour) * 12 * time.Hour)
			v := track.VendorTrip{
				SystemTripID: id, DriverID: driver,
				Facts: trip.Facts{StartTime: drover.At(start), EndTime: drover.At(start.Add(20 * time.Minute))},
			}
			r.update(func(tx *store.Tx) error {
				_, err := r.tracker.StoreTrips(r.t.Context(), tx, source, map[string][]track.VendorTrip{r.m.DeviceID: {v}}, false)
				return err
			})
		}
		expect := func(when string, want ...string) {
			r.t.Helper()
			if got := r.drivers(drover.TripFilter{}); !slices.Equal(got, want) {
				r.t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		put("1", 0, nil)
		expect("positions never name a driver", "0 no one")
		source.Drivers = true
		put("2", 1, nil)
		expect("positions name one", "0 no one", "720 bo")
		put("1", 0, new("cy"))
		put("2", 1, nil)
		expect("the vendor names one, and reports the other again", "0 cy", "720 bo")
		put("2", 1, new("dee"))
		expect("the vendor names both", "0 cy", "720 dee")
	})
}

// TestDriverOfVendorsTripsByLatePositions stores the vendor's trips before any position,
// and has them named as positions come, in any order, but not where the vendor does.
func TestDriverOfVendorsTripsByLatePositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 2)
		stored, err := r.store.Fleet.Device(r.t.Context(), r.m.TenantID, r.m.DeviceID)
		if err != nil {
			r.t.Fatal(err)
		}
		source := track.Source{TenantID: r.m.TenantID, ConnectionID: stored.ConnectionID, NativeTrips: true, Drivers: true}
		vendors := func(id string, start time.Time, driver *string) track.VendorTrip {
			return track.VendorTrip{
				SystemTripID: id, DriverID: driver,
				Facts: trip.Facts{StartTime: drover.At(start), EndTime: drover.At(start.Add(20 * time.Minute))},
			}
		}
		report := func(trips ...track.VendorTrip) {
			r.t.Helper()
			r.update(func(tx *store.Tx) error {
				_, err := r.tracker.StoreTrips(r.t.Context(), tx, source, map[string][]track.VendorTrip{r.m.DeviceID: trips}, false)
				return err
			})
		}
		expect := func(when string, want ...string) {
			r.t.Helper()
			if got := r.drivers(drover.TripFilter{}); !slices.Equal(got, want) {
				r.t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		report(vendors("1", epoch, nil), vendors("2", epoch.Add(12*time.Hour), nil), vendors("3", epoch.Add(24*time.Hour), new("cy")))
		expect("no position is there", "0 no one", "720 no one", "1440 cy")
		at := func(minute int, driver *string) drover.Position {
			return drover.Position{Time: drover.At(epoch.Add(time.Duration(minute) * time.Minute)), Latitude: 48, Longitude: 11, DriverID: driver}
		}
		r.absorbFrom(source, false, at(740, new("ann")), at(741, new("bo")))
		expect("one names the driver at the end of a trip, one no one's after it", "0 no one", "720 ann", "1440 cy")
		r.absorbFrom(source, true, at(0, new("ann")), at(1, nil), at(1445, new("ann")))
		expect("the start of another, in the past", "0 ann", "720 ann", "1440 cy")
		r.absorbFrom(source, true, at(2, new("bo")), at(3, new("bo")))
		expect("most name another", "0 bo", "720 ann", "1440 cy")
		report(vendors("1", epoch, nil), vendors("2", epoch.Add(12*time.Hour), new("ann")))
		r.absorbFrom(source, true, at(721, new("bo")), at(722, new("bo")))
		expect("the vendor names the same", "0 bo", "720 ann", "1440 cy")
	})
}
