package export_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

func (b broken) Create(ctx context.Context, e work.Export) (io.WriteCloser, error) {
	w, err := b.Files.Create(ctx, e)
	return brokenWriter{w, b.fault}, err
}

func (b brokenWriter) Write(p []byte) (int, error) {
	if err := b.fault(); err != nil {
		return 0, err
	}
	return b.WriteCloser.Write(p)
}

func TestFailsAfterSomeAttempts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		runner := w.newRunner(broken{w.files, func() error { return errors.New("disk full") }})
		id := w.add(t, drover.ExportPositions, drover.ExportJSONL, `{}`)
		for i, want := range []drover.ExportState{drover.ExportQueued, drover.ExportQueued, drover.ExportFailed} {
			if _, err := runner.Next(t.Context()); err == nil {
				t.Error("the fault is not reported")
			}
			if e := w.read(t, id); e.State != want || e.File != "" || (e.Error != nil) != (want == drover.ExportFailed) {
				t.Errorf("after attempt %d the export is %+v", i+1, e)
			}
		}
		if worked, err := runner.Next(t.Context()); worked || err != nil {
			t.Errorf("a failed export is tried again: %v", err)
		}
	})
}

// A process that dies leaves its claim and half a file behind.
func TestDeadProcess(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		id := w.add(t, drover.ExportPositions, drover.ExportJSONL, `{}`)
		dead, err := w.store.Jobs.ClaimExport(t.Context(), w.tenant, store.NewID(), drover.At(w.now), drover.At(w.now.Add(time.Minute)))
		if err != nil {
			t.Fatal(err)
		}
		file, err := w.files.Create(t.Context(), dead)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, "half"); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if worked, err := w.runner.Next(t.Context()); worked || err != nil {
			t.Fatalf("the export of a process that may live is taken: %v", err)
		}
		w.now = w.now.Add(time.Minute)
		if worked, err := w.runner.Next(t.Context()); !worked || err != nil {
			t.Fatalf("the export of a dead process is left alone: %v", err)
		}
		if content := w.content(t, w.read(t, id)); strings.Contains(content, "half") || strings.Count(content, "\n") != 1501 {
			t.Errorf("the file is %.100q", content)
		}
		if err := w.store.Jobs.EndExport(t.Context(), dead); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the dead attempt ends the export: %v", err)
		}
		if err := w.runner.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		dead.File, dead.Bytes = dead.Claim, 4
		if f, err := w.files.Open(t.Context(), dead); err == nil {
			if _, err := io.ReadAll(f); err == nil {
				t.Error("half a file is left")
			}
		}
	})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		var id string
		runner := w.newRunner(broken{w.files, func() error {
			w.now = w.now.Add(time.Hour) // it says how far it is, and finds out
			return w.store.Update(t.Context(), func(tx *store.Tx) error {
				err := tx.Jobs.CancelExport(t.Context(), w.tenant, id, drover.At(w.now), drover.At(w.now))
				if errors.Is(err, store.ErrNotFound) {
					return nil
				}
				return err
			})
		}})
		id = w.add(t, drover.ExportPositions, drover.ExportJSONL, `{}`)
		if _, err := runner.Next(t.Context()); err != nil {
			t.Error(err)
		}
		if e := w.read(t, id); e.State != drover.ExportCancelled || e.File != "" {
			t.Errorf("the export is %+v", e)
		}
	})
}

func TestForgottenAfterAWeek(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		w.made(t, drover.ExportDevices, drover.ExportCSV, `{}`)
		list, err := w.store.Jobs.Exports(t.Context(), w.tenant, "", 10)
		if err != nil || len(list) != 1 {
			t.Fatalf("the exports are %v: %v", list, err)
		}
		e := w.read(t, list[0].ID)
		w.now = w.now.Add(drover.ExportLifetime - time.Millisecond)
		if err := w.runner.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.content(t, e)
		w.now = w.now.Add(time.Millisecond)
		if err := w.runner.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Jobs.Export(t.Context(), w.tenant, e.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the export is still there: %v", err)
		}
		if f, err := w.files.Open(t.Context(), e); err == nil {
			if _, err := io.ReadAll(f); err == nil {
				t.Error("the file is still there")
			}
		}
	})
}
