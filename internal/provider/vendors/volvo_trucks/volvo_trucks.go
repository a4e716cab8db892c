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
var Info = rfms.Describe(provider.Info{
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
	// Volvo publishes no numbers; this is the pace of a client that is known to
	// work.
	Limits: []provider.Limit{{Requests: 2, Per: 3 * time.Second, Concurrent: 1}},
	Notes: []string{
		"The user name and password are those of an API user of Volvo Connect, made by the fleet's administrator or by Volvo's support.",
		"Positions come natively from the vehicles' positions and statuses; odometer and driver are in statuses, which are fewer, and the ignition only in those that were sent because it changed.",
		"The driver is the state and number of the tachograph card, or Volvo's own id, and missing without the driver's consent.",
		"The registration is not reported; many fleets have it in the vehicle's name, which is the description.",
		"Not verified against the live service: the limits of calls, where the API user is made, and hosts of other regions.",
	},
	New: New,
})

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
