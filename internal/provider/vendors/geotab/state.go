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

// stateRow is a row that may report a value of a device.
type stateRow[T any] interface {
	state() (device string, at time.Time, value T, ok bool)
}

// report puts the values of rows in their place.
func report[R stateRow[T], T any](line *timeline[T], rows []R) {
	for _, r := range rows {
		if device, at, value, ok := r.state(); ok {
			line.add(device, at, value)
		}
	}
}

// followStates brings the states up to date for positions.
func (a *Adapter) followStates(ctx context.Context, positions []provider.Position) error {
	first := earliest(positions)
	since := first.Add(-stateReach)
	err := followState(ctx, a, &a.drivers, "DriverChange", since, feedPage, func([]driverChange) {})
	if err == nil {
		err = a.followStatus(ctx, first)
	}
	if err != nil {
		return err
	}
	if err := a.readIgnitions(ctx, positions, since); err != nil {
		return err
	}
	a.drivers.forget(since)
	a.ignition.forget(since)
	return nil
}

// followStatus reads the feed of status data, for the ignition and for readings. It has all of
// them, of every kind: its search is ignored. It is therefore read from the positions on only.
func (a *Adapter) followStatus(ctx context.Context, since time.Time) error {
	return followState(ctx, a, &a.ignition, "StatusData", since, statusPage, a.said.add)
}

// readIgnitions reads what the ignition of each device was before its first
// position. Where the vendor's quota is used up by that, which the fleet's first
// round may do, the others wait for their next position: until then their ignition
// is not known.
func (a *Adapter) readIgnitions(ctx context.Context, positions []provider.Position, since time.Time) error {
	for _, p := range positions {
		id := p.SystemDeviceID
		if a.ignitionRead[id] {
			continue
		}
		err := readState[statusData](ctx, a, &a.ignition, "StatusData", withIgnition(span(id, since, a.cfg.Now())))
		if provider.KindOf(err) == provider.KindRateLimited {
			return nil
		}
		if err != nil {
			return err
		}
		a.ignitionRead[id] = true
	}
	return nil
}

// followState reads a feed of states to its end, and hands each answer on.
func followState[R stateRow[T], T any](
	ctx context.Context,
	a *Adapter,
	line *timeline[T],
	entity string,
	since time.Time,
	limit int,
	each func([]R),
) error {
	for {
		rows, next, err := feed[R](ctx, a, entity, line.version, object{"fromDate": wire.ISOMilli(since)}, limit)
		if err != nil {
			return err
		}
		report(line, rows)
		each(rows)
		line.version = next
		if len(rows) < limit {
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
	report(line, rows)
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
