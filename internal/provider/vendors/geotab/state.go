package geotab

import (
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// stateReach is how far before a position its driver and ignition are looked for:
// they are reported when they change, and a vehicle may stand over a weekend.
const stateReach = 72 * time.Hour

// timeline is a value of each device over time, as it was reported. The zero
// value is empty.
type timeline[T any] struct {
	version string // of the feed that it is read from
	changes map[string][]change[T]
}

type change[T any] struct {
	at    time.Time
	value T
}

func (c change[T]) compare(at time.Time) int { return c.at.Compare(at) }

// add puts a report in its place: feeds are in the order of arrival.
func (l *timeline[T]) add(device string, at time.Time, value T) {
	if l.changes == nil {
		l.changes = map[string][]change[T]{}
	}
	list := l.changes[device]
	i, found := slices.BinarySearchFunc(list, at, change[T].compare)
	if found {
		list[i].value = value
		return
	}
	l.changes[device] = slices.Insert(list, i, change[T]{at, value})
}

// at returns what was last reported at or before an instant, the zero value where
// nothing was within the reach.
func (l *timeline[T]) at(device string, at time.Time) (value T) {
	list := l.changes[device]
	i, found := slices.BinarySearchFunc(list, at, change[T].compare)
	if !found {
		i--
	}
	if i < 0 || at.Sub(list[i].at) > stateReach {
		return value
	}
	return list[i].value
}

// forget drops what came before an instant.
func (l *timeline[T]) forget(before time.Time) {
	for device, list := range l.changes {
		i, _ := slices.BinarySearchFunc(list, before, change[T].compare)
		if i == len(list) {
			delete(l.changes, device)
			continue
		}
		l.changes[device] = slices.Delete(list, 0, i)
	}
}

// stateRow is a row that reports a value of a device.
type stateRow[T any] interface {
	state() (device string, at time.Time, value T)
}

// followStates brings the states up to date, for positions from since on.
func (a *Adapter) followStates(ctx context.Context, since time.Time) error {
	since = since.Add(-stateReach)
	search := func() object { return object{"fromDate": wire.ISOMilli(since)} }
	if err := followState[driverChange](ctx, a, &a.drivers, "DriverChange", search()); err != nil {
		return err
	}
	if err := followState[statusData](ctx, a, &a.ignition, "StatusData", withIgnition(search())); err != nil {
		return err
	}
	a.drivers.forget(since)
	a.ignition.forget(since)
	return nil
}

// followState reads a feed of states to its end.
func followState[R stateRow[T], T any](ctx context.Context, a *Adapter, line *timeline[T], entity string, search object) error {
	for {
		rows, next, err := feed[R](ctx, a, entity, line.version, search, feedPage)
		if err != nil {
			return err
		}
		for _, r := range rows {
			line.add(r.state())
		}
		line.version = next
		if len(rows) < feedPage {
			return nil
		}
	}
}

// readState reads the states that search selects.
func readState[R stateRow[T], T any](ctx context.Context, a *Adapter, line *timeline[T], entity string, search object) error {
	var rows []R
	if err := a.call(ctx, "Get", entity, object{"search": search, "resultsLimit": rowCap}, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		line.add(r.state())
	}
	return nil
}

// withIgnition makes a search of StatusData one for the ignition.
func withIgnition(search object) object {
	search["diagnosticSearch"] = object{"id": ignitionDiagnostic}
	return search
}

// addStates gives each position the states of its instant.
func addStates(positions []provider.Position, drivers *timeline[*string], ignition *timeline[*bool]) {
	for i := range positions {
		p := &positions[i]
		p.DriverID = drivers.at(p.SystemDeviceID, p.Time.Time)
		p.Ignition = ignition.at(p.SystemDeviceID, p.Time.Time)
	}
}

func earliest(positions []provider.Position) time.Time {
	return slices.MinFunc(positions, func(a, b provider.Position) int { return a.Time.Compare(b.Time.Time) }).Time.Time
}
