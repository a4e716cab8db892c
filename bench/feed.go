package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// connectionField is the credential that tells an adapter which connection it is.
const connectionField = "connection"

// feed is what a vendor would tell of one connection: a simulated fleet, without
// any wire format. What it reports is made ahead, so that the simulation is no part
// of what is measured.
type feed struct {
	fleet    *sim.Fleet
	page     []provider.Position // not handed out yet
	reported time.Time           // until when page reaches
	says     bool                // each position has a reading
}

// odometer is what positions with a reading have.
var odometer = drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, NativeName: "odometer"}

func newFeeds(begin time.Time, connections, vehicles int) []*feed {
	feeds := make([]*feed, connections)
	for n := range feeds {
		o := sim.Options{Seed: uint64(n) + 1, Vehicles: vehicles, Interval: 30 * time.Second, Heartbeat: time.Minute} // it is small
		feeds[n] = &feed{fleet: sim.New(o), reported: begin}
	}
	return feeds
}

// tell makes what happened until the time given, and returns how much that is.
func (f *feed) tell(until time.Time) int {
	for _, v := range f.fleet.Vehicles() {
		for _, s := range f.fleet.Positions(v, f.reported, until) {
			p := provider.Position{SystemDeviceID: v.ID, Position: s.Position}
			if f.says {
				p.Readings = []provider.Reading{{ReadingSeries: odometer, Value: *s.OdometerMetres}}
			}
			f.page = append(f.page, p)
		}
	}
	f.reported = until
	return len(f.page)
}

// providers is a table of one vendor, whose adapters are the feeds.
func (i *intake) providers() map[drover.ProviderName]provider.Info {
	return map[drover.ProviderName]provider.Info{drover.Traccar: {
		Name: drover.Traccar, Poll: provider.Poll{Devices: time.Hour, Positions: time.Minute},
		Fields: []provider.Field{{Name: connectionField, Required: true}},
		New: func(c provider.Config) (provider.Provider, error) {
			n, err := strconv.Atoi(c.Credentials[connectionField])
			if err != nil || n >= len(i.feeds) {
				return nil, fmt.Errorf("no connection %q", c.Credentials[connectionField])
			}
			return i.feeds[n], nil
		},
	}}
}

// Check implements provider.Provider.
func (f *feed) Check(context.Context) error { return nil }

// Devices implements provider.Provider.
func (f *feed) Devices(context.Context, string) (provider.Page[provider.Device], error) {
	var page provider.Page[provider.Device]
	for _, v := range f.fleet.Vehicles() {
		page.Records = append(page.Records, provider.Device{SystemDeviceID: v.ID, Active: true})
	}
	return page, nil
}

// Positions implements provider.Provider.
func (f *feed) Positions(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	page := provider.Page[provider.Position]{Cursor: "x"}
	if q.Live() {
		page.Records, f.page = f.page, nil
	}
	return page, nil
}

// Trips implements provider.Provider.
func (f *feed) Trips(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
	return provider.Page[provider.Trip]{}, nil
}

// Drivers implements provider.Provider.
func (f *feed) Drivers(context.Context, string) (provider.Page[provider.Driver], error) {
	return provider.Page[provider.Driver]{}, nil
}
