package contract_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// noFilterOfChanges is the answer to a list of changes with a filter.
var noFilterOfChanges = invalid("value_error", "Value error, a list of changes takes no other parameters than limit and cursor", "query",
	"sort")

// cursorElsewhere is a cursor of changes that another database has given.
func cursorElsewhere(kind drover.ChangeKind) string {
	return encodeCursor(drover.ChangeCursor{Kind: kind, Epoch: "elsewhere", ID: "00000000-0000-0000-0000-000000000000"})
}

func encodeCursor(place any) string {
	text, err := json.Marshal(place)
	if err != nil {
		panic(err) // a fault of the table
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// copied are the lists of changes.
var copied = map[string]drover.ChangeKind{
	"/connection": drover.ChangedConnections, "/device": drover.ChangedDevices, "/trip": drover.ChangedTrips, "/stop": drover.ChangedStops,
	"/milestone": drover.ChangedMilestones, "/driver": drover.ChangedDrivers, "/fault": drover.ChangedFaults,
	"/safety-event": drover.ChangedSafetyEvents, "/reading": drover.ChangedReadings,
}

// changesOf reads a page of changes, and the ids in it.
func (s *service) changesOf(t *testing.T, user, path, query string) (resp response, ids map[string]bool) {
	t.Helper()
	resp = s.send(t, request{method: http.MethodGet, path: path + "?sort=updated_at&" + query, header: s.authorized(t, user)})
	var body struct{ Data []struct{ ID string } }
	if resp.status == http.StatusOK {
		if err := json.Unmarshal([]byte(resp.body), &body); err != nil {
			t.Fatal(err)
		}
	}
	ids = map[string]bool{}
	for _, row := range body.Data {
		ids[row.ID] = true
	}
	return resp, ids
}

// TestForgedCursorsOfChanges goes on in lists of changes with the cursor of another tenant,
// with ones that were made by hand, and with one that is too old: no one sees more than its
// own list, and nothing is an error of the service.
func TestForgedCursorsOfChanges(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		for path, kind := range copied {
			first, _ := s.changesOf(t, alice, path, "limit=1")
			cursor := first.header.Get("X-Next-Cursor")
			resp, seen := s.changesOf(t, bob, path, "limit=1000&cursor="+cursor)
			// Asked for after it: changes of a moment ago may not be in the list yet.
			_, visible := s.changesOf(t, bob, path, "limit=1000")
			if resp.status != http.StatusOK && resp.status != http.StatusGone {
				t.Errorf("%s with a cursor of another tenant: status %d", path, resp.status)
			}
			for id := range seen {
				if !visible[id] {
					t.Errorf("%s with a cursor of another tenant shows %s", path, id)
				}
			}
			var real drover.ChangeCursor
			text, err := base64.RawURLEncoding.DecodeString(cursor)
			if err == nil {
				err = json.Unmarshal(text, &real)
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, forged := range map[string]struct {
				change func(c *drover.ChangeCursor)
				status int
			}{
				"NumberOfTheFuture": {func(c *drover.ChangeCursor) { c.Number = math.MaxInt64 }, 410},
				"BeginOfTheFuture":  {func(c *drover.ChangeCursor) { c.From = math.MaxInt64 }, 410},
				"NumberBelowAll":    {func(c *drover.ChangeCursor) { c.Number = math.MinInt64 }, 422},
				"BeginBelowAll":     {func(c *drover.ChangeCursor) { c.From = -1 }, 422},
				"NoID":              {func(c *drover.ChangeCursor) { c.ID = "' OR 1=1 --" }, 422},
				"NoKind":            {func(c *drover.ChangeCursor) { c.Kind = "" }, 422},
				"KindOfNothing":     {func(c *drover.ChangeCursor) { c.Kind = "user" }, 422},
				"OtherShares":       {func(c *drover.ChangeCursor) { c.Shares = "00" }, 410},
				"OtherEpoch":        {func(c *drover.ChangeCursor) { c.Epoch = strings.Repeat("x", 1000) }, 410},
			} {
				c := real
				forged.change(&c)
				if kind == drover.ChangedMilestones && name == "OtherShares" {
					continue // a tenant's milestones are its own
				}
				if resp, _ := s.changesOf(t, alice, path, "cursor="+encodeCursor(c)); resp.status != forged.status {
					t.Errorf("%s with %s: status %d, want %d", path, name, resp.status, forged.status)
				}
			}
			if resp, _ := s.changesOf(t, alice, path, "limit=1001"); resp.status != http.StatusUnprocessableEntity {
				t.Errorf("%s in pages of 1001: status %d", path, resp.status)
			}
		}
	})
}

// TestOldCursorOfChanges lets the horizon pass cursors: they are gone, and a new snapshot is
// not. PostgreSQL counts on only once no transaction of the whole server is under way that
// began before, so that this would wait for other tests there: TestChangesAfterATime does.
func TestOldCursorOfChanges(t *testing.T) {
	t.Parallel()
	s := newService(t, settings(t, "sqlite"))
	kept := map[string]string{}
	for path := range copied {
		end, _ := s.changesOf(t, alice, path, "limit=1000")
		kept[path] = "cursor=" + end.header.Get("X-Next-Cursor")
	}
	s.fresh(t, "new_device") // a later change
	for _, age := range []time.Duration{time.Hour, 31 * 24 * time.Hour} {
		s.update(t, func(tx *store.Tx) error {
			_, err := tx.Fleet.MarkChanges(t.Context(), drover.At(present.Add(age)), 30*24*time.Hour)
			return err
		})
		for path, cursor := range kept {
			resp, _ := s.changesOf(t, alice, path, cursor)
			if gone := resp.status == http.StatusGone && strings.Contains(resp.body, "take a new snapshot"); gone != (age > 24*time.Hour) {
				t.Errorf("%s with a cursor that is %s old: status %d, %s", path, age, resp.status, resp.body)
			}
			if resp, _ := s.changesOf(t, alice, path, "limit=1000"); resp.status != http.StatusOK {
				t.Errorf("%s from the beginning: status %d", path, resp.status)
			}
		}
	}
}
