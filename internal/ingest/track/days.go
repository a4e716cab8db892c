package track

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// touchDays notes that what the days of a time add up to has changed.
func (d *device) touchDays(from, to drover.Time) { d.days = widen(d.days, from, to) }

// sumDays sums up again the days that were touched. A day follows from the trips and
// stops that touch it, so this comes to the same however often it is done.
func (d *device) sumDays(ctx context.Context) (store.DaysOf, error) {
	of := store.DaysOf{DeviceID: d.state.DeviceID}
	if d.days == nil {
		return of, nil
	}
	span := *d.days
	d.days = nil
	var err error
	of.Days, err = d.summer(d.tx).sum(ctx, d.zone.Day(span.From), d.zone.Day(latest(span.From, span.To)))
	return of, err
}

// storeDays stores the days that were touched.
func (d *device) storeDays(ctx context.Context) error {
	of, err := d.sumDays(ctx)
	if err != nil {
		return err
	}
	return d.tx.Trips.SetDeviceDays(ctx, d.source.TenantID, of)
}

func (d *device) summer(tx *store.Tx) summer {
	return summer{
		from: tx.Trips.TripsReader, positions: remembering{tx.History.Reader, d.stood}, keep: &tx.Trips, zone: d.zone, rules: d.rules,
		tenantID: d.source.TenantID, deviceID: d.state.DeviceID,
	}
}

// Days sums up days of a device, of the zone and by the rules that hold now, and stores
// nothing: for anyone who asks while they are being summed up again.
func Days(
	ctx context.Context,
	from *store.Store,
	zone calendar.Zone,
	rules trip.Rules,
	tenantID, deviceID string,
	first, last int64,
) ([]store.DeviceDay, error) {
	s := summer{from: from.Trips, positions: from.History, zone: zone, rules: rules, tenantID: tenantID, deviceID: deviceID}
	return s.sum(ctx, first, last)
}

// sumDays sums up the days of a time again, from the stored trips and stops.
func (t *Tracker) sumDays(ctx context.Context, tx *store.Tx, from Source, deviceID string, span trip.Span) error {
	from, err := from.with(ctx, tx.Accounts, nil)
	if err != nil {
		return err
	}
	states, err := deviceStates(ctx, tx.Fleet, from.TenantID, []string{deviceID}) // no one else stores its trips meanwhile
	if err != nil {
		return err
	}
	d := t.device(tx, from, states[deviceID], true)
	d.touchDays(span.From, span.To)
	return d.storeDays(ctx)
}

// stretch is all positions of a device in [from, to) that are not suspect.
type stretch struct {
	from, to  drover.Time
	positions []drover.StoredPosition
}

// remembering is a transaction that need not read again the positions of the stop
// that was found last, by which that stop is divided among its days.
type remembering struct {
	history.Reader
	stood stretch
}

// Positions reads positions.
func (r remembering) Positions(ctx context.Context, q history.Range) ([]drover.StoredPosition, error) {
	if q.From.Before(r.stood.from.Time) || q.To.After(r.stood.to.Time) || q.WithSuspect || len(r.stood.positions) > q.Limit {
		return r.Reader.Positions(ctx, q)
	}
	before := func(p drover.StoredPosition, at drover.Time) int { return p.Time.Compare(at.Time) }
	first, _ := slices.BinarySearchFunc(r.stood.positions, q.From, before)
	end, _ := slices.BinarySearchFunc(r.stood.positions, q.To, before)
	return r.stood.positions[first:end], nil
}

// summer sums up the days of a device.
type summer struct {
	from               store.TripsReader
	positions          positionReader
	keep               *store.TripsTx // where parts are kept; nil keeps none
	zone               calendar.Zone
	rules              trip.Rules
	tenantID, deviceID string
}

