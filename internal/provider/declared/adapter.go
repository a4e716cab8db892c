package declared

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Info describes the adapter of a file that has no mistakes.
func (f *File) Info() provider.Info {
	p, t := f.Positions.Fields, TripFields{}
	info := provider.Info{
		Name: drover.ProviderName(f.Name), Title: f.Title, Homepage: cmp.Or(f.Homepage, "docs/any-vendor.md"), Timeout: f.Timeout,
		Readings: provider.Declared(f.instruments()), New: f.connect,
		Poll: provider.Poll{Devices: cmp.Or(f.Devices.Every, time.Hour), Positions: cmp.Or(f.Positions.Every, time.Minute)},
		Features: provider.Features{
			Feed: f.Positions.Feed != nil, Snapshot: f.Positions.Newest != nil, Backfill: f.Positions.Past != nil, Trips: f.Trips != nil,
			Heading: p.Heading != nil, Speed: p.Speed != nil, Driver: p.Driver != nil, Ignition: p.Ignition != nil, Odometer: p.Odometer != nil,
		},
		Notes: append([]string{"A file describes this provider, which the operator of the service has placed."}, f.Notes...),
	}
	if f.Positions.Past != nil {
		info.Poll.Window = f.Positions.Past.Window
	}
	if f.Trips != nil {
		t, info.Poll.Trips = f.Trips.Fields, cmp.Or(f.Trips.Every, 30*time.Minute)
		info.Features.Idling = t.Idling != nil
	}
	info.Features.Auxiliary = p.Auxiliary != nil || t.Auxiliary != nil
	info.Units = drover.Units{Speed: unitOf(p.Speed), Odometer: unitOf(p.Odometer), TripDistance: unitOf(t.Distance)}
	for _, l := range f.Limits {
		info.Limits = append(info.Limits, provider.Limit{Path: l.Path, Requests: l.Requests, Per: l.Per, Concurrent: l.Concurrent})
	}
	if info.Limits == nil { // caution
		info.Limits = []provider.Limit{{Requests: 2, Per: time.Second, Concurrent: 1}}
	}
	for _, c := range f.Credentials {
		info.Fields = append(info.Fields, provider.Field{
			Name: c.Name, Title: c.Title, Help: c.Help, Required: c.Required, Secret: c.Secret, Account: c.Account, Default: c.Default,
			Options: c.Options,
		})
	}
	address := "Address of the API."
	if f.Address != "" {
		address = "Replaces " + f.Address + "."
	}
	info.Fields = append(info.Fields, provider.Field{
		Name: provider.BaseURLField, Title: "Server address", Help: address, Required: f.Address == "",
	})
	return info
}

// unitOf is the unit of a value, nil where it is the interface's.
func unitOf(v *Value) *string {
	if v == nil {
		return nil
	}
	for _, one := range append([]*Value{v}, v.first...) {
		if one.Unit != "" && one.Unit != "kmh" && one.Unit != "m" {
			return new(one.Unit)
		}
	}
	return nil
}

// adapter reads one connection.
type adapter struct {
	provider.Provider // as connect declares it
	file              *File
	cfg               provider.Config
	api               *client.Client
	answer            *wire.Answer
	clock             clock
	readings          []provider.Instrument[scope]
	shown             map[string]string // the credentials that are not secret
}

// connect makes an adapter for one connection.
func (f *File) connect(cfg provider.Config) (provider.Provider, error) {
	a := &adapter{file: f, cfg: cfg, shown: map[string]string{}, readings: f.instruments(), clock: clock{time.UTC, f.Layout}}
	for _, c := range f.Credentials {
		if !c.Secret {
			a.shown[c.Name] = cfg.Credentials[c.Name]
		}
	}
	if f.Zone != "" {
		zone, err := wire.Zone(f.Zone)
		if err != nil {
			return nil, provider.Errorf(provider.KindPermanent, "%w", err)
		}
		a.clock.zone = zone
	}
	base := cmp.Or(cfg.BaseURL, strings.TrimSuffix(fill(f.Address, func(name string) string { return a.shown[name] }), "/"))
	if base == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is missing")
	}
	a.answer = &wire.Answer{Doer: cfg.HTTP}
	a.api = &client.Client{HTTP: a.answer, Base: base, Sign: f.sign(cfg.Credentials), Open: f.open, Meaning: f.meaning}
	if f.Login.Token != nil {
		a.api.Session = session.New(cfg.Now, a.token)
	}
	a.Provider = provider.Of(provider.Calls{
		Check: a.check, Devices: paging.Linked(a.devices), Positions: a.positions(), Trips: a.trips(),
	})
	return a, nil
}

// token gets an access token.
func (a *adapter) token(ctx context.Context) (session.Token, error) {
	t := a.file.Login.Token
	address := t.Post
	if u, err := url.Parse(t.Post); err == nil && (u.Host == "" || a.cfg.BaseURL != "") {
		address = a.api.Base + u.RequestURI()
	}
	req, err := t.request(ctx, address, a.cfg.Credentials)
	if err != nil {
		return session.Token{}, err
	}
	grant, err := session.Endpoint{HTTP: a.cfg.HTTP, Now: a.cfg.Now, Find: t.find()}.Send(req)
	return grant.Token, err
}

func (a *adapter) check(ctx context.Context) error {
	r := &a.file.Check
	if r.Get == "" && r.Post == "" {
		r = &a.file.Devices.Request
	}
	_, err := a.read(ctx, r, asked{}, "")
	return err
}

