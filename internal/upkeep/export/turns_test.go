package export_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestTenantsTakeTurns has one tenant ask for many exports before another asks for one: that
// one is made after the first of them, even where those that were made are forgotten.
func TestTenantsTakeTurns(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		greedy, other := w.tenant, store.NewID()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: other, Name: "other", CreatedAt: drover.At(present)})
		})
		if err != nil {
			t.Fatal(err)
		}
		var many []string
		for range 5 {
			many = append(many, w.add(t, drover.ExportDevices, drover.ExportJSONL, "{}"))
			w.now = w.now.Add(time.Second)
		}
		next := func() {
			t.Helper()
			if more, err := w.runner.Next(t.Context()); err != nil || !more {
				t.Fatalf("%v, %v", more, err)
			}
			w.now = w.now.Add(time.Second)
		}
		for range 2 { // for the second time each has been served before
			next()
			if err := w.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.DropExport(t.Context(), greedy, many[0]) }); err != nil {
				t.Fatal(err)
			}
			many = many[1:]
			w.tenant = other
			id := w.add(t, drover.ExportDevices, drover.ExportJSONL, "{}")
			next()
			if state := w.read(t, id).State; state != drover.ExportDone {
				t.Fatalf("the other tenant's is %s", state)
			}
			w.tenant = greedy
		}
	})
}

// TestLongExportLetsOthersIn has an export that matches nothing read the whole history, one page
// after another: where that takes long, another tenant's is made in between.
func TestLongExportLetsOthersIn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		tenant, other := w.tenant, store.NewID()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: other, Name: "other", CreatedAt: drover.At(present)})
		})
		if err != nil {
			t.Fatal(err)
		}
		long := w.add(t, drover.ExportPositions, drover.ExportJSONL, `{"driver_id":"D-2"}`)
		w.now, w.tenant = w.now.Add(time.Second), other
		short := w.add(t, drover.ExportDevices, drover.ExportJSONL, "{}")
		w.step = 5 * time.Second
		if more, err := w.runner.Next(t.Context()); err != nil || !more {
			t.Fatalf("%v, %v", more, err)
		}
		between := w.read(t, short)
		w.tenant = tenant
		last := w.read(t, long)
		if between.State != drover.ExportDone || last.State != drover.ExportDone || last.Records != 0 ||
			!between.FinishedAt.Before(last.FinishedAt.Time) {
			t.Errorf("the long one is %s at %v, the other %s at %v", last.State, last.FinishedAt, between.State, between.FinishedAt)
		}
	})
}

// TestLongExportsLetOthersIn has as many long exports under way as may be. Another tenant's that is
// short is made before any of them ends, and a further long one waits for one to end.
func TestLongExportsLetOthersIn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		type asked struct{ tenant, id string }
		var long []asked
		for len(long) < 4 {
			if len(long) > 0 {
				w.tenant = store.NewID()
				w.fill(t)
			}
			long = append(long, asked{w.tenant, w.add(t, drover.ExportPositions, drover.ExportJSONL, `{"driver_id":"D-2"}`)})
			w.now = w.now.Add(time.Millisecond)
		}
		w.tenant = store.NewID()
		w.fill(t)
		short := w.add(t, drover.ExportFaults, drover.ExportJSONL, "{}")
		w.step = 2 * time.Second
		for more := true; more; {
			var err error
			if more, err = w.runner.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		between := w.read(t, short)
		if between.State != drover.ExportDone {
			t.Fatalf("the short one is %s", between.State)
		}
		var ended []time.Time
		for _, l := range long {
			w.tenant = l.tenant
			e := w.read(t, l.id)
			if e.State != drover.ExportDone || e.Attempts != 1 || !between.FinishedAt.Before(e.FinishedAt.Time) {
				t.Errorf("a long one is %s at %v after %d attempts, the short one ended at %v", e.State, e.FinishedAt, e.Attempts, between.FinishedAt)
				continue
			}
			ended = append(ended, e.FinishedAt.Time)
		}
		if len(ended) == len(long) && !slices.IsSortedFunc(ended, time.Time.Compare) {
			t.Errorf("the long ones ended at %v", ended)
		}
	})
}

func TestFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		w.runner.MaxBytes = 1000
		id := w.add(t, drover.ExportPositions, drover.ExportJSONL, "{}")
		if _, err := w.runner.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		e := w.read(t, id)
		if e.State != drover.ExportFailed || e.Error == nil || *e.Error != "The file would have more than 1000 bytes: narrow the filters" ||
			e.File != "" {
			t.Errorf("it is %s: %v", e.State, e.Error)
		}
	})
}

// TestFormulasAreTexts has a vendor name a device so that a spreadsheet would compute it.
func TestFormulasAreTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`=HYPERLINK("x")`: `'=HYPERLINK("x")`, "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1", "＝1": "'＝1", "a=1": "a=1", "": "",
		"Überland": "Überland", "\xff": "\xff",
	} {
		if got := drover.CSVText(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Fleet.AddDevice(t.Context(), w.tenant, drover.Device{
				ID: store.NewID(), ConnectionID: store.NewID(), SystemDeviceID: "+9",
				Description: new("=1+1"), Tags: []string{"@a", "b"},
			}, drover.At(present))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.made(t, drover.ExportDevices, drover.ExportCSV, "{}"); !strings.Contains(got, ",'+9,") ||
			!strings.Contains(got, ",'=1+1,") || !strings.Contains(got, ",'@a;b") {
			t.Errorf("the file is\n%s", got)
		}
	})
}
