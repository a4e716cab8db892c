package collect_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Assignments makes the stub a provider.AssignmentReader.
func (s *stub) Assignments(ctx context.Context, q provider.Query) (provider.Page[provider.Assignment], error) {
	s.mu.Lock()
	answer := s.stated
	s.mu.Unlock()
	if answer == nil {
		return provider.Page[provider.Assignment]{Cursor: "x"}, nil
	}
	return answer(ctx, q)
}

// stateNext makes the next poll answer these assignments, as all of a time where there is one, and
// those after it none.
func (s *stub) stateNext(whole *provider.Span, list ...provider.Assignment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stated = func(context.Context, provider.Query) (provider.Page[provider.Assignment], error) {
		page := provider.Page[provider.Assignment]{Cursor: "x", Records: list, Whole: whole}
		list, whole = nil, nil
		return page, nil
	}
}

// stating connects to a stub that states who drove, from two days before noon.
func (r *rig) stating(changes bool, name string, devices ...string) (*stub, drover.Connection) {
	r.t.Helper()
	info := r.stubInfo()
	info.Assignments = &provider.Assignments{
		Besides: provider.Besides{Every: 5 * time.Minute, Names: []string{"shifts"}, Need: "a scope"}, Changes: changes,
	}
	r.options.Providers[stubName] = info
	return r.stub(name, noon.Add(-48*time.Hour), devices)
}

// give has the stub answer assignments, once.
func (r *rig) give(s *stub, whole *provider.Span, list ...provider.Assignment) {
	r.t.Helper()
	s.stateNext(whole, list...)
	r.clock.Advance(5 * time.Minute)
	r.run()
}

// shift is an assignment of device a from one minute after noon to another; it goes on where that
// is none.
func shift(id, driver string, from int, to ...int) provider.Assignment {
	a := provider.Assignment{SystemDeviceID: "a", ID: id, Method: drover.ByApp, From: drover.At(noon.Add(time.Duration(from) * time.Minute))}
	if driver != "" {
		a.DriverID = &driver
	}
	if len(to) > 0 {
		a.To = new(drover.At(noon.Add(time.Duration(to[0]) * time.Minute)))
	}
	return a
}

// afterNoon writes a time as minutes after noon.
func afterNoon(t *drover.Time) string {
	if t == nil {
		return "now"
	}
	return fmt.Sprint(t.Sub(noon).Minutes())
}

