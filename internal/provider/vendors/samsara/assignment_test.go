package samsara

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStated reads assignments in the vendor's shape: what they are known by does not name the
// driver, and stays the same in whatever order they come.
func TestStated(t *testing.T) {
	t.Parallel()
	const vehicle = `"vehicle":{"id":"281"},"assignedAtTime":""`
	rows := []string{
		`{"startTime":"2026-07-20T08:00:00Z","endTime":"2026-07-20T17:00:00Z","assignmentType":"HOS","isPassenger":false,"driver":{"id":"8"},` + vehicle + `}`,
		`{"startTime":"2026-07-20T08:00:00Z","assignmentType":"HOS","isPassenger":false,"driver":{"id":"7"},` + vehicle + `}`,
		`{"startTime":"2026-07-20T08:00:00Z","assignmentType":"HOS","isPassenger":false,"driver":{"id":"7"},` + vehicle + `}`,
		`{"startTime":"2026-07-20T08:00:00Z","endTime":"","assignmentType":"static","isPassenger":false,"driver":{"id":"9"},` + vehicle + `}`,
		`{"startTime":"2026-07-20T08:00:00Z","assignmentType":"HOS","isPassenger":true,"driver":{"id":"6"},` + vehicle + `}`,
		`{"startTime":"","assignmentType":"HOS","isPassenger":false,"driver":{"id":"5"},` + vehicle + `}`,
		`{"startTime":"2026-07-20T08:00:00Z","assignmentType":"HOS","isPassenger":false,"driver":{"id":"4"}}`,
		`{"startTime":"2026-07-20T09:00:00Z","assignmentType":"telepathy","isPassenger":false,"driver":{"id":"3"},` + vehicle + `}`,
	}
	want := map[string]string{
		"2026-07-20T08:00:00Z HOS":       "7 hos false",
		"2026-07-20T08:00:00Z HOS 2":     "8 hos true",
		"2026-07-20T08:00:00Z static":    "9 static false",
		"2026-07-20T09:00:00Z telepathy": "3 unknown false",
	}
	for turn := range rows {
		var list []assignment
		for i := range rows {
			var a assignment
			if err := json.Unmarshal([]byte(rows[(i+turn)%len(rows)]), &a); err != nil {
				t.Fatal(err)
			}
			list = append(list, a)
		}
		got := map[string]string{}
		for _, a := range stated(list) {
			got[a.ID] += fmt.Sprint(*a.DriverID, " ", a.Method, " ", a.To != nil)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from the row %d on (-want +got):\n%s", turn, diff)
		}
	}
}
