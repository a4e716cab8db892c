package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// AccountSummary counts a tenant's own records. It reads roll-ups, so that its
// cost does not depend on the number of trips.
func (q FleetReader) AccountSummary(ctx context.Context, tenantID string, now drover.Time) (drover.AccountSummary, error) {
	s := drover.AccountSummary{TenantID: tenantID, GeneratedAt: now}
	steps := []func() error{
		func() error { return q.countSingly(ctx, &s) },
		func() (err error) { s.Connections, err = q.countConnections(ctx, tenantID); return err },
		func() error { return q.totalTrips(ctx, tenantID, &s.Trips) },
		func() (err error) { s.Milestones, err = q.countMilestones(ctx, tenantID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return drover.AccountSummary{}, err
		}
	}
	return s, nil
}

// countSingly reads what is one row of each table, in one statement. The newest end of a
// trip is one look into an index, whatever the number of trips.
func (q queries) countSingly(ctx context.Context, s *drover.AccountSummary) error {
	since := drover.At(s.GeneratedAt.Add(-24 * time.Hour))
	var inactive int // few: an index of their own spares a look at each device
	err := q.db.QueryRowContext(ctx, `SELECT t.name, (SELECT COUNT(*) FROM device WHERE tenant_id = $1), (SELECT COUNT(*) FROM device WHERE tenant_id = $1 AND active = FALSE),
		(SELECT COUNT(*) FROM device_latest l WHERE l.tenant_id = $1 AND l.reported_hour > $2) +
		(SELECT COUNT(*) FROM device_latest l WHERE l.tenant_id = $1 AND l.reported_hour = $2 AND l.position_time > $3),
		(SELECT MAX(end_time) FROM trip WHERE tenant_id = $1), w.total, w.enabled, w.failing
		FROM tenant t
		CROSS JOIN (SELECT COUNT(*) AS total, COALESCE(SUM(CASE WHEN enabled THEN 1 ELSE 0 END), 0) AS enabled,
			COALESCE(SUM(CASE WHEN error_count > 0 THEN 1 ELSE 0 END), 0) AS failing FROM webhook WHERE tenant_id = $1) w
		WHERE t.id = $1`, s.TenantID, hourOf(since), since).
		Scan(&s.TenantName, &s.Devices.Total, &inactive, &s.Devices.Reporting24h, &s.Trips.LastEndedAt,
			&s.Webhooks.Total, &s.Webhooks.Enabled, &s.Webhooks.Failing)
	s.Devices.Active = s.Devices.Total - inactive
	return database.Found(err, "count records")
}

func (q queries) countConnections(ctx context.Context, tenantID string) (drover.ConnectionCounts, error) {
	counts := drover.ConnectionCounts{ByProvider: map[drover.ProviderName]int{}}
	rows, err := q.db.QueryContext(ctx, `SELECT integration_name, active, state, COUNT(*) FROM connection WHERE tenant_id = $1
		GROUP BY integration_name, active, state`, tenantID)
	type group struct {
		provider drover.ProviderName
		active   bool
		state    drover.ConnectionState
		n        int
	}
	groups, err := database.ReadAll(rows, err, "count connections", func(row database.Scanner) (group, error) {
		var g group
		return g, row.Scan(&g.provider, &g.active, &g.state, &g.n)
	})
	for _, g := range groups {
		counts.Total += g.n
		counts.ByProvider[g.provider] += g.n
		if g.active {
			counts.Active += g.n
		}
		if g.state == drover.ConnectionFailing {
			counts.Failing += g.n
		}
	}
	return counts, err
}

func (q queries) totalTrips(ctx context.Context, tenantID string, t *drover.TripTotals) error {
	rows, err := q.db.QueryContext(ctx, `SELECT `+sumColumns+` FROM trip_total WHERE tenant_id = $1`, tenantID)
	var total tripSums
	_, err = database.ReadAll(rows, err, "sum up trips", func(row database.Scanner) (struct{}, error) {
		var s tripSums
		err := row.Scan(s.targets()...)
		total.add(s)
		return struct{}{}, err
	})
	v := total.view()
	t.Total, t.Valid, t.TripSizes = v.Trips, v.ValidTrips, v.TripSizes
	return err
}

func (q queries) countMilestones(ctx context.Context, tenantID string) (map[drover.MilestoneStatus]int, error) {
	counts := map[drover.MilestoneStatus]int{}
	for _, status := range drover.MilestoneStatuses {
		counts[status] = 0
	}
	rows, err := q.db.QueryContext(ctx, `SELECT status, COUNT(*) FROM milestone WHERE tenant_id = $1 GROUP BY status`, tenantID)
	_, err = database.ReadAll(rows, err, "count milestones", func(row database.Scanner) (struct{}, error) {
		var status drover.MilestoneStatus
		var n int
		err := row.Scan(&status, &n)
		counts[status] = n
		return struct{}{}, err
	})
	return counts, err
}

// ActivitySummary sums up the last days of a tenant, today included; with stops
// where they are asked for. Days are days in UTC, as the roll-ups are.
func (q FleetReader) ActivitySummary(
	ctx context.Context,
	tenantID string,
	days, limit int,
	stops bool,
	now drover.Time,
) (drover.ActivitySummary, error) {
	last := now.Day()
	first := last - int64(days) + 1
	s := drover.ActivitySummary{Days: days, Limit: limit, From: drover.Milli(first * 86_400_000), To: now}
	if err := q.summariseTrips(ctx, tenantID, first, last, &s); err != nil {
		return drover.ActivitySummary{}, err
	}
	if stops {
		var err error
		if s.Stops, err = q.summariseStops(ctx, tenantID, first, last); err != nil {
			return drover.ActivitySummary{}, err
		}
	}
	rows, err := q.db.QueryContext(ctx, `SELECT type, SUM(events) FROM event_day WHERE tenant_id = $1 AND day BETWEEN $2 AND $3
		GROUP BY type ORDER BY SUM(events) DESC, type`, tenantID, first, last)
	s.EventsByType, err = database.ReadAll(rows, err, "count events", func(row database.Scanner) (drover.EventCount, error) {
		var c drover.EventCount
		err := row.Scan(&c.Type, &c.Count)
		s.Totals.Events += c.Count
		return c, err
	})
	s.EventsByType = s.EventsByType[:min(limit, len(s.EventsByType))]
	return s, err
}

func (q queries) summariseTrips(ctx context.Context, tenantID string, first, last int64, s *drover.ActivitySummary) error {
	rows, err := q.db.QueryContext(ctx, `SELECT day, connection_id, `+sumColumns+
		` FROM trip_day WHERE tenant_id = $1 AND day BETWEEN $2 AND $3`, tenantID, first, last)
	byDay := make([]tripSums, last-first+1)
	byConnection := map[string]*tripSums{}
	var total, sums tripSums
	var day int64
	var connection string
	targets := append([]any{&day, &connection}, sums.targets()...) // every row fills all of them again
	_, err = database.ReadAll(rows, err, "sum up days", func(row database.Scanner) (struct{}, error) {
		if err := row.Scan(targets...); err != nil {
			return struct{}{}, err
		}
		byDay[day-first].add(sums)
		if byConnection[connection] == nil {
			byConnection[connection] = &tripSums{}
		}
		byConnection[connection].add(sums)
		total.add(sums)
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	s.Totals.TripSums = total.view()
	for i := range byDay {
		s.TripsByDay = append(s.TripsByDay, drover.DayTrips{Day: dayText(first + int64(i)), TripSums: byDay[i].view()})
	}
	s.TripsByConnection, err = q.topConnections(ctx, tenantID, byConnection, s.Limit)
	return err
}

// topConnections names the connections with the most trips.
func (q queries) topConnections(
	ctx context.Context,
	tenantID string,
	sums map[string]*tripSums,
	limit int,
) ([]drover.ConnectionTrip, error) {
	top := make([]drover.ConnectionTrip, 0, len(sums))
	for id, s := range sums {
		if s.trips > 0 {
			top = append(top, drover.ConnectionTrip{ConnectionID: id, TripSums: s.view()})
		}
	}
	order.By(top, func(a, b drover.ConnectionTrip) int {
		return cmp.Or(cmp.Compare(b.Trips, a.Trips), cmp.Compare(a.ConnectionID, b.ConnectionID))
	})
	top = top[:min(limit, len(top))]
	return top, q.nameConnections(ctx, tenantID, top)
}

// nameConnections says what connections of the tenant's own are called.
func (q queries) nameConnections(ctx context.Context, tenantID string, top []drover.ConnectionTrip) error {
	if len(top) == 0 {
		return nil
	}
	ids := make([]string, len(top))
	for i := range top {
		ids[i] = top[i].ConnectionID
	}
	rows, err := q.db.QueryContext(ctx, `SELECT id, business_name, integration_name FROM connection WHERE tenant_id = $1 AND id `+
		q.d.InList(2), tenantID, q.d.List(ids))
	names := make(map[string]drover.ConnectionTrip, len(top))
	_, err = database.ReadAll(rows, err, "name connections", func(row database.Scanner) (struct{}, error) {
		var c drover.ConnectionTrip
		err := row.Scan(&c.ConnectionID, &c.BusinessName, &c.IntegrationName)
		names[c.ConnectionID] = c
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	for i := range top {
		c, found := names[top[i].ConnectionID]
		if !found {
			return fmt.Errorf("name connection: %w", ErrNotFound)
		}
		top[i].BusinessName, top[i].IntegrationName = c.BusinessName, c.IntegrationName
	}
	return nil
}
