package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
)

// planted is what must be in no bundle, by what it is.
var planted = map[string]string{
	"credential":  "a-very-secret-token",
	"tenant":      "secretive-haulage",
	"user":        "annabel",
	"address":     "annabel@northern.example",
	"password":    "correct horse battery",
	"business":    "Wheels of Annabel",
	"business's":  "office@wheels.example",
	"number":      "ABN 51 824 753 556",
	"plate":       "B-XY 1234",
	"provider's":  "no vehicle B-XY 1234 for annabel",
	"database's":  "hunter2",
	"key store's": "t0ken-of-the-store",
}

// plant makes an installation that has all of it.
func plant(t *testing.T) string {
	t.Helper()
	data := folder(t)
	tenant := strings.TrimSpace(succeed(t, "", "tenant", "add", planted["tenant"], "--data", data))
	succeed(t, planted["password"]+"\n", "user", "add", "--tenant", planted["tenant"], "--username", planted["user"],
		"--email", planted["address"], "--role", "admin", "--data", data)
	c := connections{Store: config.Store{Data: data}, Log: config.Log{LogLevel: "error"}}
	err := c.with(world{Context: t.Context(), err: t.Output()}, func(a *app.App) error {
		_, err := a.Fleet.Connections.CreateConnection(t.Context(), operator(tenant), drover.ConnectionInput{
			IntegrationName: drover.Flespi, BusinessName: planted["business"], ABN: new(planted["number"]), Email: new(planted["business's"]),
			Tags: []string{planted["plate"]}, Credentials: map[string]string{"token": planted["credential"]},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(data, "drover.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO job (tenant_id, connection_id, id, kind, backfill, state, cursor, window_from, due_at, created_at,
		last_error, last_error_kind, last_error_at, consecutive_errors)
		SELECT tenant_id, id, id, 'positions', FALSE, 'active', '', 0, 0, 0, ?, 'permanent', 1, 7 FROM connection`, planted["provider's"]); err != nil {
		t.Fatal(err)
	}
	return data
}

// serving runs the service until the test ends.
func serving(t *testing.T, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	log, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(world{ctx, strings.NewReader(""), io.Discard, write}, append([]string{"serve"}, args...))
		_ = write.Close()
	}()
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "msg=ready") {
		t.Log(lines.Text())
	}
	go func() {
		for lines.Scan() { // so that it is not held up by what no one reads
		}
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("the service ended with %d", code)
		}
	})
}

// TestSupportBundle plants secrets and names and finds none of them in the file.
func TestSupportBundle(t *testing.T) {
	t.Parallel()
	data, address := plant(t), freeAddress(t)
	serving(t, "--data", data, "--listen", address, "--role", "api", "--shutdown-timeout", "1s")
	file := filepath.Join(t.TempDir(), "bundle.zip")
	args := []string{"support-bundle", file, "--data", data, "--listen", address, "--routing-url", "https://annabel:hunter2@roads.example/x"}

	refuseToWrite(t, file, args)
	if out := succeed(t, "", append(args, "--yes")...); !strings.Contains(out, "metrics.txt") || !strings.Contains(out, "is written") {
		t.Errorf("it prints %q", out)
	}
	if r := execute(t.Context(), "", append(args, "--yes")...); r.code != exitFailed || !strings.Contains(r.err, "exists already") {
		t.Errorf("a file is overwritten: %+v", r)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	sheets := unzip(t, file)
	for name, want := range map[string]string{
		"version.txt": "drover ", "settings.txt": "routing-url = ", "doctor.json": `"check": "keys"`, "schema.json": `"database": "sqlite"`, "plans.json": "[]",
		"collection.json": `"last_error_kind": "permanent"`, "storage.json": "tenant 1", "ready.json": `"ready":true`, "metrics.txt": "drover_http_requests",
	} {
		if !strings.Contains(sheets[name], want) {
			t.Errorf("%s has no %q:\n%s", name, want, sheets[name])
		}
	}
	key, err := os.ReadFile(filepath.Join(data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	clean(t, sheets, strings.TrimSpace(string(key)))
	clean(t, map[string]string{"what --show prints": succeed(t, "", append(args, "--show")...)}, strings.TrimSpace(string(key)))
}

// TestSupportBundleOfWhatIsBroken has the errors of a database and of a key store, without their secrets.
func TestSupportBundleOfWhatIsBroken(t *testing.T) {
	t.Parallel()
	out := succeed(t, "", "support-bundle", "--show", "--data", folder(t), "--listen", freeAddress(t), "--master-key-command",
		"/bin/store --token "+planted["key store's"], "--database", "postgres://drover:hunter2@127.0.0.1:1/x?sslpassword=hunter2")
	for _, want := range []string{"the service does not answer", `"ok": false`, "master-key-command = /bin/store ********"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	clean(t, map[string]string{"what --show prints": out}, newKey('a'))
	out = succeed(t, "", "support-bundle", "--show", "--data", plant(t), "--listen", freeAddress(t), "--master-key", newKey('a'))
	if !strings.Contains(out, "is this the master key that the database was made with?") {
		t.Errorf("the wrong key is not noticed:\n%s", out)
	}
	clean(t, map[string]string{"what --show prints": out}, newKey('a'))
}

// TestSupportBundleIsComplete holds that a bundle has every sheet where neither the database nor the
// service works, and that each sheet then says why it is empty.
func TestSupportBundleIsComplete(t *testing.T) {
	t.Parallel()
	torn := plant(t)
	for _, name := range []string{"drover.db", "drover.db-wal", "drover.db-shm"} {
		if err := os.WriteFile(filepath.Join(torn, name), bytes.Repeat([]byte("torn "), 4000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, where := range map[string][]string{
		"the database does not answer": {"--data", folder(t), "--database", "postgres://drover@127.0.0.1:1/x?connect_timeout=1"},
		"the database is torn":         {"--data", torn},
	} {
		file := filepath.Join(t.TempDir(), "bundle.zip")
		succeed(t, "", append([]string{"support-bundle", file, "--yes", "--listen", freeAddress(t)}, where...)...)
		sheets := unzip(t, file)
		if len(sheets) != 9 {
			t.Errorf("%s: there are %d sheets", name, len(sheets))
		}
		for sheet, want := range map[string]string{
			"version.txt": "drover ", "settings.txt": "data = ", "doctor.json": `"ok": false`, "schema.json": `"error": "`, "plans.json": `"error": "`,
			"collection.json": `"error": "`, "storage.json": `"error": "`, "ready.json": "does not answer", "metrics.txt": "does not answer",
		} {
			if !strings.Contains(sheets[sheet], want) {
				t.Errorf("%s: %s has no %q: %s", name, sheet, want, sheets[sheet])
			}
		}
		clean(t, sheets, newKey('a'))
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	got := string(scrub([]byte(`dial postgres://u:p@db/x for ann.b+c@d.example in /home/ann/data, at 2026-11-18T05:00:00Z`), "/home/ann"))
	if want := `dial postgres://…@db/x for … in ~/data, at 2026-11-18T05:00:00Z`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// refuseToWrite answers anything but yes.
func refuseToWrite(t *testing.T, file string, args []string) {
	t.Helper()
	for _, answer := range []string{"", "\n", "n\n", "no\n"} {
		r := execute(t.Context(), answer, args...)
		if r.code != exitFailed || !strings.Contains(r.out, "doctor.json") || !strings.Contains(r.err, "nothing was written") {
			t.Errorf("after %q it says %+v", answer, r)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("after %q the file is written", answer)
		}
	}
}

// clean finds nothing that was planted, nor the master key.
func clean(t *testing.T, sheets map[string]string, key string) {
	t.Helper()
	for name, text := range sheets {
		for what, secret := range planted {
			if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
				t.Errorf("%s has the %s, %q:\n%s", name, what, secret, text)
			}
		}
		if strings.Contains(text, strings.TrimRight(key, "=")) {
			t.Errorf("%s has the master key", name)
		}
	}
}

func unzip(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(text)
	}
	return out
}
