package geotab

import (
	"context"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var safety = &provider.Safety{
	Besides: provider.Besides{
		Every: 2 * time.Minute, Names: []string{"ExceptionEvent"}, Need: "a login whose clearance shows exceptions",
	},
	Types: provider.TypesOf(rules),
}

// rules are the vendor's stock rules that have a type. A fleet's own are other, unless the
// connection maps them.
var rules = map[string]drover.SafetyType{
	"RuleHarshBrakingId": drover.SafetyBraking, "RuleHarshCorneringId": drover.SafetyCornering,
	"RuleJackrabbitStartsId": drover.SafetyAcceleration, "RulePostedSpeedingId": drover.SafetySpeeding, "RuleSeatbeltId": drover.SafetySeatBelt,
	"RuleAccidentId": drover.SafetyCrash, "RuleEnhancedMajorCollisionId": drover.SafetyCrash, "RuleEnhancedMinorCollisionId": drover.SafetyCrash,
}

// idlingRule is of what trips have already.
const idlingRule = "RuleIdlingId"

// exceptionEvent is what a rule has found.
type exceptionEvent struct {
	ID     wire.Text `json:"id"`
	Rule   reference `json:"rule"`
	Device reference `json:"device"`
	Driver reference `json:"driver"`
	From   wire.Time `json:"activeFrom"`
	To     wire.Time `json:"activeTo"`
	State  wire.Text `json:"state"`
	Detail struct {
		Max   wire.Number `json:"maxSpeed"`
		Limit wire.Number `json:"speedLimit"`
	} `json:"details"`
}

// record returns the event; false for one of no device, rule or time, and for idling.
func (e exceptionEvent) record() (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: string(e.Device), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.ID.String(), Type: drover.SafetyOther, NativeType: string(e.Rule), DriverID: drover.NewDriverID(e.Driver.driver()),
		StartTime: e.From.Record(), MaxSpeedKPH: e.Detail.Max.Ptr(), SpeedLimitKPH: e.Detail.Limit.Ptr(), Status: drover.SafetyOpen,
		Method: new(drover.SafetyByPlatform),
	}}
	if typ, ok := rules[string(e.Rule)]; ok {
		out.Type = typ
	}
	if e.To.After(e.From.Time) && e.To.Year() < noEnd {
		out.EndTime = new(e.To.Record())
	}
	switch state := strings.ToLower(e.State.String()); {
	case strings.Contains(state, "invalid"), state == "1":
		out.Status = drover.SafetyInvalid
	case strings.Contains(state, "dismissed"), state == "2":
		out.Status = drover.SafetyDismissed
	}
	return out, e.Device != "" && e.Rule != "" && e.Rule != idlingRule && e.ID != "" && !e.From.IsZero() && e.From.Year() < noEnd
}

// SafetyEvents implements provider.SafetyReader: it follows the feed, in which an event that has
// changed comes again.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	rows, next, err := feed[exceptionEvent](ctx, a, "ExceptionEvent", q.Cursor, object{"fromDate": wire.ISOMilli(q.From)}, feedPage)
	if err != nil {
		return provider.Page[provider.SafetyEvent]{}, err
	}
	return provider.Page[provider.SafetyEvent]{
		Records: wire.Records(rows, exceptionEvent.record), Cursor: next, More: len(rows) >= feedPage,
	}, nil
}

var _ provider.SafetyReader = (*Adapter)(nil)