// statedOf are the assignments that are stored of a connection, by device and start.
func (r *rig) statedOf(conn drover.Connection) (list []string) {
	r.t.Helper()
	var stored []store.Assignment
	err := r.store.Update(r.t.Context(), func(tx *store.Tx) (err error) {
		stored, err = tx.Drivers.AssignmentsWithin(r.t.Context(), r.principal.TenantID, conn.ID, drover.Time{}, drover.At(noon.AddDate(1, 0, 0)))
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	names := map[string]string{}
	for name, d := range r.devices(conn) {
		names[d.ID] = name
	}
	for _, a := range stored {
		driver := "no one"
		if a.DriverID != nil {
			driver = *a.DriverID
		}
		list = append(list, fmt.Sprintf("%s %s %s-%s", names[a.DeviceID], driver, afterNoon(&a.From), afterNoon(a.To)))
	}
	slices.Sort(list)
	return list
}

func (r *rig) expectStated(conn drover.Connection, what string, want ...string) {
	r.t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, r.statedOf(conn)); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// expectDrove holds what the interface says of who drove device a from an hour before noon to three
// hours after it.
func (r *rig) expectDrove(conn drover.Connection, what string, want ...string) {
	r.t.Helper()
	list, err := r.fleet.Drivers.Assignments(r.t.Context(), r.principal, drover.AssignmentFilter{
		DeviceID: r.devices(conn)["a"].ID, From: drover.At(noon.Add(-time.Hour)), To: new(drover.At(noon.Add(3 * time.Hour))),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var got []string
	for _, a := range list {
		got = append(got, fmt.Sprintf("%s %s-%s %s", a.SystemDriverID, afterNoon(&a.StartTime), afterNoon(a.EndTime), a.Method))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestAssignments stores what the vendor states, changes what it changes, and drops what it takes
// back: of the time of which it told all, and of no other.
func TestAssignments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "states", "a", "b")
		r.run()
		other := shift("1", "D-9", 0, 30)
		other.SystemDeviceID = "b"
		first := []provider.Assignment{shift("1", "D-1", 0), shift("2", "D-2", -90, -60), other}
		r.give(s, nil, first...)
		r.expectStated(conn, "first", "a D-1 0-now", "a D-2 -90--60", "b D-9 0-30")
		r.give(s, nil, append(first, first...)...)
		r.expectStated(conn, "again, twice", "a D-1 0-now", "a D-2 -90--60", "b D-9 0-30")
		r.give(s, nil, shift("1", "D-1", 0, 10), shift("3", "D-3", 10))
		r.expectStated(conn, "it has ended, and another goes on", "a D-1 0-10", "a D-2 -90--60", "a D-3 10-now", "b D-9 0-30")
		r.give(s, nil, shift("3", "D-4", 12))
		r.expectStated(conn, "it was someone else, later", "a D-1 0-10", "a D-2 -90--60", "a D-4 12-now", "b D-9 0-30")
		span := &provider.Span{From: noon.Add(-time.Hour), To: noon.Add(10 * time.Minute)}
		r.give(s, span, other)
		r.expectStated(conn, "taken back", "a D-2 -90--60", "a D-4 12-now", "b D-9 0-30")
		r.expectState(conn, drover.ConnectionHealthy)
		if c := r.covered(conn, drover.FieldAssignment); c.Declared != drover.OfferNative || c.DevicesWith != 2 || c.NewestAt == nil {
			t.Errorf("the coverage is %+v", c)
		}
	})
}

// TestChangesOfDrivers has a vendor that states changes: each ends with the next of its device, in
// whatever order they come, and one that is moved leaves its place to the one before.
func TestChangesOfDrivers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(true, "changes", "a", "b")
		r.run()
		other := shift("1", "D-9", 1)
		other.SystemDeviceID = "b"
		r.give(s, nil, shift("3", "D-3", 2), shift("1", "D-1", 0), other)
		r.expectStated(conn, "first", "a D-1 0-2", "a D-3 2-now", "b D-9 1-now")
		r.give(s, nil, shift("2", "D-2", 1), shift("1", "D-1", 0))
		r.expectStated(conn, "one between", "a D-1 0-1", "a D-2 1-2", "a D-3 2-now", "b D-9 1-now")
		r.give(s, nil, shift("4", "UnknownDriverId", 3), shift("5", "", 4))
		r.expectStated(conn, "no one", "a D-1 0-1", "a D-2 1-2", "a D-3 2-3", "a no one 3-4", "a no one 4-now", "b D-9 1-now")
		r.expectDrove(conn, "no one is no driver", "D-1 0-1 app", "D-2 1-2 app", "D-3 2-3 app")
		r.give(s, nil, shift("2", "D-2", 5))
		r.expectStated(conn, "moved", "a D-1 0-2", "a D-3 2-3", "a no one 3-4", "a no one 4-5", "a D-2 5-now", "b D-9 1-now")
		r.give(s, nil, shift("2", "D-2", -5))
		r.expectStated(conn, "moved back", "a D-2 -5-0", "a D-1 0-2", "a D-3 2-3", "a no one 3-4", "a no one 4-now", "b D-9 1-now")
		r.give(s, nil, shift("6", "D-6", 4))
		r.expectStated(conn, "at the same time", "a D-2 -5-0", "a D-1 0-2", "a D-3 2-3", "a no one 3-4", "a no one 4-4", "a D-6 4-now", "b D-9 1-now")
	})
}

