package verizonconnect

import (
	"context"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var faults = &provider.Besides{
	Every: time.Hour, Names: []string{"ActiveDTCs"}, Need: "a plan with engine diagnostics",
}

// activeCodes are those of one vehicle, as a text.
type activeCodes struct {
	VehicleNumber wire.Text `json:"VehicleNumber"`
	Codes         wire.Text `json:"ActiveDTCs"`
	Updated       wire.Time `json:"LastUpdatedDateTime"`
}

// Faults implements provider.FaultReader: one call has the active codes of the whole fleet.
func (a *Adapter) Faults(ctx context.Context, _ provider.Query) (provider.Page[provider.FaultReport], error) {
	var page provider.Page[provider.FaultReport]
	answer, err := client.Get[wire.List[activeCodes]](ctx, a.api, "/rad/v1/vehicles/getvehiclesactivedtcs", nil)
	if err != nil {
		return page, err
	}
	now := drover.At(a.cfg.Now())
	for _, of := range answer {
		number := strings.TrimSpace(of.VehicleNumber.String())
		report := provider.ListedCodes(of.Codes.String())
		if number == "" || report == nil {
			continue
		}
		// When the codes were updated is not when the list was true: it is now.
		report.At = now
		if !of.Updated.IsZero() {
			for i := range report.Faults {
				report.Faults[i].First = of.Updated.Record()
			}
		}
		page.Records = append(page.Records, provider.FaultReport{SystemDeviceID: number, Report: *report})
	}
	return page, nil
}

var _ provider.FaultReader = (*Adapter)(nil)
