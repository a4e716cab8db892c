package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
)

// changing are the commands that change something or serve, by their words. Every other
// command only reads.
var changing = []string{
	"serve", "demo", "sandbox", "webhook listen", "migrate", "restore", "pack", "login",
	"tenant add", "tenant suspend", "tenant resume", "tenant erase", "driver erase", "operator key create", "operator key revoke",
	"user add", "user disable", "user enable", "user password", "user break-glass",
	"key rotate", "connection sync", "connection authorize",
}

// reading are the others: what follows their words, and a part of what they print where
// there is a database with a tenant and a user named x, and no keys.
func reading(data string) map[string]struct {
	args []string
	want string
} {
	at := []string{"--data", data}
	named := []string{"x", "--data", data}
	return map[string]struct {
		args []string
		want string
	}{
		"tenant list":          {at, "active"},
		"operator key list":    {at, "SCOPES"},
		"tenant retention":     {named, "positions default"},
		"tenant limit":         {named, "devices"},
		"user second-factor":   {named, "none"},
		"tenant sso":           {named, "password_login"},
		"user list":            {[]string{"--tenant", "x", "--data", data}, "viewer"},
		"user sessions":        {named, "EXPIRES"},
		"key list":             {at, "PURPOSE"},
		"connection list":      {at, "PROVIDER"},
		"connection check":     {named, "there is no connection"},
		"connection probe":     {named, "there is no connection"},
		"connection recompute": {named, "there is no connection"},
		"eta-report":           {at, "BEFORE ARRIVAL"},
		"storage":              {at, "B/POSITION"},
		"doctor":               {at, "none yet; drover serve makes them"},
		"support-bundle":       {[]string{"--show", "--listen", "127.0.0.1:1", "--data", data}, "the service does not answer"},
		"health":               {[]string{"--listen", "127.0.0.1:1"}, "the service does not answer"},
		"verify":               {at, "0 values open"},
		"config":               {at, "data"},
		"backup":               {[]string{os.DevNull, "--data", data}, "is there already"},
		"export":               {[]string{"trip"}, "there is no login"},
		"import":               {[]string{os.DevNull, "--connection", "x"}, "no rows"},
		"api":                  {[]string{"GET", "/device"}, "there is no login"},
		"listen":               {[]string{"--forward", "http://127.0.0.1:1"}, "there is no login"},
		"mcp":                  {nil, "there is no login"},
		"provider list":        {nil, "traccar"},
		"provider show":        {[]string{"traccar"}, "Traccar"},
		"provider check":       {[]string{os.DevNull}, "the file is empty"},
		"provider new":         {[]string{os.DevNull, "--name", "x"}, os.DevNull},
		"provider suite":       {[]string{os.DevNull, "--fake", os.TempDir()}, "the file is empty"},
		"provider try":         {[]string{os.DevNull, "--credentials", os.DevNull}, "the file is empty"},
		"rights":               {nil, "OF A SHARE"},
		"version":              {nil, "drover "},
	}
}

// TestEveryCommandReadsOrChanges keeps the two lists whole.
func TestEveryCommandReadsOrChanges(t *testing.T) {
	t.Parallel()
	var all []string
	for _, words := range commands(t) {
		all = append(all, strings.Join(slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "<") }), " "))
	}
	listed := slices.Concat(changing, slices.Collect(maps.Keys(reading(""))))
	slices.Sort(all)
	slices.Sort(listed)
	if !slices.Equal(all, listed) {
		t.Errorf("there are the commands\n%q, and listed are\n%q", all, listed)
	}
}

// TestReadersMakeNothing runs every command that only reads where there is nothing, and
// where there is a database without keys. It is not parallel: it sets the folders of the
// user and of the process.
func TestReadersMakeNothing(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "TMPDIR"} {
		t.Setenv(name, filepath.Join(root, strings.ToLower(name)))
	}
	for _, name := range []string{"home", "xdg_config_home", "tmpdir", "here", "empty", "made"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "here"))
	made := filepath.Join(root, "made")
	succeed(t, "", "tenant", "add", "x", "--data", made)
	succeed(t, "a long password\n", "user", "add", "--tenant", "x", "--username", "x", "--email", "x@example.com", "--role", "viewer",
		"--data", made)
	audit := len(audited(t, made))

	for _, data := range []string{made, filepath.Join(root, "empty"), filepath.Join(root, "missing")} {
		for name, command := range reading(data) {
			args := append(strings.Fields(name), command.args...)
			before := contents(t, root)
			r := execute(t.Context(), "", args...)
			if text := r.out + r.err; data == made && !strings.Contains(text, command.want) {
				t.Errorf("drover %s: exit code %d and %q, want %q in it", strings.Join(args, " "), r.code, text, command.want)
			}
			stores := slices.Contains(args, "--data") && name != "config"
			if text := r.out + r.err; data != made && stores && (r.code != exitFailed || !strings.Contains(text, "does not exist")) {
				t.Errorf("drover %s: exit code %d and %q, want that the database does not exist", strings.Join(args, " "), r.code, text)
			}
			if after := contents(t, root); !maps.Equal(before, after) {
				t.Errorf("drover %s changed what is there from\n%v to\n%v", strings.Join(args, " "), before, after)
			}
		}
	}
	if n := len(audited(t, made)); n != audit {
		t.Errorf("commands that read added %d entries to the audit", n-audit)
	}
}

// contents are the files and folders below a folder, with sums of what they hold.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			found[path] = "folder"
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// audited lists what the operator has changed at the only tenant.
func audited(t *testing.T, data string) []drover.Audit {
	t.Helper()
	s, err := app.OpenStore(t.Context(), config.Store{Data: data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tenants, err := s.Accounts.Tenants(t.Context())
	if err != nil || len(tenants) != 1 {
		t.Fatalf("%d tenants, %v", len(tenants), err)
	}
	entries, err := s.Accounts.Audit(t.Context(), tenants[0].ID, drover.AuditFilter{}, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
