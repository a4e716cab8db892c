package contract_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	leastExport = `{"kind":"trip","format":"csv"}`
	// alphaExport is the one that is made with alpha.
	alphaExport = `{"id":"$export","kind":"trip","format":"csv","filters":{},"state":"done","progress_percent":100,"records":3,"bytes":"<any>","error":null,
		"created_at":"2024-05-02T10:15:30Z","started_at":"2024-05-02T10:15:30Z","finished_at":"2024-05-02T10:15:30Z","expires_at":"2024-05-09T10:15:30Z"}`
	newerExport = `{"id":"$newer_export","kind":"trip","format":"csv","filters":{},"state":"done","progress_percent":100,"records":3,"bytes":"<any>","error":null,
		"created_at":"2024-05-02T10:15:30Z","started_at":"2024-05-02T10:15:30Z","finished_at":"2024-05-02T10:15:30Z","expires_at":"2024-05-09T10:15:30Z"}`
	queuedExport = `{"id":"<uuid>","kind":"trip","format":"csv","filters":{},"state":"queued","progress_percent":0,"records":0,"bytes":0,"error":null,
		"created_at":"2024-05-02T10:15:30Z","started_at":null,"finished_at":null,"expires_at":null}`
)

func unknownExport(id string) string { return refusal(404, "Export with ID "+id+" not found") }

func exportRows() []row {
	read := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "GET", path: path, status: status, want: want}
	}
	post := func(name, body string, status int, want string) row {
		return row{name: name, as: wanda, method: "POST", path: "/export", body: body, status: status, want: want}
	}
	drop := func(name, user, path string, status int, want string) row {
		return row{name: name, as: user, method: "DELETE", path: path, status: status, want: want}
	}
	filters := func(kind, filters string) string {
		return `{"kind":"` + kind + `","format":"jsonl","filters":` + filters + `}`
	}
	extra := func(name string) string {
		return invalid("extra_forbidden", "Extra inputs are not permitted", "body", "filters", name)
	}
	return []row{
		read("List", alice, "/export", 200, list(newerExport, alphaExport)),
		read("ListForViewer", vera, "/export", 200, list(newerExport, alphaExport)),
		read("ListShared", carol, "/export", 200, list()),
		read("ListForeign", bob, "/export", 200, list()),
		read("ListBadCursor", alice, "/export?cursor=1", 422,
			invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")),
		read("Get", alice, "/export/$export", 200, data(alphaExport)),
		read("GetShared", carol, "/export/$export", 403, forbidden),
		read("GetUnknown", alice, "/export/$unknown", 404, unknownExport("$unknown")),
		read("GetNoID", alice, "/export/1", 404, unknownExport("1")),

		post("Create", leastExport, 200, data(queuedExport)),
		{name: "CreateByMember", as: will, method: "POST", path: "/export", body: leastExport, status: 200, want: data(queuedExport)},
		{name: "CreateByViewer", as: vera, method: "POST", path: "/export", body: leastExport, status: 403, want: forbidden},
		post("CreateWithFilters", `{"kind":"position","format":"parquet","filters":{"device_id":["$work_device"], "from":"2024-05-01T00:00:00Z","include_suspect":true}}`, 200,
			data(with(queuedExport, "kind", `"position"`, "format", `"parquet"`, "filters",
				`{"device_id":["$work_device"],"from":"2024-05-01T00:00:00Z","include_suspect":true}`))),
		post("CreateNullFilters", `{"kind":"trip","format":"csv","filters":null}`, 200, data(queuedExport)),
		post("CreateNoKind", `{"format":"csv"}`, 422, invalid("missing", "Field required", "body", "kind")),
		post("CreateNoFormat", `{"kind":"trip"}`, 422, invalid("missing", "Field required", "body", "format")),
		post("CreateBadKind", `{"kind":"webhook","format":"csv"}`, 422,
			invalid("enum", "Input should be 'device', 'position', 'trip', 'stop', 'milestone', 'event', 'reading', 'driver', 'fault' or 'safety_event'", "body", "kind")),
		post("CreateBadFormat", `{"kind":"trip","format":"xml"}`, 422,
			invalid("enum", "Input should be 'csv', 'jsonl', 'geojson' or 'parquet'", "body", "format")),
		post("CreateEventsAsGeoJSON", `{"kind":"event","format":"geojson"}`, 422,
			invalid("value_error", "Value error, events have no place, so there is no geojson of them", "body", "format")),
		post("CreateFaultsAsGeoJSON", `{"kind":"fault","format":"geojson"}`, 422,
			invalid("value_error", "Value error, faults have no place, so there is no geojson of them", "body", "format")),
		post("CreateReadings", filters("reading", `{"kind":["odometer_metres"],"every":60}`), 200,
			data(with(queuedExport, "kind", `"reading"`, "format", `"jsonl"`, "filters", `{"kind":["odometer_metres"],"every":60}`))),
		post("CreateFiltersNoObject", filters("trip", `"all"`), 422,
			invalid("dict_type", "Input should be a valid dictionary", "body", "filters")),
		post("CreateFilterUnknown", filters("trip", `{"colour":"red"}`), 422, extra("colour")),
		post("CreateFilterOfAnotherKind", filters("stop", `{"is_valid":true}`), 422, extra("is_valid")),
		post("CreateFilterNoTime", filters("trip", `{"from":"today"}`), 422, timeFault("body", "filters", "from")),
		post("CreateFilterOfObject", filters("device", `{"tag":{}}`), 422,
			invalid("string_type", "Input should be a valid string", "body", "filters", "tag")),
		post("CreateFilterTagLongest", filters("device", `{"tag":"`+strings.Repeat("a", 255)+`"}`), 200,
			data(with(queuedExport, "kind", `"device"`, "format", `"jsonl"`, "filters", `{"tag":"`+strings.Repeat("a", 255)+`"}`))),
		post("CreateFilterTagTooLong", filters("device", `{"tag":"`+strings.Repeat("a", 256)+`"}`), 422,
			invalid("string_too_long", "String should have at most 255 characters", "body", "filters", "tag")),

		{
			name: "DeleteCancels", as: wanda, method: "DELETE", path: "/export/$new_export", status: 204,
			then: []row{
				read("", wanda, "/export/$new_export", 200,
					data(with(queuedExport, "id", `"$new_export"`, "state", `"cancelled"`, "finished_at", `"2024-05-02T10:15:30Z"`, "expires_at",
						`"2024-05-09T10:15:30Z"`))),
				drop("", wanda, "/export/$new_export", 204, ""),
				drop("", wanda, "/export/$new_export", 404, unknownExport("$new_export")),
			},
		},
		drop("DeleteByViewer", vera, "/export/$export", 403, forbidden),
		drop("DeleteShared", carol, "/export/$export", 403, forbidden),
		drop("DeleteUnknown", wanda, "/export/$unknown", 404, unknownExport("$unknown")),

		read("FileOfQueued", wanda, "/export/$new_export/file", 409, refusal(409, "Export with ID $new_export is queued and has no file")),
		read("FileOfEndedShare", wanda, "/export/$new_gone_export/file", 410,
			refusal(410, "Export with ID $new_gone_export holds records of a share that has ended: make it again without them")),
		read("FileShared", carol, "/export/$export/file", 403, forbidden),
		read("FileUnknown", alice, "/export/$unknown/file", 404, unknownExport("$unknown")),
		{
			name: "FileNoSuchPart", as: alice, method: "GET", path: "/export/$export/file", header: map[string]string{"Range": "bytes=1000000-"},
			status: 416, want: refusal(416, "The file has no such part"),
		},
	}
}

