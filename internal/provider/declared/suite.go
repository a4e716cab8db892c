package declared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/sim"
)

// Property is one of those that adapters have, with what came of looking.
type Property struct {
	Name  string `json:"name"`
	Found string `json:"found,omitempty"` // what was looked at
	Error string `json:"error,omitempty"`
}

// Suite runs the essential properties of the adapters' conformance suite on a file, with a fake
// of its own. The suite itself is part of the tests: it would make the program larger by more
// than it may be.
func (f *File) Suite(ctx context.Context, recorded map[string]any) []Property {
	s := &suite{file: f, fake: NewFake(f, recorded), info: f.Info(), began: time.Date(2026, 5, 6, 8, 0, 0, 0, time.UTC), recorded: recorded}
	var all []Property
	for _, p := range []struct {
		name    string
		applies bool
		run     func(context.Context) (string, error)
	}{
		{"recorded answers are read", len(recorded) > 0, s.readsRecorded},
		{"right credentials are accepted", true, s.accepted},
		{"wrong credentials are refused as such", true, s.refused},
		{"all devices are listed, each once", true, s.devices},
		{"live positions are true and complete", true, s.live},
		{"past positions are true and complete", s.info.Features.Backfill, s.past},
		{"trips are true and complete", s.info.Features.Trips, s.trips},
		{"a failing vendor is no empty answer", true, s.failing},
		{"limits are kept", true, s.limits},
	} {
		if !p.applies {
			continue
		}
		found, err := p.run(ctx)
		one := Property{Name: p.name, Found: found}
		if err != nil {
			one.Error = err.Error()
		}
		all = append(all, one)
	}
	return all
}

type suite struct {
	file     *File
	fake     *Fake
	info     provider.Info
	began    time.Time
	recorded map[string]any
}

// rehearsal is an adapter with its vendor, at a time of its own.
type rehearsal struct {
	provider.Provider
	fleet   *sim.Fleet
	account *sim.Account
	now     time.Time
	calls   []time.Time
	spoil   func(*answerWriter)
	vendor  http.Handler
}

// fleetSize is one that takes several pages.
const fleetSize = 130

func (s *suite) rehearse(change func(provider.Credentials)) (*rehearsal, error) {
	credentials := provider.Credentials{}
	for _, c := range s.file.Credentials {
		credentials[c.Name] = "fake-" + c.Name + "-1234"
		if len(c.Options) > 0 {
			credentials[c.Name] = c.Options[0]
		}
	}
	h := &rehearsal{now: s.began, fleet: sim.New(sim.Options{Vehicles: fleetSize, Seed: 3})}
	h.account = sim.NewAccount(h.fleet, func() time.Time { return h.now }, maps.Clone(credentials))
	h.vendor = s.fake.Vendor(h.account)
	if change != nil {
		change(credentials)
	}
	var err error
	h.Provider, err = s.info.New(provider.Config{
		Credentials: credentials, BaseURL: "https://vendor.test", Now: func() time.Time { return h.now },
		HTTP: outbound.New(outbound.Options{
			Transport: h, Now: func() time.Time { return h.now }, Limits: s.info.Limits, MaxWait: 24 * time.Hour, Attempts: 1,
			Wait: func(ctx context.Context, d time.Duration) error { h.now = h.now.Add(d); return ctx.Err() },
		}),
	})
	return h, err
}

// RoundTrip implements http.RoundTripper: the vendor answers within the process.
func (h *rehearsal) RoundTrip(req *http.Request) (*http.Response, error) {
	h.calls = append(h.calls, h.now)
	w := &answerWriter{header: http.Header{}, status: http.StatusOK}
	h.vendor.ServeHTTP(w, req)
	if h.spoil != nil {
		h.spoil(w)
	}
	return &http.Response{
		StatusCode: w.status, Header: w.header, Request: req, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(w.body.String())),
	}, nil
}

// answerWriter keeps an answer.
type answerWriter struct {
	header http.Header
	status int
	body   strings.Builder
}

func (w *answerWriter) Header() http.Header         { return w.header }
func (w *answerWriter) WriteHeader(status int)      { w.status = status }
func (w *answerWriter) Write(b []byte) (int, error) { return w.body.Write(b) }

