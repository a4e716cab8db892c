package johndeere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

const (
	// alertReach is the longest time that one call may ask for, with a minute to spare.
	alertReach = 7*24*time.Hour - time.Minute
	// alertMachines is how many machines a page is for.
	alertMachines = 20
)

var faults = &provider.Besides{
	Every: 6 * time.Hour, Names: []string{"alerts"}, Need: "a person who may see the alerts of the machines",
}

// alert is a row for each time that a machine's terminal showed something. Those of geofences and
// maintenance have no definition.
type alert struct {
	Time        wire.Time   `json:"time"`
	Severity    wire.Text   `json:"severity"`
	Occurrences wire.Number `json:"occurrences"`
	Definition  *struct {
		SPN         wire.Text `json:"suspectParameterName"`
		FMI         wire.Text `json:"failureModeIndicator"`
		Source      wire.Text `json:"sourceAddress"`
		Description wire.Text `json:"description"`
	} `json:"definition"`
}

// report is what a row says; false for what is no fault.
func (a alert) report(device string) (provider.FaultReport, bool) {
	if a.Definition == nil || a.Definition.SPN == "" || a.Time.IsZero() {
		return provider.FaultReport{}, false
	}
	d := a.Definition
	said := fault.Said{
		Protocol: drover.FaultOEM, Code: d.SPN.String(), FMI: number(d.FMI), SourceAddress: number(d.Source), Description: d.Description.Ptr(),
		Severity: provider.SeverityOf(a.Severity.String()), Occurrences: a.Occurrences.Whole(),
	}
	if spn := number(d.SPN); spn != nil && said.FMI != nil {
		said.Protocol, said.SPN, said.Code = drover.FaultJ1939, spn, fmt.Sprintf("SPN %d FMI %d", *spn, *said.FMI)
	}
	return provider.FaultReport{SystemDeviceID: device, Report: fault.Report{
		At: a.Time.Record(), Form: fault.Observed, Faults: []fault.Said{said},
	}}, true
}

// number reads a text of digits; nil where it is another one.
func number(text wire.Text) *int64 {
	return wire.Map(text.Int(), func(n int) int64 { return int64(n) })
}

// Faults implements provider.FaultReader, machine by machine. A machine sends late from where there
// is no network, so that rounds overlap by a day. The cursor of a page is the place of its first
// machine. Machines that the Operations Center does not know, or does not show to this person, are
// passed over; where it shows none at all, that is a refusal.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	return window.Again[provider.FaultReport]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: func(
			ctx context.Context, from, to time.Time, cursor string, devices []string,
		) (reports []provider.FaultReport, next string, err error) {
			first := 0
			if cursor != "" {
				if first, err = strconv.Atoi(cursor); err != nil {
					return nil, "", err
				}
			}
			var refused error
			read := 0
			for i := min(first, len(devices)); i < len(devices); i++ {
				if read == alertMachines {
					return reports, strconv.Itoa(i), nil
				}
				alerts, err := a.alerts(ctx, devices[i], from, to)
				switch {
				case errors.Is(err, errNoTrack), provider.StatusOf(err) == http.StatusNotFound:
					continue
				case provider.StatusOf(err) == http.StatusForbidden:
					refused = err
					continue
				case err != nil:
					return nil, "", err
				}
				read++
				reports = append(reports, wire.Records(alerts, func(row alert) (provider.FaultReport, bool) { return row.report(devices[i]) })...)
			}
			if first == 0 && read == 0 {
				return nil, "", refused
			}
			return reports, "", nil
		},
	}.Page(ctx, q)
}

// alerts reads the alerts of a machine in [from, to), in parts that one call may ask for.
func (a *Adapter) alerts(ctx context.Context, id string, from, to time.Time) (all []alert, err error) {
	for from.Before(to) {
		end := from.Add(alertReach)
		if end.After(to) {
			end = to
		}
		part, err := machineValues[alert](ctx, a, id, "alerts", period(from, end))
		if err != nil {
			return nil, err
		}
		all, from = append(all, part...), end
	}
	return all, nil
}

var _ provider.FaultReader = (*Adapter)(nil)
