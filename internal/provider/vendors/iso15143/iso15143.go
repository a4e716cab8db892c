// Package iso15143 reads from any maker or service that serves ISO 15143-3, which is also
// known as AEMP 2.0. Those with an adapter of their own are not read by it.
package iso15143

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/login"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	formatField = "format"
	seriesField = "series"
	// renewal is how often producers let a page of the fleet be read.
	renewal = 15 * time.Minute
	// fresh is how long a page that was just read is not read again.
	fresh = time.Minute
	// longestSeries is the longest span of one series.
	longestSeries = 7 * 24 * time.Hour
)

// formats are the forms of the standard by their names.
var formats = map[string]string{"xml": iso15143.XML, "json": iso15143.JSON}

// noSeries is of producers that serve the fleet's newest state alone.
const noSeries = "none"

// series are how producers name a machine whose locations are asked for.
var series = map[string]func(iso15143.Header) string{
	"id":                func(h iso15143.Header) string { return iso15143.ByID(h.EquipmentID.String()) },
	"pin":               func(h iso15143.Header) string { return iso15143.ByID(h.PIN.String()) },
	"make_model_serial": iso15143.ByMakeModelSerial,
}

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.ProviderISO15143,
	Title:    "ISO 15143-3",
	Homepage: "www.iso.org/standard/67556.html",
	Fields: append(login.Fields(),
		provider.Field{
			Name: formatField, Title: "Format", Options: []string{"xml", "json"},
			Help: "Form of the answers; without it, XML is asked for, and JSON where that is refused.",
		},
		provider.Field{
			Name: seriesField, Title: "Series", Default: "id", Options: []string{"id", "pin", "make_model_serial", noSeries},
			Help: "How a machine is named whose past is asked for: by its equipment id, its PIN, or make, model and serial number; none where there is no past.",
		}),
	Features: provider.Features{Snapshot: true, Backfill: true, Ignition: true, Odometer: true},
	Readings: iso15143.Declared,
	// Producers publish few numbers. Beside this, each page is read once in 15 minutes.
	Limits:  []provider.Limit{{Requests: 2, Per: time.Second, Concurrent: 1}},
	Poll:    provider.Poll{Devices: 6 * time.Hour, Positions: renewal, Window: longestSeries},
	Timeout: 60 * time.Second, // large fleets are answered slowly
	Notes: []string{
		"The server address is the one that stands before /Fleet/1.",
		"A machine is known by its PIN, or else by its serial number or equipment id: the last is a name that customers give and change.",
		"Live positions are the newest of each machine every 15 minutes, which is how often producers let it be read; speed and heading are not in the standard.",
		"Positions of the past have time and place only.",
		"Readings come with the newest state, each with its own time: operating and idle hours, distance, fuel used, and what is left of fuel and DEF.",
		"Trips are derived from positions.",
		"Not verified against a live service: producers other than John Deere and Trackunit, and their limits of calls.",
	},
	New: New,
}

// Adapter reads one customer's machines.
type Adapter struct {
	provider.Provider // as New declares it
	iso               *iso15143.Client
	pages             iso15143.Pages
	name              func(iso15143.Header) string
	headers           map[string]iso15143.Header // by device
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	if cfg.BaseURL == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is missing")
	}
	access, err := login.Of(cfg)
	if err != nil {
		return nil, err
	}
	a := &Adapter{headers: map[string]iso15143.Header{}, name: series[cfg.Credentials[seriesField]]}
	a.iso = iso15143.New(iso15143.Options{
		HTTP: access.HTTP, Base: cfg.BaseURL, Authorize: access.Authorize, Accept: formats[cfg.Credentials[formatField]],
	})
	a.pages = iso15143.Pages{Client: a.iso, Now: cfg.Now}
	past := window.Reader[provider.Position]{Fetch: a.locations, Now: cfg.Now, Batch: 1, Length: longestSeries}.Page
	if a.name == nil {
		past = window.Nothing[provider.Position]
	}
	a.Provider = provider.Of(provider.Calls{
		Check: func(ctx context.Context) error {
			_, err := a.fleet(ctx, iso15143.FirstPage, fresh)
			return err
		},
		Devices:   paging.Numbered(a.devices),
		Positions: window.LiveAndPast(paging.Numbered(a.snapshot).Rounds, past),
		Trips: func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{}, provider.Errorf(provider.KindPermanent, "ISO 15143-3 has no trips")
		},
	})
	return a, nil
}

// fleet returns a page of the fleet that is at most so old.
func (a *Adapter) fleet(ctx context.Context, number int, age time.Duration) (iso15143.Page, error) {
	page, err := a.pages.Get(ctx, number, age)
	for _, e := range page.Fleet.Equipment {
		a.headers[idOf(e.Header)] = e.Header
	}
	return page, err
}

func (a *Adapter) devices(ctx context.Context, number int) ([]provider.Device, bool, error) {
	page, err := a.fleet(ctx, number, renewal)
	return wire.Records(page.Fleet.Equipment, device), page.More, err
}

func (a *Adapter) snapshot(ctx context.Context, number int) ([]provider.Position, bool, error) {
	page, err := a.fleet(ctx, number, fresh)
	return wire.Records(page.Fleet.Equipment, func(e iso15143.Equipment) (provider.Position, bool) {
		id := idOf(e.Header)
		p, ok := e.Position(id)
		return p, ok && id != ""
	}), page.More, err
}

// locations reads where one machine was.
func (a *Adapter) locations(ctx context.Context, w window.Window) ([]provider.Position, error) {
	device := w.Devices[0]
	header, err := a.header(ctx, device)
	if err != nil {
		return nil, err
	}
	rows, err := paging.ByNumber(func(number int) ([]iso15143.Location, bool, error) {
		return a.iso.Locations(ctx, a.name(header), w.From, w.To, number)
	})
	if window.Gone(err) {
		return nil, nil
	}
	return wire.Records(rows, func(l iso15143.Location) (provider.Position, bool) { return l.Position(device) }), err
}

// header returns what a machine is named by. One that the fleet does not have is asked for
// by the id that is known of it.
func (a *Adapter) header(ctx context.Context, device string) (iso15143.Header, error) {
	for number, more := iso15143.FirstPage, true; more && number <= paging.MaxPages; number++ {
		if h, ok := a.headers[device]; ok {
			return h, nil
		}
		page, err := a.fleet(ctx, number, renewal)
		if err != nil {
			return iso15143.Header{}, err
		}
		more = page.More
	}
	if h, ok := a.headers[device]; ok {
		return h, nil
	}
	id := wire.Text(device)
	return iso15143.Header{PIN: id, SerialNumber: id, EquipmentID: id}, nil
}

// idOf returns the id of a machine: what is engraved, or else the name that it was given.
func idOf(h iso15143.Header) string {
	if id := wire.First(h.PIN.Ptr(), h.SerialNumber.Ptr(), h.EquipmentID.Ptr()); id != nil {
		return *id
	}
	return ""
}

// device returns the device; false where nothing identifies it.
func device(e iso15143.Equipment) (provider.Device, bool) {
	h := e.Header
	id := idOf(h)
	return provider.Device{
		SystemDeviceID: id, Description: wire.First(h.EquipmentID.Ptr(), h.PIN.Ptr(), h.SerialNumber.Ptr()),
		Make: h.Make.Ptr(), Model: h.Model.Ptr(), Active: true,
	}, id != ""
}
