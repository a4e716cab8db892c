package samsara

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
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

// TestDaysOfAssignments reads from the beginning day by day, then the last day in each round, and
// once a day the last eight, each as all that there is of it.
func TestDaysOfAssignments(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)
	var asked []string
	p, err := Info.New(provider.Config{
		Credentials: provider.Credentials{"api_token": "t"}, Now: func() time.Time { return now },
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			asked = append(asked, req.URL.Query().Get("startTime")[8:13]+" "+req.URL.Query().Get("endTime")[8:13])
			return providertest.Answer(`{"data":[],"pagination":{"endCursor":"","hasNextPage":false}}`)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	q := provider.Query{From: now.Add(-60 * time.Hour)}
	round := func(what string, want ...string) {
		t.Helper()
		asked = nil
		for more := true; more; {
			page, err := p.(provider.AssignmentReader).Assignments(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			last := asked[len(asked)-1]
			if page.Whole == nil || page.Whole.From.Format("02T15")+" "+page.Whole.To.Format("02T15") != last {
				t.Errorf("%s: the page of %s is whole from %v", what, last, page.Whole)
			}
			q.Cursor, more = page.Cursor, page.More
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	round("first", "10T00 11T00", "11T00 12T00", "12T00 12T12")
	round("again", "11T12 12T12")
	now = now.Add(25 * time.Hour)
	round("a day later", "11T12 12T12", "12T12 13T12", "13T12 13T13")
	now = now.Add(time.Hour)
	round("as far as it began", "10T00 11T00", "11T00 12T00", "12T00 13T00", "13T00 13T14")
	round("and again", "12T14 13T14")
}
