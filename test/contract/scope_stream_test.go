package contract_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

// publicReads are the operations that read without a login, and whether they show by a link
// what is shared with the tenant that made it: then only as long as the tenant sees it.
var publicReads = map[string]bool{
	"/public/link/{link_token}":          false,
	"/public/share/{share_token}":        true,
	"/public/share/{share_token}/stream": true,
}

// TestScopesOfPublicRoutes holds that each operation that reads without a login is known.
func TestScopesOfPublicRoutes(t *testing.T) {
	t.Parallel()
	for _, o := range api.Operations() {
		if _, known := publicReads[o.Path]; o.Method == http.MethodGet && o.Public && !known {
			t.Errorf("GET %s: say in publicReads whether it shows what is shared", o.Path)
		}
	}
}

// mark ends gamma's feed with an event of its own, and returns its sequence: anyone who has
// seen it has seen all.
func (w *scopeWorld) mark(t *testing.T) int64 {
	t.Helper()
	ctx := t.Context()
	e, err := drover.NewEvent(drover.EventWebhookDisabled, drover.At(present), drover.WebhookDisabled{Reason: "a mark"})
	if err != nil {
		t.Fatal(err)
	}
	w.update(t, func(tx *store.Tx) error { return journal.Append(ctx, tx, w.ids["gamma"], []drover.Event{e}) })
	last, err := w.app.Store.Feed.LastEvent(ctx, w.ids["gamma"])
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// checkStreams reads gamma's feed as a stream and as a long poll, and what its link shows.
func (w *scopeWorld) checkStreams(t *testing.T) {
	t.Helper()
	last := w.mark(t)
	for _, o := range w.doc().operations() {
		if o.method != http.MethodGet || !o.streams() || o.public() {
			continue
		}
		s, known := sharedBy[o.path]
		if !known {
			t.Errorf("%s: say in sharedBy what it shows of what is shared", o)
			continue
		}
		w.check(t, o.String(), w.stream(t, o.path+"?last_event_id=0", w.authorized(t, carol), strconv.FormatInt(last, 10)), s)
	}
	poll := w.send(t, request{method: http.MethodGet, path: "/event?wait=30&limit=1000", header: w.authorized(t, carol)})
	w.check(t, "a long poll", poll.body, sharedBy["/event"])
	seen := http.StatusNotFound
	if slices.Contains(w.scopes, drover.ScopePositions) {
		seen = http.StatusOK
	}
	journey := "/public/share/" + w.ids["gamma_share_token"]
	if resp := w.send(t, request{method: http.MethodGet, path: journey}); resp.status != seen {
		t.Errorf("a link to a milestone on a shared device: status %d, want %d: %s", resp.status, seen, cut(resp.body))
	}
	if seen == http.StatusOK {
		w.stream(t, journey+"/stream", map[string]string{}, "")
		return
	}
	if resp := w.send(t, request{method: http.MethodGet, path: journey + "/stream"}); resp.status != seen {
		t.Errorf("the stream of a link to a milestone on a shared device: status %d: %s", resp.status, cut(resp.body))
	}
}

// stream reads a stream up to the event with an id, and returns all of it.
func (w *scopeWorld) stream(t *testing.T, path string, header map[string]string, id string) string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	header["Accept"] = "text/event-stream"
	resp, err := w.client.Do(w.newRequest(t, ctx, w.server.URL, request{method: http.MethodGet, path: path, header: header}))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d", path, resp.StatusCode)
	}
	var text strings.Builder
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for {
		frame := readFrame(t, lines)
		text.WriteString(frame["data"] + "\n")
		if frame["id"] == id {
			return text.String()
		}
	}
}
