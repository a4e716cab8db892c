package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// examine runs the doctor and wants failing checks to be the named ones.
func examine(t *testing.T, args []string, failing ...string) string {
	t.Helper()
	r := execute(t.Context(), "", append([]string{"doctor"}, args...)...)
	var failed []string
	for line := range strings.Lines(r.out) {
		if rest, found := strings.CutPrefix(line, "FAIL  "); found {
			failed = append(failed, strings.TrimSpace(rest[:12]))
		}
	}
	if strings.Join(failed, ", ") != strings.Join(failing, ", ") {
		t.Errorf("these checks failed: %q, want %q:\n%s", failed, failing, r.out)
	}
	if wantCode := min(1, len(failing)); r.code != wantCode || strings.Count(r.err, "\n") != wantCode {
		t.Errorf("exit code %d and %q, want %d and as many lines", r.code, r.err, wantCode)
	}
	return r.out
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	t.Run("Healthy", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "key", "rotate", "--data", data)
		if out := examine(t, []string{"--data", data}); !strings.Contains(out, "ok    history      0 positions, 0.0 MiB with their events\n") {
			t.Errorf("it says\n%s", out)
		}
	})
	t.Run("NothingThere", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		examine(t, []string{"--data", data}, "data folder", "database")
		if _, err := os.Stat(data); err == nil {
			t.Error("the doctor made the folder that it missed")
		}
	})
	t.Run("EmptyFolder", func(t *testing.T) {
		t.Parallel()
		data := t.TempDir()
		if err := os.Chmod(data, 0o700); err != nil { // a folder
			t.Fatal(err)
		}
		examine(t, []string{"--data", data}, "database")
		if left, err := os.ReadDir(data); err != nil || len(left) != 0 {
			t.Errorf("the doctor left %v, %v", left, err)
		}
	})
	t.Run("OpenFolder", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "key", "rotate", "--data", data)
		if err := os.Chmod(data, 0o755); err != nil { // that is the trouble
			t.Fatal(err)
		}
		if out := examine(t, []string{"--data", data}, "data folder"); !strings.Contains(out, "mode 755") {
			t.Errorf("the reason is missing:\n%s", out)
		}
	})
	t.Run("WrongKey", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "key", "rotate", "--data", data)
		examine(t, []string{"--data", data, "--master-key", newKey('b')}, "keys")
	})
	t.Run("LostKey", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "key", "rotate", "--data", data)
		if err := os.Remove(filepath.Join(data, "master.key")); err != nil {
			t.Fatal(err)
		}
		examine(t, []string{"--data", data}, "keys")
	})
	t.Run("NoKeysYet", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "migrate", "--data", data)
		examine(t, []string{"--data", data})
		if _, err := os.Stat(filepath.Join(data, "master.key")); err == nil {
			t.Error("the doctor made a key")
		}
	})
	t.Run("PendingMigrations", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		if err := os.Mkdir(data, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, "drover.db"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := examine(t, []string{"--data", data}, "migrations", "keys"); !strings.Contains(out, "run drover migrate") {
			t.Errorf("the cure is missing:\n%s", out)
		}
	})
	t.Run("DatabaseGone", func(t *testing.T) {
		t.Parallel()
		data := folder(t)
		succeed(t, "", "key", "rotate", "--data", data)
		examine(t, []string{"--data", data, "--database", "postgres://127.0.0.1:1/x"}, "database")
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		flags := []string{"--data", folder(t), "--database", storetest.Options(t, "postgres").URL}
		succeed(t, "", with(flags, "key", "rotate")...)
		examine(t, flags)
	})
}
