package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

var interleavings = flag.Int("interleavings", 30, "how many random interleavings a copy is held against, on each database")

// kinds are those that copies are kept of.
var kinds = []drover.ChangeKind{
	drover.ChangedConnections, drover.ChangedDevices, drover.ChangedTrips, drover.ChangedStops,
	drover.ChangedMilestones, drover.ChangedFaults, drover.ChangedDrivers, drover.ChangedSafetyEvents, drover.ChangedReadings,
}

// duplicate is a program's copy of a kind of records.
type duplicate struct {
	asker   string
	kind    drover.ChangeKind
	at      *drover.ChangeCursor
	records map[string]any
}

// read brings the copy a page further, or begins again where it must.
func (d *duplicate) read(f *copied, limit int) (end bool) {
	f.t.Helper()
	list, err := f.Fleet.Changes(f.t.Context(), d.asker, d.kind, d.at, nil, limit)
	if errors.Is(err, store.ErrTooOld) && d.at != nil {
		d.at, d.records = nil, map[string]any{}
		return false
	}
	if err != nil {
		f.t.Fatal(err)
	}
	for _, c := range list.Changes {
		if delete(d.records, c.ID); c.Record != nil {
			d.records[c.ID] = c.Record
		}
	}
	d.at = &list.Next
	return list.End
}

// copied is a service that changes at random while programs copy from it.
type copied struct {
	fixture
	random  *rand.Rand
	now     time.Time
	extra   string // a connection of transactions that take long: they count in rows of their own
	shared  *drover.Share
	devices []store.Device
	drivers []store.Driver
	trips   []store.Trip
	stops   map[string]store.Stop // by device
	goals   []store.Milestone
	copies  []*duplicate
	found   []string // devices of transactions that took long
	// A transaction under way: commit ends it, done says that it has.
	commit chan bool
	done   chan error
}

// TestCopyEqualsTheService changes records at random (found, filled in, revised, dissolved,
// deleted, shared and no longer shared) in transactions that commit in another order than
// they began, or not at all, while programs read changes page by page. In the end every
// copy is what the lists show.
func TestCopyEqualsTheService(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f := &copied{fixture: newFixture(t, s), now: noon.Time, extra: store.NewID(), stops: map[string]store.Stop{}}
		f.update(func(tx *store.Tx) error {
			c := drover.Connection{
				ID: f.extra, TenantID: f.own, IntegrationName: drover.Traccar, BusinessName: "extra", Active: true,
				CollectionStartTime: noon,
			}
			return tx.Fleet.AddConnection(t.Context(), c, []byte("sealed"), noon)
		})
		for _, asker := range []string{f.own, f.other} {
			for _, kind := range kinds {
				f.copies = append(f.copies, &duplicate{asker: asker, kind: kind, records: map[string]any{}})
			}
		}
		for seed := range *interleavings {
			f.random = rand.New(rand.NewPCG(uint64(seed), 26))
			f.shrink()
			f.interleave()
			f.compare(seed)
			if t.Failed() {
				return
			}
		}
	})
}

// shrink deletes what is much, so that a thousand interleavings take no longer each.
func (f *copied) shrink() {
	f.t.Helper()
	for len(f.trips) > 20 {
		f.dissolveTrip()
	}
	for len(f.goals) > 10 {
		f.dropGoal()
	}
	for len(f.found) > 5 {
		id := f.found[0]
		f.write(func(tx *store.Tx) error {
			_, err := tx.Trips.EraseTrips(f.t.Context(), f.own, id)
			return errors.Join(err, tx.Fleet.EraseDevice(f.t.Context(), f.own, id))
		})
		f.found = f.found[1:]
	}
}

// interleave does some dozens of things at random.
func (f *copied) interleave() {
	f.t.Helper()
	steps := []func(){
		f.findDriver, f.editDriver, f.dropDrivers,
		f.findDevice, f.editDevice, f.say, f.say, f.fillTrip, f.fillTrip, f.reviseTrip, f.dissolveTrip, f.stop, f.stop, f.fail, f.fail,
		f.setGoal, f.moveGoal, f.dropGoal,
		f.editConnection, f.shareOrNot, f.begin, f.begin, f.end, f.forget, f.crash,
	}
	for range 40 {
		if f.random.IntN(2) == 0 {
			f.copies[f.random.IntN(len(f.copies))].read(f, 1+f.random.IntN(7))
			continue
		}
		steps[f.random.IntN(len(steps))]()
	}
	f.end()
}

