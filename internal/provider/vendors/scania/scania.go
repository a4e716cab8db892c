// Package scania reads from Scania's data access, which serves rFMS 4.0.
package scania

import (
	"cmp"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
)

// address is the one host, for every region.
const address = "https://dataaccess.scania.com"

// Info describes the adapter.
var Info = rfms.Describe(provider.Info{
	Name:     drover.Scania,
	Title:    "Scania",
	Homepage: "developer.scania.com",
	Fields: []provider.Field{
		{Name: "client_id", Title: "Client id", Required: true, Help: "Id of the client that was made in Scania's developer portal."},
		{
			Name: "client_secret", Title: "Secret key", Required: true, Secret: true,
			Help: "Secret key of the client, shown once when the client is made. It is used to sign and never sent.",
		},
		{Name: provider.BaseURLField, Title: "Server address", Help: "Replaces " + address + ", for tests."},
	},
	// Scania publishes no numbers. A poll takes two calls for the whole fleet, so
	// that one a second is ample.
	Limits: []provider.Limit{{Requests: 1, Per: time.Second, Concurrent: 1}},
	Poll:   provider.Poll{Devices: time.Hour},
	Notes: []string{
		"The client id and the secret key are made in Scania's developer portal by an FMS Developer account; a Test user's reach a fixed set of test data only.",
		"Positions come natively from the vehicles' positions and statuses; odometer, driver and ignition are in statuses, which are fewer, and null in the others.",
		"The driver is the state and number of the tachograph card, or Scania's own id, and missing without the driver's consent.",
		"A vehicle of which nothing may be read is shown as not active.",
		"Not verified against the live service: the limits of calls, the errors of a login, and that registration and ignition need Scania's own Accept header, which is sent.",
	},
	New: New,
})

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	base := cmp.Or(cfg.BaseURL, address)
	auth := login{cfg: cfg, base: base + "/auth"}
	tokens := session.New(cfg.Now, auth.token)
	return rfms.New(rfms.Options{
		HTTP: cfg.HTTP, Now: cfg.Now,
		Base:      base + "/rfms4",
		Accept:    accept,
		Authorize: tokens.Bearer,
	}), nil
}

// accept asks for Scania's own additions where there are any: the registration
// of vehicles and the ignition of statuses.
func accept(resource string) string {
	standard := rfms.AcceptV4(resource)
	switch resource {
	case "vehicles", "vehiclestatuses":
		return standard + "; scania=" + resource + ".v1"
	default:
		return standard
	}
}
