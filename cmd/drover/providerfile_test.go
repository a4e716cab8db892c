package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
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

// TestProviderListAsTheServiceHasIt holds that the list and the details of a provider have what the
// settings of a service add, and nothing of it without them.
func TestProviderListAsTheServiceHasIt(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("../../internal/provider/declared/testdata/motive.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"good.yaml": string(good), "wrong.yaml": strings.Replace(string(good), "title:", "titel:", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func(args ...string) (listed []string, said string) {
		r := execute(t.Context(), "", append([]string{"provider", "list", "--json"}, args...)...)
		var records []listedProvider
		if err := json.Unmarshal([]byte(r.out), &records); err != nil || r.code != 0 {
			t.Fatalf("%v: code %d, %s%s: %v", args, r.code, r.out, r.err, err)
		}
		for _, one := range records {
			listed = append(listed, string(one.Name))
		}
		return listed, r.err
	}
	var closed []string
	for _, name := range drover.ProviderNames {
		closed = append(closed, string(name))
	}
	if got, _ := names(); !slices.Equal(got, closed) {
		t.Errorf("without settings it lists %q", got)
	}
	got, said := names("--provider-extra", "rfms", "--provider-extra", "push", "--provider-dir", dir)
	if want := append(slices.Clone(closed), "motive_file", "push", "rfms"); !slices.Equal(got, want) {
		t.Errorf("with settings it lists %q, want %q", got, want)
	}
	if !strings.Contains(said, "wrong.yaml: line 2") {
		t.Errorf("of the file with a mistake it says %q", said)
	}
	if r := execute(t.Context(), "", "provider", "list", "--provider-extra", "acme"); r.code != exitUsage || !strings.Contains(r.err, "iso15143") {
		t.Errorf("an unknown name is %+v", r)
	}
	if r := execute(t.Context(), "", "provider", "show", "motive_file", "--provider-dir", dir); r.code != 0 || !strings.Contains(r.out, "Motive (motive_file)") {
		t.Errorf("the file's vendor is %+v", r)
	}
	if r := execute(t.Context(), "", "provider", "show", "motive_file"); r.code != exitUsage {
		t.Errorf("a vendor of no file is %+v", r)
	}
}
