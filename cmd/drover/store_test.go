package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// installations runs f with the flags of an empty installation on each database.
func installations(t *testing.T, f func(t *testing.T, flags ...string)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--data", folder(t)}
			if database == "postgres" {
				flags = append(flags, "--database", storetest.Options(t, database).URL)
			}
			f(t, flags...)
		})
	}
}

func with(flags []string, args ...string) []string { return append(args, flags...) }

func TestTenants(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		id := strings.TrimSpace(succeed(t, "", with(flags, "tenant", "add", "acme")...))
		if len(id) != 36 {
			t.Errorf("tenant add prints %q, want an id", id)
		}
		states := func() string { return succeed(t, "", with(flags, "tenant", "list")...) }
		before := states()
		if !strings.Contains(before, id) || !strings.Contains(before, "acme") || !strings.Contains(before, "active") {
			t.Errorf("tenant list:\n%s", before)
		}
		refuse(t, `a tenant named "acme" exists already`, "", with(flags, "tenant", "add", "acme")...)
		misuse(t, "1 to 255 characters", "", with(flags, "tenant", "add", "")...)
		refuse(t, `there is no tenant named "absent"`, "", with(flags, "tenant", "suspend", "absent")...)
		if diff := cmp.Diff(before, states()); diff != "" {
			t.Errorf("a refused command changed something:\n%s", diff)
		}
		succeed(t, "", with(flags, "tenant", "suspend", "acme")...)
		if got := states(); !strings.Contains(got, "suspended") {
			t.Errorf("tenant list after suspend:\n%s", got)
		}
		succeed(t, "", with(flags, "tenant", "resume", "acme")...)
		if diff := cmp.Diff(before, states()); diff != "" {
			t.Errorf("resume does not undo suspend:\n%s", diff)
		}
		succeed(t, "", with(flags, "tenant", "add", strings.Repeat("ü", 255))...)
		misuse(t, "1 to 255 characters", "", with(flags, "tenant", "add", strings.Repeat("ü", 256))...)
	})
}

func TestUsers(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "tenant", "add", "acme")...)
		add := func(tenant, name, email string) []string {
			return with(flags, "user", "add", "--tenant", tenant, "--username", name, "--email", email, "--role", "admin")
		}
		id := strings.TrimSpace(succeed(t, "a fine password\n", add("acme", "ann", "ann@acme.example")...))
		list := func() string { return succeed(t, "", with(flags, "user", "list", "--tenant", "acme")...) }
		before := list()
		if !strings.Contains(before, id) || !strings.Contains(before, "ann@acme.example") || !strings.Contains(before, "enabled") {
			t.Errorf("user list:\n%s", before)
		}
		refuse(t, "there is no tenant named", "a fine password\n", add("nobody", "bob", "bob@acme.example")...)
		refuse(t, "taken", "a fine password\n", add("acme", "ANN", "ann2@acme.example")...)
		refuse(t, "taken", "a fine password\n", add("acme", "ann2", "Ann@acme.example")...)
		misuse(t, "not a valid email address", "a fine password\n", add("acme", "bob", "bob")...)
		misuse(t, "must not be blank", "a fine password\n", add("acme", "  ", "bob@acme.example")...)
		misuse(t, "password", "short\n", add("acme", "bob", "bob@acme.example")...)
		refuse(t, "no password on standard input", "", add("acme", "bob", "bob@acme.example")...)
		refuse(t, "there is no user named", "", with(flags, "user", "disable", "bob")...)
		refuse(t, "password", "short\n", with(flags, "user", "password", "ann")...)
		refuse(t, "too common", "ann@acme.example\n", with(flags, "user", "password", "ann")...)
		if diff := cmp.Diff(before, list()); diff != "" {
			t.Errorf("a refused command changed something:\n%s", diff)
		}
		succeed(t, "", with(flags, "user", "disable", "ANN@acme.example")...)
		if got := list(); !strings.Contains(got, "disabled") {
			t.Errorf("user list after disable:\n%s", got)
		}
		succeed(t, "", with(flags, "user", "enable", "ann")...)
		succeed(t, "another fine password", with(flags, "user", "password", "ann")...)
		if got := succeed(t, "", with(flags, "user", "sessions", "ann")...); strings.Count(got, "\n") != 1 {
			t.Errorf("no one logged in, but the sessions are:\n%s", got)
		}
		succeed(t, "", with(flags, "user", "sessions", "ann", "--end")...)
	})
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	flags := []string{"--data", folder(t)}
	first, second := succeed(t, "", with(flags, "migrate")...), succeed(t, "", with(flags, "migrate")...)
	if strings.HasPrefix(first, "0 ") || second != "0 migrations applied to sqlite\n" {
		t.Errorf("migrate prints %q, then %q", first, second)
	}
}

