package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/rules/path"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// TripExplanation says why a trip began and ended as it did, and which part of it
// no one saw.
func (s Trips) TripExplanation(ctx context.Context, p drover.Principal, id string) (drover.TripExplanation, error) {
	t, err := s.store.Trips.Trip(ctx, p.TenantID, id)
	if err != nil {
		return drover.TripExplanation{}, guard.OrNotFound(err, guard.UnknownTrip, id)
	}
	places, err := guard.MayReadPositions(p, t.Access, t.DeviceID)
	if err != nil {
		return drover.TripExplanation{}, err
	}
	out := drover.TripExplanation{TripID: t.ID, Trips: drover.TripsNative, Unseen: drover.TripUnseen{Parts: []drover.Unseen{}}}
	if guard.GrantOf(p, t.Access).Drivers() {
		out.DriverID = drover.NewDriverID(t.DriverID)
	}
	if t.Why == nil && !strings.HasPrefix(t.SystemTripID, trip.DerivedPrefix) {
		out.Start, out.End = decision(trip.Vendor(), nil), decision(trip.Vendor(), nil)
		return out, s.explainNative(ctx, places, t, &out)
	}
	out.Trips = drover.TripsDerived
	var why trip.Why
	if t.Why != nil {
		if err := json.Unmarshal([]byte(*t.Why), &why); err != nil {
			return out, fmt.Errorf("read why trip %s is: %w", t.ID, err)
		}
	}
	return out, s.explain(ctx, places, t, why, &out)
}

// explainNative fills in what positions show of the provider's own trip: the holes in which the
// vehicle got on.
func (s *core) explainNative(ctx context.Context, places guard.Positions, t store.Trip, out *drover.TripExplanation) error {
	rules, err := s.tripRules(ctx, t.TenantID, t.ConnectionID, t.DeviceID)
	if err != nil {
		return err
	}
	silences, err := s.unseen(ctx, places, t, rules.Gap)
	for _, u := range silences {
		if u.DistanceMetres > path.HoleMetres {
			out.Unseen.Parts = append(out.Unseen.Parts, u)
			out.Unseen.DistanceMetres += u.DistanceMetres
			out.Unseen.Seconds += u.EndTime.Sub(u.StartTime.Time).Seconds()
		}
	}
	return err
}

// explain fills in what is known of a derived trip.
func (s *core) explain(ctx context.Context, places guard.Positions, t store.Trip, why trip.Why, out *drover.TripExplanation) error {
	first, err := s.positionsAt(ctx, places, t.StartTime)
	if err != nil {
		return err
	}
	times := []drover.Time{t.EndTime}
	if why.DecidedAt != nil {
		times = append(times, *why.DecidedAt)
	}
	last, err := s.positionsAt(ctx, places, times...)
	if err != nil {
		return err
	}
	out.Start, out.End = decision(why.Start(), first), decision(why.End(), last)
	out.WorkingSeconds = why.WorkingSeconds
	out.Unseen.DistanceMetres, out.Unseen.Seconds = why.UnseenMetres, why.UnseenSeconds
	if why.UnseenSeconds > 0 {
		out.Unseen.Parts, err = s.unseen(ctx, places, t, why.Gap())
	}
	return err
}

func decision(d trip.Decision, positions []drover.DetailedPosition) drover.TripDecision {
	out := drover.TripDecision{Cause: d.Cause, Rule: d.Words, Positions: []drover.DetailedPosition{}}
	out.Positions = append(out.Positions, positions...)
	if d.Unit != "" {
		out.Value, out.Unit = &d.Value, &d.Unit
	}
	return out
}

// positionsAt reads the positions of some times, as far as they are kept.
func (s *core) positionsAt(ctx context.Context, places guard.Positions, times ...drover.Time) ([]drover.DetailedPosition, error) {
	var out []drover.DetailedPosition
	for _, at := range times {
		stored, err := places.Read(ctx, s.store, guard.Window{From: at, To: drover.Milli(at.UnixMilli() + 1)})
		if err != nil {
			return nil, err
		}
		for _, p := range stored {
			out = append(out, p.Detail())
		}
	}
	return out, nil
}

// maxHoleScan bounds the positions that are read to find the holes of a trip.
const maxHoleScan = 20_000

// unseen finds the silences that a trip goes on through.
func (s *core) unseen(ctx context.Context, places guard.Positions, t store.Trip, gap time.Duration) ([]drover.Unseen, error) {
	stored, err := places.Read(ctx, s.store, guard.Window{From: t.StartTime, To: drover.Milli(t.EndTime.UnixMilli() + 1), Limit: maxHoleScan})
	parts := []drover.Unseen{}
	for i := 1; i < len(stored); i++ {
		a, b := stored[i-1], stored[i]
		if b.Time.Sub(a.Time.Time) >= gap {
			parts = append(parts, trip.Hole(a.Position, b.Position))
		}
	}
	return parts, err
}
