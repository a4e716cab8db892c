package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProviderFile holds that mistakes are said with file and line, and that a trial shows no
// secret and no address within.
func TestProviderFile(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("../../internal/provider/declared/testdata/motive.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, wrong := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "wrong.yaml")
	for name, text := range map[string]string{path: string(good), wrong: strings.Replace(string(good), "title:", "titel:", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		in   string
		code int
		says string
	}{
		{[]string{"provider", "check", path}, "", 0, "describes Motive (motive_file): positions every 1m0s, trips native"},
		{[]string{"provider", "check", wrong}, "", 1, `wrong.yaml: line 2: there is no key "titel" here; did you mean "title"?`},
		{[]string{"provider", "suite", "../../docs/vendors/mapon.yaml", "--fake", "../../docs/vendors/recorded/mapon"}, "", 0, "ok: trips are true and complete: "},
		{[]string{"provider", "suite", "../../docs/vendors/mapon.yaml", "--fake", dir}, "", 2, "no recorded answer"},
		{[]string{"provider", "suite", wrong}, "", 1, "titel"},
		{[]string{"provider", "new", "-", "--name", "acme", "-o", filepath.Join(dir, "acme.yaml")}, `[{"id":1,"lat":2,"lng":3}]`, 0, "latitude: lat, such as 2"},
		{[]string{"provider", "new", "-", "--name", "acme", "-o", filepath.Join(dir, "acme.yaml")}, `[{"id":1,"lat":2,"lng":3}]`, 1, "exists"},
		{[]string{"provider", "check", filepath.Join(dir, "acme.yaml")}, "", 1, "acme.yaml: line 2: title: this is still to be written; "},
		{[]string{"provider", "new", "-", "--name", "acme"}, `7`, 2, "no list of objects"},
		{[]string{"provider", "try", path, "--credentials", "-"}, `{}`, 1, "the credential api_key is missing"},
		{[]string{"provider", "try", path, "--credentials", "-"}, `{"api_key": 7-of-hearts}`, 2, "not a JSON object of strings"},
		{[]string{"provider", "try", path, "--credentials", "-"}, `{"api_key": "7-of-hearts", "base_url": "http://127.0.0.1:9"}`, 1, "private network"},
	} {
		var out, said bytes.Buffer
		code := run(world{t.Context(), strings.NewReader(c.in), &out, &said}, c.args)
		if all := out.String() + said.String(); code != c.code || !strings.Contains(all, c.says) || strings.Contains(all, "7-of-hearts") {
			t.Errorf("%v: code %d, %s; want %d and %q", c.args, code, all, c.code, c.says)
		}
	}
}
