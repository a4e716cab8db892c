package rfms

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/rules/fault"
)

// faults are how rFMS reports them: by the lamps of the dashboard. It has no codes.
var faults = &provider.Besides{
	Every: 15 * time.Minute, Names: []string{"uptimeData.tellTaleInfo"}, Need: "the vehicle's subscription to uptime data",
}

// uptime is the part of a status about the state of the vehicle, which is large and asked for
// by itself.
type uptime struct {
	TellTales wire.List[tellTale] `json:"tellTaleInfo"`
}

// tellTale is a lamp, with what it shows.
type tellTale struct {
	Name  wire.Text `json:"tellTale"`
	OEM   wire.Text `json:"oemTellTale"`
	State wire.Text `json:"state"`
}

// ownTellTale stands for a lamp that the standard has no name for.
const ownTellTale = "OEM_SPECIFIC_TELL_TALE"

// said is what a lamp says; false where it says nothing. A lamp that only informs is no fault.
func (t tellTale) said() (fault.Said, bool) {
	name := t.Name.String()
	if own := t.OEM.Ptr(); own != nil && (name == "" || name == ownTellTale) {
		name = *own
	}
	s := fault.Said{Protocol: drover.FaultTellTale, Code: name}
	switch strings.ToUpper(t.State.String()) {
	case "RED":
		s.Lamps = []drover.Lamp{drover.LampRedStop}
	case "YELLOW":
		s.Lamps = []drover.Lamp{drover.LampAmber}
	case "OFF", "INFO":
		s.Status = drover.FaultClosed
	default: // NOT_AVAILABLE, and what is not known
		return s, false
	}
	return s, name != ""
}

// faults is what a status says of the lamps; false where it says nothing.
func (r report) faults() (provider.FaultReport, bool) {
	at := r.Created
	if at.IsZero() {
		at = r.Received
	}
	out := provider.FaultReport{SystemDeviceID: r.VIN.String(), Report: fault.Report{
		At: at.Record(), Form: fault.Stated, Faults: wire.Records(r.Uptime.TellTales, tellTale.said),
	}}
	return out, r.VIN != "" && !at.IsZero() && len(out.Faults) > 0
}

// Faults implements provider.FaultReader: it reads the newest status of each vehicle. The
// cursor is the last VIN read.
func (c *Client) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	var page provider.Page[provider.FaultReport]
	query := url.Values{"latestOnly": {"true"}, "contentFilter": {"UPTIME"}}
	if q.Cursor != "" {
		query.Set("lastVin", q.Cursor)
	}
	var a answer
	if err := c.get(ctx, statuses, query, &a); err != nil {
		return page, err
	}
	reports := a.reports()
	page.Records = wire.Records(reports, report.faults)
	if n := len(reports); a.more() && n > 0 && reports[n-1].VIN.String() != q.Cursor {
		page.Cursor, page.More = reports[n-1].VIN.String(), true
	}
	return page, nil
}

var _ provider.FaultReader = (*Client)(nil)