// TestBadAssignments has a vendor whose assignments overlap, end before they begin, are of the
// future or of before the connection, and name unknown drivers and devices.
func TestBadAssignments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "bad", "a")
		r.run()
		unlisted, nowhere, nameless := shift("1", "D-1", 0, 10), shift("1", "D-1", 0, 10), shift("", "D-1", 0, 10)
		unlisted.SystemDeviceID, nowhere.SystemDeviceID = "n\x00ew", ""
		odd := shift("o\x00dd", "D-\x005", 3, 4)
		odd.Method = "telepathy"
		r.give(s, nil, shift("1", "D-1", 0, 30), shift("2", "D-2", 10, 40), shift("3", "D-3", 20, 10), shift("4", "D-4", 9000), odd,
			shift("6", "NoDriverId", 0, 10), shift("7", "D-7", -9000, -8000), shift("8", "D-8", -9000, -2870), shift("9", "D-9", 5, 5),
			unlisted, nowhere, nameless)
		r.expectStated(conn, "stored", "a D-1 0-30", "a D-2 10-40", "a D-5 3-4", "a D-8 -2880--2870", "new D-1 0-10")
		r.expectDrove(conn, "in order", "D-1 0-10 app", "D-2 10-40 app")
		const words = "1 assignments of the provider end before they begin, and are not stored."
		if !slices.ContainsFunc(r.health(conn).Jobs, func(j drover.JobHealth) bool { return deref(j.LastError) == words }) {
			t.Errorf("no job says that one is missing: %+v", r.health(conn).Jobs)
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestTooManyAssignments has a vendor that states 50,000, in both of the forms and the one twice: all
// are stored, and none doubled.
func TestTooManyAssignments(t *testing.T) {
	t.Parallel()
	for times, changes := range map[int]bool{2: false, 1: true} {
		t.Run(fmt.Sprint("changes ", changes), func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				const n = 50_000
				s, conn := r.stating(changes, "flood", "a", "b")
				r.run()
				flood := make([]provider.Assignment, n)
				for i := range flood {
					at := drover.At(noon.Add(-time.Hour + time.Duration(i)*50*time.Millisecond))
					flood[i] = provider.Assignment{
						SystemDeviceID: "a", ID: fmt.Sprint(i), DriverID: new(fmt.Sprint("D-", i)), From: at, To: new(drover.At(at.Add(50 * time.Millisecond))),
					}
				}
				for range times {
					slices.Reverse(flood)
					r.give(s, &provider.Span{From: noon.AddDate(0, 0, -1), To: noon}, flood...)
					if got := len(r.statedOf(conn)); got != n {
						t.Errorf("%d are stored, want %d", got, n)
					}
				}
				s.next(at("a", noon.Add(time.Minute), 48, 11))
				r.clock.Advance(time.Minute)
				r.run()
				r.expectState(conn, drover.ConnectionHealthy)
			})
		})
	}
}

// TestAssignmentsWithTrips merges what the vendor states with what trips say, by the order of belief.
func TestAssignmentsWithTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := r.stubInfo()
		info.Assignments = &provider.Assignments{Besides: provider.Besides{Every: 5 * time.Minute}}
		r.options.Providers[stubName] = info
		s, conn := r.stub("merged", noon.Add(-48*time.Hour), []string{"a"}, native)
		r.run()
		s.mu.Lock()
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			page := provider.Page[provider.Trip]{Cursor: "x"}
			if q.Live() {
				page.Records = []provider.Trip{{
					SystemDeviceID: "a", SystemTripID: "t", StartTime: drover.At(noon), EndTime: drover.At(noon.Add(time.Hour)), DriverID: new("D-1"),
				}}
			}
			return page, nil
		}
		s.mu.Unlock()
		standing, shown := shift("s", "D-3", -6000), shift("c", "D-2", 30, 45)
		standing.Method, shown.Method = drover.ByStatic, drover.ByCard
		s.stateNext(nil, standing, shown)
		r.clock.Advance(2 * time.Hour)
		r.run()
		r.expectDrove(conn, "merged", "D-3 -2880-0 static", "D-1 0-30 unknown", "D-2 30-45 card", "D-1 45-60 unknown", "D-3 60-now static")
		of := func(driver string) []drover.DriverAssignment {
			t.Helper()
			return r.droveBy(conn, driver, noon, noon.Add(3*time.Hour))
		}
		if got := of("D-2"); len(got) != 1 || got[0].Method != drover.ByCard {
			t.Errorf("by the driver: %+v", got)
		}
		if got := r.droveBy(conn, "D-3", noon.Add(-30*time.Hour), noon.Add(-20*time.Hour)); len(got) != 1 || afterNoon(&got[0].StartTime) != "-2880" {
			t.Errorf("by the driver, of a part: %+v", got)
		}
	})
}

