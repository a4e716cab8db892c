package declared_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
)

// acme is a vendor with a feed.
const acme = `
name: acme
title: Acme
address: https://{region}.acme.example
zone: ZONE
credentials:
  - {name: api_key, title: Key, help: The key., required: true, secret: true}
  - {name: region, title: Region, help: Where it is., options: [eu, us], default: eu}
login: {header: {Authorization: "Bearer {api_key}"}}
errors:
  - {path: status, is: [denied], means: credentials, says: the key was withdrawn}
  - {status: 400, contains: slow, means: rate_limited}
devices:
  get: /vehicles
  query: {region: "{region}"}
  records: data
  device: id
  fields: {description: name}
positions:
  feed:
    get: /feed
    query: {cursor: "{cursor}", since: "{from:seconds}"}
    records: data
    next: next
    more: more
    device: id
  fields:
    time: at
    latitude: lat
    longitude: lon
    speed: {path: speed, unit: knots}
    ignition: {path: state, words: {on: true, off: false}}
    driver: {path: driver, zero_is_unknown: true}
`

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// answers is a network that answers by the path.
type answers func(req *http.Request) string

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body, _ := strings.Cut(a(req), " ")
	code, err := strconv.Atoi(status)
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, err
}

func connect(t *testing.T, text string, network http.RoundTripper) provider.Provider {
	t.Helper()
	file, mistakes := declared.Parse([]byte(strings.Replace(text, "ZONE", "Europe/Berlin", 1)))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	p, err := file.Info().New(provider.Config{
		Credentials: provider.Credentials{"api_key": "s3cr3t-of-acme", "region": "us"}, Now: func() time.Time { return now },
		HTTP: outbound.New(outbound.Options{Transport: network, Now: func() time.Time { return now }, Secrets: []string{"s3cr3t-of-acme"}, Attempts: 1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFeed follows a feed: its cursor is handed back, numbers may be texts, times without a
// zone are of the file's, and what is unknown stays unknown.
func TestFeed(t *testing.T) {
	t.Parallel()
	var asked []string
	p := connect(t, acme, answers(func(req *http.Request) string {
		asked = append(asked, req.URL.Host+req.URL.RequestURI())
		if req.Header.Get("Authorization") != "Bearer s3cr3t-of-acme" {
			return `401 {}`
		}
		if req.URL.Query().Get("cursor") == "" {
			return `200 {"next":"c1","more":true,"data":[
				{"id":12345678901234567890,"at":"2026-07-01 13:00:00","lat":"52.5","lon":13.4,"speed":"10","state":"on","driver":0},
				{"id":"b","at":1782907200,"lat":52.5,"lon":"13.4","speed":"N/A","state":"?","driver":"D-1"},
				{"id":"c","at":"2026-07-01T11:00:00Z","lat":null,"lon":13.4}]}`
		}
		return `200 {"next":"c1","more":false,"data":[]}`
	}))
	page, err := p.Positions(t.Context(), provider.Query{From: now})
	if err != nil || len(page.Records) != 2 || page.Cursor != "c1" || !page.More {
		t.Fatalf("%+v, %v", page, err)
	}
	a, b := page.Records[0], page.Records[1]
	if a.SystemDeviceID != "12345678901234567890" || a.Time.String() != "2026-07-01T11:00:00Z" || *a.SpeedKPH != 18.52 || !*a.Ignition || a.DriverID != nil {
		t.Errorf("%+v", a)
	}
	if b.Time.String() != "2026-07-01T12:00:00Z" || b.SpeedKPH != nil || b.Ignition != nil || *b.DriverID != "D-1" || b.Longitude != 13.4 {
		t.Errorf("%+v", b)
	}
	page, err = p.Positions(t.Context(), provider.Query{From: now, Cursor: page.Cursor})
	if err != nil || page.More || page.Cursor != "c1" {
		t.Errorf("%+v, %v", page, err)
	}
	want := "us.acme.example/feed?since=1782907200 us.acme.example/feed?cursor=c1&since=1782907200"
	if got := strings.Join(asked, " "); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

// TestBadAnswers holds that what cannot be read is a failure of the right kind, never an empty
// answer, and that its words quote nothing.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for answer, kind := range map[string]provider.Kind{
		`200 {"data":[{"id":"a","at":"noon-ish","lat":1,"lon":2}],"next":"c"}`:                   provider.KindTemporary,
		`200 {"data":[{"id":"a","at":"2026-07-01T11:00:00Z","lat":"north","lon":2}],"next":"c"}`: provider.KindTemporary,
		`200 {"data":{"id":"a"},"next":"c"}`:                                                     provider.KindTemporary,
		`200 {"data":[]}`:                                                                        provider.KindTemporary, // no cursor
		`200 {"status":"denied","data":[]}`:                                                      provider.KindCredentials,
		`400 please slow down`:                                                                   provider.KindRateLimited,
		`400 s3cr3t-of-acme`:                                                                     provider.KindPermanent,
		`200 [1]`:                                                                                provider.KindTemporary,
		`200 "s3cr3t-of-acme"`:                                                                   provider.KindTemporary,
	} {
		p := connect(t, acme, answers(func(*http.Request) string { return answer }))
		_, err := p.Positions(t.Context(), provider.Query{From: now})
		if err == nil || provider.KindOf(err) != kind {
			t.Errorf("%s: %v of kind %s, want %s", answer, err, provider.KindOf(err), kind)
		}
		for _, secret := range []string{"s3cr3t", "noon-ish", "north"} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error quotes it: %v", answer, err)
			}
		}
	}
}

// endless is an answer of a gigabyte.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, strings.Repeat(`{"id":1},`, len(b)/9+1))
	e.left -= n
	return n, nil
}

type gigabyte struct{ body *endless }

func (g gigabyte) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"data":[`), g.body))}, nil
}

// TestGigabyte holds that an answer of 1 GB is not read to its end.
func TestGigabyte(t *testing.T) {
	t.Parallel()
	body := &endless{left: 1 << 30}
	_, err := connect(t, acme, gigabyte{body}).Devices(t.Context(), "")
	if err == nil || provider.KindOf(err) != provider.KindTemporary || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
	if read := 1<<30 - body.left; read > 64<<20 {
		t.Errorf("%d MiB of it were read", read>>20)
	}
}

// TestTrialMemory holds that a trial takes a bounded part of memory, whatever the vendor
// answers: more than an answer may have, many records of a few bytes, and what is large once it
// is decoded.
func TestTrialMemory(t *testing.T) {
	t.Parallel()
	file, _ := declared.Parse([]byte(strings.Replace(acme, "ZONE", "UTC", 1)))
	for want, network := range map[string]http.RoundTripper{
		"larger than":                gigabyte{&endless{left: 1 << 30}},
		"more than 200000 records":   answers(func(*http.Request) string { return `200 {"data":[0` + strings.Repeat(",0", 1<<20) + `]}` }),
		"decoded it would take more": answers(func(*http.Request) string { return `200 {"data":[0` + strings.Repeat(",0", 12<<20) + `]}` }),
	} {
		trial, err := file.Try(t.Context(), provider.Credentials{"api_key": "s3cr3t-of-acme"}, network, func() time.Time { return now })
		if err != nil || !strings.Contains(trial.Steps[0].Error, want) {
			t.Errorf("%s: %+v, %v", want, trial.Steps, err)
		}
	}
}

// TestEndlessPages holds that a list whose cursor always leads on is given up.
func TestEndlessPages(t *testing.T) {
	t.Parallel()
	text := strings.Replace(acme, "positions:\n  feed:\n    get: /feed\n    query: {cursor: \"{cursor}\", since: \"{from:seconds}\"}",
		"positions:\n  newest:\n    get: /feed\n    pages: {cursor: cursor, next: next}", 1)
	text = strings.Replace(text, "    next: next\n    more: more\n", "", 1)
	calls := 0
	p := connect(t, text, answers(func(*http.Request) string {
		calls++
		return fmt.Sprintf(`200 {"next":"c%d","data":[{"id":"a","at":1782907200,"lat":1,"lon":2}]}`, calls)
	}))
	_, err := p.Positions(t.Context(), provider.Query{From: now})
	if err == nil || calls > 2000 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestTry reads from a vendor once: what is shown has no secret, and the calls that were made.
func TestTry(t *testing.T) {
	t.Parallel()
	file, _ := declared.Parse([]byte(strings.Replace(acme, "ZONE", "UTC", 1) + "  readings: [{kind: fuel_level_percent, value: fuel}]\n"))
	present := now
	clock := func() time.Time { present = present.Add(time.Second); return present } // so that no limit is waited for
	trial, err := file.Try(t.Context(), provider.Credentials{"api_key": "s3cr3t-of-acme"}, answers(func(req *http.Request) string {
		if req.URL.Path == "/vehicles" {
			return `200 {"data":[{"id":"a","name":"Van"}]}`
		}
		return `200 {"next":"c","more":false,"data":[{"id":"a","at":1782907200,"lat":1,"lon":2,"fuel":7}]}`
	}), clock)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(trial)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cr3t") {
		t.Errorf("it shows the key: %s", text)
	}
	for _, want := range []string{
		`"GET /vehicles [region]: 200, 34 bytes, 1000 ms"`, `"name":"positions","records":1`, `"positions":1`, `"readings":{"fuel_level_percent":1}`,
		`"limits":[{"allowed":2,"per_seconds":1,"most":1}]`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it has no %s: %s", want, text)
		}
	}
	if _, err := file.Try(t.Context(), nil, nil, func() time.Time { return now }); err == nil || !strings.Contains(err.Error(), "api_key") {
		t.Errorf("without a key: %v", err)
	}
}

// TestTokenCall holds that a token is asked for at the address of the file, parameters and all,
// also where the connection names another server.
func TestTokenCall(t *testing.T) {
	t.Parallel()
	for post, want := range map[string]string{
		"/login?kind=app": "eu.acme.example/login?kind=app", "https://id.example/token?kind=app": "id.example/token?kind=app",
	} {
		text := strings.NewReplacer("ZONE", "UTC", `{Authorization: "Bearer {api_key}"}`, `{Authorization: "Bearer {token}"}, token: {post: "`+post+`"}`).Replace(acme)
		file, mistakes := declared.Parse([]byte(text))
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		asked := ""
		p, err := file.Info().New(provider.Config{
			Credentials: provider.Credentials{"api_key": "k", "region": "eu"}, Now: func() time.Time { return now },
			HTTP: outbound.New(outbound.Options{Now: func() time.Time { return now }, Transport: answers(func(req *http.Request) string {
				if req.Method == http.MethodPost {
					asked = req.URL.Host + req.URL.RequestURI()
					return `200 {"access_token":"t","expires_in":60}`
				}
				return `200 {"data":[]}`
			})}),
		})
		if err == nil {
			err = p.Check(t.Context())
		}
		if err != nil || asked != want {
			t.Errorf("%s: asked %s, %v", post, asked, err)
		}
	}
}

// TestTenantsApart holds that the connections of one file share nothing: each calls with its
// own credentials.
func TestTenantsApart(t *testing.T) {
	t.Parallel()
	file, _ := declared.Parse([]byte(strings.Replace(acme, "ZONE", "UTC", 1)))
	info := file.Info()
	var keys []string
	network := answers(func(req *http.Request) string {
		keys = append(keys, req.URL.Host+" "+req.Header.Get("Authorization"))
		return `200 {"data":[]}`
	})
	var open []provider.Provider
	for _, c := range []provider.Credentials{{"api_key": "of-north", "region": "eu"}, {"api_key": "of-south", "region": "us"}} {
		p, err := info.New(provider.Config{
			Credentials: c, Now: func() time.Time { return now },
			HTTP: outbound.New(outbound.Options{Transport: network, Now: func() time.Time { return now }}),
		})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, p)
	}
	for _, p := range open {
		if err := p.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(keys, ", "); got != "eu.acme.example Bearer of-north, us.acme.example Bearer of-south" {
		t.Error(got)
	}
}
