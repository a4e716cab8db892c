package guard_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// TestPositionsAreReadWithLeave holds that the linter refuses each call of the store that answers with
// positions, or with readings, without asking who may read them: use cases cannot but take a
// guard.Positions or a guard.Readings.
func TestPositionsAreReadWithLeave(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ *- pattern: (\^\(history.*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("the linter has no such rule")
	}
	forbidden, err := regexp.Compile(string(line[1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, reads := range []struct {
		from    any
		methods string
	}{
		{history.Reader{}, "Positions Chunk PackedPositions JourneysOf JourneysBeside JourneysElsewhere"},
		{&history.History{}, "Positions Chunk PackedPositions JourneysOf JourneysBeside JourneysElsewhere"},
		{history.Writer{}, "Positions Chunk PackedPositions JourneysOf JourneysBeside JourneysElsewhere"},
		{store.TripsReader{}, "OpenStops Predictions StopsTouching StopsStarting RoadsOf"},
		{store.TripsTx{}, "OpenStops Predictions StopsTouching StopsStarting RoadsOf"},
		{store.FleetReader{}, "LatestPosition LatestState"},
		{store.FleetTx{}, "LatestPosition LatestState"},
		{store.VehiclesReader{}, "Readings DeviceReadings"},
		{store.VehiclesTx{}, "Readings DeviceReadings"},
		{&store.Store{}, "NewestPositions"},
		{&track.Tracker{}, "View"},
	} {
		from := reflect.TypeOf(reads.from)
		for name := range strings.FieldsSeq(reads.methods) {
			if _, ok := from.MethodByName(name); !ok {
				t.Errorf("%s has no %s", from, name)
			}
			if call := strings.TrimPrefix(from.String(), "*") + "." + name; !forbidden.MatchString(call) {
				t.Errorf("%s may be called without leave", call)
			}
		}
	}
	leave := reflect.TypeFor[guard.Positions]()
	for m := range leave.Methods() {
		if call := leave.String() + "." + m.Name; forbidden.MatchString(call) {
			t.Errorf("%s may not be called with leave", call)
		}
	}
}
