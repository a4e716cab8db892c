// Package volvotrucks reads from Volvo Trucks, which serves rFMS 2.1.
package volvotrucks

import (
	"cmp"
	"context"
	"encoding/base64"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms"
)

const address = "https://api.volvotrucks.com"

// Info describes the adapter.
var Info = provider.Info{
	Name:     drover.VolvoTrucks,
	Title:    "Volvo Trucks",
	Homepage: "developer.volvotrucks.com",
	Fields: []provider.Field{
		{
			Name: "username", Account: true, Title: "User name", Required: true,
			Help: "User name of the API user, which Volvo also calls client id.",
		},
		{
			Name: "password", Title: "Password", Required: true, Secret: true,
			Help: "Password of the API user, which Volvo also calls client secret.",
		},
		{Name: provider.BaseURLField, Title: "Server address", Help: "Replaces " + address + ", for another region or for tests."},
	},
	Features: provider.Features{
		Feed: true, Backfill: true, Trips: true,
		Heading: true, Speed: true, Driver: true, Ignition: true, Odometer: true,
		Idling: true, Auxiliary: true,
	},
	Readings: rfms.Readings,
	Faults:   rfms.Faults,
	// Volvo publishes no numbers; this is the pace of a client that is known to
	// work.
	Limits: []provider.Limit{{Requests: 2, Per: 3 * time.Second, Concurrent: 1}},
	Poll: provider.Poll{
		Devices:    6 * time.Hour,
		Positions:  time.Minute,
		Trips:      10 * time.Minute,
		TripsAfter: rfms.Settling,
		Window:     24 * time.Hour,
	},
	Notes: []string{
		"Faults are the tell-tales of the newest status of each vehicle, red and yellow ones, read every 15 minutes; rFMS has no codes.",
		"The user name and password are those of an API user of Volvo Connect, made by the fleet's administrator or by Volvo's support.",
		"Positions come natively from the vehicles' positions and statuses; odometer and driver are in statuses, which are fewer, and the ignition only in those that were sent because it changed.",
		"Trips are native in as far as vehicles report ignition or engine events: their numbers are differences of the vehicle's counters; without events a trip goes from the first moving status to the last before a silence of 75 minutes.",
		"A trip is reported about ten minutes after its end, so that late reports are counted.",
		"The driver is the state and number of the tachograph card, or Volvo's own id, and missing without the driver's consent.",
		"The registration is not reported; many fleets have it in the vehicle's name, which is the description.",
		"Not verified against the live service: the limits of calls, where the API user is made, and hosts of other regions.",
	},
	New: New,
}

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	pair := cfg.Credentials["username"] + ":" + cfg.Credentials["password"]
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	return rfms.New(rfms.Options{
		HTTP: cfg.HTTP, Now: cfg.Now,
		Base:   cmp.Or(cfg.BaseURL, address) + "/rfms",
		Accept: rfms.AcceptV21,
		Authorize: func(ctx context.Context, call func(context.Context, string) error) error {
			return call(ctx, basic)
		},
		// Clients of the live service take 404 for no data.
		EmptyNotFound: true,
	}), nil
}
