package collect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
)

// TestDevicesAreHeldToTheBoundsOfTheInterface has a vendor report what a tenant could
// not set: a record that is read must be one that can be sent back.
func TestDevicesAreHeldToTheBoundsOfTheInterface(t *testing.T) {
	t.Parallel()
	edge, past := strings.Repeat("ü", 255), strings.Repeat("ü", 256)
	records := []provider.Device{
		{SystemDeviceID: "edge", Description: &edge, Registration: &edge, Make: &edge, Model: &edge, Year: new(1900)},
		{SystemDeviceID: "past", Description: &past, Registration: &past, Make: &past, Model: &past, Year: new(1899)},
		{SystemDeviceID: "new", Year: new(2200)},
		{SystemDeviceID: "far", Year: new(2201)},
	}
	cleanDevices(records)
	want := []provider.Device{
		{SystemDeviceID: "edge", Description: &edge, Registration: &edge, Make: &edge, Model: &edge, Year: new(1900)},
		{SystemDeviceID: "past", Description: &edge, Registration: &edge, Make: &edge, Model: &edge},
		{SystemDeviceID: "new", Year: new(2200)},
		{SystemDeviceID: "far"},
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("cleanDevices (-want +got):\n%s", diff)
	}
}