// readsRecorded reads the recorded answers: each has rows, and each row is a record.
func (s *suite) readsRecorded(context.Context) (string, error) {
	p, err := s.file.connect(provider.Config{
		Credentials: provider.Credentials{}, BaseURL: "https://vendor.test", Now: func() time.Time { return s.began },
	})
	if err != nil {
		return "", err
	}
	a, _ := p.(*adapter)
	var found []string
	var faults []error
	for key, r := range s.file.requests() {
		answer, ok := s.recorded[key]
		if !ok {
			continue
		}
		rows, ok := follow(answer, r.Records).([]any)
		if !ok {
			faults = append(faults, fmt.Errorf("%s.json has no list at %q", key, r.Records))
			continue
		}
		records := 0
		for _, row := range rows {
			known, err := a.recorded(key, r, row)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s.json: %w", key, err))
				break
			}
			if known {
				records++
			}
		}
		must, may := s.file.leads(key, r, answer, len(rows))
		missing := func(path string) bool { return path != "" && !holds(answer, path) }
		if i := slices.IndexFunc(must, missing); i >= 0 {
			faults = append(faults, fmt.Errorf("%s.json has nothing at %q, by which pages are followed", key, must[i]))
		}
		one := fmt.Sprintf("%s: %d rows, %d records", key, len(rows), records)
		if i := slices.IndexFunc(may, missing); i >= 0 {
			one += fmt.Sprintf(", and nothing at %q, as in a last page: a longer list shows whether it is right", may[i])
		}
		found = append(found, one)
		if records == 0 && key != "check" {
			faults = append(faults, fmt.Errorf("%s.json has no record", key))
		}
	}
	slices.Sort(found)
	return strings.Join(found, "; "), errors.Join(faults...)
}

// leads are the paths by which the pages of a call are followed: those that an answer of so many
// rows must have, and those that its last page may lack.
func (f *File) leads(key string, r *Request, answer any, rows int) (must, may []string) {
	if feed := f.Positions.Feed; key == "positions.feed" {
		return []string{feed.Next}, []string{feed.More}
	}
	p := r.Pages
	if p == nil {
		return nil, nil
	}
	total := wire.Gauge(scalar(follow(answer, p.Total))).Ptr()
	if p.Size > 0 && rows >= p.Size || p.Total != "" && total != nil && *total > float64(rows) {
		return []string{p.Total, p.Next, p.More}, nil
	}
	return []string{p.Total}, []string{p.Next, p.More}
}

// holds reports whether an answer has something at a path, if only null.
func holds(answer any, path string) bool {
	way := slices.Collect(steps(path))
	if len(way) == 0 {
		return true
	}
	last := len(way) - 1
	object, _ := follow(answer, strings.Join(way[:last], ".")).(map[string]any)
	_, there := object[way[last]]
	return there || follow(answer, path) != nil
}

// recorded reads a row of an answer that was recorded.
func (a *adapter) recorded(key string, r *Request, row any) (bool, error) {
	raw, err := json.Marshal(row)
	if err != nil {
		return false, err
	}
	switch key {
	case "devices":
		_, ok, err := a.device(raw)
		return ok, err
	case "trips":
		_, ok, err := a.trip(r, raw, "recorded")
		return ok, err
	case "positions.newest", "positions.backfill", "positions.feed":
		_, ok, err := a.position(r, raw, "recorded")
		return ok, err
	default:
		return true, nil
	}
}

func (s *suite) accepted(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	return "", h.Check(ctx)
}

func (s *suite) refused(ctx context.Context) (string, error) {
	var found []string
	for _, c := range s.file.Credentials {
		if !c.Secret {
			continue
		}
		h, err := s.rehearse(func(all provider.Credentials) { all[c.Name] = "wrong" })
		if err != nil {
			return "", err
		}
		found = append(found, c.Name)
		if err := h.Check(ctx); provider.KindOf(err) != provider.KindCredentials || err == nil {
			return "", fmt.Errorf("with a wrong %s it says %w", c.Name, err)
		}
	}
	return strings.Join(found, ", "), nil
}

