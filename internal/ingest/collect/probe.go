package collect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/redact"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// probeWindow is what positions and trips are asked for.
const probeWindow = 24 * time.Hour

// probeEnough is how many positions must be without a field before that says
// something.
const probeEnough = 50

// Probe looks at a connection's provider with an adapter of its own: the login, a
// page of devices, of positions and of trips. It reads only, within the vendor's
// limits, and stores nothing but a token that the vendor renews. The report shows
// nothing of what was read. What the vendor refuses is part of it.
func (c *Collector) Probe(ctx context.Context, tenantID, connectionID string) (report drover.ProbeReport, err error) {
	err = c.holding(ctx, tenantID, connectionID, func(ctx context.Context, v *run) error {
		p, err := v.newProbe(ctx)
		if err != nil {
			return err
		}
		report = p.run(ctx)
		return nil
	})
	return report, err
}

// prober is one look at a provider.
type prober struct {
	adapter *adapter
	tap     *redact.Tap
	now     func() time.Time
	report  drover.ProbeReport
	// private are what no report shows: ids, plates and names.
	private map[string]bool
	ids     []string
}

func (v *run) newProbe(ctx context.Context) (*prober, error) {
	sealed, err := v.c.opts.Store.Fleet.Credentials(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return nil, err
	}
	credentials, err := v.c.openCredentials(ctx, v.conn, sealed)
	if err != nil {
		return nil, err
	}
	info := v.info
	if info.New == nil {
		return nil, provider.Errorf(provider.KindPermanent, "there is no adapter for %s", v.conn.IntegrationName)
	}
	p := &prober{
		tap: &redact.Tap{Next: v.c.opts.Transport, Now: v.c.opts.Now}, now: v.c.opts.Now, private: map[string]bool{},
		report: drover.ProbeReport{
			Provider: v.conn.IntegrationName, Version: v.c.opts.UserAgent, At: v.c.now(), Forms: map[string]string{},
			Deviations: []string{},
		},
	}
	p.adapter = &adapter{
		info: info, sealed: sealed, credentials: credentials, renewed: map[string]bool{}, devices: map[string]string{},
		claim: v.claim, tap: p.tap,
	}
	for _, value := range credentials {
		p.hide(value)
	}
	p.adapter.Provider, err = info.New(v.c.config(v.conn, info, credentials, p.adapter))
	return p, err
}

func (p *prober) run(ctx context.Context) drover.ProbeReport {
	var found drover.ConnectionQuality
	ok := p.step("login", func(*drover.ProbeStep) error { return p.adapter.Check(ctx) })
	ok = ok && p.step("devices", func(s *drover.ProbeStep) error { return p.devices(ctx, s) })
	if ok {
		q := provider.Query{From: p.now().Add(-probeWindow), Devices: p.ids}
		p.step("positions", func(s *drover.ProbeStep) error {
			page, err := p.adapter.Positions(ctx, q)
			found = p.positions(s, page)
			return err
		})
		if p.adapter.info.NativeTrips(p.adapter.credentials) {
			p.step("trips", func(s *drover.ProbeStep) error {
				page, err := p.adapter.Trips(ctx, q)
				p.trips(s, page)
				return err
			})
		}
	}
	if found.Positions > 0 {
		p.report.Quality = &found
	}
	for name, forms := range p.adapter.forms.seen {
		p.report.Forms[name] = strings.Join(slices.Sorted(maps.Keys(forms)), formSeparator)
	}
	for name, need := range p.adapter.forms.withheld {
		if need != "" {
			p.report.Forms[name] = need
		}
	}
	p.clean()
	return p.report
}

// step does one step and notes its calls. It reports whether it went well.
func (p *prober) step(name string, ask func(*drover.ProbeStep) error) bool {
	s := drover.ProbeStep{Name: name, Coverage: map[string]int{}, Calls: []drover.ProbeCall{}}
	began := p.now()
	err := ask(&s)
	s.Milliseconds = p.now().Sub(began).Milliseconds()
	if err != nil {
		s.Error, s.ErrorKind = new(err.Error()), new(string(provider.KindOf(err)))
		p.deviate("%s failed: %s", name, err)
	}
	for _, call := range p.tap.Take() {
		fields := redact.Fields{}
		fields.Read(call.Body)
		s.Calls = append(s.Calls, drover.ProbeCall{
			Method: call.Method, Path: call.Path, Query: call.Query, Status: call.Status, ContentType: call.Type, Bytes: call.Bytes,
			Milliseconds: call.Took.Milliseconds(), Fields: fields.List(),
		})
	}
	p.report.Steps = append(p.report.Steps, s)
	return err == nil
}