// fail gives a device a fault, ends the one that it has, or erases it.
func (f *copied) fail() {
	if len(f.devices) == 0 {
		return
	}
	d := f.devices[f.random.IntN(len(f.devices))].Device
	f.write(func(tx *store.Tx) error {
		ctx := f.t.Context()
		danger := safetyOf(d, fmt.Sprint(f.random.IntN(5)), drover.SafetyTypes[f.random.IntN(len(drover.SafetyTypes))])
		if err := tx.Vehicles.SetSafetyEvents(ctx, f.own, []drover.SafetyEvent{danger}); err != nil {
			return err
		}
		open, err := tx.Vehicles.FaultsOf(ctx, f.own, []string{d.ID}, nil)
		switch {
		case err != nil:
			return err
		case len(open) == 0:
			return tx.Vehicles.SetFaults(ctx, f.own, []store.Fault{faultOf(d, fmt.Sprint("P", f.random.IntN(100)))})
		case f.random.IntN(3) == 0:
			_, err := tx.Vehicles.EraseFaults(ctx, f.own, d.ID)
			return err
		}
		return tx.Vehicles.SetFaults(ctx, f.own, []store.Fault{over(open[0], after(f.random.IntN(100)))})
	})
}

// compare reads every copy to its end and holds it against the list.
func (f *copied) compare(seed int) {
	f.t.Helper()
	for _, d := range f.copies {
		diff := settled(f.t, func() string {
			for !d.read(f, 100) { // to the end
			}
			return gocmp.Diff(sorted(f.listed(d.asker, d.kind)), sorted(d.records))
		})
		if diff != "" {
			f.t.Errorf("interleaving %d: the copy of each %s (-list +copy):\n%s", seed, d.kind, diff)
		}
	}
}

// settled waits until nothing differs. PostgreSQL shows changes once no transaction of the
// server is under way that began before them, and other tests have transactions too.
func settled(t *testing.T, differs func() string) string {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		diff := differs()
		if diff == "" || time.Now().After(deadline) {
			return diff
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			return diff
		}
	}
}

// sorted are records in the order of their ids. How long a stop has gone on by now is
// left out.
func sorted(records map[string]any) []string {
	texts := make([]string, 0, len(records))
	for id, r := range records {
		if s, open := r.(drover.Stop); open && s.EndTime == nil {
			s.DurationSeconds = 0
			r = s
		}
		texts = append(texts, fmt.Sprintf("%s %s", id, inJSON(r)))
	}
	slices.Sort(texts)
	return texts
}

func (f *copied) listed(asker string, kind drover.ChangeKind) map[string]any {
	f.t.Helper()
	const all = 100_000
	ctx, records := f.t.Context(), map[string]any{}
	switch kind {
	case drover.ChangedConnections:
		for _, c := range must[[]drover.Connection](f.t)(f.Fleet.Connections(ctx, asker, "")) {
			records[c.ID] = drover.ConnectionView{Connection: c}
		}
	case drover.ChangedDevices:
		for _, d := range must[[]drover.Device](f.t)(f.Fleet.Devices(ctx, asker, drover.DeviceFilter{}, "", all)) {
			records[d.ID] = d
		}
	case drover.ChangedTrips:
		for _, t := range must[[]drover.TripView](f.t)(f.Trips.TripViews(ctx, asker, drover.TripFilter{}, nil, all)) {
			records[t.ID] = t
		}
	case drover.ChangedStops:
		for _, s := range must[[]drover.Stop](f.t)(f.Trips.Stops(ctx, asker, drover.StopFilter{}, nil, all)) {
			records[s.ID] = s
		}
	case drover.ChangedSafetyEvents:
		for _, e := range must[[]drover.SafetyEvent](f.t)(f.Vehicles.SafetyEvents(ctx, asker, drover.SafetyFilter{}, "", all)) {
			records[e.ID] = e
		}
	case drover.ChangedReadings:
		for _, s := range must[[]store.ReadingSeries](f.t)(f.Vehicles.NewestReadings(ctx, asker, drover.ReadingFilter{}, "", all)) {
			of, _ := records[s.ID].([]store.ReadingSeries)
			records[s.ID] = append(of, s)
		}
	case drover.ChangedFaults:
		for _, broken := range must[[]drover.Fault](f.t)(f.Vehicles.Faults(ctx, asker, drover.FaultFilter{}, "", all)) {
			records[broken.ID] = broken
		}
	case drover.ChangedMilestones:
		for _, m := range must[[]drover.Milestone](f.t)(f.Trips.Milestones(ctx, asker, drover.MilestoneFilter{}, "", all)) {
			records[m.ID] = m
		}
	case drover.ChangedDrivers:
		for _, d := range must[[]drover.Driver](f.t)(f.Drivers.Drivers(ctx, asker, drover.DriverFilter{}, "", all)) {
			records[d.ID] = d
		}
	}
	return records
}

