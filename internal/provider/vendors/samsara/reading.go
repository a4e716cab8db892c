package samsara

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	thousandth = 0.001

	// feedTypes is how many types of statistics one feed may have.
	feedTypes = 3
	// readingsEvery is how often the feeds of readings are read: positions are read more often.
	readingsEvery = time.Minute
	// readingPages bounds the pages of a feed in one poll. What is left comes with the next.
	readingPages = 20

	statisticsScope = "Read Vehicle Statistics"
)

// decorated are the readings that come with each position.
var decorated = []provider.Instrument[gps]{{
	Name: "obdOdometerMeters", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle,
	Of: func(g gps) *float64 { return g.Decorations.Odometer.Value.Ptr() },
}}

// statistics are those that come by feeds of their own, three to a feed. Of a door it is not
// said which one it is, of an idle time and a voltage not who measures it. Not read are the
// distance since the gateway was fitted, which is no odometer, and the auxiliary inputs, of
// which each vehicle's wiring says what they are.
var statistics = []provider.Instrument[wire.Gauge]{
	number("obdEngineSeconds", drover.ReadingEngine, drover.SourceVehicle, 1),
	number("fuelPercents", drover.ReadingFuelPercent, drover.SourceVehicle, 1),
	number("fuelConsumedMilliliters", drover.ReadingFuelUsed, drover.SourceVehicle, thousandth),

	number("idlingDurationMilliseconds", drover.ReadingIdle, "", thousandth),
	number("defLevelMilliPercent", drover.ReadingDEF, drover.SourceVehicle, thousandth),
	number("batteryMilliVolts", drover.ReadingSupply, "", thousandth),

	number("engineCoolantTemperatureMilliC", drover.ReadingCoolant, drover.SourceVehicle, thousandth),
	number("ambientAirTemperatureMilliC", drover.ReadingAmbient, drover.SourceVehicle, thousandth),
	number("evStateOfChargeMilliPercent", drover.ReadingCharge, drover.SourceVehicle, thousandth),

	number("gpsOdometerMeters", drover.ReadingOdometer, drover.SourcePlatform, 1),
	number("syntheticEngineSeconds", drover.ReadingEngine, drover.SourcePlatform, 1),
	{Name: "ecuDoorStatus", Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Of: wire.Gauge.State},
}

func number(name string, kind drover.ReadingKind, source drover.ReadingSource, factor float64) provider.Instrument[wire.Gauge] {
	return provider.Instrument[wire.Gauge]{Name: name, Kind: kind, Source: source, Factor: factor, Of: wire.Gauge.Ptr}
}

// statValue is one value of a vehicle's statistic.
type statValue struct {
	Time  wire.Time  `json:"time"`
	Value wire.Gauge `json:"value"`
}

// spoken returns the readings of rows of a feed. What does not have the form expected is not
// known: it is no reason to lose the rest.
func spoken(rows []wire.Bag) []provider.DeviceReading {
	var said []provider.DeviceReading
	for _, row := range rows {
		for i := range statistics {
			s := &statistics[i]
			var values []statValue
			if raw := row[s.Name]; raw == nil || json.Unmarshal(raw, &values) != nil {
				continue
			}
			for _, v := range values {
				if r, ok := s.Say(s.Of(v.Value)); ok && !v.Time.IsZero() {
					r.Time = v.Time.Record()
					said = append(said, provider.DeviceReading{SystemDeviceID: row.Text("id").String(), Reading: r})
				}
			}
		}
	}
	return said
}

// refusal is when a feed was refused, and whether the token lacks its scope.
type refusal struct {
	at    time.Time
	scope bool
}

// readings reads on from the feeds of readings. A feed that cannot be read keeps neither
// positions nor the other feeds back: it is tried again with the next poll or, where the
// token lacks its scope or the vendor does not know a type, much later.
func (a *Adapter) readings(ctx context.Context, c *cursor) ([]provider.DeviceReading, error) {
	now := a.cfg.Now()
	if now.UnixMilli()-c.Heard < readingsEvery.Milliseconds() {
		return nil, nil
	}
	c.Heard = now.UnixMilli()
	var said []provider.DeviceReading
	var read []provider.Instrument[wire.Gauge]
	for feed, types := range slices.Collect(slices.Chunk(statistics, feedTypes)) {
		if len(c.Stats) <= feed {
			c.Stats = append(c.Stats, "")
		}
		if now.Sub(a.unread[feed].at) < provider.WithheldRetry {
			continue
		}
		more, err := a.readingFeed(ctx, types, &c.Stats[feed])
		said = append(said, more...)
		switch status := provider.StatusOf(err); {
		case err == nil:
			delete(a.unread, feed)
			read = append(read, types...)
		case provider.Canceled(err):
			return nil, err
		case status == http.StatusBadRequest && c.Stats[feed] != "":
			c.Stats[feed] = "" // its cursor is too old: the next poll opens it again
		case status == http.StatusBadRequest, notPermitted(err):
			a.unread[feed] = refusal{now, notPermitted(err)}
			if notPermitted(err) {
				for i := range types {
					a.cfg.Withhold(string(types[i].Kind), statisticsScope)
				}
			}
		default:
			a.cfg.Logger.WarnContext(ctx, "readings could not be read", "error", err)
		}
	}
	a.permit(read)
	return said, nil
}

// permit says of what was read that the token may read it, but for kinds of which another feed is
// refused.
func (a *Adapter) permit(read []provider.Instrument[wire.Gauge]) {
	refused := map[drover.ReadingKind]bool{}
	for feed, types := range slices.Collect(slices.Chunk(statistics, feedTypes)) {
		for i := range types {
			refused[types[i].Kind] = refused[types[i].Kind] || a.unread[feed].scope
		}
	}
	for i := range read {
		if kind := read[i].Kind; !refused[kind] {
			a.cfg.Permit(string(kind))
		}
	}
}

// readingFeed reads one feed to its end, and moves its cursor on.
func (a *Adapter) readingFeed(ctx context.Context, types []provider.Instrument[wire.Gauge], at *string) (
	said []provider.DeviceReading, err error,
) {
	names := make([]string, len(types))
	for i := range types {
		names[i] = types[i].Name
	}
	for range readingPages {
		query := url.Values{"types": {strings.Join(names, ",")}}
		if *at != "" {
			query.Set("after", *at)
		}
		answer, err := client.Get[list[wire.Bag]](ctx, a.api, "/fleet/vehicles/stats/feed", query)
		if err != nil {
			return said, err
		}
		said = append(said, spoken(answer.Data)...)
		next, more := answer.Pagination.next(*at)
		if *at = next; !more {
			break
		}
	}
	return said, nil
}