func (a *adapter) devices(ctx context.Context, cursor string) (records []provider.Device, next string, err error) {
	got, err := a.read(ctx, &a.file.Devices.Request, asked{}, cursor)
	if err != nil {
		return nil, "", err
	}
	records, err = each(got.rows, a.device)
	if got.next == "" && cursor != "" && a.repeats(got.rows, cursor) {
		records = nil
	}
	return records, got.next, err
}

// repeats reports whether a page is the first one once more: the server does not page.
func (a *adapter) repeats(rows []json.RawMessage, cursor string) bool {
	r := &a.file.Devices.Request
	if len(rows) == 0 || r.Pages == nil || r.Pages.Skip == "" {
		return false
	}
	first, distinct, err := ids(rows, r)
	if err != nil {
		return false
	}
	_, on := paging.PlaceOf(cursor).Next(first, distinct)
	return !on
}

// positions is how the file's positions are read.
func (a *adapter) positions() window.Job[provider.Position] {
	p := &a.file.Positions
	past := window.Job[provider.Position](window.Nothing[provider.Position])
	var reader window.Reader[provider.Position]
	if p.Past != nil {
		reader = window.Reader[provider.Position]{
			Fetch: func(ctx context.Context, w window.Window) ([]provider.Position, error) {
				return fetched(ctx, a, p.Past, w, a.position)
			},
			Now: a.cfg.Now, Batch: p.Past.batch(), Length: p.Past.Window, Before: p.Past.Before, After: p.Past.After, Overlap: p.Past.Overlap,
		}
		past = reader.Page
	}
	switch {
	case p.Feed != nil:
		return window.LiveAndPast(a.feed, past)
	case p.News != nil:
		return window.News[provider.Position]{Reader: reader, Updates: a.updates}.Page
	case p.Newest != nil:
		return window.LiveAndPast(window.Snapshot(a.cfg.Now, func(ctx context.Context) ([]provider.Position, error) {
			return fetched(ctx, a, p.Newest, window.Window{}, a.position)
		}), past)
	default:
		return past
	}
}

// batch is for how many devices one call is: the whole fleet, unless it names one.
func (r *Request) batch() int {
	if r.uses("device") {
		return 1
	}
	return 0
}

// fetched reads the records of a window.
func fetched[T any](
	ctx context.Context, a *adapter, r *Request, w window.Window,
	convert func(r *Request, raw json.RawMessage, device string) (T, bool, error),
) ([]T, error) {
	q := asked{from: w.From, to: w.To}
	if len(w.Devices) > 0 {
		q.device = w.Devices[0]
	}
	rows, err := a.all(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return each(rows, func(raw json.RawMessage) (T, bool, error) { return convert(r, raw, q.device) })
}

// each converts rows and leaves out those that are no record.
func each[T any](rows []json.RawMessage, convert func(json.RawMessage) (T, bool, error)) ([]T, error) {
	var records []T
	for _, raw := range rows {
		record, ok, err := convert(raw)
		if err != nil {
			return nil, err
		}
		if ok {
			records = append(records, record)
		}
	}
	return records, nil
}

// feed reads a page of the vendor's feed.
func (a *adapter) feed(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	f := a.file.Positions.Feed
	got, err := a.read(ctx, &f.Request, asked{cursor: q.Cursor, from: q.From}, "")
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	records, err := each(got.rows, func(raw json.RawMessage) (provider.Position, bool, error) { return a.position(&f.Request, raw, "") })
	if err != nil {
		return provider.Page[provider.Position]{}, err
	}
	next := cmp.Or(scalarAt(got.raw, f.Next), q.Cursor)
	if next == "" {
		return provider.Page[provider.Position]{}, unreadable("it has no cursor at " + f.Next)
	}
	more := scalarAt(got.raw, f.More) == "true"
	if f.More == "" {
		more = next != q.Cursor && len(got.rows) > 0
	}
	return provider.Page[provider.Position]{Records: records, Cursor: next, More: more && next != q.Cursor}, nil
}

// updates returns when the vendor heard of each device. Whose clock says so is not known: it may
// be the device's.
func (a *adapter) updates(ctx context.Context, since time.Time, _ []string) (map[string]window.Update, error) {
	u := a.file.Positions.News
	rows, err := a.all(ctx, &u.Request, asked{from: since, to: a.cfg.Now()})
	if err != nil {
		return nil, err
	}
	heard := map[string]window.Update{}
	for _, raw := range rows {
		s, err := u.scope(raw, nil)
		if err != nil {
			return nil, err
		}
		at, err := u.Time.time(s, a.clock)
		if err != nil {
			return nil, unreadable("the time of an update is in no form that is known")
		}
		if id := u.Device.text(s); id != nil && !at.IsZero() {
			heard[*id] = window.Update{Heard: at.Time, Newest: at.Time}
		}
	}
	return heard, nil
}

// trips is how the file's trips are read.
func (a *adapter) trips() window.Job[provider.Trip] {
	t := a.file.Trips
	if t == nil {
		return func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{}, provider.Errorf(provider.KindPermanent, "%s has no trips", a.file.Title)
		}
	}
	return window.Reader[provider.Trip]{
		Fetch: func(ctx context.Context, w window.Window) ([]provider.Trip, error) {
			return fetched(ctx, a, &t.Request, w, a.trip)
		},
		Now: a.cfg.Now, Batch: t.batch(), Length: t.Window, Before: t.Before, After: t.After, Overlap: cmp.Or(t.Overlap, time.Hour),
	}.Page
}