func (s *suite) devices(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	seen := map[string]int{}
	for cursor, more := "", true; more; {
		page, err := h.Devices(ctx, cursor)
		if err != nil {
			return "", err
		}
		for _, d := range page.Records {
			seen[d.SystemDeviceID]++
		}
		if cursor, more = page.Cursor, page.More; len(seen) > 2*fleetSize {
			return "", errors.New("the list has no end")
		}
	}
	for _, v := range h.fleet.Vehicles() {
		if seen[v.ID] != 1 {
			return "", fmt.Errorf("device %s is listed %d times", v.ID, seen[v.ID])
		}
	}
	return fmt.Sprintf("%d devices", len(seen)), nil
}

// followed is for how long live positions are read, at most this often.
const (
	followed = 2 * time.Hour
	stride   = 5 * time.Minute
)

func (h *rehearsal) ids() (ids []string) {
	for _, v := range h.fleet.Vehicles()[:20] {
		ids = append(ids, v.ID)
	}
	return ids
}

func (s *suite) live(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	got := map[string]provider.Position{}
	want := map[string]sim.Sample{}
	q := provider.Query{From: s.began, Devices: h.ids()}
	for end := s.began.Add(followed); h.now.Before(end); h.now = h.now.Add(max(s.info.Poll.Positions, stride)) {
		if s.info.Features.Snapshot {
			h.newest(want, s.began)
		}
		records, cursor, err := drained(ctx, h.Positions, q)
		if err != nil {
			return "", err
		}
		q.Cursor = cursor
		for _, p := range records {
			got[p.SystemDeviceID+p.Time.String()] = p
		}
	}
	if !s.info.Features.Snapshot {
		h.between(want, s.began, h.now.Add(-2*time.Hour))
		h.between(want, s.began, s.began.Add(time.Hour))
	}
	return s.compare(h, want, got)
}

// newest adds the newest position of each vehicle, which is all that a vendor may say.
func (h *rehearsal) newest(want map[string]sim.Sample, from time.Time) {
	for _, v := range h.fleet.Vehicles()[:20] {
		if p, ok := h.account.Latest(v); ok && !p.Time.Before(from) {
			want[v.ID+p.Time.String()] = p
		}
	}
}

func (h *rehearsal) between(want map[string]sim.Sample, from, to time.Time) {
	for _, v := range h.fleet.Vehicles()[:20] {
		for _, p := range h.account.Positions(v, from, to) {
			want[v.ID+p.Time.String()] = p
		}
	}
}

func (s *suite) past(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	got, want := map[string]provider.Position{}, map[string]sim.Sample{}
	from, to := s.began.Add(-26*time.Hour), s.began.Add(-20*time.Hour)
	records, _, err := drained(ctx, h.Positions, provider.Query{From: from, To: to, Devices: h.ids()})
	if err != nil {
		return "", err
	}
	for _, p := range records {
		got[p.SystemDeviceID+p.Time.String()] = p
	}
	h.between(want, from, to)
	return s.compare(h, want, got)
}

// compare holds positions to the truth: none is missing, and those that are there have its values.
func (s *suite) compare(h *rehearsal, want map[string]sim.Sample, got map[string]provider.Position) (string, error) {
	if len(want) == 0 {
		return "", errors.New("the fleet did not move: nothing was checked")
	}
	f := s.info.Features
	for key, w := range want {
		p, ok := got[key]
		if !ok {
			return "", fmt.Errorf("a position of %s was lost, one of %d", w.Time, len(want))
		}
		switch {
		case far(&w.Latitude, &p.Latitude, 1e-5) || far(&w.Longitude, &p.Longitude, 1e-5):
			return "", fmt.Errorf("at %s the place is %g, %g, and it was %g, %g", w.Time, p.Latitude, p.Longitude, w.Latitude, w.Longitude)
		case f.Speed && far(w.SpeedKPH, p.SpeedKPH, 0.5):
			return "", fmt.Errorf("at %s the speed is not the true one: is its unit right?", w.Time)
		case f.Heading && far(w.Heading, p.Heading, 1):
			return "", fmt.Errorf("at %s the heading is not the true one", w.Time)
		case f.Odometer && far(w.OdometerMetres, p.OdometerMetres, 100):
			return "", fmt.Errorf("at %s the odometer is not the true one: is its unit right?", w.Time)
		case f.Ignition && (p.Ignition == nil || *p.Ignition != *w.Ignition):
			return "", fmt.Errorf("at %s the ignition is not the true one", w.Time)
		}
	}
	return fmt.Sprintf("%d positions of 20 devices, %d calls", len(want), len(h.calls)), nil
}

