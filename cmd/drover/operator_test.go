package main

import (
	"strings"
	"testing"
)

// TestOperatorKeys makes a key, lists and revokes it.
func TestOperatorKeys(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		secret := strings.TrimSpace(succeed(t, "", with(flags, "operator", "key", "create", "backend", "--scope", "tenants:read,act",
			"--expires", "1h")...))
		if !strings.HasPrefix(secret, "drvop_") || len(secret) != len("drvop_")+32 {
			t.Errorf("the key has %d characters", len(secret))
		}
		listed := succeed(t, "", with(flags, "operator", "key", "list")...)
		if !strings.Contains(listed, "backend") || !strings.Contains(listed, "tenants:read, act") || strings.Contains(listed, secret) {
			t.Errorf("the list is %s", listed)
		}
		id, _, _ := strings.Cut(strings.Split(listed, "\n")[1], " ")
		succeed(t, "", with(flags, "operator", "key", "revoke", id)...)
		if listed := succeed(t, "", with(flags, "operator", "key", "list", "--json")...); strings.TrimSpace(listed) != "[]" {
			t.Errorf("after it was revoked the list is %s", listed)
		}
		refuse(t, "there is no operator key", "", with(flags, "operator", "key", "revoke", id)...)
		misuse(t, "there is no scope everyone", "", with(flags, "operator", "key", "create", "x", "--scope", "everyone")...)
		misuse(t, "missing flags: --scope", "", with(flags, "operator", "key", "create", "x")...)
		misuse(t, "must be positive", "", with(flags, "operator", "key", "create", "x", "--scope", "act", "--expires=-1h")...)
	})
}

// TestErase erases a driver and a tenant from the command line.
func TestErase(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		if out := succeed(t, "", with(flags, "driver", "erase", "D-17", "--tenant", "acme")...); !strings.Contains(out, "replaced in 0 trips") {
			t.Errorf("erasing a driver prints %s", out)
		}
		misuse(t, "confirm with --yes", "", with(flags, "tenant", "erase", "acme")...)
		if out := succeed(t, "", with(flags, "tenant", "erase", "acme", "--yes")...); !strings.Contains(out, "kept: usage per day") {
			t.Errorf("erasing a tenant prints %s", out)
		}
		if out := succeed(t, "", with(flags, "tenant", "list")...); strings.Contains(out, "acme") {
			t.Errorf("after it was erased the list is %s", out)
		}
	})
}
