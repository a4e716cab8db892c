package traccar

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var safety = &provider.Safety{
	Besides: provider.Besides{Every: 15 * time.Minute, Names: []string{"alarm", overspeed}, Need: "a user who may read reports"},
	Types:   provider.TypesOf(alarms),
}

// overspeed is the server's own event, by its own rule.
const overspeed = "deviceOverspeed"

// alarms are those that have a type. The others are other.
var alarms = map[string]drover.SafetyType{
	"hardBraking": drover.SafetyBraking, "hardAcceleration": drover.SafetyAcceleration, "hardCornering": drover.SafetyCornering,
	"overspeed": drover.SafetySpeeding, overspeed: drover.SafetySpeeding, "accident": drover.SafetyCrash, "fatigueDriving": drover.SafetyDrowsiness,
}

// event is one of the server's report of events.
type event struct {
	ID         wire.Text `json:"id"`
	Type       wire.Text `json:"type"`
	Time       wire.Time `json:"eventTime"`
	DeviceID   wire.Text `json:"deviceId"`
	Attributes struct {
		Alarm wire.Text   `json:"alarm"`
		Speed wire.Number `json:"speed"`      // knots
		Limit wire.Number `json:"speedLimit"` // knots
	} `json:"attributes"`
}

// records returns the safety events of one of the server's, which may name several alarms.
func (e event) records() (list []provider.SafetyEvent) {
	if e.DeviceID == "" || e.ID == "" || e.Time.IsZero() {
		return nil
	}
	words := strings.Split(e.Attributes.Alarm.String(), ",")
	if e.Type == overspeed {
		words = []string{overspeed}
	}
	for i, word := range words {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		out := provider.SafetyEvent{SystemDeviceID: e.DeviceID.String(), SafetyEvent: drover.SafetyEvent{
			SystemEventID: e.ID.String(), Type: drover.SafetyOther, NativeType: word, StartTime: e.Time.Record(), Status: drover.SafetyOpen,
			MaxSpeedKPH:   wire.Map(e.Attributes.Speed.Ptr(), wire.KPHFromKnots),
			SpeedLimitKPH: wire.Map(e.Attributes.Limit.Ptr(), wire.KPHFromKnots),
		}}
		if typ, ok := alarms[word]; ok {
			out.Type = typ
		}
		if i > 0 {
			out.SystemEventID += "-" + word
		}
		if word == overspeed {
			out.Method = new(drover.SafetyByPlatform)
		}
		list = append(list, out)
	}
	return list
}

// eventDevices is for how many devices one report is.
const eventDevices = 20

// SafetyEvents implements provider.SafetyReader. A tracker without a network sends late, so that
// rounds overlap by a day.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: window.Devices(eventDevices, func(
			ctx context.Context, from, to time.Time, devices []string,
		) (records []provider.SafetyEvent, err error) {
			// A report over more than a month is refused.
			if earliest := to.Add(-eventReach); from.Before(earliest) {
				from = earliest
			}
			query := url.Values{"type": {"alarm", overspeed}}
			for name, values := range period(devices, from, to) {
				query[name] = slices.Concat(query[name], values)
			}
			events, err := client.Get[[]event](ctx, a.api, "/reports/events", query)
			for _, e := range events {
				records = append(records, e.records()...)
			}
			return records, err
		}),
	}.Page(ctx, q)
}

// eventReach is the longest report that is asked for.
const eventReach = 30 * 24 * time.Hour

var _ provider.SafetyReader = (*Adapter)(nil)
