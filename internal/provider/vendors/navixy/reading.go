package navixy

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// readingsEvery is how often the newest readings are read at the most, of so many trackers in a call.
	readingsEvery = time.Minute
	readingBatch  = 100

	secondsOfHour = 3600
)

// spoken is the newest of a tracker's readings. A value that is not there is left out.
type spoken struct {
	Inputs   []input        `json:"inputs"`
	Counters []counter      `json:"counters"`
	States   []trackerState `json:"states"`
}

// input is a sensor that was set up for the tracker, with the unit that it says itself.
type input struct {
	ID        wire.Text  `json:"sensor_id"`
	Type      string     `json:"type"`
	Value     wire.Gauge `json:"value"`
	UnitsType string     `json:"units_type"`
	Units     string     `json:"units"` // free text
	Updated   wire.Text  `json:"update_time"`
}

// unit is how the account names it, in one spelling.
func (i input) unit() string {
	unit := strings.ToLower(strings.TrimSpace(i.UnitsType))
	if unit == "" || unit == "custom" {
		unit = strings.ToLower(strings.TrimSpace(i.Units))
	}
	return unit
}

// counter is one of the platform's, which a person may set.
type counter struct {
	Type    string     `json:"type"`
	Value   wire.Gauge `json:"value"`
	Updated wire.Text  `json:"update_time"`
}

// sensors are the inputs whose type and unit say what they measure; those that have another
// unit, or none, are not read. Raw fields of the vehicle's bus have no unit.
var sensors = map[string]provider.Instrument[input]{
	"fuel litre":          sensor("fuel", drover.ReadingFuelLitres),
	"fuel percent":        sensor("fuel", drover.ReadingFuelPercent),
	"fuel %":              sensor("fuel", drover.ReadingFuelPercent),
	"temperature celsius": sensor("temperature", drover.ReadingProbe),
	"temperature °c":      sensor("temperature", drover.ReadingProbe),
}

func sensor(kind string, of drover.ReadingKind) provider.Instrument[input] {
	return provider.Instrument[input]{Name: "inputs." + kind, Kind: of, Source: drover.SourceSensor, Channel: provider.AnyChannel}
}

// counters are kilometres and hours.
var counters = []provider.Instrument[counter]{
	{Name: "counters.odometer", Kind: drover.ReadingOdometer, Source: drover.SourcePlatform, Factor: 1000},
	{Name: "counters.engine_hours", Kind: drover.ReadingEngine, Source: drover.SourcePlatform, Factor: secondsOfHour},
}

// declared are the series of both.
var declared = append(provider.Declared(counters),
	sensors["fuel litre"].Series(), sensors["fuel percent"].Series(), sensors["temperature celsius"].Series())

// readings are those of a tracker.
func (s spoken) readings() []provider.Reading {
	var said []provider.Reading
	for _, i := range s.Inputs {
		in, known := sensors[i.Type+" "+i.unit()]
		in.Channel = i.ID.String()
		if r, ok := in.Say(i.Value.Ptr()); ok && known && updated(i.Updated, &r) {
			said = append(said, r)
		}
	}
	for _, c := range s.Counters {
		i := slices.IndexFunc(counters, func(in provider.Instrument[counter]) bool { return in.Name == "counters."+c.Type })
		if i < 0 {
			continue
		}
		if r, ok := counters[i].Say(c.Value.Ptr()); ok && updated(c.Updated, &r) {
			said = append(said, r)
		}
	}
	return said
}

// updated gives a reading its time. One without a zone is the user's local time, which no
// answer names: such a reading is left out.
func updated(at wire.Text, r *provider.Reading) bool {
	t, err := time.Parse(time.RFC3339, at.String())
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04:05Z0700", at.String())
	}
	r.Time = drover.At(t)
	return err == nil
}

// instruments reads the newest readings of all trackers.
func (a *Adapter) instruments(ctx context.Context, devices []string) (said []provider.DeviceReading, err error) {
	err = a.spoken(ctx, devices, func(id string, s spoken) {
		for _, r := range s.readings() {
			said = append(said, provider.DeviceReading{SystemDeviceID: id, Reading: r})
		}
	})
	return said, err
}

// spoken reads what trackers said last.
func (a *Adapter) spoken(ctx context.Context, devices []string, take func(id string, s spoken)) error {
	for batch := range slices.Chunk(devices, readingBatch) {
		ids := make([]json.Number, len(batch))
		for i, id := range batch {
			ids[i] = json.Number(id)
		}
		var answer struct {
			Result map[string]spoken `json:"result" required:"true"`
		}
		err := a.api.Post(ctx, "/tracker/readings/batch_list", object{"trackers": ids}, &answer)
		if ofOneTracker(err) == nil && err != nil { // one of them is gone: the others are asked for without it later
			continue
		}
		if err != nil {
			return err
		}
		for _, id := range batch {
			take(id, answer.Result[id])
		}
	}
	return nil
}
