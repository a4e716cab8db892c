package main

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newKey is a master key that differs by its filling.
func newKey(filling byte) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(filling), 32)))
}

func TestMasterKeySources(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"Flag":    {"--master-key", newKey('a')},
		"Hex":     {"--master-key", hex.EncodeToString([]byte(strings.Repeat("a", 32)))},
		"File":    {"--master-key-file", writeFile(t, newKey('a')+"\n")},
		"Command": {"--master-key-command", "/bin/echo " + newKey('a')},
		"Several": {"--master-key", newKey('a') + "," + newKey('b')},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := folder(t)
			succeed(t, "", with(flags, "key", "rotate", "--data", data)...)
			if _, err := os.Stat(filepath.Join(data, "master.key")); err == nil {
				t.Error("a key was made although one was given")
			}
			// The same key from another source opens what this one sealed.
			succeed(t, "", "key", "rotate", "--data", data, "--master-key", newKey('a'))
		})
	}
}

func TestWrongMasterKey(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data, "--master-key", newKey('a'))
	keys := succeed(t, "", "key", "list", "--data", data)
	const question = "is this the master key that the database was made with?"
	refuse(t, question, "", "key", "rotate", "--data", data, "--master-key", newKey('b'))
	refuse(t, question, "", "serve", "--data", data, "--listen", "127.0.0.1:0", "--master-key", newKey('b'))
	for _, bad := range []string{"short", newKey('a') + newKey('a'), ","} {
		r := execute(t.Context(), "", "key", "rotate", "--data", data, "--master-key", bad)
		if r.code != 1 || strings.Contains(r.err, bad) && len(bad) > 1 {
			t.Errorf("exit code %d and %q, want 1 and no part of the key", r.code, r.err)
		}
	}
	refuse(t, "exclude each other", "", "key", "rotate", "--data", data, "--master-key", newKey('a'), "--master-key-file", "x")
	refuse(t, "--master-key-file and --master-key-command exclude each other", "", "key", "rotate", "--data", data,
		"--master-key-file", "x", "--master-key-command", "y")
	refuse(t, "/bin/false failed: exit status 1", "", "serve", "--data", data, "--listen", "127.0.0.1:0", "--master-key-command", "/bin/false secret")
	refuse(t, "accessible to its owner only", "", "key", "rotate", "--data", data, "--master-key-file", openFile(t, newKey('a')))
	if got := succeed(t, "", "key", "list", "--data", data); got != keys {
		t.Errorf("a refused command changed the keys:\n%s\nbefore:\n%s", got, keys)
	}
	succeed(t, "", "key", "rotate", "--data", data, "--master-key", newKey('a'))
}

func openFile(t *testing.T, text string) string {
	t.Helper()
	path := writeFile(t, text)
	if err := os.Chmod(path, 0o644); err != nil { // that it is refused is the point
		t.Fatal(err)
	}
	return path
}

// TestLostMasterKey makes no new key where the database needs the old one.
func TestLostMasterKey(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	path := filepath.Join(data, "master.key")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refuse(t, "master.key is missing", "", "serve", "--data", data, "--listen", "127.0.0.1:0")
	refuse(t, "master.key is missing", "", "key", "rotate", "--data", data)
	if _, err := os.Stat(path); err == nil {
		t.Error("a new key was made, which opens nothing")
	}
	missing := filepath.Join(t.TempDir(), "mistyped")
	refuse(t, "mistyped", "", "key", "rotate", "--data", folder(t), "--master-key-file", missing)
	if _, err := os.Stat(missing); err == nil {
		t.Error("a key was made where one was said to be")
	}
}

// TestReplaceMasterKey goes the way that the help of key rotate tells.
func TestReplaceMasterKey(t *testing.T) {
	t.Parallel()
	data := folder(t)
	rotate := func(key string) []string { return []string{"key", "rotate", "--data", data, "--master-key", key} }
	succeed(t, "", rotate(newKey('a'))...)
	succeed(t, "", rotate(newKey('b')+","+newKey('a'))...)
	succeed(t, "", rotate(newKey('b'))...)
	refuse(t, "master key", "", rotate(newKey('a'))...)
}
