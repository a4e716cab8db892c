package contract_test

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/store"
)

// changing is a list whose records can be added and taken away.
type changing struct {
	path string
	name string // what fresh makes
	id   string // the field of a row that names it; id where it is empty
	drop func(t *testing.T, s *service, id string)
}

// changingLists are all lists that are paged, but for those in unchanging.
func changingLists() map[string]changing {
	byAPI := func(path string) func(t *testing.T, s *service, id string) {
		return func(t *testing.T, s *service, id string) {
			t.Helper()
			got := s.send(t, request{method: http.MethodDelete, path: path + id, header: s.authorized(t, wanda)})
			if got.status != http.StatusNoContent {
				t.Fatalf("DELETE %s%s: status %d, %s", path, id, got.status, got.body)
			}
		}
	}
	return map[string]changing{
		"listDevices": {path: "/device", name: "new_device", drop: func(t *testing.T, s *service, id string) {
			t.Helper()
			s.update(t, func(tx *store.Tx) error { return tx.EraseDevice(t.Context(), s.ids["work"], id) })
		}},
		"listTrips": {path: "/trip", name: "new_trip", drop: func(t *testing.T, s *service, id string) {
			t.Helper()
			s.update(t, func(tx *store.Tx) error {
				trip, err := tx.Trip(t.Context(), s.ids["work"], id)
				if err != nil {
					return err
				}
				return tx.DropTrip(t.Context(), trip)
			})
		}},
		"listMilestones":       {path: "/milestone", name: "new_milestone", drop: byAPI("/milestone/")},
		"listMilestoneUpdates": {path: "/milestone/update", name: "new_milestone", id: "milestone_id", drop: byAPI("/milestone/")},
		"listWebhooks":         {path: "/webhook", name: "new_webhook", drop: byAPI("/webhook/")},
		"listConnections": {path: "/connection", name: "new_conn", drop: func(t *testing.T, s *service, id string) {
			t.Helper()
			s.update(t, func(tx *store.Tx) error {
				_, err := tx.EraseConnection(t.Context(), store.Purge{TenantID: s.ids["work"], ConnectionID: id})
				return err
			})
		}},
		"listUsers":           {path: "/user", name: "new_user", drop: byAPI("/user/")},
		"listAPIKeys":         {path: "/api-key", name: "new_key", drop: byAPI("/api-key/")},
		"listConnectionLinks": {path: "/connection-link", name: "new_link", drop: byAPI("/connection-link/")},
		"listAllShares":       {path: "/share", name: "new_share", drop: byAPI("/share/")},
		"listExports": {path: "/export", name: "new_export", drop: func(t *testing.T, s *service, id string) {
			t.Helper()
			s.update(t, func(tx *store.Tx) error { return tx.DropExport(t.Context(), s.ids["work"], id) })
		}},
	}
}

// unchanging are paged lists whose records are only ever added at one end, or of which
// a test of its own has the changes.
var unchanging = map[string]string{
	"listAudit":               "only added to; walked in TestEveryOperation",
	"listEvents":              "a feed: TestFeed and the stream's own tests walk it while it grows",
	"listMilestoneEvents":     "a feed",
	"listMilestoneETAHistory": "by the time of the prediction, and only added to",
	"listDeliveries":          "by event, newest first: new ones come before the first page",
	"listAllDeliveries":       "by event, newest first: new ones come before the first page",
	"listDevicePositions":     "by time; TestHistory walks it against a plain table",
	"listStands":              "the same statement as that of trips; derived, never deleted by a caller",
	"listRecomputes":          "by id, never deleted",
	"listHistoryJobs":         "by id, never deleted",
}

// TestPagingUnderChange walks every list while records are added and taken away
// between its pages: each record that was there throughout is seen exactly once, in
// every order that the list has.
func TestPagingUnderChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		lists := changingLists()
		for _, o := range s.doc.operations() {
			if !slices.Contains(o.parameters("query"), "cursor") || unchanging[o.OperationID] != "" {
				continue
			}
			l, ok := lists[o.OperationID]
			if !ok {
				t.Errorf("say in changingLists how the records of %s change, or in unchanging why they do not", o.OperationID)
				continue
			}
			t.Run(o.OperationID, func(t *testing.T) { walkUnderChange(t, s, l, "limit=2") })
			if slices.Contains(o.parameters("query"), "order") {
				t.Run(o.OperationID+"/desc", func(t *testing.T) { walkUnderChange(t, s, l, "limit=2&order=desc") })
			}
			for _, sort := range o.values("sort") {
				t.Run(o.OperationID+"/"+sort, func(t *testing.T) { walkUnderChange(t, s, l, "limit=2&sort="+sort) })
			}
		}
	})
}

func walkUnderChange(t *testing.T, s *service, l changing, query string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	add := func() string { return s.fresh(t, l.name)[l.name] }
	throughout := map[string]bool{}
	var there []string
	for range 9 {
		id := add()
		there, throughout[id] = append(there, id), true
	}
	seen := map[string]int{}
	next := l.path + "?" + query
	for pages := 0; next != ""; pages++ {
		if pages > 1000 {
			t.Fatal("the list has no end")
		}
		page, header := get[[]map[string]any](t, s, wanda, next)
		for _, row := range page {
			id, _ := row[cmp.Or(l.id, "id")].(string)
			seen[id]++
		}
		if pages < 6 {
			there = append(there, add())
			i := random.IntN(len(there))
			l.drop(t, s, there[i])
			delete(throughout, there[i])
			there = slices.Delete(there, i, i+1)
		}
		next = strings.TrimPrefix(strings.Split(header.Get("Link"), ">")[0], "<")
	}
	for id := range throughout {
		if seen[id] != 1 {
			t.Errorf("a record that was there throughout was seen %d times", seen[id])
		}
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("%s was seen %d times", id, n)
		}
	}
	for _, id := range there { // the next walk of the same list is not longer for it
		l.drop(t, s, id)
	}
}
