package e2e

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	// drivers are enough vehicles for one to be under way at any hour.
	drivers = 4
	// driveSeeds bounds the search for a drive. It takes a hundred or so at the
	// quietest hour.
	driveSeeds = 2000
	// driveWindow is less than what counts as live, and leaves the latest minutes
	// out, so that the whole drive has happened.
	driveWindow = 50 * time.Minute
	driveAge    = 2 * time.Minute
	// driveLength is the least way, as the crow flies.
	driveLength = 3000.0
	// circle is the radius within which a vehicle is at a point.
	circle = 200.0
)

// drive is a vendor with a vehicle that has driven from one point to another
// within the last hour. The vendor's time stands still until it is moved.
type drive struct {
	url     string
	vehicle sim.Vehicle
	from    time.Time // before the first sample
	a, b    drover.Coordinate
	samples []sim.Sample
	// With the samples started and entered the vehicle has left the one point and
	// is at the other; with ended it stands there, or has been there for a while.
	started, entered, ended int

	mu  sync.Mutex
	now time.Time
}

// newDrive looks for a drive in simulated fleets and lets a vendor report it.
func newDrive(t *testing.T) *drive {
	t.Helper()
	now := time.Now().UTC()
	for seed := range uint64(driveSeeds) {
		fleet := sim.New(sim.Options{Seed: 1 + seed, Vehicles: drivers, Interval: 10 * time.Second, Heartbeat: -1})
		d := findDrive(fleet, now.Add(-driveWindow), now.Add(-driveAge))
		if d == nil {
			continue
		}
		d.now = d.from
		server := httptest.NewServer(flespitest.New(sim.NewAccount(fleet, d.present, map[string]string{"token": "t"})))
		t.Cleanup(server.Close)
		d.url = server.URL
		return d
	}
	t.Fatalf("no vehicle of %d fleets has driven within %s", driveSeeds, driveWindow)
	return nil
}

func findDrive(fleet *sim.Fleet, from, to time.Time) *drive {
	for _, v := range fleet.Vehicles() {
		for _, trip := range fleet.Trips(v, from, to) {
			if trip.StartTime.Before(from.Add(time.Minute)) || geo.DistanceMetres(trip.Start, trip.End) < driveLength {
				continue
			}
			d := &drive{vehicle: v, from: trip.StartTime.Add(-time.Minute), a: trip.Start, b: trip.End}
			d.samples = fleet.Positions(v, trip.StartTime, trip.EndTime.Add(time.Second))
			if d.judge() {
				return d
			}
		}
	}
	return nil
}

// judge finds out when the vehicle has left, when it was there, and when it had
// arrived. It reports whether there is enough to see before and between.
func (d *drive) judge() bool {
	for i, s := range d.samples {
		if d.started == 0 && geo.DistanceMetres(d.a, s.Point()) > circle {
			d.started = i
		}
		if d.started == 0 || d.ended > 0 || geo.DistanceMetres(d.b, s.Point()) > circle {
			continue
		}
		if d.entered == 0 {
			d.entered = i
		}
		if s.SpeedKPH != nil && *s.SpeedKPH < 5 || s.Time.Sub(d.samples[d.entered].Time.Time) >= 2*time.Minute {
			d.ended = i
		}
	}
	return d.started > 1 && d.entered-d.started > 10 && d.ended > d.entered
}

// steps are the samples at which to look: before and at the start, twice on the
// way, when it comes to the end, and when it has arrived there.
func (d *drive) steps() []int {
	return []int{
		d.started - 1, d.started, (2*d.started + d.entered) / 3, (d.started + 2*d.entered) / 3, d.entered, d.ended,
		len(d.samples) - 1,
	}
}

func (d *drive) present() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// reach moves the vendor's time to that of a sample.
func (d *drive) reach(sample int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.samples[sample].Time.Time
}