// sum returns the days from first to last, all of them.
func (s summer) sum(ctx context.Context, first, last int64) ([]store.DeviceDay, error) {
	days := make([]store.DeviceDay, last-first+1)
	for i := range days {
		days[i].Day = first + int64(i)
	}
	from, to := s.zone.Start(first), s.zone.Start(last+1)
	trips, err := s.from.TripsTouching(ctx, s.tenantID, s.deviceID, from, to)
	if err != nil {
		return nil, err
	}
	of := func(day int64) *store.DeviceDay {
		if day < first || day > last {
			return &store.DeviceDay{} // none of those that are asked for
		}
		return &days[day-first]
	}
	for _, t := range trips {
		if err := s.addTrip(ctx, t, of); err != nil {
			return nil, err
		}
	}
	stops, err := s.from.StopsTouching(ctx, s.tenantID, s.deviceID, from, to)
	if err != nil {
		return nil, err
	}
	for _, stop := range stops {
		if err := s.addStop(ctx, stop, of); err != nil {
			return nil, err
		}
	}
	return days, nil
}

// addTrip counts a trip. The numbers of one that is not valid cannot be trusted.
func (s summer) addTrip(ctx context.Context, t store.Trip, of func(int64) *store.DeviceDay) error {
	began := of(s.zone.Day(t.StartTime))
	began.Trips++
	if !t.IsValid {
		return nil
	}
	began.ValidTrips++
	if began.FirstStart == nil || t.StartTime.Before(began.FirstStart.Time) {
		began.FirstStart = &t.StartTime
	}
	parts := s.zone.Split(t.StartTime, t.EndTime)
	ended := of(parts[len(parts)-1].Day)
	if ended.LastEnd == nil || t.EndTime.After(ended.LastEnd.Time) {
		ended.LastEnd = &t.EndTime
	}
	whole := []int64{
		thousandths(t.DistanceMetres), thousandths(t.DrivingSeconds), thousandths(t.IdlingSeconds),
		thousandths(t.AuxiliarySeconds),
	}
	divided, err := s.divide(ctx, divisible{parts, t.Parts, whole, tripWeights(), fitTrip, func(ctx context.Context, text string) error {
		return s.keep.SetTripParts(ctx, s.tenantID, t.ID, text)
	}})
	if err != nil {
		return err
	}
	for i, p := range parts {
		day := of(p.Day)
		day.Distance, day.Driving = day.Distance+divided[0][i], day.Driving+divided[1][i]
		day.Idling, day.Auxiliary = day.Idling+divided[2][i], day.Auxiliary+divided[3][i]
	}
	return nil
}

// addStop counts a stop.
func (s summer) addStop(ctx context.Context, stop store.Stop, of func(int64) *store.DeviceDay) error {
	of(s.zone.Day(stop.StartTime)).Stops++
	parts := s.zone.Split(stop.StartTime, *stop.EndTime)
	whole := []int64{thousandths(stop.EngineOnSeconds), thousandths(stop.AuxiliarySeconds)}
	divided, err := s.divide(ctx, divisible{parts, stop.Parts, whole, stopWeights(), fitStop, func(ctx context.Context, text string) error {
		return s.keep.SetStopParts(ctx, s.tenantID, stop.ID, text)
	}})
	if err != nil {
		return err
	}
	for i, p := range parts {
		day := of(p.Day)
		day.Standing += p.To.UnixMilli() - p.From.UnixMilli()
		day.StopEngine, day.StopAuxiliary = day.StopEngine+divided[0][i], day.StopAuxiliary+divided[1][i]
	}
	s.addUnseen(stop.Unseen, of)
	return nil
}

// addUnseen counts the way after a stop, over midnight in proportion to time.
func (s summer) addUnseen(u *drover.Unseen, of func(int64) *store.DeviceDay) {
	if u == nil {
		return
	}
	parts := s.zone.Split(u.StartTime, u.EndTime)
	shares := make([]trip.Share, len(parts))
	for i, p := range parts {
		shares[i].Seconds = p.To.Sub(p.From.Time).Seconds()
	}
	for i, metres := range trip.Apportion(thousandths(&u.DistanceMetres), shares, func(s trip.Share) float64 { return s.Seconds }) {
		of(parts[i].Day).Unseen += metres
	}
}

func tripWeights() []func(trip.Share) float64 {
	return []func(trip.Share) float64{
		func(s trip.Share) float64 { return s.Metres },
		func(s trip.Share) float64 { return s.Driving },
		func(s trip.Share) float64 { return s.Idling },
		func(s trip.Share) float64 { return s.Auxiliary },
	}
}

