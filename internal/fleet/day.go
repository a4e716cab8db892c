package fleet

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// defaultDays is how many days are shown unless more are asked for, and maxDays how
	// many may be.
	defaultDays = 30
	maxDays     = 400
)

// DeviceDays sums up what a device did on each local day from one date to another,
// both included.
func (s Trips) DeviceDays(ctx context.Context, p drover.Principal, id, from, to string, counters bool) ([]drover.DeviceDay, error) {
	d, err := s.device(ctx, p, id)
	if err != nil {
		return nil, err
	}
	settings, err := s.deviceSettings(ctx, s.store.Fleet, s.store.Accounts, d)
	if err != nil {
		return nil, err
	}
	zone, err := calendar.Load(settings.TimeZone.Value)
	if err != nil {
		return nil, err
	}
	first, last, err := s.dayRange(zone, from, to)
	if err != nil {
		return nil, err
	}
	days, err := s.storedDays(ctx, zone, trip.RulesOf(settings.EffectiveTripRules), d, first, last)
	if err != nil {
		return nil, err
	}
	byDay := map[int64]store.DeviceDay{}
	for _, day := range days {
		byDay[day.Day] = day
	}
	out := make([]drover.DeviceDay, 0, last-first+1)
	for day := first; day <= last; day++ {
		if start, end := zone.Start(day), zone.Start(day+1); start.Before(end.Time) {
			out = append(out, shownDay(zone, day, start, end, byDay[day]))
		}
	}
	if counters {
		return out, s.addDayCounters(ctx, p, d, out)
	}
	return out, nil
}

// storedDays reads the sums of days; while those are made again, it makes them.
func (s *core) storedDays(
	ctx context.Context,
	zone calendar.Zone,
	rules trip.Rules,
	d store.Device,
	first, last int64,
) ([]store.DeviceDay, error) {
	pending, err := s.store.Trips.SumsDays(ctx, d.TenantID)
	if err != nil {
		return nil, err
	}
	if pending {
		return track.Days(ctx, s.store, zone, rules, d.TenantID, d.ID, first, last)
	}
	return s.store.Trips.DeviceDays(ctx, d.TenantID, d.ID, first, last)
}

// dayRange reads the dates that are asked for: the last days up to today without any.
func (s *core) dayRange(zone calendar.Zone, from, to string) (first, last int64, err error) {
	if last, err = dayOr(to, "to", zone.Day(s.now())); err != nil {
		return 0, 0, err
	}
	if first, err = dayOr(from, "from", last-defaultDays+1); err != nil {
		return 0, 0, err
	}
	switch {
	case last < first:
		return 0, 0, drover.InvalidValue("to must not be before from", "query", "to")
	case last-first >= maxDays:
		return 0, 0, drover.InvalidValue(fmt.Sprintf("at most %d days can be asked for", maxDays), "query", "from")
	}
	return first, last, nil
}

func dayOr(text, name string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := calendar.ParseDate(text)
	if err != nil {
		return 0, drover.Invalid("date_parsing", "Input should be a valid date in the format YYYY-MM-DD", "query", name)
	}
	return day, nil
}

func shownDay(zone calendar.Zone, day int64, start, end drover.Time, d store.DeviceDay) drover.DeviceDay {
	whole := func(thousandths int64) float64 { return float64(thousandths) / 1000 }
	return drover.DeviceDay{
		Day: calendar.Date(day), TimeZone: zone.Name(), StartTime: start, EndTime: end, Trips: d.Trips, ValidTrips: d.ValidTrips,
		DistanceMetres: whole(d.Distance), DrivingSeconds: whole(d.Driving), IdlingSeconds: whole(d.Idling), AuxiliarySeconds: whole(d.Auxiliary),
		Stops: d.Stops, StandingSeconds: whole(d.Standing), StopEngineOnSeconds: whole(d.StopEngine),
		StopAuxiliarySeconds: whole(d.StopAuxiliary), UnseenMetres: whole(d.Unseen),
		FirstStartTime: d.FirstStart, LastEndTime: d.LastEnd,
	}
}
