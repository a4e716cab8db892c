package webfleet

import (
	"context"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// The functions that report dangerous driving, by thresholds that the account has set.
const (
	accelerations = "showAccelerationEvents"
	speedings     = "showSpeedingEvents"
)

const (
	// eventSpan is how much one report asks for, and shortestReport the least: one that is full is
	// asked for again in halves.
	eventSpan      = 48 * time.Hour
	shortestReport = time.Hour
)

var safety = &provider.Safety{
	Besides: provider.Besides{
		Every: 15 * time.Minute, Names: []string{accelerations, speedings},
		Need: "the right to the actions showAccelerationEvents and showSpeedingEvents",
	},
	Types: provider.TypesOf(func() map[string]drover.SafetyType {
		types := map[string]drover.SafetyType{speedings: drover.SafetySpeeding}
		for n, typ := range accelTypes {
			types[strconv.FormatInt(n, 10)] = typ
		}
		return types
	}()),
}

// accelTypes are the numbers of what happened: steering to the left and to the right are the last.
var accelTypes = map[int64]drover.SafetyType{
	0: drover.SafetyAcceleration, 1: drover.SafetyBraking, 2: drover.SafetyCornering, 3: drover.SafetyCornering,
}

// driving is a row of either report.
type driving struct {
	ObjectUID wire.Text   `json:"objectuid"`
	DriverUID wire.Text   `json:"driveruid"`
	Start     wire.Time   `json:"start_time"`
	End       wire.Time   `json:"end_time"`
	Type      wire.Number `json:"accel_type"`  // of accelerations
	Speed     wire.Number `json:"start_speed"` // km/h
	Max       wire.Number `json:"max_speed"`
	Limit     wire.Number `json:"road_speedlimit"`
	// Places are millionths of a degree, and of speedings those of both ends.
	Latitude  wire.Text `json:"latitude"`
	Longitude wire.Text `json:"longitude"`
	StartLat  wire.Text `json:"start_latitude"`
	StartLon  wire.Text `json:"start_longitude"`
}

// record returns the event of a report; false for one of no object or time. The vendor gives no ids.
func (d driving) record(action string) (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: d.ObjectUID.String(), SafetyEvent: drover.SafetyEvent{
		Type: drover.SafetyOther, NativeType: action, DriverID: drover.NewDriverID(d.DriverUID.Ptr()), StartTime: d.Start.Record(),
		SpeedKPH: d.Speed.Ptr(), Status: drover.SafetyOpen,
	}}
	place := position{Latitude: d.Latitude, Longitude: d.Longitude}
	if action == speedings {
		out.Type, out.MaxSpeedKPH, out.SpeedLimitKPH = drover.SafetySpeeding, d.Max.Ptr(), d.Limit.Ptr()
		place = position{Latitude: d.StartLat, Longitude: d.StartLon}
	} else if n := d.Type.Whole(); n != nil {
		out.NativeType, out.Method = "accel_type "+strconv.FormatInt(*n, 10), new(drover.SafetyByDevice)
		if typ, ok := accelTypes[*n]; ok {
			out.Type = typ
		}
	}
	out.SystemEventID = out.StartTime.String() + " " + out.NativeType
	if at, ok := place.point(); ok {
		out.Latitude, out.Longitude = &at.Latitude, &at.Longitude
	}
	if d.End.After(d.Start.Time) {
		out.EndTime = new(d.End.Record())
	}
	return out, d.ObjectUID != "" && !d.Start.IsZero()
}

// SafetyEvents implements provider.SafetyReader: both reports, of the whole fleet. Vehicles send late
// where there is no network, so that rounds overlap by a day. A user who may make one of them alone
// has the events of that one.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: window.Spans(eventSpan, func(ctx context.Context, from, to time.Time) (records []provider.SafetyEvent, err error) {
			var refused error
			read := 0
			for _, action := range []string{accelerations, speedings} {
				found, err := a.driving(ctx, action, from, to)
				if err != nil && provider.KindOf(err) == provider.KindPermanent {
					refused = err
					continue
				}
				if err != nil {
					return nil, err
				}
				records, read = append(records, found...), read+1
			}
			if read == 0 {
				return nil, refused
			}
			return records, nil
		}),
	}.Page(ctx, q)
}

// driving makes one report.
func (a *Adapter) driving(ctx context.Context, action string, from, to time.Time) ([]provider.SafetyEvent, error) {
	rows, err := window.Halves(from, to, shortestReport, func(from, to time.Time) ([]driving, bool, error) {
		rows, err := report[driving](ctx, a, action, period(window.Window{From: from, To: to}))
		return rows, len(rows) >= tripCap, err
	})
	return wire.Records(rows, func(d driving) (provider.SafetyEvent, bool) { return d.record(action) }), err
}

var _ provider.SafetyReader = (*Adapter)(nil)