// droveBy asks for the assignments of a driver, whom the connection lists.
func (r *rig) droveBy(conn drover.Connection, driver string, from, to time.Time) []drover.DriverAssignment {
	r.t.Helper()
	d, listed := r.drivers(conn)[driver]
	if !listed {
		d = drover.Driver{ID: store.NewID(), ConnectionID: conn.ID, SystemDriverID: driver}
		err := r.store.Update(r.t.Context(), func(tx *store.Tx) error {
			return tx.Drivers.AddDrivers(r.t.Context(), r.principal.TenantID, []drover.Driver{d}, drover.At(noon))
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	list, err := r.fleet.Drivers.Assignments(r.t.Context(), r.principal, drover.AssignmentFilter{
		DriverID: d.ID, From: drover.At(from), To: new(drover.At(to)),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// TestDriverNow has the vendor state who drives: that goes before the position, which must be a
// new one.
func TestDriverNow(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "now", "a")
		r.run()
		now := func() string {
			t.Helper()
			list, err := r.fleet.Drivers.DeviceDriver(t.Context(), r.principal, r.devices(conn)["a"].ID)
			if err != nil {
				t.Fatal(err)
			}
			var text []string
			for _, a := range list {
				text = append(text, fmt.Sprint(a.SystemDriverID, " ", a.Method, " ", a.EndTime == nil, " ", a.ConnectionID == conn.ID))
			}
			return strings.Join(text, ", ")
		}
		expect := func(what, want string) {
			t.Helper()
			if got := now(); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		r.give(s, nil, shift("1", "D-2", 0))
		expect("without a position", "")
		s.next(at("a", noon.Add(6*time.Minute), 48, 11))
		r.clock.Advance(2 * time.Minute)
		r.run()
		expect("the position names no one", "D-2 app true true")
		p := at("a", noon.Add(8*time.Minute), 48, 11)
		p.DriverID = new("D-1")
		s.next(p)
		r.clock.Advance(2 * time.Minute)
		r.run()
		expect("the position names another", "D-2 app true true")
		r.give(s, nil, shift("1", "D-2", 0, 7))
		expect("it has ended", "D-1 derived true true")
		r.clock.Advance(3 * time.Hour)
		expect("long ago", "")
	})
}

// TestAssignmentsOfOthers reads one that lasts longer than trips are read around it: from its
// beginning where no one else drove, else from where they are read.
func TestAssignmentsOfOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "long", "a")
		r.run()
		r.clock.Advance(20 * 24 * time.Hour)
		r.run()
		r.give(s, nil, shift("1", "D-1", 0))
		read := func() string {
			t.Helper()
			got := r.droveBy(conn, "D-1", noon.AddDate(0, 0, 10), noon.AddDate(0, 0, 11))
			if len(got) != 1 {
				t.Fatalf("%+v", got)
			}
			return afterNoon(&got[0].StartTime) + "-" + afterNoon(got[0].EndTime)
		}
		const day = 24 * 60
		if got := read(); got != "0-now" {
			t.Errorf("alone it is %s", got)
		}
		r.give(s, nil, shift("2", "D-1", 2*day, 3*day))
		if got := read(); got != "0-now" {
			t.Errorf("with the same driver it is %s", got)
		}
		r.give(s, nil, shift("3", "D-2", 15*day, 16*day))
		if got, want := read(), fmt.Sprintf("%d-%d", 8*day, 13*day); got != want {
			t.Errorf("with another driver later it is %s, want %s", got, want)
		}
		r.give(s, nil, shift("3", "D-2", 3*day, 4*day))
		if got, want := read(), fmt.Sprintf("%d-%d", 8*day, 13*day); got != want {
			t.Errorf("with another driver before it is %s, want %s", got, want)
		}
	})
}

