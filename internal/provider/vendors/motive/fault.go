package motive

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var faults = &provider.Besides{
	Every: 30 * time.Minute, Names: []string{"fault_codes"}, Need: "an API key that may read fault codes",
}

type faultCodes struct {
	Codes      []faultItem `json:"fault_codes" required:"true"`
	Pagination pagination  `json:"pagination"`
}

type faultItem struct {
	Code faultCode `json:"fault_code"`
}

// faultCode is a record that the vendor keeps of one fault.
type faultCode struct {
	ID            wire.Text   `json:"id"`
	Code          wire.Text   `json:"code"`
	Label         wire.Text   `json:"code_label"`
	Description   wire.Text   `json:"code_description"`
	SourceAddress wire.Number `json:"source_address"`
	Status        wire.Text   `json:"status"`
	Network       wire.Text   `json:"network"`
	FMI           wire.Number `json:"fmi"`
	Severity      wire.Text   `json:"dtc_severity"`
	Occurrences   wire.Number `json:"occurrence_count"`
	Observations  wire.Number `json:"num_observations"`
	First         wire.Time   `json:"first_observed_at"`
	Last          wire.Time   `json:"last_observed_at"`
	Vehicle       struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
}

// report is what the vendor says of one fault now; false where it is of no vehicle.
func (f faultCode) report(now drover.Time) (provider.FaultReport, bool) {
	said := fault.Said{
		ID: f.ID.String(), Protocol: drover.FaultUnknown, Code: f.Code.String(), FMI: f.FMI.Whole(), SourceAddress: f.SourceAddress.Whole(),
		Description: wire.First(f.Description.Ptr(), f.Label.Ptr()), Severity: provider.SeverityOf(f.Severity.String()),
		Occurrences: wire.First(f.Occurrences.Whole(), f.Observations.Whole()),
	}
	if !f.First.IsZero() {
		said.First = f.First.Record()
	}
	if !f.Last.IsZero() {
		said.Last = f.Last.Record()
	}
	switch strings.ToLower(f.Network.String()) {
	case "obdii", "obd2", "obd":
		said.Protocol = drover.FaultOBD
	case "j1939":
		said.Protocol = drover.FaultJ1939
		if spn, err := strconv.ParseInt(said.Code, 10, 64); err == nil && said.FMI != nil {
			said.SPN, said.Code = &spn, fmt.Sprintf("SPN %d FMI %d", spn, *said.FMI)
		}
	case "j1708":
		said.Protocol = drover.FaultJ1708
	}
	if strings.EqualFold(f.Status.String(), "closed") {
		said.Status = drover.FaultClosed
	}
	return provider.FaultReport{SystemDeviceID: f.Vehicle.ID.String(), Report: fault.Report{
		At: now, Form: fault.Stated, Faults: []fault.Said{said},
	}}, f.Vehicle.ID != "" && f.ID != ""
}

// Faults implements provider.FaultReader. Each round goes through all pages: records change
// for as long as their fault is there.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	return paging.Numbered(func(ctx context.Context, number int) ([]provider.FaultReport, bool, error) {
		answer, err := client.Get[faultCodes](ctx, a.api, "/v1/fault_codes", pageQuery(number))
		now := drover.At(a.cfg.Now())
		records := wire.Records(answer.Codes, func(item faultItem) (provider.FaultReport, bool) { return item.Code.report(now) })
		return records, answer.Pagination.more(number, len(answer.Codes)), err
	})(ctx, q.Cursor)
}

var _ provider.FaultReader = (*Adapter)(nil)
