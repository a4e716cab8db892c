package trip_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/trip"
)

// TestChosenRules holds that what was set is what trips are derived by, in seconds and
// metres.
func TestChosenRules(t *testing.T) {
	t.Parallel()
	if got := trip.RulesOf(trip.Effective()); got != trip.DefaultRules() {
		t.Errorf("where nothing was set the rules are %+v", got)
	}
	set := trip.Effective().Narrow(drover.TripRules{
		StopSeconds: new(61), IdleSeconds: new(602), GapSeconds: new(303), RadiusMetres: new(44.5), MinDistanceMetres: new(505.5),
	}, drover.FromDevice)
	want := trip.Rules{StopAfter: 61 * time.Second, IdleAfter: 602 * time.Second, Gap: 303 * time.Second, PlaceMetres: 44.5, MinTripMetres: 505.5}
	if got := trip.RulesOf(set); got != want {
		t.Errorf("the rules are %+v, want %+v", got, want)
	}
}