// TestErasedAssignments replaces a driver by a pseudonym, which stays where the vendor states the
// driver again.
func TestErasedAssignments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "erased", "a")
		r.run()
		list := []provider.Assignment{shift("1", "D-1", 0), shift("2", "D-2", -9, -3), shift("3", "D-1", -3, -1)}
		r.give(s, nil, list...)
		err := r.store.Update(t.Context(), func(tx *store.Tx) error {
			n, err := tx.Drivers.RenameAssigned(t.Context(), r.principal.TenantID, work.NewRename("D-1", drover.ErasedDriver+"x"))
			if n != 2 {
				t.Errorf("%d are renamed, want 2", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		list[0] = shift("1", "D-1", 0, 4)
		r.give(s, nil, list...)
		r.expectStated(conn, "stated again", "a D-2 -9--3", "a erased-x -3--1", "a erased-x 0-4")
	})
}

// TestDriversOfAssignmentsWhoseIDsChange has a vendor that gives its drivers other ids, in what it
// states too: the same assignments have them then, and are not doubled.
func TestDriversOfAssignmentsWhoseIDsChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "renamed", "a")
		r.run()
		r.give(s, nil, shift("1", "D-1", 0), shift("2", "D-2", -9, -3))
		r.give(s, nil, shift("1", "E-1", 0), shift("2", "E-2", -9, -3))
		r.expectStated(conn, "with other ids", "a E-1 0-now", "a E-2 -9--3")
	})
}

// TestAssignmentsThatAreWithheld has a vendor that does not let the account read who drove: that is
// a fact of the connection's coverage and no failure, and is over when it may.
func TestAssignmentsThatAreWithheld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stating(false, "withheld", "a")
		s.stated = func(context.Context, provider.Query) (provider.Page[provider.Assignment], error) {
			return provider.Page[provider.Assignment]{}, &provider.StatusError{Status: http.StatusForbidden}
		}
		r.run()
		r.expectOffer(conn, drover.FieldAssignment, drover.OfferRefused, "a scope")
		r.expectState(conn, drover.ConnectionHealthy)
		s.stateNext(nil)
		r.clock.Advance(7 * time.Hour)
		r.run()
		r.expectOffer(conn, drover.FieldAssignment, drover.OfferNative, "")
	})
}

// TestAssignmentsToTheEndOfACollection ends what is stated with the collection.
func TestAssignmentsToTheEndOfACollection(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string]bool{"shifts": false, "changes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				info := r.stubInfo()
				info.Assignments = &provider.Assignments{Besides: provider.Besides{Every: 5 * time.Minute}, Changes: changes}
				r.options.Providers[stubName] = info
				s, conn := r.stub("ends", noon.Add(-48*time.Hour), []string{"a"}, func(in *drover.ConnectionInput) {
					in.CollectionEndTime = new(drover.At(noon.Add(30 * time.Minute)))
				})
				r.run()
				r.clock.Advance(40 * time.Minute)
				r.run()
				r.give(s, nil, shift("1", "D-1", 0), shift("2", "D-2", 35))
				r.expectStated(conn, "stored", "a D-1 0-30")
			})
		})
	}
}