// write runs a transaction now. SQLite has one at a time.
func (f *copied) write(change func(tx *store.Tx) error) {
	f.t.Helper()
	if f.Database() == "sqlite" {
		f.end()
	}
	f.update(change)
}

// begin starts a transaction that goes on while others commit.
func (f *copied) begin() {
	f.t.Helper()
	f.end()
	d := store.Device{Device: drover.Device{
		ID: store.NewID(), ConnectionID: f.extra, SystemDeviceID: store.NewID(), Active: true,
		Tags: []string{},
	}, Access: store.Access{TenantID: f.own}}
	f.found = append(f.found, d.ID)
	trip := f.tripOf(d)
	ctx, written := f.t.Context(), make(chan struct{})
	commit, done := make(chan bool, 1), make(chan error, 1)
	f.commit, f.done = commit, done
	errCrash := errors.New("crash")
	go func() {
		err := f.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
			said := []store.ReadingSeries{
				series(d.Device, 1, drover.ReadingOdometer, noon, 1), series(d.Device, 2, drover.ReadingOdometer, noon, 2),
			}
			err := errors.Join(tx.Fleet.AddDevice(ctx, f.own, d.Device, noon), tx.Trips.AddTrip(ctx, trip),
				tx.Vehicles.SetReadingSeries(ctx, f.own, said),
				tx.Trips.SetOpenStop(ctx, f.own, f.extra, drover.Stop{ID: store.NewID(), DeviceID: d.ID, StartTime: trip.EndTime}))
			close(written)
			if err == nil && !<-commit {
				err = errCrash
			}
			return err
		})
		if errors.Is(err, errCrash) {
			err = nil
		}
		done <- err
	}()
	select {
	case <-written:
	case err := <-done:
		f.t.Fatal(err)
	}
}

func (f *copied) end()   { f.finish(true) }
func (f *copied) crash() { f.finish(false) }

func (f *copied) finish(commit bool) {
	f.t.Helper()
	if f.commit == nil {
		return
	}
	f.commit <- commit
	if err := <-f.done; err != nil {
		f.t.Fatal(err)
	}
	f.commit = nil
}

// TestChangesAfterATime holds that a list begins after a time, with deletions, and refuses
// a time from before the horizon and a cursor of a database that was restored since.
func TestChangesAfterATime(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f, ctx := newFixture(t, s), t.Context()
		mark := func(at drover.Time) {
			f.update(func(tx *store.Tx) error { _, err := tx.Fleet.MarkChanges(ctx, at, time.Hour); return err })
		}
		old := f.addDevice()
		mark(noon)
		young := f.addDevice()
		f.update(func(tx *store.Tx) error { return tx.Fleet.EraseDevice(ctx, f.own, old.ID) })
		want := []string{fmt.Sprint(old.ID, true), fmt.Sprint(young.ID, false)}
		slices.Sort(want)
		var list drover.ChangeList
		diff := settled(t, func() string {
			list = must[drover.ChangeList](t)(f.Fleet.Changes(ctx, f.own, drover.ChangedDevices, nil, new(drover.At(noon.Add(time.Minute))), 10))
			var got []string
			for _, c := range list.Changes {
				got = append(got, fmt.Sprint(c.ID, c.DeletedAt != nil))
			}
			slices.Sort(got)
			return gocmp.Diff(want, got)
		})
		if diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if again := must[drover.ChangeList](t)(f.Fleet.Changes(ctx, f.own, drover.ChangedDevices, &list.Next, nil, 10)); len(again.Changes) > 0 {
			t.Errorf("%d changes came twice", len(again.Changes))
		}
		mark(drover.At(noon.Add(2 * time.Hour)))
		if _, err := f.Fleet.Changes(ctx, f.own, drover.ChangedDevices, nil, new(drover.At(noon.Add(-time.Minute))), 10); !errors.Is(err,
			store.ErrTooOld) {
			t.Errorf("changes from before the horizon: %v", err)
		}
		f.update(func(tx *store.Tx) error { return tx.Fleet.RenewChanges(ctx) })
		if _, err := f.Fleet.Changes(ctx, f.own, drover.ChangedDevices, &list.Next, nil, 10); !errors.Is(err, store.ErrTooOld) {
			t.Errorf("changes after a restore: %v", err)
		}
		if all := must[drover.ChangeList](t)(f.Fleet.Changes(ctx, f.own, drover.ChangedDevices, nil, nil, 10)); len(all.Changes) != 1 {
			t.Errorf("a snapshot after a restore has %d devices", len(all.Changes))
		}
	})
}

func inJSON(record any) []byte {
	b, err := drover.Change{Record: record}.MarshalJSON()
	if err != nil {
		return []byte(err.Error())
	}
	return b
}
