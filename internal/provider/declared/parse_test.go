package declared_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/provider/declared"
)

// good is a file without mistakes.
func good(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/motive.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMistakes changes one line of a good file, and wants the mistake said at that line.
func TestMistakes(t *testing.T) {
	t.Parallel()
	whole := good(t)
	for _, c := range []struct{ from, to, says string }{
		{"name: motive_file", "name: Motive", "small letters"},
		{"name: motive_file", "name: motive", "built in"},
		{"name: motive_file", "name: push", "built in"},
		{"title: Motive", "titel: Motive", `did you mean "title"?`},
		{"title: Motive", "title: ", "it is missing"},
		{"address: https://api.gomotive.com", "address: http://api.gomotive.com", "https address"},
		{"address: https://api.gomotive.com", "address: https://{api_key}.example.com", "closed set"},
		{"timeout: 60s", "timeout: soon", "as a time such as 30s"},
		{"required: true, secret: true, help", "required: true, help", "add secret: true"},
		{"{name: api_key,", "{name: base_url,", "is taken"},
		{`X-API-Key: "{api_key}"`, `X-API-Key: "{apikey}"`, "no credential"},
		{"requests: 5, per: 1s,", "requests: 5,", "half a rate"},
		{"  get: /v1/driving_periods", "  get: https://elsewhere.example/x", "begins with a slash"},
		{"  get: /v1/driving_periods", "  get: /v1/{api_key}", "is secret"},
		{"  get: /v1/driving_periods", "  gte: /v1/driving_periods", `did you mean "get"?`},
		{`"{from:date}", end_date: "{to:date}"}` + "\n    records", `"{from:day}", end_date: "{to:date}"}` + "\n    records", "no form of a time"},
		{"    latitude: lat", "    latitude: l at", "no path"},
		{"    latitude: lat", "    latitude: {path: lat, unit: mph}", "microdegrees"},
		{"    latitude: lat", "    latitude: {place: lat}", "a value has no"},
		{"    speed: speed", "    speed: {path: speed, unit: furlongs}", "knots"},
		{"    window: 48h", "    overlap: 1h", "longest span"},
		{"    driving: [duration, $elapsed]", "    driving: [duration, $spent]", "not known"},
		{"    id: id", "    idd: id", `did you mean "id"?`},
		{"- {kind: supply_volts", "- {kind: volts", "docs/readings.md"},
		{"  pages: {number: page_no, size: 100, total: pagination.total}\n  records: driving", "  pages: {number: page_no, skip: x}\n  records: driving", "exactly one"},
		{"devices:\n  every: 1h", "devices:\n  every: 1ms", "5 seconds"},
		{"title: Motive", "title: [", "no YAML"},
		{"title: Motive", "zone: Mars/Olympus\ntitle: Motive", "IANA"},
		{"title: Motive", "title: Motive\nerrors: [{status: 418, means: tea}]", "credentials, rate_limited"},
	} {
		changed := strings.Replace(whole, c.from, c.to, 1)
		if changed == whole {
			t.Fatalf("%q is not in the file", c.from)
		}
		_, mistakes := declared.Parse([]byte(changed))
		if len(mistakes) == 0 {
			t.Errorf("%s: no mistake", c.to)
			continue
		}
		line := strings.Count(whole[:strings.Index(whole, c.from)], "\n") + 1
		found := false
		for _, m := range mistakes {
			// A mistake of a part that is missing is said at the part in which it is.
			found = found || strings.Contains(m.String(), c.says) && (m.Line == 0 || m.Line >= line-12 && m.Line <= line+2)
		}
		if !found {
			t.Errorf("%s (line %d): %v, want %q", c.to, line, mistakes, c.says)
		}
	}
	if _, mistakes := declared.Parse([]byte(whole)); len(mistakes) > 0 {
		t.Errorf("the file itself: %v", mistakes)
	}
}

// TestBombs holds that a short file cannot become a large one.
func TestBombs(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a: &a [x, x, x, x, x, x, x, x, x]\n")
	for i := 'b'; i < 'k'; i++ {
		fmt.Fprintf(&laughs, "%c: &%c [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 9))
	}
	for name, text := range map[string]string{
		"a billion laughs": laughs.String(),
		"an alias":         "name: &n x\ntitle: *n\n",
		"a merge":          "devices: &d {get: /x}\ntrips: {<<: *d}\n",
		"depth":            "name: " + strings.Repeat("[", 4000) + strings.Repeat("]", 4000),
		"size":             "notes: [" + strings.Repeat("x, ", 40<<10) + "]",
		"nothing":          "",
		"a list":           "[1, 2]",
		"a number":         "7",
	} {
		if file, mistakes := declared.Parse([]byte(text)); len(mistakes) == 0 {
			t.Errorf("%s: %+v has no mistakes", name, file)
		}
	}
}

// FuzzParse holds that no text takes the program down.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"bouncie", "motive", "ruptela"} {
		text, err := os.ReadFile("testdata/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("positions: {fields: {time: [[[{path: 1}]]]}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if file, mistakes := declared.Parse(text); len(mistakes) == 0 && file.Info().Title == "" {
			t.Error("a file without a title has no mistakes")
		}
	})
}

// TestFolder holds that a broken file, and two of one name, leave the others as they are.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": good(t), "b.yaml": "name: [", "c.yml": strings.Replace(good(t), "motive_file", "acme", 1), "d.yaml": good(t), "notes.txt": "no vendor",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	infos, broken, err := declared.ReadDir(dir)
	if err != nil || len(infos) != 2 || infos[0].Name != "motive_file" || infos[1].Name != "acme" {
		t.Errorf("%v, %v", infos, err)
	}
	if len(broken) != 2 || !strings.Contains(broken[0].Error(), "b.yaml") || !strings.Contains(broken[1].Error(), "another file") {
		t.Errorf("broken: %v", broken)
	}
	if _, _, err := declared.ReadDir(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is read")
	}
}
