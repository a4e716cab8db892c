package collect_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// acmeFile describes a vendor.
const acmeFile = `name: acme
title: Acme
address: https://acme.test
credentials: [{name: api_key, title: Key, help: The key., required: true, secret: true}]
login: {header: {X-Key: "{api_key}"}}
devices:
  every: 10m
  get: /vehicles
  records: data
  device: id
  fields: {description: name}
positions:
  newest: {get: /positions, records: data, device: id}
  fields: {time: at, latitude: lat, longitude: lon}
`

// acmeRig is a rig with a folder in which that file lies, and the vendor.
type acmeRig struct {
	*rig
	path string
}

func newAcme(r *rig) acmeRig {
	r.t.Helper()
	a := acmeRig{r, filepath.Join(r.t.TempDir(), "acme.yaml")}
	a.write(acmeFile)
	r.options.Vendors = folder(a.rig, filepath.Dir(a.path))
	r.collector = collect.New(r.options)
	r.network.serve("acme.test", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		now := r.clock.Now()
		switch {
		case req.Header.Get("X-Key") != "k3y-of-acme":
			w.WriteHeader(http.StatusUnauthorized)
		case req.URL.Path == "/vehicles":
			_, _ = fmt.Fprint(w, `{"data":[{"id":"a","uuid":"u-1","name":"Van","plate":"AB 1"},{"id":"b","uuid":"u-2","name":"Car","plate":"AB 2"}]}`)
		case req.URL.Path == "/more":
			_, _ = fmt.Fprint(w, `{"data":[{"id":"a"},{"id":"c"},{"id":"d"}]}`)
		default:
			_, _ = fmt.Fprintf(w, `{"data":[{"id":"a","at":%d,"lat":52.5,"lon":13.4}]}`, now.Unix())
		}
	}))
	return a
}

func folder(r *rig, dir string) *declared.Folder {
	r.t.Helper()
	f := &declared.Folder{
		Dir: dir, Now: r.clock.Now, Logger: slog.New(slog.DiscardHandler),
		Each: func(i provider.Info) provider.Info { i.Limits = nil; return i }, // time stands still
	}
	if err := f.Open(); err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (a acmeRig) write(text string) {
	a.t.Helper()
	if err := os.WriteFile(a.path, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a acmeRig) file(conn drover.Connection) work.File {
	a.t.Helper()
	f, err := a.store.Jobs.File(a.t.Context(), a.principal.TenantID, conn.ID)
	if err != nil {
		a.t.Fatal(err)
	}
	return f
}

func changed(tb testing.TB, from, to string) string {
	tb.Helper()
	text := strings.Replace(acmeFile, from, to, 1)
	if text == acmeFile {
		tb.Fatalf("%q is not in the file", from)
	}
	return text
}

// TestFileRenewed follows a connection through versions of its provider's file: a good one is
// tried and used, one with mistakes and one that lists other devices are not.
func TestFileRenewed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		first := a.file(conn)
		if first.Text != acmeFile || len(a.devices(conn)) != 2 {
			t.Fatalf("%+v", first)
		}
		a.write(changed(t, "{description: name}", "{description: plate}"))
		a.pass(12 * time.Minute)
		second := a.file(conn)
		if second.Version == first.Version || *a.devices(conn)["a"].Description != "AB 1" {
			t.Errorf("a good version is not used: %+v", second)
		}
		a.write("name: [")
		a.pass(3 * time.Minute)
		if got := a.file(conn); got.Version != second.Version || got.Refused != nil || a.health(conn).State != drover.ConnectionHealthy {
			t.Errorf("broken: %+v", got)
		}
		a.write(changed(t, "device: id\n  fields: {d", "device: uuid\n  fields: {d"))
		a.pass(25 * time.Minute)
		h := a.health(conn)
		if h.State != drover.ConnectionHealthy || h.Message == nil || h.Acts == nil || *h.Acts != drover.PartyOperator ||
			!strings.Contains(*h.Message, "only 0 of the 2 listed devices are among the 2") || !strings.Contains(*h.Message, "goes on with version "+second.Version) {
			t.Errorf("ids that change: %+v, %v", h.State, h.Message)
		}
		if len(a.devices(conn)) != 2 {
			t.Errorf("devices are there twice: %v", a.devices(conn))
		}
		a.write(second.Text)
		a.pass(3 * time.Minute)
		if h := a.health(conn); h.Message != nil || a.file(conn).Refused != nil {
			t.Errorf("taken back: %v", *h.Message)
		}
		if err := os.Remove(a.path); err != nil {
			t.Fatal(err)
		}
		a.pass(3 * time.Minute)
		before := len(a.positions(a.devices(conn)["a"].ID))
		a.pass(3 * time.Minute)
		if after := len(a.positions(a.devices(conn)["a"].ID)); after != before+3 || len(r.options.Vendors.Current()) != 0 {
			t.Errorf("a connection whose file is gone does not go on: %d positions, then %d", before, after)
		}
		shown, err := r.fleet.Connections.ConnectionFile(t.Context(), r.principal, conn.ID)
		if err != nil || *shown.Version != second.Version || *shown.Text != second.Text || shown.Refused != nil || len(shown.Parts) != 2 {
			t.Errorf("shown: %+v, %v", shown, err)
		}
		used := a.file(conn).Used
		if len(used.Parts) != 2 || used.Parts[0].Part != "devices" || used.Parts[0].FromLine != 6 || used.Parts[0].ToLine != 11 ||
			used.Parts[1].Part != "positions.newest" || used.Parts[1].Rows != 1 || used.Parts[1].Calls != 1 {
			t.Errorf("used: %+v", used)
		}
		if len(used.Records) != 2 || used.Records[0].Kind != "devices" || used.Records[0].Records != 2 || used.Records[1].Records != 1 {
			t.Errorf("gave: %+v", used.Records)
		}
	})
}

