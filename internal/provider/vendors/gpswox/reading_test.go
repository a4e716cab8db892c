package gpswox

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the attributes of a message in the forms in which servers write them.
func TestReadings(t *testing.T) {
	t.Parallel()
	want := map[string]float64{
		"odometer": 210454468, "hours": 9000, "fuelLevel": 71, "fuel": 284, "power": 13.9, "temp1": -18, "door": 1,
	}
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"other":"<info><odometer>210454468</odometer><hours>9000000</hours><fuelLevel>71</fuelLevel><fuel>284</fuel><power>13.9</power>` +
			`<battery>4.1</battery><temp1>-18</temp1><door>true</door></info>"}`: want,
		`{"other":"{\"odometer\":210454468,\"hours\":9000000,\"fuelLevel\":71,\"fuel\":284,\"power\":13.9,\"battery\":4.1,` +
			`\"temp1\":-18,\"door\":true}"}`: want,
		`{"other":{"odometer":"210454468","hours":"9000000","fuelLevel":"71","fuel":"284","power":"13.9","temp1":"-18","door":1}}`: want,
		`{"other":{"odometer":-1,"hours":"n/a","fuelLevel":255,"fuel":65535,"door":"ajar","totalDistance":4294967295}}`:            {},
		`{"other":null}`: {},
		`{}`:             {},
	}, func(m message) []provider.Reading { return provider.Readings(m, readings) })
}
