package track

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/rules/road"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const (
	// drawEvery is how often trips are looked for that are not drawn yet.
	drawEvery = 10 * time.Second
	// drawTrips bounds the trips of one step, and drawSquares the squares after which it
	// draws no further one: some kilobytes each are in memory.
	drawTrips, drawSquares = 200, 2000
	// drawPositions bounds the positions that are read at once.
	drawPositions = 20_000
	// drawRest lets drawing take little from others.
	drawRest background.Rest = 7
)

// Roads draws the trips of all tenants into the squares that tiles of a map are made of. It
// follows the changes of trips, notes in the same transaction how far it came, and drawing
// a trip again changes nothing. It is background work, of any number of processes: who comes
// second at a step drops it.
type Roads struct {
	background.Work
	store  *store.Store
	now    func() time.Time
	logger *slog.Logger
}

// NewRoads makes a Roads.
func NewRoads(s *store.Store, now func() time.Time, logger *slog.Logger) *Roads {
	w := &Roads{store: s, now: now, logger: logger}
	w.Run = func(ctx context.Context) {
		background.Every(ctx, drawEvery, func(ctx context.Context) {
			if err := w.RunDue(ctx, drawRest); err != nil && ctx.Err() == nil {
				w.logger.ErrorContext(ctx, "draw roads", "err", err)
			}
		})
	}
	return w
}

// RunDue draws all trips that are not drawn yet. A tenant for which that fails holds up no other.
func (w *Roads) RunDue(ctx context.Context, rest background.Rest) error {
	tenants, err := w.store.Accounts.Retentions(ctx)
	if err != nil {
		return err
	}
	pace := rest.Begin()
	var failed []error
	for _, t := range tenants {
		if err := w.drawAll(ctx, t.TenantID, pace); err != nil {
			failed = append(failed, fmt.Errorf("tenant %s: %w", t.TenantID, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// drawAll draws the trips of a tenant that are not drawn yet.
func (w *Roads) drawAll(ctx context.Context, tenantID string, pace *background.Pace) error {
	for {
		more, err := w.step(ctx, tenantID)
		if err != nil || !more {
			return err
		}
		if err := pace.Pause(ctx); err != nil {
			return err
		}
	}
}

// step draws some trips of a tenant, and reports whether there may be more.
func (w *Roads) step(ctx context.Context, tenantID string) (more bool, err error) {
	trips, places, was, err := w.store.Trips.TripsToDraw(ctx, tenantID, drawTrips)
	if err != nil || len(trips) == 0 {
		return false, err
	}
	since, drawn := history.FirstRoadWeek(w.now()), 0
	drawings := drawings{}
	for _, t := range trips {
		drawn++
		if !t.Valid || history.Week(t.EndTime) < since {
			continue
		}
		if err := w.draw(ctx, tenantID, t, since, drawings); err != nil {
			return false, err
		}
		if drawings.squares() > drawSquares {
			break
		}
	}
	roads, err := w.grown(ctx, tenantID, drawings)
	if err != nil {
		return false, err
	}
	err = w.store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Trips.MoveRoadPlace(ctx, tenantID, was, places[drawn-1]); err != nil {
			return err
		}
		return tx.Trips.SetRoads(ctx, tenantID, roads)
	})
	if errors.Is(err, store.ErrDrawn) {
		return false, nil
	}
	return err == nil && (drawn < len(trips) || len(trips) == drawTrips), err
}

// drawings are those of connections and weeks.
type drawings map[drawingKey]road.Drawing

type drawingKey struct {
	connection string
	week       int64
}

// compare orders what is written, so that processes that write at once do not wait for each other in a circle.
func (k drawingKey) compare(other drawingKey) int {
	return cmp.Or(cmp.Compare(k.connection, other.connection), cmp.Compare(k.week, other.week))
}

func (d drawings) squares() (n int) {
	for _, drawing := range d {
		n += len(drawing)
	}
	return n
}

// draw draws the way of a trip, each part into its week.
func (w *Roads) draw(ctx context.Context, tenantID string, t store.DrivenTrip, since int64, into drawings) error {
	end := drover.Milli(t.EndTime.UnixMilli() + 1)
	var last *drover.Position
	for from := t.StartTime; from.Before(end.Time); {
		page, err := w.store.History.Positions(ctx, history.Range{
			TenantID: tenantID, DeviceID: t.DeviceID, From: from, To: end, Limit: drawPositions,
		})
		if err != nil {
			return err
		}
		for i := range page {
			p := &page[i].Position
			if week := history.Week(p.Time); last != nil && week >= since && road.Joined(last, p) {
				key := drawingKey{t.ConnectionID, week}
				if into[key] == nil {
					into[key] = road.Drawing{}
				}
				into[key].Line(last.Point(), p.Point())
			}
			last = p
		}
		if len(page) < drawPositions {
			return nil
		}
		from = drover.Milli(last.Time.UnixMilli() + 1)
	}
	return nil
}

// grown puts drawings together with what is stored, and returns the roads that are other
// ones then.
func (w *Roads) grown(ctx context.Context, tenantID string, all drawings) ([]store.Road, error) {
	var roads []store.Road
	keys := slices.Collect(maps.Keys(all))
	order.By(keys, drawingKey.compare)
	for _, key := range keys {
		drawing := all[key]
		squares := make([]int64, 0, len(drawing))
		for q := range drawing {
			squares = append(squares, int64(q))
		}
		slices.Sort(squares)
		stored, err := w.store.Trips.RoadsOf(ctx, tenantID, key.connection, key.week, squares)
		if err != nil {
			return nil, err
		}
		for _, r := range stored {
			cells, err := road.Open(nil, r.Cells)
			if err != nil {
				return nil, err
			}
			if !cells.Add(drawing[road.Quad(r.Square)]) {
				delete(drawing, road.Quad(r.Square))
				continue
			}
			drawing[road.Quad(r.Square)] = cells
		}
		for _, q := range slices.Sorted(maps.Keys(drawing)) {
			cells := drawing[q]
			roads = append(roads, store.Road{
				ConnectionID: key.connection, Week: key.week, Square: int64(q), Sum: cells.Sum(), Cells: cells.Pack(),
			})
		}
	}
	return roads, nil
}