func (p *prober) devices(ctx context.Context, s *drover.ProbeStep) error {
	page, err := p.adapter.Devices(ctx, "")
	s.Records, s.More = len(page.Records), page.More
	for _, d := range page.Records {
		if len(p.ids) < 5 {
			p.ids = append(p.ids, d.SystemDeviceID)
		}
		p.hide(d.SystemDeviceID)
		for name, text := range map[string]*string{
			"description": d.Description, "registration": d.Registration, "make": d.Make,
			"model": d.Model,
		} {
			if text != nil {
				s.Coverage[name]++
				p.hide(*text)
			}
		}
		if d.Year != nil {
			s.Coverage["year"]++
		}
		if d.Active {
			s.Coverage["active"]++
		}
	}
	if err == nil && len(page.Records) == 0 {
		p.deviate("the list of devices is empty")
	}
	return err
}

// positions notes what the positions have, and what they say of themselves.
func (p *prober) positions(s *drover.ProbeStep, page provider.Page[provider.Position]) drover.ConnectionQuality {
	s.Records, s.More = len(page.Records), page.More
	var o quality.Observer
	fixes := make([]quality.Fix, len(page.Records))
	for i := range page.Records {
		r := &page.Records[i]
		fixes[i] = quality.Fix{Device: r.SystemDeviceID, Position: &r.Position}
		if r.DriverID != nil {
			p.hide(*r.DriverID)
		}
	}
	o.ObservePast(fixes, p.now())
	facts := o.Take()
	maps.Copy(s.Coverage, toInts(facts.Fields))
	judged := quality.Judge(facts, p.adapter.info.Reading(nil))
	if judged.Reason != nil {
		p.deviate("%s", *judged.Reason)
	}
	f := p.adapter.info.Features
	for name, declared := range map[string]bool{
		"heading": f.Heading, "speed": f.Speed, "ignition": f.Ignition,
		"odometer_metres": f.Odometer, "driver_id": f.Driver,
	} {
		seen := s.Coverage[name] > 0
		if name == "driver_id" && !seen {
			continue // many vehicles have no driver, or none that is known
		}
		if seen != declared && facts.Positions >= probeEnough {
			p.deviate("%s is declared as %t and seen as %t in %d positions", name, declared, seen, facts.Positions)
		}
	}
	return judged
}

func (p *prober) trips(s *drover.ProbeStep, page provider.Page[provider.Trip]) {
	s.Records, s.More = len(page.Records), page.More
	for _, t := range page.Records {
		for name, has := range map[string]bool{
			"start": t.Start != nil, "end": t.End != nil, "distance_metres": t.DistanceMetres != nil, "driving_seconds": t.DrivingSeconds != nil,
			"idling_seconds": t.IdlingSeconds != nil, "auxiliary_seconds": t.AuxiliarySeconds != nil,
		} {
			if has {
				s.Coverage[name]++
			}
		}
		if t.EndTime.Before(t.StartTime.Time) {
			p.deviate("a trip ends before it starts")
		}
	}
}

func toInts(of map[string]int64) map[string]int {
	out := map[string]int{}
	for name, n := range of {
		out[name] = int(n)
	}
	return out
}

func (p *prober) deviate(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.report.Deviations, text) {
		p.report.Deviations = append(p.report.Deviations, text)
	}
}

// hide notes what no report shows. Short words would hide too much.
func (p *prober) hide(text string) {
	if len(text) > 2 {
		p.private[text] = true
	}
}

// clean takes what is private out of all texts of the report, once all of it is
// known.
func (p *prober) clean() {
	redactor := outbound.NewRedactor(slices.Collect(maps.Keys(p.private)))
	known := func(word string) bool { return p.private[word] }
	for i := range p.report.Steps {
		s := &p.report.Steps[i]
		if s.Error != nil {
			s.Error = new(redactor.Redact(*s.Error))
		}
		for j := range s.Calls {
			s.Calls[j].Path = redact.Path(s.Calls[j].Path, known)
		}
	}
	for i, text := range p.report.Deviations {
		p.report.Deviations[i] = redactor.Redact(text)
	}
	slices.Sort(p.report.Deviations)
}