// TestExportFile reads a file whole, by a viewer, and in parts.
func TestExportFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		path := "/export/" + s.ids["export"] + "/file"
		get := func(user, part string) response {
			header := s.authorized(t, user)
			header["Accept-Encoding"] = "gzip"
			if part != "" {
				header["Range"] = part
			}
			return s.send(t, request{method: "GET", path: path, header: header})
		}
		whole := get(vera, "")
		lines := strings.Split(strings.TrimSpace(whole.body), "\n")
		if whole.status != 200 || len(lines) != 4 || !strings.HasPrefix(lines[0], "id,device_id,system_trip_id,") ||
			!strings.HasPrefix(lines[1], s.ids["private_trip"]) {
			t.Fatalf("status %d, body %s", whole.status, whole.body)
		}
		size := strconv.Itoa(len(whole.body))
		for name, want := range map[string]string{
			"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="trip-20240502-101530.csv"`,
			"Content-Encoding": "",
			"Accept-Ranges":    "bytes", "Content-Length": size, "Cache-Control": "private, no-store, no-transform",
		} {
			if got := whole.header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		for part, want := range map[string]struct {
			status int
			body   string
		}{
			"bytes=3-8": {206, whole.body[3:9]},
			"bytes=10-": {206, whole.body[10:]},
			"bytes=-5":  {206, whole.body[len(whole.body)-5:]},
			"bytes=" + strconv.Itoa(len(whole.body)-1) + "-": {206, "\n"},
			"bytes=" + size + "-":                            {416, ""},
			"bytes=1-2,4-5":                                  {200, whole.body},
			"lines=1-2":                                      {200, whole.body},
		} {
			got := get(alice, part)
			if got.status != want.status || want.body != "" && got.body != want.body {
				t.Errorf("%s: status %d, body %q", part, got.status, got.body)
			}
		}
		var detail map[string]any
		if err := json.Unmarshal([]byte(get(alice, "bytes="+size+"-").body), &detail); err != nil {
			t.Error(err)
		}
	})
}

