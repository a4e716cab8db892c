package declared

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// device converts a row of the fleet.
func (a *adapter) device(raw json.RawMessage) (provider.Device, bool, error) {
	r, f := &a.file.Devices.Request, a.file.Devices.Fields
	s, err := r.scope(raw, nil)
	if err != nil {
		return provider.Device{}, false, err
	}
	id := r.Device.text(s)
	if id == nil || !r.chosen(s) {
		return provider.Device{}, false, nil
	}
	d := provider.Device{
		SystemDeviceID: *id, Description: f.Description.text(s), Registration: f.Registration.text(s),
		Make: f.Make.text(s), Model: f.Model.text(s), Active: true,
	}
	if year := f.Year.number(s); year != nil {
		d.Year = wire.NumberOf(*year).Int()
	}
	if active := f.Active.boolean(s); active != nil {
		d.Active = *active
	}
	return d, true, nil
}

// position converts a row of a call for positions.
func (a *adapter) position(r *Request, raw json.RawMessage, device string) (provider.Position, bool, error) {
	s, err := r.scope(raw, map[string]string{"device": device})
	if err != nil {
		return provider.Position{}, false, err
	}
	f := a.file.Positions.Fields
	if id := r.Device.text(s); id != nil {
		device = *id
	}
	if device == "" || !r.chosen(s) {
		return provider.Position{}, false, nil
	}
	at, err := f.Time.time(s, a.clock)
	if err != nil {
		return provider.Position{}, false, unreadable("the time of a position is in no form that is known")
	}
	latitude, longitude := f.Latitude.number(s), f.Longitude.number(s)
	if latitude == nil && f.Latitude.text(s) != nil || longitude == nil && f.Longitude.text(s) != nil {
		return provider.Position{}, false, unreadable("the place of a position is no number")
	}
	p, ok := wire.Fix(device, at, latitude, longitude)
	p.Heading, p.SpeedKPH, p.DriverID = f.Heading.number(s), f.Speed.number(s), f.Driver.text(s)
	p.Ignition, p.Auxiliary, p.OdometerMetres = f.Ignition.boolean(s), f.Auxiliary.boolean(s), f.Odometer.number(s)
	p.Readings = provider.Readings(s, a.readings)
	return p, ok, nil
}

// instruments are those of the file.
func (f *File) instruments() []provider.Instrument[scope] {
	var list []provider.Instrument[scope]
	for _, r := range f.Positions.Readings {
		if r.Value == nil {
			continue
		}
		// The factor counts behind the check for what stands for nothing.
		plain := *r.Value
		plain.Factor = 0
		name := r.Name
		if path := slices.Collect(steps(r.Value.Path)); name == "" && len(path) > 0 {
			name = path[len(path)-1]
		}
		list = append(list, provider.Instrument[scope]{
			Name: name, Kind: r.Kind, Source: r.Source, Channel: r.Channel, Factor: r.Value.Factor, NeverZero: r.NeverZero,
			Of: plain.number,
		})
	}
	return list
}

// trip converts a row of a call for trips. One that is under way is none.
func (a *adapter) trip(r *Request, raw json.RawMessage, device string) (provider.Trip, bool, error) {
	vars := map[string]string{"device": device}
	s, err := r.scope(raw, vars)
	if err != nil {
		return provider.Trip{}, false, err
	}
	f := a.file.Trips.Fields
	if id := r.Device.text(s); id != nil {
		device = *id
	}
	start, startErr := f.Start.time(s, a.clock)
	end, endErr := f.End.time(s, a.clock)
	if startErr != nil || endErr != nil {
		return provider.Trip{}, false, unreadable("the time of a trip is in no form that is known")
	}
	if device == "" || start.IsZero() || end.IsZero() || !r.chosen(s) {
		return provider.Trip{}, false, nil
	}
	s.vars = maps.Clone(vars)
	s.vars["device"], s.vars["start"] = device, start.Record().String()
	s.vars["elapsed"] = strconv.FormatFloat(end.Sub(start.Time).Seconds(), 'f', -1, 64)
	t := provider.Trip{
		SystemDeviceID: device, StartTime: start.Record(), EndTime: end.Record(),
		Start:          wire.Coordinate(f.StartLatitude.number(s), f.StartLongitude.number(s)),
		End:            wire.Coordinate(f.EndLatitude.number(s), f.EndLongitude.number(s)),
		DistanceMetres: f.Distance.number(s), DrivingSeconds: f.Driving.number(s), IdlingSeconds: f.Idling.number(s),
		AuxiliarySeconds: f.Auxiliary.number(s), DriverID: f.Driver.text(s),
	}
	id := f.ID.text(s)
	if id == nil {
		return provider.Trip{}, false, unreadable("a trip has no id")
	}
	t.SystemTripID = *id
	return t, true, nil
}
