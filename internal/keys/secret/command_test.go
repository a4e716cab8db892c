package secret

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script is a program that a test makes.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMasterOfCommand(t *testing.T) {
	t.Parallel()
	one, two := base64.StdEncoding.EncodeToString(rawKey(1)), base64.StdEncoding.EncodeToString(rawKey(2))
	for line, text := range map[string]string{
		script(t, "echo "+one):                                        "one",
		script(t, `printf '%s' "$1"`) + " " + one:                     "an argument",
		script(t, "echo "+one+"; echo "+two):                          "two, of which the first seals",
		script(t, "echo complaint of "+two+" >&2; echo "+one):         "with a complaint",
		script(t, `[ $# = 3 ] && echo `+one) + " 'a b' $(nothing)":    "words that no shell reads",
		"  " + script(t, `test -z "$1" && echo "`+one+`"`) + "  \t\n": "space around it",
	} {
		m, err := MasterOfCommand(t.Context(), line)
		if err != nil || m.fingerprint() != master(t, 1).fingerprint() {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
}

// TestMasterOfCommandFails says what is wrong, and never what was printed.
func TestMasterOfCommandFails(t *testing.T) {
	t.Parallel()
	const leak = "c2VjcmV0"
	for want, line := range map[string]string{
		"exit status 3":               script(t, "echo "+leak+"; echo "+leak+" >&2; exit 3"),
		"prints nothing":              script(t, "echo; echo "+leak+" >&2"),
		"is not 32 bytes":             script(t, "echo "+leak),
		"master key 2 is not":         script(t, "echo "+base64.StdEncoding.EncodeToString(rawKey(1))+","+leak),
		"no such file":                filepath.Join(t.TempDir(), "missing"),
		"the command is empty":        " ",
		"prints more than 65536 byte": script(t, "exec yes "+leak),
		"signal: killed":              script(t, "echo "+leak+"; kill -9 $$"),
	} {
		_, err := MasterOfCommand(t.Context(), line)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), leak) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestMasterOfCommandHangs ends a command that prints nothing.
func TestMasterOfCommandHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := MasterOfCommand(ctx, script(t, "exec sleep 600")); err == nil || !strings.Contains(err.Error(), "did not end in time") {
		t.Errorf("the error is %v", err)
	}
}

// TestBounded holds how much a command may print, in whatever pieces: as much as a key file has.
func TestBounded(t *testing.T) {
	t.Parallel()
	var b bounded
	half := make([]byte, maxFileBytes/2)
	for range 2 {
		if n, err := b.Write(half); n != len(half) || err != nil || b.tooLong {
			t.Fatalf("%d bytes after %d: %v", n, len(b.text), err)
		}
	}
	if _, err := b.Write([]byte{'a'}); err == nil || !b.tooLong {
		t.Error("a byte more is taken")
	}
}
