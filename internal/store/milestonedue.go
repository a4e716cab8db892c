package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// DueMilestone names a milestone that a process is to look at.
type DueMilestone struct {
	TenantID string
	ID       string
}

// ClaimMilestones takes up to limit milestones whose time has come. They are due
// again at until, unless the one who took them says otherwise: so no one else takes
// them meanwhile, and they are not forgotten where that process dies. The limit is part
// of the text: PostgreSQL would go through all milestones for what could be many.
func (s *Store) ClaimMilestones(ctx context.Context, now, until drover.Time, limit int) ([]DueMilestone, error) {
	if s.database.Distributed() {
		return s.claimMilestonesApart(ctx, now, until, limit)
	}
	var claims []DueMilestone
	err := s.Update(ctx, func(tx *Tx) error {
		rows, err := tx.write("milestone").QueryContext(ctx, `UPDATE milestone SET due_at = $2 WHERE (tenant_id, id) IN (
			SELECT m.tenant_id, m.id FROM milestone m WHERE m.due_at <= $1 AND `+watched(3)+` ORDER BY m.due_at LIMIT `+strconv.Itoa(limit)+
			tx.Trips.d.SkipLocked()+`)
			RETURNING tenant_id, id`, now, until, tx.Trips.present())
		claims, err = database.ReadAll(rows, err, "claim milestones", func(row database.Scanner) (DueMilestone, error) {
			var c DueMilestone
			return c, row.Scan(&c.TenantID, &c.ID)
		})
		return err
	})
	return claims, err
}

// claimMilestonesApart does so where tenants lie at several places: it looks without a lock, and
// claims by tenant. Frozen ones are claimed too, so that they come again at until alone, and are
// left out by what their owners say.
func (s *Store) claimMilestonesApart(ctx context.Context, now, until drover.Time, limit int) ([]DueMilestone, error) {
	here, args := database.Here(ctx, s.database, "m.tenant_id", []any{now})
	rows, err := s.db.QueryContext(ctx, `SELECT m.tenant_id, m.id FROM milestone m WHERE m.due_at <= $1 AND `+notSuspended+here+
		` ORDER BY m.due_at LIMIT `+strconv.Itoa(limit), args...)
	due, err := database.ReadAll(rows, err, "look for milestones", func(row database.Scanner) (c DueMilestone, err error) {
		return c, row.Scan(&c.TenantID, &c.ID)
	})
	if err != nil {
		return nil, err
	}
	var claims []DueMilestone
	var failed []error
	byTenant := map[string][]string{}
	for _, c := range due {
		byTenant[c.TenantID] = append(byTenant[c.TenantID], c.ID)
	}
	for _, tenantID := range slices.Sorted(maps.Keys(byTenant)) {
		mine, err := s.claimMilestonesOf(ctx, tenantID, byTenant[tenantID], now, until)
		claims, failed = append(claims, mine...), append(failed, err)
	}
	return claims, errors.Join(failed...)
}

