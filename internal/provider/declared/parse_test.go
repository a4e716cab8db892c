package declared_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
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

// TestMistakes changes one line of a good file, and wants the mistake said, with what to write
// instead, at that line, or at the one that begins as told.
func TestMistakes(t *testing.T) {
	t.Parallel()
	whole := good(t)
	const (
		layoutFix = "write how the vendor would write 15:04:05 on 2 January 2006, such as 02.01.2006 15:04:05"
		pathFix   = "such as data.items or position.points[0]"
		secret    = "a secret is written out, and tenants can read the file"
		secretFix = "write a credential in braces into login, such as {api_key}"
		noNames   = "there are credentials that are not secret"
		span      = "the longest span of one call is missing, or shorter than a minute"
		tripPages = "  pages: {number: page_no, size: 100, total: pagination.total}\n  records: driving"
	)
	for _, c := range []struct{ from, to, at, says, fix string }{
		{"name: motive_file", "name: Motive", "", "name: it must be small letters, digits and underscores, at most 40", "such as gps_insight"},
		{"name: motive_file", "name: motive", "", "name: motive is built in", "choose another"},
		{"name: motive_file", "name: push", "", "name: push is built in", "choose another"},
		{"title: Motive", "titel: Motive", "", `there is no key "titel" here`, `did you mean "title"?`},
		{"title: Motive", "title: ", "", "title: it is missing", "write the vendor's name as it writes it itself"},
		{"address: https://api.gomotive.com", "address: http://api.gomotive.com", "", "address: it must be an https address without a query", "such as https://api.example.com/v1"},
		{"address: https://api.gomotive.com", "address: https://{api_key}.example.com", "", "address: {api_key} is no credential with a closed set of values", "give that credential its options"},
		{"timeout: 60s", "timeout: soon", "", "cannot read `soon` as a time such as 30s, 5m or 24h", ""},
		{"timeout: 60s", "timeout: -1s", "", "timeout: a call may take from 1 second to 5 minutes", "such as 60s"},
		{"timeout: 60s", "timeout: 2h", "", "timeout: a call may take from 1 second to 5 minutes", "such as 60s"},
		{"timeout: 60s", "layout: yyyy-MM-dd HH:mm:ss", "", `layout: times cannot be read by "yyyy-MM-dd HH:mm:ss"`, layoutFix},
		{"timeout: 60s", "layout: 2006-01-02", "", `layout: times cannot be read by "2006-01-02"`, layoutFix},
		{"timeout: 60s", "layout: 2006-01-02 03:04:05", "", `layout: times cannot be read by "2006-01-02 03:04:05"`, layoutFix},
		{"timeout: 60s", "zone: Mars/Olympus", "", "zone: the time zone is not in the IANA database; use one such as Africa/Johannesburg", "such as Europe/Berlin, or UTC"},
		{"required: true, secret: true, help", "required: true, help", "", "credentials.0: api_key sounds like a secret and is not marked so", "add secret: true"},
		{"credentials:\n", "credentials:\n  - {name: pin, title: PIN, help: The PIN.}\n", "  - {name: pin", "credentials.0: pin sounds like a secret and is not marked so", "add secret: true"},
		{"{name: api_key,", "{name: base_url,", "", "credentials.0: the name base_url is taken", "choose another name"},
		{`X-API-Key: "{api_key}"`, `X-API-Key: "{apikey}"`, "", "login.header.X-API-Key: {apikey} is no credential", "add it to credentials"},
		{`X-API-Key: "{api_key}"`, `X-API-Key: "{api_key"`, "", `login.header.X-API-Key: a brace of "{api_key" is not closed`, "write {name}"},
		{`X-API-Key: "{api_key}"`, `X-API-Key: k3y-0f-0urs`, "", "login.header.X-API-Key: " + secret, secretFix},
		{`X-API-Key: "{api_key}"`, `Authorization: Basic b3BlcmF0b3I6cHc=`, "", "login.header.Authorization: " + secret, secretFix},
		{`X-API-Key: "{api_key}"`, `userPin: "0815"`, "", "login.header.userPin: " + secret, secretFix},
		{"  header: {X-API-Key", "  basic: [operator, \"{api_key}\"]\n  header: {X-API-Key", "", "login.basic.0: " + secret, secretFix},
		{"  header: {X-API-Key", "  query: {pwd: 0ur-0wn}\n  header: {X-API-Key", "", "login.query.pwd: " + secret, secretFix},
		{"  header: {X-API-Key", "  token: {post: /login, form: {grant_type: password, scope: all, apikey: 0ur-0wn}}\n  header: {X-API-Key", "", "login.token.form.apikey: " + secret, secretFix},
		{"  header: {X-API-Key", "  token: {post: '/login?key=0ur-0wn'}\n  header: {X-API-Key", "", "login.token.post: " + secret, secretFix},
		{"  header: {X-API-Key", "  token: {post: /login, at: access token}\n  header: {X-API-Key", "", `login.token.at: "access token" is no path`, pathFix},
		{"requests: 5, per: 1s,", "requests: 5,", "", "limits.0: it bounds nothing, or has only half a rate", "such as {requests: 60, per: 1m, concurrent: 2}"},
		{"timeout: 60s", "errors: [{status: 418, means: tea}]", "", `errors.0: means is "tea"`, "it is one of credentials, rate_limited, temporary, permanent"},
		{"timeout: 60s", "errors: [{path: /error, is: [x], means: permanent}]", "", `errors.0.path: "/error" is no path`, pathFix},
		{"  get: /v1/driving_periods", "  get: https://elsewhere.example/x", "", "trips.get: a path begins with a slash", "write the host into address, and the path here"},
		{"  get: /v1/driving_periods", "  get: /v1/{api_key}", "", "trips.get: {api_key} is secret", "a secret stands in login alone"},
		{"  get: /v1/driving_periods", "  get: /v1/{cursor}", "", "trips.get: {cursor} is not there in this call", "there are {from}, {to}, {device}, and credentials that are not secret"},
		{"  get: /v1/driving_periods", "  get: /v1/{vehicle}", "", "trips.get: {vehicle} is not known", "there are {from}, {to}, {device}, and credentials that are not secret"},
		{"  get: /v1/driving_periods", "  get: /v1/{device:id}", "", "trips.get: only {from} and {to} have a form", "write {device}"},
		{"  get: /v1/driving_periods", "  gte: /v1/driving_periods", "", `there is no key "gte" here`, `did you mean "get"?`},
		{"    get: /v3/vehicle_locations\n", "    get: /v3/vehicle_locations/{from}\n", "", "positions.newest.get: {from} is not there in this call", noNames},
		{"  get: /v1/vehicles\n", "  get: /v1/vehicles/{device}\n", "", "devices.get: {device} is not there in this call", noNames},
		{"  query: {per_page: \"100\"}\n", "  query: {token: 0ur-0wn}\n", "", "devices.query.token: " + secret, secretFix},
		{"{from:date}", "{from:day}", "", `positions.backfill.query.start_date: "day" is no form of a time`, "it is one of iso, iso_milli, date, seconds, millis"},
		{"    latitude: lat", "    latitude: l at", "", `positions.fields.latitude: "l at" is no path`, "names with dots between them, and numbers of a list in brackets: data.points[0].lat"},
		{"    latitude: lat", "    latitude: {path: lat, unit: mph}", "", `positions.fields.latitude: it cannot have the unit "mph"`, "it is one of degrees, microdegrees"},
		{"    latitude: lat", "    latitude: {place: lat}", "", `positions.fields.latitude: a value has no "place"; it has path, text, minus, unit, factor, words, else, zero_is_unknown, printable`, ""},
		{"    latitude: lat", `    latitude: {path: lat, text: "{lat}"}`, "", "positions.fields.latitude: it has a path and a text", "leave one of them out"},
		{"    speed: speed", "    speed: {path: speed, unit: furlongs}", "", `positions.fields.speed: it cannot have the unit "furlongs"`, "it is one of kmh, mph, knots, ms"},
		{"    window: 48h", "    overlap: 1h", "  backfill:", "positions.backfill.window: " + span, "such as 24h"},
		{"    window: 48h", "    window: 1ns", "", "positions.backfill.window: " + span, "such as 24h"},
		{"    window: 48h", "    window: -48h", "", "positions.backfill.window: " + span, "such as 24h"},
		{"  overlap: 12h", "  overlap: -12h", "", "trips.overlap: it is below zero", "such as 12h, or leave it out"},
		{"  newest:\n", "  feed: {get: /feed, query: {c: \"{cursor}\", to: \"{to}\"}, device: id, next: next}\n  newest:\n", "", "positions.feed.query.to: {to} is not there in this call", "there are {from}, {cursor}, and credentials that are not secret"},
		{"  newest:\n", "  feed: {get: /feed, query: {c: \"{cursor}\"}, device: id, next: next page}\n  newest:\n", "", `positions.feed.next: "next page" is no path`, pathFix},
		{"  newest:\n", "  feed: {get: /feed, query: {c: \"{cursor}\"}, device: id, next: next, more: /more}\n  newest:\n", "", `positions.feed.more: "/more" is no path`, pathFix},
		{"  newest:\n", "  feed: {get: /feed, query: {c: \"{cursor}\"}, device: id, next: next, pages: {number: page}}\n  newest:\n", "", "positions.feed.pages: a feed has its cursor, and no pages beside it", "leave it out"},
		{"    driving: [duration, $elapsed]", "    driving: [duration, $spent]", "", "trips.fields.driving: $spent is not known", "here there are $device, $start, $elapsed"},
		{"    id: id", "    idd: id", "", `there is no key "idd" here`, `did you mean "id"?`},
		{"- {kind: supply_volts", "- {kind: volts", "", `positions.readings.6: "volts" is no kind of reading`, "docs/readings.md has the kinds"},
		{tripPages, "  pages: {number: page_no, skip: x}\n  records: driving", "", "trips.pages: say exactly one of number, skip and cursor", "it is the name of a parameter"},
		{tripPages, "  pages: {number: page_no, size: 100, total: /pagination.total}\n  records: driving", "", `trips.pages.total: "/pagination.total" is no path`, pathFix},
		{tripPages, "  pages: {cursor: page, next: next page}\n  records: driving", "", `trips.pages.next: "next page" is no path`, pathFix},
		{tripPages, "  pages: {number: page_no, more: \"{more}\"}\n  records: driving", "", `trips.pages.more: "{more}" is no path`, pathFix},
		{"  record: driving_period\n", "  record: /driving_period\n", "", `trips.record: "/driving_period" is no path`, pathFix},
		{"  unless: {status: [in_progress]}", "  unless: {sta tus: [in_progress]}", "", `trips.unless: "sta tus" is no path`, pathFix},
		{"devices:\n  every: 1h", "devices:\n  every: 1ms", "  every: 1ms", "devices.every: more often than every 5 seconds is no one served", "such as 1m"},
		{"title: Motive", "title: [", "name: motive_file", "this is no YAML: did not find expected ',' or ']'", "look at the blanks at the beginning of the line, and at quotes"},
	} {
		changed := strings.Replace(whole, c.from, c.to, 1)
		if changed == whole {
			t.Fatalf("%q is not in the file", c.from)
		}
		want := declared.Mistake{Line: strings.Count(whole[:strings.Index(whole, c.from)], "\n") + 1, What: c.says, Fix: c.fix}
		if c.at != "" {
			want.Line = strings.Count(changed[:max(strings.Index("\n"+changed, "\n"+c.at), 0)], "\n") + 1
		}
		_, mistakes := declared.Parse([]byte(changed))
		if !slices.Contains(mistakes, want) {
			t.Errorf("%s: %q, want %q", c.to, mistakes, want)
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

// TestFolderSeen holds that what is there at the start counts as placed when it was written, if
// that is known.
func TestFolderSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ written, want time.Time }{
		{now.Add(-time.Hour), now.Add(-time.Hour)}, {now.Add(time.Hour), now}, {time.Unix(0, 0), now},
	} {
		path := filepath.Join(t.TempDir(), "a.yaml")
		if err := errors.Join(os.WriteFile(path, []byte(good(t)), 0o600), os.Chtimes(path, c.written, c.written)); err != nil {
			t.Fatal(err)
		}
		folder := &declared.Folder{
			Dir: filepath.Dir(path), Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
			Each: func(i provider.Info) provider.Info { return i },
		}
		if err := folder.Open(); err != nil {
			t.Fatal(err)
		}
		if got := folder.Current()["motive_file"].File.SeenAt; !got.Equal(c.want) {
			t.Errorf("written at %s: seen at %s, want %s", c.written, got, c.want)
		}
	}
}

// TestFolderFollowed holds that a folder is read again: a text counts once it was the same at
// two looks, a broken one leaves what is in use, and so does a folder that cannot be read.
func TestFolderFollowed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "vendors")
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", good(t))
	present := now
	var log bytes.Buffer
	folder := &declared.Folder{
		Dir: dir, Now: func() time.Time { return present }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Each: func(i provider.Info) provider.Info { return i },
	}
	if err := folder.Open(); err != nil {
		t.Fatal(err)
	}
	version := func() string {
		t.Helper()
		if file := folder.Current()["motive_file"].File; file != nil {
			return file.Version
		}
		return ""
	}
	look := func() { present = present.Add(6 * time.Second); folder.Current() }
	first := version()
	write("a.yaml", good(t)+"# changed\n")
	if version() != first {
		t.Error("it was looked at twice within seconds")
	}
	if look(); version() != first {
		t.Error("a text that may still be written is used")
	}
	write("a.yaml", good(t)+"# changed again\n")
	if look(); version() != first {
		t.Error("a text that is still being written is used")
	}
	look()
	second := version()
	if second == first || folder.Current()["motive_file"].File.SeenAt != present {
		t.Errorf("version %s, before %s", second, first)
	}
	write("a.yaml", "name: [")
	write("b.yaml", strings.Replace(good(t), "motive_file", "acme", 1))
	write("c.yaml", strings.Replace(good(t), "title: Motive", "title: Other", 1)) // another file has the name
	look()
	look()
	if version() != second || folder.Current()["acme"].Name == "" || folder.Current()["motive_file"].Title != "Motive" {
		t.Errorf("beside a broken file: %v", folder.Current())
	}
	for range 3 {
		look()
	}
	if said := strings.Count(log.String(), "a.yaml"); said != 1 || !strings.Contains(log.String(), "another file has the name") {
		t.Errorf("the log says %d times: %s", said, &log)
	}
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	look()
	look()
	if version() != second || strings.Count(log.String(), "cannot be read") != 1 {
		t.Errorf("without its folder: %s", &log)
	}
	if err := errors.Join(os.Rename(dir+"-away", dir), os.Remove(filepath.Join(dir, "b.yaml"))); err != nil {
		t.Fatal(err)
	}
	if look(); folder.Current()["acme"].Name == "" {
		t.Error("a file is gone at the first look: an editor may be replacing it")
	}
	if look(); folder.Current()["acme"].Name != "" {
		t.Error("a file that is gone can still be connected to")
	}
	kept, err := folder.Read(good(t))
	if err != nil || kept.File.Version != first {
		t.Errorf("%v, %v", kept.File, err)
	}
}
