// Package rfms reads from any truck maker that serves rFMS, the remote interface of the FMS
// standard. Makers with an adapter of their own are not read by it.
package rfms

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/login"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms"
)

const versionField = "version"

// Info describes the adapter.
var Info = rfms.Describe(provider.Info{
	Name:     drover.ProviderRFMS,
	Title:    "rFMS",
	Homepage: "fms-standard.com/Truck/rfms.htm",
	Fields: append(login.Fields(), provider.Field{
		Name: versionField, Title: "Version", Options: versions(),
		Help: "Version of rFMS that the maker serves; without it, the newest one that it has is found.",
	}),
	// Makers publish no numbers. A poll takes two calls for the whole fleet.
	Limits: []provider.Limit{{Requests: 2, Per: 3 * time.Second, Concurrent: 1}},
	Notes: []string{
		"The server address is that of the resources: /vehicles, /vehiclepositions and /vehiclestatuses lie below it.",
		"Positions come natively from the vehicles' positions and statuses; odometer and driver are in statuses, which are fewer, and the ignition in some of them.",
		"The driver is the state and number of the tachograph card, or the maker's own id, and missing without the driver's consent.",
		"Not verified against a live service: makers other than Scania and Volvo Trucks, their limits of calls, and where each hands out credentials.",
	},
	New: New,
})

// New makes an adapter.
func New(cfg provider.Config) (provider.Provider, error) {
	if cfg.BaseURL == "" {
		return nil, provider.Errorf(provider.KindPermanent, "the server address is missing")
	}
	access, err := login.Of(cfg)
	if err != nil {
		return nil, err
	}
	opts := rfms.Options{
		HTTP: access.HTTP, Now: cfg.Now, Base: cfg.BaseURL, Authorize: access.Authorize,
		Found: func(version string) { cfg.Observe("rFMS version", version) },
		// Makers answer so where there is no data; vehicles are always asked for as they are.
		EmptyNotFound: true,
	}
	for i := range rfms.Versions {
		if v := rfms.Versions[i]; v.Name == cfg.Credentials[versionField] {
			opts.Accept = v.Accept
			break
		}
	}
	return rfms.New(opts), nil
}

// versions are the names of those that can be asked for.
func versions() []string {
	var names []string
	for _, v := range rfms.Versions {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}