func stopWeights() []func(trip.Share) float64 {
	return []func(trip.Share) float64{
		func(s trip.Share) float64 { return s.EngineOn },
		func(s trip.Share) float64 { return s.AuxiliaryOn },
	}
}

// fitTrip keeps each part's driving, idling and auxiliary time, which exclude each other, within
// the part.
func fitTrip(room []int64, parts [][]int64) { trip.Fit(room, parts[1:]...) }

// fitStop keeps each part's times within the part; engine and auxiliary run at once.
func fitStop(room []int64, parts [][]int64) {
	for _, times := range parts {
		trip.Fit(room, times)
	}
}

// divisible is a trip or a stop that is divided among its days: what is kept of that,
// its whole numbers, by what they are divided, and what holds its times to those of the parts.
type divisible struct {
	parts   []calendar.Part
	kept    *string
	whole   []int64
	weights []func(trip.Share) float64
	fit     func(room []int64, parts [][]int64)
	keep    func(ctx context.Context, text string) error
}

// kept is how a record was divided. It outlives the positions that it was found by.
type kept struct {
	Zone  string    `json:"zone"`
	Whole []int64   `json:"whole"`
	Parts [][]int64 `json:"parts"` // of each whole number, for each day
}

// divide divides the numbers of a record among its days, by its positions.
func (s summer) divide(ctx context.Context, r divisible) ([][]int64, error) {
	if len(r.parts) == 1 {
		out := make([][]int64, len(r.whole))
		for i, w := range r.whole {
			out[i] = []int64{w}
		}
		return out, nil
	}
	k := kept{}
	if r.kept != nil && json.Unmarshal([]byte(*r.kept), &k) == nil && k.fits(s.zone, r) {
		return k.Parts, nil
	}
	shares, err := s.shares(ctx, r.parts)
	if err != nil {
		return nil, err
	}
	k = kept{Zone: s.zone.Name(), Whole: r.whole}
	for i, w := range r.whole {
		k.Parts = append(k.Parts, trip.Apportion(w, shares, r.weights[i]))
	}
	room := make([]int64, len(r.parts))
	for i, p := range r.parts {
		room[i] = p.To.UnixMilli() - p.From.UnixMilli()
	}
	r.fit(room, k.Parts)
	if s.keep == nil {
		return k.Parts, nil
	}
	text, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("write parts: %w", err)
	}
	return k.Parts, r.keep(ctx, string(text))
}

// fits reports whether what is kept is of the same record, divided in the same way.
func (k kept) fits(z calendar.Zone, r divisible) bool {
	if k.Zone != z.Name() || len(k.Whole) != len(r.whole) || len(k.Parts) != len(r.whole) {
		return false
	}
	for i, w := range r.whole {
		if k.Whole[i] != w || len(k.Parts[i]) != len(r.parts) {
			return false
		}
	}
	return true
}

// maxSharePositions bounds the positions that a record is divided by; a longer one is
// divided by time from there on.
const maxSharePositions = 20_000

// shares weighs the parts of a record.
func (s summer) shares(ctx context.Context, parts []calendar.Part) ([]trip.Share, error) {
	span := trip.Span{From: parts[0].From, To: parts[len(parts)-1].To}
	stored, err := s.positions.Positions(ctx, history.Range{
		TenantID: s.tenantID, DeviceID: s.deviceID, From: drover.Milli(max(0, span.From.UnixMilli())),
		To: drover.Milli(span.To.UnixMilli() + 1), Limit: maxSharePositions,
	})
	if err != nil {
		return nil, err
	}
	positions := make([]drover.Position, len(stored))
	for i := range stored {
		positions[i] = stored[i].Position
	}
	cuts := make([]drover.Time, 0, len(parts)-1)
	for _, p := range parts[1:] {
		cuts = append(cuts, p.From)
	}
	return s.rules.Shares(span, cuts, positions), nil
}

func thousandths(v *float64) int64 {
	if v == nil {
		return 0
	}
	return int64(math.Round(*v * 1000))
}
