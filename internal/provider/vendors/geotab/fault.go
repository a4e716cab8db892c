package geotab

import (
	"context"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var faults = &provider.Besides{
	Every: 2 * time.Minute, Names: []string{"FaultData"}, Need: "a login whose clearance shows engine faults",
}

// trackerController is the controller of faults of the tracker itself: unplugged, say.
const trackerController = "ControllerGoDeviceId"

// faultData is one observation of a fault.
type faultData struct {
	Device      reference   `json:"device"`
	Diagnostic  reference   `json:"diagnostic"`
	Controller  reference   `json:"controller"`
	FailureMode reference   `json:"failureMode"`
	DateTime    wire.Time   `json:"dateTime"`
	Count       wire.Number `json:"count"`
	State       wire.Text   `json:"faultState"`
	States      struct {
		Effective wire.Text `json:"effectiveStatus"`
	} `json:"faultStates"`
	Amber   wire.Bool   `json:"amberWarningLamp"`
	MIL     wire.Bool   `json:"malfunctionLamp"`
	Protect wire.Bool   `json:"protectWarningLamp"`
	Red     wire.Bool   `json:"redStopLamp"`
	Source  wire.Number `json:"sourceAddress"`
}

// report is what a row says; false where it names no device, diagnostic or time.
func (f faultData) report() (provider.FaultReport, bool) {
	said := fault.Said{
		Protocol: drover.FaultUnknown, Code: string(f.Diagnostic), Occurrences: f.Count.Whole(), SourceAddress: f.Source.Whole(),
		Quiet: f.Controller == trackerController,
	}
	if mode := string(f.FailureMode); mode != "" && mode != "NoFailureModeId" {
		said.Code += " " + mode
	}
	switch controller := string(f.Controller); {
	case said.Quiet:
		said.Protocol = drover.FaultOEM
	case strings.Contains(controller, "Obd"):
		said.Protocol = drover.FaultOBD
	case strings.Contains(controller, "J1939"):
		said.Protocol = drover.FaultJ1939
	case strings.Contains(controller, "J1708"):
		said.Protocol = drover.FaultJ1708
	}
	for _, lit := range []struct {
		on   wire.Bool
		lamp drover.Lamp
	}{{f.MIL, drover.LampMalfunction}, {f.Amber, drover.LampAmber}, {f.Red, drover.LampRedStop}, {f.Protect, drover.LampProtect}} {
		if lit.on.Or(false) {
			said.Lamps = append(said.Lamps, lit.lamp)
		}
	}
	state := wire.First(f.States.Effective.Ptr(), f.State.Ptr())
	if state != nil {
		switch strings.ToLower(*state) {
		case "inactive", "cleared", "none":
			said.Status = drover.FaultClosed
		case "pending":
			said.Status = drover.FaultPending
		}
	}
	return provider.FaultReport{SystemDeviceID: string(f.Device), Report: fault.Report{
		At: f.DateTime.Record(), Form: fault.Observed, Faults: []fault.Said{said},
	}}, f.Device != "" && f.Diagnostic != "" && !f.DateTime.IsZero() && f.DateTime.Year() < noEnd
}

// Faults implements provider.FaultReader: it follows the feed of observations.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	rows, next, err := feed[faultData](ctx, a, "FaultData", q.Cursor, object{"fromDate": wire.ISOMilli(q.From)}, feedPage)
	if err != nil {
		return provider.Page[provider.FaultReport]{}, err
	}
	return provider.Page[provider.FaultReport]{
		Records: wire.Records(rows, faultData.report), Cursor: next, More: len(rows) >= feedPage,
	}, nil
}

var _ provider.FaultReader = (*Adapter)(nil)
