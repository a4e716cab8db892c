package samsara

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var faults = &provider.Besides{Every: 2 * time.Minute, Names: []string{"faultCodes"}, Need: statisticsScope}

// faultStats is a vehicle of the feed of faults: the whole list at each change.
type faultStats struct {
	ID    wire.Text   `json:"id"`
	Lists []faultList `json:"faultCodes"`
}

type faultList struct {
	Time  wire.Time `json:"time"`
	J1939 *struct {
		Lights struct {
			Emissions wire.Bool `json:"emissionsIsOn"`
			Protect   wire.Bool `json:"protectIsOn"`
			Stop      wire.Bool `json:"stopIsOn"`
			Warning   wire.Bool `json:"warningIsOn"`
		} `json:"checkEngineLights"`
		Codes []struct {
			SPN         wire.Number `json:"spnId"`
			FMI         wire.Number `json:"fmiId"`
			Source      wire.Number `json:"txId"`
			Occurrences wire.Number `json:"occurrenceCount"`
			SPNWords    wire.Text   `json:"spnDescription"`
			FMIWords    wire.Text   `json:"fmiDescription"`
		} `json:"diagnosticTroubleCodes"`
	} `json:"j1939"`
	OBD *struct {
		Light wire.Bool `json:"checkEngineLightIsOn"`
		Codes []struct {
			Confirmed []obdCode `json:"confirmedDtcs"`
			Pending   []obdCode `json:"pendingDtcs"`
			Permanent []obdCode `json:"permanentDtcs"`
		} `json:"diagnosticTroubleCodes"`
	} `json:"obdii"`
	OEM *struct {
		Codes []struct {
			Code     wire.Text `json:"codeIdentifier"`
			Words    wire.Text `json:"codeDescription"`
			Severity wire.Text `json:"codeSeverity"`
		} `json:"diagnosticTroubleCodes"`
	} `json:"oem"`
}

type obdCode struct {
	Code  wire.Text `json:"dtcShortCode"`
	Words wire.Text `json:"dtcDescription"`
}

// said are the faults of a list. The lamps are those of the vehicle: which fault has lit one is
// not said.
func (l faultList) said() []fault.Said {
	list := []fault.Said{}
	if l.J1939 != nil {
		var lamps []drover.Lamp
		for _, lit := range []struct {
			on   wire.Bool
			lamp drover.Lamp
		}{
			{l.J1939.Lights.Emissions, drover.LampMalfunction},
			{l.J1939.Lights.Warning, drover.LampAmber},
			{l.J1939.Lights.Stop, drover.LampRedStop},
			{l.J1939.Lights.Protect, drover.LampProtect},
		} {
			if lit.on.Or(false) {
				lamps = append(lamps, lit.lamp)
			}
		}
		for _, c := range l.J1939.Codes {
			spn, fmi := c.SPN.Whole(), c.FMI.Whole()
			if spn == nil || fmi == nil {
				continue
			}
			words := wire.Text(strings.Trim(c.SPNWords.String()+", "+c.FMIWords.String(), ", "))
			list = append(list, fault.Said{
				Protocol: drover.FaultJ1939, Code: fmt.Sprintf("SPN %d FMI %d", *spn, *fmi), SPN: spn, FMI: fmi, SourceAddress: c.Source.Whole(),
				Description: words.Ptr(), Occurrences: c.Occurrences.Whole(), Lamps: lamps,
			})
		}
	}
	if l.OBD != nil {
		var lamps []drover.Lamp
		if l.OBD.Light.Or(false) {
			lamps = []drover.Lamp{drover.LampMalfunction}
		}
		for _, c := range l.OBD.Codes {
			for _, of := range []struct {
				codes  []obdCode
				status drover.FaultStatus
			}{{c.Pending, drover.FaultPending}, {c.Confirmed, drover.FaultOpen}, {c.Permanent, drover.FaultOpen}} {
				for _, code := range of.codes {
					list = append(list, fault.Said{
						Protocol: drover.FaultOBD, Code: code.Code.String(), Description: code.Words.Ptr(), Status: of.status, Lamps: lamps,
					})
				}
			}
		}
	}
	if l.OEM != nil {
		for _, c := range l.OEM.Codes {
			list = append(list, fault.Said{
				Protocol: drover.FaultOEM, Code: c.Code.String(), Description: c.Words.Ptr(), Severity: provider.SeverityOf(c.Severity.String()),
			})
		}
	}
	return list
}

// Faults implements provider.FaultReader: it follows the feed, whose first answer is the newest
// list of each vehicle. A cursor that is refused is too old: the feed is opened again.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	query := url.Values{"types": {"faultCodes"}}
	if q.Cursor != "" {
		query.Set("after", q.Cursor)
	}
	answer, err := client.Get[list[faultStats]](ctx, a.api, "/fleet/vehicles/stats/feed", query)
	if provider.StatusOf(err) == http.StatusBadRequest && q.Cursor != "" {
		q.Cursor = ""
		return a.Faults(ctx, q)
	}
	if err != nil {
		return provider.Page[provider.FaultReport]{}, err
	}
	var page provider.Page[provider.FaultReport]
	for _, row := range answer.Data {
		for _, l := range row.Lists {
			if row.ID != "" && !l.Time.IsZero() {
				page.Records = append(page.Records, provider.FaultReport{SystemDeviceID: row.ID.String(), Report: fault.Report{
					At: l.Time.Record(), Form: fault.Listed, Faults: l.said(),
				}})
			}
		}
	}
	page.Cursor, page.More = answer.Pagination.next(q.Cursor)
	return page, nil
}

var _ provider.FaultReader = (*Adapter)(nil)
