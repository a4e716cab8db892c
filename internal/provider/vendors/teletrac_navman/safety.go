package teletracnavman

import (
	"context"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// cameraSpan is how much one call asks for: a day less than the vendor allows.
const cameraSpan = 6 * 24 * time.Hour

var safety = &provider.Safety{
	Besides: provider.Besides{Every: 15 * time.Minute, Names: []string{"camera"}, Need: "an API key that may read events of cameras"},
	Types:   provider.TypesOf(actions),
}

// actions are what cameras see that has a type. The others are other: a red light that was passed,
// a button that the driver has pressed.
var actions = map[string]drover.SafetyType{
	"SPEED_VIOLATION": drover.SafetySpeeding, "FATIGUE": drover.SafetyDrowsiness, "DISTRACTION": drover.SafetyDistraction,
	"FOLLOWING_DISTANCE": drover.SafetyTailgating, "INTERNAL_CAMERA_OBSTRUCTION": drover.SafetyCamera,
}

// danger returns what a camera saw; false for another event, and for one of no vehicle or time.
func (e event) danger() (provider.SafetyEvent, bool) {
	action := strings.TrimSpace(e.Action.String())
	out := provider.SafetyEvent{SystemDeviceID: e.VehicleID.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.ID.String(), Type: drover.SafetyOther, NativeType: action, StartTime: e.TimeAt.Record(), Status: drover.SafetyOpen,
		Method: new(drover.SafetyByCamera),
	}}
	if typ, ok := actions[strings.ToUpper(action)]; ok {
		out.Type = typ
	}
	if at := e.GPS.point(); at != nil {
		out.Latitude, out.Longitude = &at.Latitude, &at.Longitude
		out.Heading, out.SpeedKPH = e.GPS.Dir.Ptr(), e.GPS.Spd.Ptr()
	}
	camera := strings.EqualFold(e.Type.String(), "camera")
	return out, camera && action != "" && e.ID != "" && e.VehicleID != "" && !e.TimeAt.IsZero()
}

// SafetyEvents implements provider.SafetyReader: what cameras of the fleet saw. They send late where
// there is no network, so that rounds overlap by a day.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: window.Spans(cameraSpan, func(ctx context.Context, from, to time.Time) ([]provider.SafetyEvent, error) {
			events, err := a.events(ctx, "camera", from, to)
			return wire.Records(events, event.danger), err
		}),
	}.Page(ctx, q)
}

var _ provider.SafetyReader = (*Adapter)(nil)
