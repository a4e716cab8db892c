package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/quota"
)

// TestDeletedRowsAreDescribed: the document names, for each list of changes, the schema of a
// row whose record is gone, so that generated clients have it as a type, in the keys that
// are answered.
func TestDeletedRowsAreDescribed(t *testing.T) {
	t.Parallel()
	text, err := Document("")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			DeletedRow *struct {
				Ref string `json:"$ref"`
			} `json:"x-deleted-row"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]struct {
				Required   []string       `json:"required"`
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	at := drover.At(time.Unix(1_800_000_000, 0))
	answered, err := json.Marshal(drover.Change{ID: "x", DeletedAt: &at})
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(answered, &keys); err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, methods := range document.Paths {
		for _, o := range methods {
			if o.DeletedRow == nil {
				continue
			}
			described = append(described, path)
			schema := document.Components.Schemas[strings.TrimPrefix(o.DeletedRow.Ref, "#/components/schemas/")]
			for _, said := range [][]string{schema.Required, slices.Collect(maps.Keys(schema.Properties))} {
				slices.Sort(said)
				if diff := cmp.Diff(slices.Sorted(maps.Keys(keys)), said); diff != "" {
					t.Errorf("%s: the keys of a deleted row (-answered +described):\n%s", o.ID, diff)
				}
			}
		}
	}
	slices.Sort(described)
	want := []string{"/connection", "/device", "/driver", "/fault", "/milestone", "/reading", "/safety-event", "/stop", "/trip"}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("the lists of changes (-want +described):\n%s", diff)
	}
}

// TestChangesThatAreNotRead sends a long page of changes to a receiver who takes nothing, as
// one does until the time of an answer has passed: it holds no turn at a processor meanwhile,
// and gives its memory back then.
func TestChangesThatAreNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := quota.New(quota.Config{Size: 1})
		s := &server{Options: Options{Memory: quota.New(quota.Config{Size: 1 << 20})}}
		turn, err := turns.Take(t.Context(), "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		receiver := &silentReceiver{ResponseWriter: httptest.NewRecorder(), cut: make(chan struct{})}
		c := &call{
			Context: t.Context(), Request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/trip?sort=updated_at", http.NoBody),
			w: receiver, principal: drover.Principal{TenantID: "a"}, turn: turn,
		}
		list := page[drover.Trip]{next: "next"}
		for range 1000 {
			list.changes = append(list.changes, drover.Change{Record: drover.Trip{ID: strings.Repeat("x", 36)}})
		}
		ended := make(chan error)
		go func() { ended <- s.write(c, list) }()
		synctest.Wait()
		if held := turns.Held("a"); held != 0 {
			t.Errorf("it holds %d turns while no one reads", held)
		}
		if s.Memory.Held("a") == 0 {
			t.Error("it holds no memory while no one reads: the test would not see that it gives some back")
		}
		_ = receiver.SetWriteDeadline(time.Unix(1, 0)) // as the server does
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if held := s.Memory.Held("a"); held != 0 {
			t.Errorf("%d bytes were not given back", held)
		}
	})
}
