package declared

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/redact"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

const (
	// tried is the span of which positions and trips are read.
	tried = 24 * time.Hour
	// triedPages and triedDevices bound what a trial reads.
	triedPages   = 5
	triedDevices = 20
	// triedMemory bounds what the answers of a trial take of memory: one that is large at a time.
	triedMemory = 256 << 20
	// shownRecords is how many records of each kind are in a trial.
	shownRecords = 3
)

// Trial is what came of reading from a vendor once.
type Trial struct {
	Steps    []Step                    `json:"steps"`
	Quality  *drover.ConnectionQuality `json:"quality,omitempty"`
	Readings map[string]int            `json:"readings"` // how many devices have each kind
	Limits   []KeptLimit               `json:"limits"`
}

// KeptLimit is one of the file's limits, with the most calls that were made in one of its spans.
type KeptLimit struct {
	Path    string  `json:"path,omitempty"` // of all calls where it is empty
	Allowed int     `json:"allowed"`
	Seconds float64 `json:"per_seconds"`
	Most    int     `json:"most"`
}

// Step is one of the seam's calls.
type Step struct {
	Name    string   `json:"name"`
	Error   string   `json:"error,omitempty"`
	Kind    string   `json:"error_kind,omitempty"`
	Records int      `json:"records"`
	Shown   []any    `json:"shown,omitempty"` // the first records
	Calls   []string `json:"calls"`           // without the values of parameters
}

// Try reads from the vendor that a file describes: the login, the fleet, and positions and
// trips of a few devices. It keeps the file's limits and stores nothing.
func (f *File) Try(
	ctx context.Context, credentials provider.Credentials, transport http.RoundTripper, now func() time.Time,
) (Trial, error) {
	info := f.Info()
	full, secrets := provider.Credentials{}, []string{}
	for _, field := range info.Fields {
		value := credentials[field.Name]
		if value == "" {
			value = field.Default
		}
		if value == "" && field.Required {
			return Trial{}, fmt.Errorf("the credential %s is missing", field.Name)
		}
		if field.Secret && value != "" {
			secrets = append(secrets, value)
		}
		full[field.Name] = value
	}
	tap := &redact.Tap{Next: transport, Now: now}
	p, err := info.New(provider.Config{
		Credentials: full, BaseURL: full[provider.BaseURLField], Now: now,
		HTTP: outbound.New(outbound.Options{
			Transport: tap, Now: now, Limits: info.Limits, Secrets: secrets, Timeout: info.Timeout, MaxWait: time.Minute,
			Budget: outbound.NewBudget(triedMemory),
		}),
	})
	if err != nil {
		return Trial{}, err
	}
	t := &trial{ctx: ctx, tap: tap}
	t.run(p, info, now())
	t.Limits = t.kept(info.Limits)
	return t.Trial, nil
}

// trial is one that is under way.
type trial struct {
	Trial
	ctx   context.Context
	tap   *redact.Tap
	calls []redact.Call
}

// kept counts what was called within each span of a limit.
func (t *trial) kept(limits []provider.Limit) []KeptLimit {
	out := []KeptLimit{}
	for _, limit := range limits {
		one := KeptLimit{Path: limit.Path, Allowed: limit.Requests, Seconds: limit.Per.Seconds()}
		var made []time.Time
		for _, c := range t.calls {
			if strings.HasPrefix(c.Path, limit.Path) {
				made = append(made, c.Began)
			}
		}
		for first, last := 0, 0; last < len(made); last++ {
			for made[last].Sub(made[first]) >= limit.Per {
				first++
			}
			one.Most = max(one.Most, last-first+1)
		}
		out = append(out, one)
	}
	return out
}

func (t *trial) run(p provider.Provider, info provider.Info, now time.Time) {
	if !step(t, "login", func() ([]any, error) { return nil, p.Check(t.ctx) }) {
		return
	}
	var ids []string
	listed := step(t, "devices", func() (all []provider.Device, err error) {
		for cursor, n := "", 0; n < triedPages; n++ {
			page, err := p.Devices(t.ctx, cursor)
			if all = append(all, page.Records...); err != nil || !page.More {
				return all, err
			}
			cursor = page.Cursor
		}
		return all, nil
	}, func(d provider.Device) { ids = append(ids, d.SystemDeviceID) })
	if !listed {
		return
	}
	ids = ids[:min(len(ids), triedDevices)]
	var observer quality.Observer
	positions := func(q provider.Query) func() ([]provider.Position, error) {
		return func() ([]provider.Position, error) { return pages(t.ctx, p.Positions, q) }
	}
	var seen []quality.Fix
	with := map[string]map[string]bool{}
	see := func(r provider.Position) {
		seen = append(seen, quality.Fix{Device: r.SystemDeviceID, Position: &r.Position})
		for _, said := range r.Readings {
			kind := string(said.Kind)
			if with[kind] == nil {
				with[kind] = map[string]bool{}
			}
			with[kind][r.SystemDeviceID] = true
		}
	}
	step(t, "positions", positions(provider.Query{From: now.Add(-time.Hour), Devices: ids}), see)
	if info.Features.Backfill {
		step(t, "past positions", positions(provider.Query{From: now.Add(-tried), To: now, Devices: ids}), see)
	}
	if info.Features.Trips {
		step(t, "trips", func() ([]provider.Trip, error) {
			return pages(t.ctx, p.Trips, provider.Query{From: now.Add(-tried), To: now, Devices: ids})
		})
	}
	t.Readings = map[string]int{}
	for kind, devices := range with {
		t.Readings[kind] = len(devices)
	}
	if len(seen) > 0 {
		observer.ObservePast(seen, now)
		t.Quality = new(quality.Judge(observer.Take(), info.Reading(nil)))
	}
}

// pages reads the first pages of a job.
func pages[T any](ctx context.Context, job window.Job[T], q provider.Query) (all []T, err error) {
	for range triedPages {
		page, err := job(ctx, q)
		if all = append(all, page.Records...); err != nil || !page.More {
			return all, err
		}
		q.Cursor = page.Cursor
	}
	return all, nil
}

// step makes one of the seam's calls. It reports whether it went well.
func step[T any](t *trial, name string, read func() ([]T, error), see ...func(T)) bool {
	s := Step{Name: name, Calls: []string{}}
	records, err := read()
	s.Records = len(records)
	for i, r := range records {
		if i < shownRecords {
			s.Shown = append(s.Shown, r)
		}
		for _, f := range see {
			f(r)
		}
	}
	if err != nil {
		s.Error, s.Kind = err.Error(), string(provider.KindOf(err))
	}
	calls := t.tap.Take()
	t.calls = append(t.calls, calls...)
	for _, c := range calls {
		s.Calls = append(s.Calls, fmt.Sprintf("%s %s %v: %d, %d bytes, %d ms", c.Method, c.Path, c.Query, c.Status, c.Bytes, c.Took.Milliseconds()))
	}
	t.Steps = append(t.Steps, s)
	return err == nil
}
