// Package push is the provider of what no vendor sends: a tenant's own programs hand
// records in. There is no one to ask, so that its adapter answers with nothing, and the
// collector does with it what it does between the answers of any vendor: it ends the trips
// of devices that have fallen silent.
package push

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// tripsField chooses whose trips count.
const tripsField = "trips"

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.ProviderPush,
	Title:    "Push",
	Homepage: "docs/any-vendor.md",
	Fields: []provider.Field{{
		Name: tripsField, Title: "Trips", Options: []string{string(drover.TripsNative)},
		Help: "native where the sender sends trips too; without it they are derived from positions.",
	}},
	Features: provider.Features{
		Trips: true, TripsNeed: tripsField,
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true, Idling: true, Auxiliary: true,
	},
	Records: true,
	Poll:    provider.Poll{Devices: time.Hour, Positions: time.Minute, Trips: time.Minute},
	Notes: []string{
		"Nothing is read from anywhere: programs send records to POST /connection/{connection_id}/record, with a key that has the scope push.",
		"It needs no credentials.",
		"Collection begins in the year 2000 unless collection_start_time says otherwise, so that a past can be sent.",
	},
	New: func(provider.Config) (provider.Provider, error) { return nothing{}, nil },
}

// nothing is what there is to read.
type nothing struct{}

// Check implements provider.Provider.
func (nothing) Check(context.Context) error { return nil }

// Devices implements provider.Provider.
func (nothing) Devices(context.Context, string) (provider.Page[provider.Device], error) {
	return provider.Page[provider.Device]{}, nil
}

// Positions implements provider.Provider.
func (nothing) Positions(context.Context, provider.Query) (provider.Page[provider.Position], error) {
	return provider.Page[provider.Position]{Cursor: "push"}, nil
}

// Trips implements provider.Provider.
func (nothing) Trips(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
	return provider.Page[provider.Trip]{Cursor: "push"}, nil
}

// Drivers implements provider.Provider.
func (nothing) Drivers(context.Context, string) (provider.Page[provider.Driver], error) {
	return provider.Page[provider.Driver]{}, nil
}
