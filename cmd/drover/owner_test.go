//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCommandsOfRootLeaveTheServiceItsFiles: what root makes in a folder of the service's
// user belongs to that user, and root does not serve from there. Anyone else can make no
// file of another user, so that there what is made is one's own.
func TestCommandsOfRootLeaveTheServiceItsFiles(t *testing.T) {
	t.Parallel()
	home, service := t.TempDir(), os.Geteuid()
	if service == 0 {
		service = 54321
		if err := os.Chown(home, service, service); err != nil {
			t.Fatal(err)
		}
	}
	check := func(where, after string) {
		t.Helper()
		seen := 0
		err := filepath.WalkDir(where, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Lstat(path)
			if err != nil {
				return err
			}
			seen++
			if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != service {
				t.Errorf("after %s, %s belongs to %d, want %d", after, path, uid, service)
			}
			return nil
		})
		if err != nil || seen < 2 {
			t.Errorf("after %s there are %d files: %v", after, seen, err)
		}
	}
	succeed(t, "", "migrate", "--data", home)
	check(home, "migrate")
	succeed(t, "", "tenant", "add", "acme", "--data", home)
	check(home, "tenant add")
	succeed(t, "a long enough passphrase", "user", "add", "--tenant", "acme", "--username", "alice",
		"--email", "alice@acme.example", "--role", "admin", "--data", home)
	check(home, "user add, which makes the keys")
	file := filepath.Join(t.TempDir(), "drover.tar.gz")
	succeed(t, "", "backup", file, "--data", home)
	check(home, "backup")
	again := t.TempDir()
	if err := os.Chown(again, service, -1); err != nil {
		t.Fatal(err)
	}
	succeed(t, "", "restore", file, "--data", again)
	check(again, "restore")
	if os.Geteuid() == 0 {
		refuse(t, "belongs to the user 54321, and this is root", "", "serve", "--data", home, "--listen", "127.0.0.1:0")
		check(home, "a refused serve")
	}
}