// TestFileRefused holds that a version that the vendor does not answer, or that wants a
// credential that is not there, leaves the connection with what it has; it is tried again.
func TestFileRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		first := a.file(conn)
		for text, words := range map[string]string{
			changed(t, `X-Key: "{api_key}"`, `X-Code: "{api_key}"`):                                                                                  "refused the credentials",
			changed(t, "required: true, secret", "required: true, secret: true}, {name: site, title: Site, help: The site., required: true, secret"): "it needs the credential site",
			changed(t, "  get: /vehicles", "  get: /more"):                                                                                           "only 1 of the 3 listed devices are among the 2",
			changed(t, "newest: {get: /positions, records: data", "newest: {get: /positions, records: list"):                                         "it has no list at list",
			changed(t, "  records: data\n  device", "  records: list\n  device"):                                                                     "it has no list at list",
		} {
			a.write(text)
			a.pass(3 * time.Minute)
			got := a.file(conn)
			if got.Version != first.Version || got.Refused == nil || !strings.Contains(*got.Reason, words) {
				t.Errorf("%s: %+v, %s", words, got.Version == first.Version, *got.Reason)
			}
			if message := a.health(conn).Message; message == nil || strings.Contains(*message, "k3y-of-acme") {
				t.Errorf("health: %v", message)
			}
		}
		a.expectState(conn, drover.ConnectionHealthy)
		at := *a.file(conn).RefusedAt
		a.pass(10 * time.Minute)
		if got := *a.file(conn).RefusedAt; got != at {
			t.Errorf("it is tried again after %s", got.Sub(at.Time))
		}
		a.pass(10 * time.Minute)
		if got := *a.file(conn).RefusedAt; got == at {
			t.Error("it is not tried again")
		}
	})
}

// TestFileTriedLater holds that a version is not refused because the vendor is busy: it is tried
// again soon, and used then.
func TestFileTriedLater(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		status, asked := http.StatusServiceUnavailable, 0
		r.network.serve("acme.test", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch {
			case strings.HasPrefix(req.URL.Path, "/new"):
				asked++
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, `{"data":[{"id":"a","name":"New"}]}`)
			case req.URL.Path == "/vehicles":
				_, _ = fmt.Fprint(w, `{"data":[{"id":"a","name":"Old"}]}`)
			default:
				_, _ = fmt.Fprint(w, `{"data":[]}`)
			}
		}))
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		first := a.file(conn)
		for _, path := range []string{"/vehicles", "/positions"} {
			a.write(changed(t, "get: "+path, "get: /new"+path))
			for _, status = range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
				asked = 0
				a.pass(5 * time.Minute)
				if got := a.file(conn); got.Version != first.Version || got.Refused != nil || asked == 0 || a.health(conn).Message != nil {
					t.Errorf("%s, %d: %+v after %d calls", path, status, got, asked)
				}
			}
		}
		status = http.StatusOK
		a.pass(5 * time.Minute)
		if got := a.file(conn); got.Version == first.Version || got.Refused != nil {
			t.Errorf("a vendor that answers again: %+v", got)
		}
	})
}

