package collect

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readAs turns what an adapter read into what it is, where a person has found the
// vendor's numbers to be in other units than the adapter takes them for.
type readAs struct {
	speed, odometer, distance float64 // factors
	offset                    time.Duration
	exchanged                 bool
}

// readAsSet returns nil where nothing is set.
func readAsSet(info provider.Info, set *drover.Units) *readAs {
	if set == nil || *set == (drover.Units{}) {
		return nil
	}
	ratio := func(factor func(string) float64, set, assumed *string) float64 {
		if set == nil {
			return 1
		}
		if assumed == nil {
			return factor(*set)
		}
		return factor(*set) / factor(*assumed)
	}
	r := &readAs{
		speed:     ratio(drover.SpeedFactor, set.Speed, info.Units.Speed),
		odometer:  ratio(drover.DistanceFactor, set.Odometer, info.Units.Odometer),
		distance:  ratio(drover.DistanceFactor, set.TripDistance, info.Units.TripDistance),
		exchanged: set.Coordinates != nil && *set.Coordinates == "lon_lat",
	}
	if set.TimeOffsetMinutes != nil {
		r.offset = time.Duration(*set.TimeOffsetMinutes) * time.Minute
	}
	return r
}

// readAs is how the records of the run's connection are read.
func (v *run) readAs() *readAs { return readAsSet(v.adapter.info, v.conn.Configuration.Units) }

// ask moves a question by as much as the vendor's times are ahead.
func (r *readAs) ask(q provider.Query) provider.Query {
	if r == nil || r.offset == 0 {
		return q
	}
	q.Ahead, q.From = r.offset, q.From.Add(r.offset)
	if !q.To.IsZero() {
		q.To = q.To.Add(r.offset)
	}
	return q
}

func (r *readAs) positions(records []provider.Position) {
	if r == nil {
		return
	}
	for i := range records {
		p := &records[i].Position
		p.SpeedKPH, p.OdometerMetres = times(p.SpeedKPH, r.speed), times(p.OdometerMetres, r.odometer)
		p.Time = r.time(p.Time)
		records[i].Readings = r.readings(records[i].Readings)
		if r.exchanged {
			p.Latitude, p.Longitude = p.Longitude, p.Latitude
		}
	}
}

// readings reads them as the position that they came with, in a new place: the adapter may
// hold on to them.
func (r *readAs) readings(from []provider.Reading) []provider.Reading {
	to := slices.Clone(from)
	for i := range to {
		if to[i].Kind == drover.ReadingOdometer {
			to[i].Value *= r.odometer
		}
		if !to[i].Time.IsZero() {
			to[i].Time = r.time(to[i].Time)
		}
	}
	return to
}

// said reads what came by itself.
func (r *readAs) said(from []provider.DeviceReading) []provider.DeviceReading {
	if r == nil {
		return from
	}
	to := slices.Clone(from)
	for i := range to {
		to[i].Reading = r.readings([]provider.Reading{to[i].Reading})[0]
	}
	return to
}

func (r *readAs) trips(records []provider.Trip) {
	if r == nil {
		return
	}
	for i := range records {
		t := &records[i]
		t.DistanceMetres = times(t.DistanceMetres, r.distance)
		t.StartTime, t.EndTime = r.time(t.StartTime), r.time(t.EndTime)
		if r.exchanged {
			t.Start, t.End = exchange(t.Start), exchange(t.End)
		}
	}
}

func (r *readAs) time(t drover.Time) drover.Time {
	if r.offset == 0 {
		return t
	}
	return drover.At(t.Add(-r.offset))
}

// times multiplies what the adapter may hold on to: in a new place.
func times(v *float64, by float64) *float64 {
	if v == nil || by == 1 {
		return v
	}
	return new(*v * by)
}

func exchange(c *drover.Coordinate) *drover.Coordinate {
	if c == nil {
		return nil
	}
	return &drover.Coordinate{Latitude: c.Longitude, Longitude: c.Latitude}
}
