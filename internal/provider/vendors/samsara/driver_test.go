package samsara

import (
	"encoding/json"
	"testing"
	"time"
)

// TestAssignmentsThatOverlap names who drove where the vendor has several: who is assigned to a
// vehicle for good gives way to someone who signed in, a card to the tachograph, and of two that are
// believed alike the one that began last holds.
func TestAssignmentsThatOverlap(t *testing.T) {
	t.Parallel()
	row := func(driver, kind, from, to string, passenger string) string {
		return `{"driver":{"id":"` + driver + `"},"vehicle":{"id":"7"},"assignmentType":"` + kind + `","isPassenger":` + passenger +
			`,"startTime":"2026-05-04T` + from + `:00Z","endTime":"` + to + `"}`
	}
	const never = "" // it lasts
	for name, test := range map[string]struct{ rows, want string }{
		"one":               {row("a", "static", "06:00", never, "false"), "a"},
		"standing, later":   {row("a", "driverApp", "06:00", never, "false") + "," + row("b", "static", "11:00", never, "false"), "a"},
		"standing, earlier": {row("a", "static", "06:00", never, "false") + "," + row("b", "HOS", "11:00", never, "false"), "b"},
		"standing, alone":   {row("a", "static", "06:00", never, "false") + "," + row("b", "HOS", "06:00", "2026-05-04T11:00:00Z", "false"), "a"},
		"alike":             {row("a", "idCard", "11:00", never, "false") + "," + row("b", "faceId", "06:00", never, "false"), "a"},
		"tachograph":        {row("a", "idCard", "11:00", never, "false") + "," + row("b", "tachograph", "06:00", never, "false"), "b"},
		"an unknown word":   {row("a", "telepathy", "06:00", never, "false") + "," + row("b", "static", "11:00", never, "false"), "a"},
		"no word":           {row("a", "", "06:00", never, "false") + "," + row("b", "", "11:00", never, "false"), "b"},
		"a passenger":       {row("a", "static", "06:00", never, "false") + "," + row("b", "driverApp", "11:00", never, "true"), "a"},
		"over":              {row("a", "HOS", "06:00", "2026-05-04T11:00:00Z", "false"), ""},
	} {
		var rows []assignment
		if err := json.Unmarshal([]byte("["+test.rows+"]"), &rows); err != nil {
			t.Fatal(err)
		}
		got := ""
		if id := driverAt(byVehicle(rows)["7"], time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)); id != nil {
			got = *id
		}
		if got != test.want {
			t.Errorf("%s: %q drove, want %q", name, got, test.want)
		}
	}
}