// TestFileOfProcesses holds that a process whose folder is behind reads a connection with the
// version that the others use, and does not take it back.
func TestFileOfProcesses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		behind := r.options
		dir := t.TempDir()
		path, written := filepath.Join(dir, "acme.yaml"), r.clock.Now().Add(-time.Hour)
		if err := errors.Join(os.WriteFile(path, []byte(acmeFile), 0o600), os.Chtimes(path, written, written)); err != nil {
			t.Fatal(err)
		}
		behind.Vendors, behind.Owner = folder(r, dir), "second"
		a.write(changed(t, "{description: name}", "{description: plate}"))
		a.pass(3 * time.Minute)
		version := a.file(conn).Version
		for name, vendors := range map[string]provider.Files{"behind": behind.Vendors, "started again": folder(r, dir)} {
			behind.Vendors = vendors
			r.collector = collect.New(behind)
			a.pass(30 * time.Minute)
			if got := a.file(conn); got.Version != version || *a.devices(conn)["a"].Description != "AB 1" {
				t.Errorf("%s: the version is %s, want %s", name, got.Version, version)
			}
		}
	})
}

// TestFileChangesReading holds that positions are not lost nor twice where a new version reads
// them in another way, whose cursors are others.
func TestFileChangesReading(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		a.pass(5 * time.Minute)
		a.write(changed(t, "newest: {get: /positions, records: data, device: id}",
			`backfill: {get: /positions, query: {from: "{from:seconds}", to: "{to:seconds}"}, records: data, device: id, window: 24h}`))
		a.pass(10 * time.Minute)
		if h := a.health(conn); h.State != drover.ConnectionHealthy || h.Message != nil {
			t.Errorf("%s, %v", h.State, h.Message)
		}
		times := map[string]bool{}
		stored := a.positions(a.devices(conn)["a"].ID)
		for _, p := range stored {
			times[p.Time.String()] = true
		}
		if len(times) != len(stored) || len(stored) < 14 {
			t.Errorf("%d positions of %d times", len(stored), len(times))
		}
	})
}

// TestFileReusedIDs holds that an id that a vendor lists twice, and gives to another vehicle
// later, is one device all the same, whose positions are there once.
func TestFileReusedIDs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		lists := `{"data":[{"id":"a","name":"Van"},{"id":"a","name":"Van again"},{"id":7,"name":"Car"},{"id":"7","name":"Car"}]}`
		r.network.serve("acme.test", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			at := r.clock.Now().Truncate(time.Hour).Unix()
			if req.URL.Path == "/vehicles" {
				_, _ = fmt.Fprint(w, lists)
				return
			}
			_, _ = fmt.Fprintf(w, `{"data":[{"id":"a","at":%d,"lat":52.5,"lon":13.4},{"id":"a","at":%d,"lat":52.5,"lon":13.4}]}`, at, at)
		}))
		conn := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "k3y-of-acme"})
		a.run()
		before := a.devices(conn)
		if len(before) != 2 {
			t.Fatalf("%v", before)
		}
		lists = `{"data":[{"id":"a","name":"Another van"},{"id":7,"name":"Car"}]}`
		a.pass(15 * time.Minute)
		after := a.devices(conn)
		if len(after) != 2 || after["a"].ID != before["a"].ID || *after["a"].Description != "Another van" {
			t.Errorf("%v", after)
		}
		if stored := a.positions(after["a"].ID); len(stored) != 1 {
			t.Errorf("%d positions of one time", len(stored))
		}
	})
}

// TestFileOfTenants holds that connections of two tenants with one file call with their own
// credentials, also where a new version is tried, and that neither sees what the other has.
func TestFileOfTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		a := newAcme(r)
		var mu sync.Mutex
		calls := map[string]int{}
		r.network.serve("acme.test", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			mu.Lock()
			calls[req.Header.Get("X-Key")]++
			mu.Unlock()
			_, _ = fmt.Fprintf(w, `{"data":[{"id":%q,"name":"Van","plate":"AB 1"}]}`, "of-"+req.Header.Get("X-Key"))
		}))
		own := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "of-north"})
		north := r.principal
		r.principal = drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
		if err := r.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.principal.TenantID, Name: "south", CreatedAt: drover.At(noon)})
		}); err != nil {
			t.Fatal(err)
		}
		other := a.connect("acme", noon.Add(-time.Hour), map[string]string{"api_key": "of-south"})
		a.run()
		a.write(changed(t, "{description: name}", "{description: plate}"))
		a.pass(12 * time.Minute)
		if len(calls) != 2 || calls["of-north"] != calls["of-south"] {
			t.Errorf("calls by key: %v", calls)
		}
		if got := a.devices(other); len(got) != 1 || got["of-of-south"].ID == "" {
			t.Errorf("%v", got)
		}
		if _, err := r.store.Jobs.File(t.Context(), r.principal.TenantID, own.ID); err == nil {
			t.Error("a tenant reads the file of another's connection")
		}
		r.principal = north
		if got := a.devices(own); len(got) != 1 || got["of-of-north"].ID == "" {
			t.Errorf("%v", got)
		}
	})
}
