package secret

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestMasterFileIsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	first, err := LoadOrCreateMaster(path, bytes.NewReader(rawKey(1)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := first.fingerprint(), master(t, 1).fingerprint(); got != want {
		t.Errorf("key is %s, want the one taken from rand, %s", got, want)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %#o, want 0600", got)
	}
	second, err := LoadOrCreateMaster(path, bytes.NewReader(rawKey(2)))
	if err != nil {
		t.Fatal(err)
	}
	if first.fingerprint() != second.fingerprint() {
		t.Error("the second start made another key")
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files left behind, want the key alone", len(left))
	}
}

func TestMasterFileOfProcessesThatStartAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	var (
		wg     sync.WaitGroup
		prints [16]string
		errs   [16]error
	)
	for i := range prints {
		wg.Go(func() {
			m, err := LoadOrCreateMaster(path, rand.Reader)
			if errs[i] = err; err == nil {
				prints[i] = m.fingerprint()
			}
		})
	}
	wg.Wait()
	for i := range prints {
		if errs[i] != nil || prints[i] != prints[0] {
			t.Errorf("start %d: %q, %v; the first has %q", i, prints[i], errs[i], prints[0])
		}
	}
}

func TestMasterFileOpenToOthersIsRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o644, 0o660} {
		path := filepath.Join(t.TempDir(), "master.key")
		if _, err := LoadOrCreateMaster(path, bytes.NewReader(rawKey(1))); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := LoadOrCreateMaster(path, rand.Reader)
		if err == nil || !strings.Contains(err.Error(), "chmod 600") || !strings.Contains(err.Error(), path) {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
}

func TestMasterFileFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, path := range map[string]string{
		"empty":     write("empty", ""),
		"garbage":   write("garbage", "not a key\n"),
		"huge":      write("huge", strings.Repeat("\n", maxFileBytes+1)),
		"directory": dir,
		"no parent": filepath.Join(dir, "missing", "master.key"),
	} {
		if m, err := LoadOrCreateMaster(path, rand.Reader); err == nil {
			t.Errorf("%s: loaded %v", name, m)
		}
	}
	key := strings.Repeat("ab", 32)
	full := key + strings.Repeat("\n", maxFileBytes-len(key))
	if _, err := LoadOrCreateMaster(write("full", full), rand.Reader); err != nil {
		t.Errorf("a file that is as large as it may be: %v", err)
	}
	if m, err := LoadOrCreateMaster(write("over", full+"\n"), rand.Reader); err == nil {
		t.Errorf("a file that is larger than it may be: loaded %v", m)
	}
	path := filepath.Join(dir, "short")
	if _, err := LoadOrCreateMaster(path, strings.NewReader("too short")); err == nil {
		t.Error("a key was made of too little randomness")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was left behind: %v", err)
	}
}

// TestErrorsOfTheDisk holds that what fails first is what is reported, and that a key
// that exists is not replaced.
func TestErrorsOfTheDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "closed"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := writeSynced(f, "x"); err == nil || !strings.Contains(err.Error(), "write") {
		t.Errorf("writing to a closed file: %v", err)
	}
	if err := syncDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	path := filepath.Join(dir, "master.key")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := createMaster(path, rand.Reader); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key that exists: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "kept" {
		t.Errorf("the key is %q now, %v", text, err)
	}
}