// TestNotDistributed says why a database cannot be distributed.
func TestNotDistributed(t *testing.T) {
	t.Parallel()
	refuse(t, "it is embedded", "", "migrate", "--distribute", "--data", folder(t))
	misuse(t, "--shards must be 1 to 4096", "", "migrate", "--distribute", "--shards", "0", "--data", folder(t))
	server, err := storetest.StartServer(t.Context()) // one without Citus, also where others have it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	refuse(t, "Citus is not installed in it", "", "migrate", "--distribute", "--data", folder(t), "--database", server.URL("postgres"))
}

func TestKeys(t *testing.T) {
	t.Parallel()
	installations(t, func(t *testing.T, flags ...string) {
		t.Helper()
		succeed(t, "", with(flags, "migrate")...)
		if got := succeed(t, "", with(flags, "key", "list")...); strings.Count(got, "\n") != 1 {
			t.Errorf("no one made a key, but there are:\n%s", got)
		}
		succeed(t, "", with(flags, "key", "rotate")...)
		got := succeed(t, "", with(flags, "key", "list")...)
		for _, want := range []string{"signing", "sealing", "active", "retired"} {
			if strings.Count(got, want) != 2 {
				t.Errorf("key list shows %q %d times, want 2:\n%s", want, strings.Count(got, want), got)
			}
		}
	})
}

// TestModes keeps others from what is written.
func TestModes(t *testing.T) {
	t.Parallel()
	data := folder(t)
	succeed(t, "", "key", "rotate", "--data", data)
	for path, want := range map[string]os.FileMode{
		data: 0o700, filepath.Join(data, "master.key"): 0o600, filepath.Join(data, "drover.db"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(path), info.Mode().Perm(), want)
		}
	}
}

// TestUnreachableDatabase never shows the password of the address.
func TestUnreachableDatabase(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://ann:hunter2@127.0.0.1:1/drover", "postgres://ann:hunter2@%zz/drover", "postgres://ann:hunter2@127.0.0.1:x/drover",
		"mysql://ann:hunter2@127.0.0.1/drover", "postgres://127.0.0.1:1/drover?user=ann&password=hunter2&sslmode=bogus",
	} {
		for _, command := range []string{"serve", "migrate"} {
			data := folder(t)
			r := execute(t.Context(), "", command, "--database", url, "--data", data)
			if r.code != 1 || strings.Count(r.err, "\n") != 1 || strings.Contains(r.err, "hunter2") || r.out != "" {
				t.Errorf("%s: exit code %d and %q, want 1 and one line without the password", command, r.code, r.err)
			}
			if _, err := os.Stat(data); err == nil {
				t.Errorf("%s made the data folder before it failed", command)
			}
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	r := execute(t.Context(), "", "serve", "--data", folder(t), "--listen", listener.Addr().String(), "--log-level", "error")
	if r.code != 1 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "the address is in use") {
		t.Errorf("exit code %d and %q, want 1 and one line that says why", r.code, r.err)
	}
}

func TestBadCertificate(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "no certificate")
	refuse(t, "load the certificate", "", "serve", "--data", folder(t), "--listen", "127.0.0.1:0", "--tls-cert", file, "--tls-key", file,
		"--log-level", "error")
}
