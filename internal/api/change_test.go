package api

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestDeletedRowsAreDescribed: the document says of each list of changes what a row is
// whose record is gone, in the keys that are answered.
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
				Required   []string       `json:"required"`
				Properties map[string]any `json:"properties"`
			} `json:"x-deleted-row"`
		} `json:"paths"`
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
			for _, said := range [][]string{o.DeletedRow.Required, slices.Collect(maps.Keys(o.DeletedRow.Properties))} {
				slices.Sort(said)
				if diff := cmp.Diff(slices.Sorted(maps.Keys(keys)), said); diff != "" {
					t.Errorf("%s: the keys of a deleted row (-answered +described):\n%s", o.ID, diff)
				}
			}
		}
	}
	slices.Sort(described)
	if diff := cmp.Diff([]string{"/connection", "/device", "/milestone", "/stop", "/trip"}, described); diff != "" {
		t.Errorf("the lists of changes (-want +described):\n%s", diff)
	}
}
