package sim_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

func TestAccountShowsWhatHasArrived(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 3, Late: 6 * time.Minute})
	now := monday
	account := sim.NewAccount(fleet, func() time.Time { return now }, nil)
	v := account.Vehicles()[0]
	held := 0
	for range 24 * 60 {
		now = now.Add(time.Minute)
		latest, ok := account.Latest(v)
		if !ok || latest.Received.After(now) {
			t.Fatalf("latest at %v is received at %v", now, latest.Received)
		}
		have := len(account.Positions(v, monday, now.AddDate(0, 0, 1)))
		held += len(fleet.Positions(v, monday, now.Add(-3*time.Second))) - have
		arrived := account.Arrived(v, monday.Add(10*time.Minute), now.AddDate(0, 0, 1))
		if len(arrived) > have {
			t.Fatalf("%d records arrived, %d are there", len(arrived), have)
		}
	}
	if held <= 0 {
		t.Error("no record was ever late")
	}
	for _, trip := range account.Trips(v, monday, now.AddDate(0, 0, 1)) {
		if trip.EndTime.After(now) {
			t.Errorf("a trip that ends at %v is there at %v", trip.EndTime, now)
		}
	}
}

func TestAccountCredentials(t *testing.T) {
	t.Parallel()
	now := monday
	account := sim.NewAccount(sim.New(sim.Options{}), func() time.Time { return now }, map[string]string{"key": "right"})
	if !account.Accepts("key", "right") || account.Accepts("key", "wrong") || account.Accepts("other", "") {
		t.Error("accepts other than the credentials it has")
	}
	fresh := account.Rotate("key")
	if account.Accepts("key", "right") || !account.Accepts("key", fresh) {
		t.Error("a rotated credential does not replace the old one")
	}
	a, b := account.Login(time.Hour), account.Login(2*time.Hour)
	now = now.Add(time.Hour)
	if account.LoggedIn(a) || !account.LoggedIn(b) || account.LoggedIn("") {
		t.Error("sessions do not last for their lifetime")
	}
	account.EndSessions()
	if account.LoggedIn(b) || len(account.Tokens()) != 2 {
		t.Error("an ended session is good")
	}
}

func TestAccountFindsVehicles(t *testing.T) {
	t.Parallel()
	account := sim.NewAccount(sim.New(sim.Options{}), nil, nil)
	want := account.Vehicles()[3]
	if got, ok := account.Vehicle(want.ID, nil); !ok || got.Index != 3 {
		t.Errorf("by id: %v, %t", got.Index, ok)
	}
	if got, ok := account.Vehicle(want.VIN, func(v sim.Vehicle) string { return v.VIN }); !ok || got.Index != 3 {
		t.Errorf("by VIN: %v, %t", got.Index, ok)
	}
	if _, ok := account.Vehicle("?", nil); ok {
		t.Error("an unknown id finds a vehicle")
	}
}
