package navixy

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

var faults = &provider.Besides{
	Every: 15 * time.Minute, Names: []string{codesField}, Need: "an API key that may read trackers",
}

// codesField is the state of a tracker that has the codes of the vehicle, as a text.
const codesField = "obd_dtc_codes"

// trackerState is a named state of a tracker. A value may be a text, a number or a truth.
type trackerState struct {
	Field   string    `json:"field"`
	Value   wire.Text `json:"value"`
	Updated wire.Text `json:"update_time"`
}

// report returns the faults that a tracker said last, as of its own time; nil where it says none
// that can be read. How codes stand in the text is not documented: only those of the form of OBD
// are taken, and a text that has others alone says nothing.
func (s spoken) report() *fault.Report {
	i := slices.IndexFunc(s.States, func(st trackerState) bool { return st.Field == codesField })
	if i < 0 {
		return nil
	}
	text := strings.TrimSpace(s.States[i].Value.String())
	report := provider.ListedCodes(text)
	var at provider.Reading
	if report == nil || !updated(s.States[i].Updated, &at) {
		return nil
	}
	report.Faults = slices.DeleteFunc(report.Faults, func(said fault.Said) bool { return said.Protocol != drover.FaultOBD })
	if text != "" && len(report.Faults) == 0 {
		return nil
	}
	report.At = at.Time
	return report
}

// Faults implements provider.FaultReader: the newest list of each tracker.
func (a *Adapter) Faults(ctx context.Context, q provider.Query) (page provider.Page[provider.FaultReport], err error) {
	err = a.spoken(ctx, q.Devices, func(id string, s spoken) {
		if report := s.report(); report != nil {
			page.Records = append(page.Records, provider.FaultReport{SystemDeviceID: id, Report: *report})
		}
	})
	return page, err
}

var _ provider.FaultReader = (*Adapter)(nil)
