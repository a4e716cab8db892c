package docs_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
)

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// TestEveryBodyIsShown holds that webhooks.md shows a body of every event.
func TestEveryBodyIsShown(t *testing.T) {
	t.Parallel()
	var shown []drover.EventType
	for _, m := range jsonBlock.FindAllStringSubmatch(read(t, "webhooks.md"), -1) {
		var body struct {
			Type      drover.EventType `json:"type"`
			Timestamp drover.Time      `json:"timestamp"`
			Sequence  *int64           `json:"sequence"`
			Data      map[string]any   `json:"data"`
		}
		if err := json.Unmarshal([]byte(m[1]), &body); err != nil {
			t.Errorf("%v: %s", err, m[1])
		}
		if (body.Sequence == nil) != (body.Type == drover.EventWebhookTest) || len(body.Data) == 0 {
			t.Errorf("%s is no body", m[1])
		}
		shown = append(shown, body.Type)
	}
	want := append(slices.Clone(drover.EventTypes), drover.EventWebhookTest)
	slices.Sort(want)
	slices.Sort(shown)
	if !slices.Equal(shown, want) {
		t.Errorf("bodies of %v are shown, want %v", shown, want)
	}
}