func (s *Store) claimMilestonesOf(
	ctx context.Context, tenantID string, ids []string, now, until drover.Time,
) (claims []DueMilestone, err error) {
	type claimed struct {
		id, owner  string
		connection *string
	}
	var all []claimed
	err = s.Update(ctx, func(tx *Tx) error {
		rows, err := tx.write("milestone").QueryContext(ctx, `UPDATE milestone SET due_at = $3 WHERE tenant_id = $1 AND due_at <= $2 AND id `+
			s.database.InList(4)+` RETURNING id, device_tenant_id, connection_id`, tenantID, now, until, s.database.List(ids))
		all, err = database.ReadAll(rows, err, "claim milestones", func(row database.Scanner) (c claimed, err error) {
			return c, row.Scan(&c.id, &c.owner, &c.connection)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, c := range all {
		watched := c.owner == tenantID
		if !watched {
			err := s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM connection_share cs WHERE cs.tenant_id = $1 AND cs.connection_id = $2
				AND cs.shared_with = $3 AND cs.positions = TRUE AND `+activeShare(4)+`)`, c.owner, c.connection, tenantID, s.present()).Scan(&watched)
			failed = append(failed, err)
		}
		if watched {
			claims = append(claims, DueMilestone{tenantID, c.id})
		}
	}
	return claims, errors.Join(failed...)
}

// NextMilestone says when the next milestone is due that can be claimed.
func (q TripsReader) NextMilestone(ctx context.Context) (drover.Time, error) {
	var at drover.Time
	which, args := watched(1), []any{q.present()}
	if q.d.Distributed() {
		which, args = notSuspended, nil
	}
	here, args := database.Here(ctx, q.d, "m.tenant_id", args)
	err := q.db.QueryRowContext(ctx, `SELECT m.due_at FROM milestone m WHERE m.due_at IS NOT NULL AND `+which+here+
		` ORDER BY m.due_at LIMIT 1`, args...).Scan(&at)
	return at, database.Found(err, "look for milestones")
}

// watched selects the milestones m that are looked at when they are due: those that are
// not frozen, of tenants that are not suspended. Now is the parameter that holds the
// present.
func watched(now int) string {
	return `(m.tenant_id = m.device_tenant_id OR EXISTS (SELECT 1 FROM connection_share cs WHERE cs.tenant_id = m.device_tenant_id
		AND cs.connection_id = m.connection_id AND cs.shared_with = m.tenant_id AND cs.positions = TRUE AND ` + activeShare(now) + `))
		AND ` + notSuspended
}

const notSuspended = `NOT EXISTS (SELECT 1 FROM tenant t WHERE t.id = m.tenant_id AND t.suspended = TRUE)`

// Prediction is what was predicted of a milestone's arrival.
type Prediction struct {
	Time       drover.Time
	ETA        drover.Time
	DistanceKM float64
	// P10 and P90 are the range, and RouteSeconds what a router said; nil where
	// they are not known.
	P10, P90     *drover.Time
	RouteSeconds *float64
}

// AddPrediction keeps a prediction. The first of one instant stays.
func (tx TripsTx) AddPrediction(ctx context.Context, tenantID, milestoneID string, p Prediction) error {
	_, err := tx.write("eta_prediction").ExecContext(ctx,
		`INSERT INTO eta_prediction (tenant_id, milestone_id, time, eta, distance_km, p10, p90, route_seconds)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant_id, milestone_id, time) DO NOTHING`,
		tenantID, milestoneID, p.Time, p.ETA, p.DistanceKM, p.P10, p.P90, p.RouteSeconds)
	if err != nil {
		return fmt.Errorf("add prediction: %w", err)
	}
	return nil
}

// DropPredictions forgets the predictions of a milestone.
func (tx TripsTx) DropPredictions(ctx context.Context, tenantID, milestoneID string) error {
	_, err := tx.write("eta_prediction").ExecContext(ctx, `DELETE FROM eta_prediction WHERE tenant_id = $1 AND milestone_id = $2`, tenantID,
		milestoneID)
	if err != nil {
		return fmt.Errorf("drop predictions: %w", err)
	}
	return nil
}

// Predictions lists the predictions of a milestone after a time, oldest first.
func (q TripsReader) Predictions(ctx context.Context, tenantID, milestoneID string, after drover.Time, limit int) ([]Prediction, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT time, eta, distance_km, p10, p90, route_seconds FROM eta_prediction
		WHERE tenant_id = $1 AND milestone_id = $2 AND time > $3 ORDER BY time LIMIT $4`, tenantID, milestoneID, after, limit)
	return database.ReadAll(rows, err, "list predictions", func(row database.Scanner) (Prediction, error) {
		var p Prediction
		return p, row.Scan(&p.Time, &p.ETA, &p.DistanceKM, &p.P10, &p.P90, &p.RouteSeconds)
	})
}

// Outcome is a prediction of a journey that has ended, and what came true.
type Outcome struct {
	MilestoneID string
	Prediction
	ArrivedAt drover.Time
}

// Outcomes lists the predictions of journeys that arrived since a time, of one
// tenant or, without its id, of all.
func (q TripsReader) Outcomes(ctx context.Context, tenantID string, since drover.Time) ([]Outcome, error) {
	w := database.Where{Args: []any{since}, Parts: []string{"m.arrived_at >= $1", "p.time < m.arrived_at"}}
	w.ID("m.tenant_id =", tenantID)
	rows, err := q.db.QueryContext(ctx, `SELECT m.id, p.time, p.eta, p.distance_km, m.arrived_at FROM milestone m
		JOIN eta_prediction p ON p.tenant_id = m.tenant_id AND p.milestone_id = m.id`+w.SQL()+` ORDER BY m.id, p.time`, w.Args...)
	return database.ReadAll(rows, err, "list outcomes", func(row database.Scanner) (Outcome, error) {
		var o Outcome
		return o, row.Scan(&o.MilestoneID, &o.Time, &o.ETA, &o.DistanceKM, &o.ArrivedAt)
	})
}
