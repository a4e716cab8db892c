package collect

import (
	"slices"
	"strconv"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
)

// notice is one of a mebibyte, for a connection with many devices.
func notice() (records []provider.Position, known []string) {
	for i := range 10_000 {
		records = append(records, provider.Position{SystemDeviceID: "unknown-" + strconv.Itoa(i)})
	}
	for i := range 100_000 {
		known = append(known, "device-"+strconv.Itoa(i))
	}
	return append(records, provider.Position{SystemDeviceID: "device-7"}), known
}

func TestRecordsOfKnownDevices(t *testing.T) {
	t.Parallel()
	records, known := notice()
	looked := 0
	counted := func(yield func(string) bool) {
		for _, id := range known {
			if looked++; !yield(id) {
				return
			}
		}
	}
	if got := ofDevices(records, counted); len(got) != 1 || got[0].SystemDeviceID != "device-7" {
		t.Errorf("%d records are kept", len(got))
	}
	if looked > len(known) {
		t.Errorf("%d devices were looked at %d times", len(known), looked)
	}
}

func BenchmarkRecordsOfKnownDevices(b *testing.B) {
	records, known := notice()
	for b.Loop() {
		ofDevices(slices.Clone(records), slices.Values(known))
	}
}
