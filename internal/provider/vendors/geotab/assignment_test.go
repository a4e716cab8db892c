package geotab

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestDriverChanges reads changes of drivers in the vendor's shape.
func TestDriverChanges(t *testing.T) {
	t.Parallel()
	const rest = `"id":"b1","device":{"id":"b1A"},"dateTime":"2026-05-03T11:02:10.000Z"`
	for payload, want := range map[string]string{
		`{` + rest + `,"type":"DriverKey","driver":{"id":"b7","isDriver":true}}`:                          "b1A b1 b7 card",
		`{` + rest + `,"type":"Driver","driver":{"id":"b7"}}`:                                             "b1A b1 b7 unknown",
		`{` + rest + `,"type":"None","driver":"UnknownDriverId"}`:                                         "b1A b1  unknown",
		`{` + rest + `,"type":"Driver","driver":"NoDriverId"}`:                                            "b1A b1  unknown",
		`{"id":"b1","dateTime":"2026-05-03T11:02:10.000Z","type":"Driver","driver":{"id":"b7"}}`:          "",
		`{"id":"b1","device":{"id":"b1A"},"dateTime":"9999-12-31T00:00:00.000Z","driver":{"id":"b7"}}`:    "",
		`{"device":{"id":"b1A"},"dateTime":"2026-05-03T11:02:10.000Z","type":"Key","driver":{"id":"b7"}}`: "",
	} {
		var c driverChange
		if err := json.Unmarshal([]byte(payload), &c); err != nil {
			t.Fatal(err)
		}
		got := ""
		if a, ok := c.assignment(); ok {
			driver := ""
			if a.DriverID != nil {
				driver = *a.DriverID
			}
			got = fmt.Sprint(a.SystemDeviceID, " ", a.ID, " ", driver, " ", a.Method)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