func far(want, got *float64, by float64) bool { return got == nil || math.Abs(*want-*got) > by }

func (s *suite) trips(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	from, to := s.began.Add(-48*time.Hour), s.began
	records, _, err := drained(ctx, h.Trips, provider.Query{From: from, To: to, Devices: h.ids()})
	if err != nil {
		return "", err
	}
	n := 0
	for _, v := range h.fleet.Vehicles()[:20] {
		for _, t := range h.account.Trips(v, from, to) {
			n++
			i := slices.IndexFunc(records, func(r provider.Trip) bool { return r.SystemDeviceID == v.ID && r.EndTime.Equal(t.EndTime) })
			if i < 0 {
				return "", fmt.Errorf("a trip that ended at %s was lost", t.EndTime)
			}
			if got := records[i].DistanceMetres; s.file.Trips.Fields.Distance != nil && far(&t.DistanceMetres, got, 100) {
				return "", fmt.Errorf("the distance of a trip that ended at %s is not the true one: is its unit right?", t.EndTime)
			}
		}
	}
	if n == 0 {
		return "", errors.New("the fleet made no trip: nothing was checked")
	}
	return fmt.Sprintf("%d trips of 20 devices", n), nil
}

// failing lets the vendor fail in several ways, each of which must be said as what it is.
func (s *suite) failing(ctx context.Context) (string, error) {
	for name, c := range map[string]struct {
		kind  provider.Kind
		spoil func(*answerWriter)
	}{
		"429":       {provider.KindRateLimited, func(w *answerWriter) { w.status = http.StatusTooManyRequests }},
		"503":       {provider.KindTemporary, func(w *answerWriter) { w.status = http.StatusServiceUnavailable }},
		"no JSON":   {provider.KindTemporary, body("<html>")},
		"half JSON": {provider.KindTemporary, body(`{"data":[{"id`)},
		"others":    {provider.KindTemporary, body(`{"entirely":"something else"}`)},
		"null":      {provider.KindTemporary, body(`null`)},
	} {
		h, err := s.rehearse(nil)
		if err != nil {
			return "", err
		}
		if err := h.Check(ctx); err != nil { // so that a session is open
			return "", err
		}
		h.spoil = c.spoil
		_, devices := h.Devices(ctx, "")
		_, positions := h.Positions(ctx, provider.Query{From: s.began.Add(-time.Hour), Devices: h.ids()})
		for what, err := range map[string]error{"devices": devices, "positions": positions} {
			if err == nil || provider.KindOf(err) != c.kind {
				return "", fmt.Errorf("where the answer is %s, %s say %w of kind %q, and not %q", name, what, err, provider.KindOf(err), c.kind)
			}
		}
	}
	return "429, 503, no JSON, half of it, another shape, null", nil
}

func body(text string) func(*answerWriter) {
	return func(w *answerWriter) { w.body.Reset(); w.body.WriteString(text) }
}

// limits looks at the calls of a day's positions.
func (s *suite) limits(ctx context.Context) (string, error) {
	h, err := s.rehearse(nil)
	if err != nil {
		return "", err
	}
	if _, _, err := drained(ctx, h.Positions, provider.Query{From: s.began.Add(-time.Hour), Devices: h.ids()}); err != nil {
		return "", err
	}
	for _, l := range s.info.Limits {
		for i := range h.calls {
			if l.Path == "" && l.Requests > 0 && i >= l.Requests && h.calls[i].Sub(h.calls[i-l.Requests]) < l.Per {
				return "", fmt.Errorf("more than %d calls in %s", l.Requests, l.Per)
			}
		}
	}
	return fmt.Sprintf("%d calls", len(h.calls)), nil
}

// drained reads a job until it has no more.
func drained[T any](ctx context.Context, job window.Job[T], q provider.Query) (all []T, cursor string, err error) {
	for range 10_000 {
		page, err := job(ctx, q)
		if err != nil {
			return nil, "", err
		}
		all = append(all, page.Records...)
		if q.Cursor = page.Cursor; !page.More {
			return all, page.Cursor, nil
		}
	}
	return nil, "", errors.New("the pages do not end")
}