// TestExpiredFile holds that a file is gone from the moment on at which its time has come, such
// as when records in it were erased, and not only once it is deleted.
func TestExpiredFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		id := s.ids["export"]
		s.update(t, func(tx *store.Tx) error {
			return tx.Jobs.ExpireExports(t.Context(), s.ids["alpha"], []string{id}, drover.At(present))
		})
		got := s.send(t, request{method: "GET", path: "/export/" + id + "/file", header: s.authorized(t, alice)})
		if got.status != 410 || !strings.Contains(got.body, "has expired: make it again") {
			t.Errorf("status %d, %s", got.status, got.body)
		}
	})
}

// TestFilesEndWithTheirShares holds that a file with records of a share is gone once the
// share has ended, also where it is offered again, and that others stay.
func TestFilesEndWithTheirShares(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		w := &scopeWorld{service: s}
		w.share(t, []drover.ShareScope{drover.ScopePositions})
		made := func(filters string) string {
			e, err := w.app.Fleet.Exports.CreateExport(t.Context(), w.admin("gamma"),
				drover.ExportInput{Kind: drover.ExportTrips, Format: drover.ExportCSV, Filters: json.RawMessage(filters)})
			if err != nil {
				t.Fatal(err)
			}
			if worked, err := w.app.Exports.Next(t.Context()); !worked || err != nil {
				t.Fatalf("the export was not made: %v", err)
			}
			return e.ID
		}
		read := func(id string) response {
			return w.send(t, request{method: "GET", path: "/export/" + id + "/file", header: w.authorized(t, carol)})
		}
		all, one, own := made(`{}`), made(`{"connection_id":"`+w.ids["conn"]+`"}`), made(`{"connection_id":"`+store.NewID()+`"}`)
		for _, id := range []string{all, one, own} {
			if got := read(id); got.status != 200 {
				t.Fatalf("status %d while the share lasts: %s", got.status, got.body)
			}
		}
		cut := w.download(t, all, w.authorized(t, carol))
		for _, scopes := range [][]drover.ShareScope{nil, {drover.ScopePositions}} { // ended, and another
			if w.ended {
				w.give(t, scopes)
			} else {
				w.share(t, scopes)
			}
			for _, id := range []string{all, one} {
				if got := read(id); got.status != 410 || !strings.Contains(got.body, "Export with ID "+id+" holds records of a share that has ended") {
					t.Errorf("status %d after the share: %s", got.status, got.body)
				}
			}
			if got := read(own); got.status != 200 {
				t.Errorf("status %d of a file without shared records: %s", got.status, got.body)
			}
		}
		if after := <-cut; after > 10*time.Second { // one that is not read is cut after 20
			t.Errorf("a download that was under way when the share ended was cut after %v", after)
		}
	})
}

// TestDownloadsEndWithTheirKeys revokes the key of a download that is under way.
func TestDownloadsEndWithTheirKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		key, err := s.app.Fleet.Identity.CreateAPIKey(t.Context(), s.admin("alpha"), drover.APIKeyInput{Name: "downloads", Role: new(drover.RoleViewer)})
		if err != nil {
			t.Fatal(err)
		}
		cut := s.download(t, s.ids["export"], map[string]string{"Authorization": "Bearer " + key.Key})
		if err := s.app.Fleet.Identity.DeleteAPIKey(t.Context(), s.admin("alpha"), key.ID); err != nil {
			t.Fatal(err)
		}
		if after := <-cut; after > 10*time.Second { // one that is not read is cut after 20
			t.Errorf("the download was cut %v after its begin", after)
		}
	})
}

// download begins a download and takes nothing of it. It reports how long it lasted once it is
// cut.
func (s *service) download(t *testing.T, exportID string, header map[string]string) (cut <-chan time.Duration) {
	t.Helper()
	r := s.newRequest(t, t.Context(), "", request{method: http.MethodGet, path: "/export/" + exportID + "/file", header: header})
	receiver := &fullReceiver{ResponseRecorder: httptest.NewRecorder(), begun: make(chan struct{}), cut: make(chan struct{})}
	lasted := make(chan time.Duration, 1)
	go func() {
		s.app.API.ServeHTTP(receiver, r)
		lasted <- time.Since(receiver.since)
	}()
	<-receiver.begun
	return lasted
}

// fullReceiver takes nothing until its write is cut.
type fullReceiver struct {
	*httptest.ResponseRecorder
	since      time.Time
	begun, cut chan struct{}
	first, end sync.Once
}

func (r *fullReceiver) SetReadDeadline(time.Time) error { return nil }

func (r *fullReceiver) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() {
		r.end.Do(func() { close(r.cut) })
	}
	return nil
}

func (r *fullReceiver) Write([]byte) (int, error) {
	r.first.Do(func() {
		r.since = time.Now()
		close(r.begun)
	})
	<-r.cut
	return 0, os.ErrDeadlineExceeded
}
