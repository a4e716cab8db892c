package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const selectSummary = `SELECT d.target_id, d.kind, d.event_id, d.type, d.sequence, d.state, d.created_at, d.due_at, d.attempts, a.time, a.status, a.duration_ms, a.error
	FROM delivery d LEFT JOIN attempt a ON a.tenant_id = d.tenant_id AND a.target_id = d.target_id AND a.event_id = d.event_id AND a.number = d.attempts`

func scanSummary(row database.Scanner) (drover.DeliverySummary, error) {
	var s drover.DeliverySummary
	var target string
	var kind drover.TargetKind
	var sequence int64
	var due drover.Time
	err := row.Scan(&target, &kind, &s.EventID, &s.Type, &sequence, &s.State, &s.CreatedAt, &due, &s.Attempts, &s.LastAttemptAt, &s.Status,
		&s.DurationMS, &s.Error)
	s.ID = drover.DeliveryID(drover.Target{ID: target}, s.EventID)
	if kind == drover.TargetMilestone {
		s.MilestoneID = &target
	} else {
		s.WebhookID = &target
	}
	if sequence > 0 {
		s.Sequence = &sequence
	}
	if s.State == drover.DeliveryPending {
		s.NextAttemptAt = &due
	}
	return s, err
}

// codes are the conditions of classes of answers.
var codes = map[drover.CodeClass]string{
	"2xx": "a.status BETWEEN 200 AND 299", "3xx": "a.status BETWEEN 300 AND 399", "4xx": "a.status BETWEEN 400 AND 499",
	"5xx": "a.status BETWEEN 500 AND 599", "none": "a.number IS NOT NULL AND a.status IS NULL",
}

// Deliveries lists a tenant's deliveries over all targets, newest event first,
// after the place given.
func (q FeedReader) Deliveries(
	ctx context.Context,
	tenantID string,
	f drover.DeliveryFilter,
	after drover.DeliveryCursor,
	limit int,
) ([]drover.DeliverySummary, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"d.tenant_id = $1"}}
	if f.WebhookID != "" {
		w.ID("d.target_id =", f.WebhookID)
		w.Parts = append(w.Parts, "d.kind = 'webhook'")
	}
	if f.MilestoneID != "" {
		w.ID("d.target_id =", f.MilestoneID)
		w.Parts = append(w.Parts, "d.kind = 'milestone'")
	}
	if f.Type != "" {
		w.Add("d.type = $%d", string(f.Type))
	}
	if f.State != "" {
		w.Add("d.state = $%d", string(f.State))
	}
	if f.Code != "" {
		w.Parts = append(w.Parts, codes[f.Code])
	}
	if f.From != nil {
		w.Add("d.created_at >= $%d", *f.From)
	}
	if f.To != nil {
		w.Add("d.created_at < $%d", *f.To)
	}
	if after.EventID != "" {
		n := len(w.Args)
		w.Args = append(w.Args, after.EventID, after.TargetID)
		w.Parts = append(w.Parts, fmt.Sprintf("(d.event_id, d.target_id) < ($%d, $%d)", n+1, n+2))
	}
	rows, err := q.db.QueryContext(ctx, selectSummary+w.SQL()+w.Limit("d.event_id DESC, d.target_id DESC", limit), w.Args...)
	return database.ReadAll(rows, err, "list deliveries", scanSummary)
}

// Delivery reads one delivery with what is sent.
func (q FeedReader) Delivery(ctx context.Context, t drover.Target, eventID string) (drover.DeliverySummary, drover.Delivery, error) {
	s, err := scanSummary(q.db.QueryRowContext(ctx, selectSummary+` WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.event_id = $3`,
		t.TenantID, t.ID, eventID))
	if err != nil {
		return s, drover.Delivery{}, database.Found(err, "read delivery")
	}
	var d drover.Delivery
	err = q.withBlocks(ctx, t.TenantID, func() (blocks []inBlock, err error) {
		var block *int64
		d, block, err = scanDelivery(q.db.QueryRowContext(ctx, `SELECT d.tenant_id, d.target_id, d.event_id, d.kind, d.sequence, d.type, d.state,
		COALESCE(CAST(d.connection_id AS TEXT), ''), COALESCE(CAST(d.device_id AS TEXT), ''), d.devices, d.kinds, d.speed, d.driver, d.url,
		d.created_at, d.due_at, d.attempts, d.tries,
		COALESCE(e.time, d.created_at), CASE WHEN e.packed IS NULL AND e.block IS NULL THEN COALESCE(e.data, d.body) END, e.packed, e.block
		FROM delivery d LEFT JOIN event e ON e.tenant_id = d.tenant_id AND e.sequence = d.sequence
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.event_id = $3`, t.TenantID, t.ID, eventID))
		if err == nil && block != nil {
			blocks = append(blocks, inBlock{d.Sequence, *block, &d.Data})
		}
		return blocks, database.Found(err, "read delivery")
	})
	return s, d, err
}

// OtherTarget reports whether deliveries to a target are another tenant's.
func (q FeedReader) OtherTarget(ctx context.Context, tenantID, targetID string) (exists bool, err error) {
	if q.words.Distributed() {
		return false, nil
	}
	err = q.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM webhook WHERE tenant_id <> $1 AND id = $2)
		OR EXISTS (SELECT 1 FROM milestone WHERE tenant_id <> $1 AND id = $2)`, tenantID, targetID).Scan(&exists)
	return exists, database.Found(err, "look for a target of another tenant")
}

// steps are the durations that attempts are counted by, in milliseconds. What takes
// longer counts as the last.
var steps = []int64{10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 15000}

// AttemptCount is how many attempts of one outcome took about so long in an hour.
type AttemptCount struct {
	TargetID string
	Hour     drover.Time
	Failed   bool
	Step     int64 // milliseconds, rounded up to one of a few
	Count    int64
}

// AttemptCounts counts the attempts of a target's events since a time. Ids are made
// in the order of time, so that the key finds them.
func (q FeedReader) AttemptCounts(ctx context.Context, tenantID string, targets []string, since drover.Time) ([]AttemptCount, error) {
	var step strings.Builder
	step.WriteString("CASE")
	for _, s := range steps[:len(steps)-1] {
		fmt.Fprintf(&step, " WHEN a.duration_ms <= %d THEN %d", s, s)
	}
	fmt.Fprintf(&step, " ELSE %d END", steps[len(steps)-1])
	const hour = `(a.time - a.time % 3600000)`
	rows, err := q.db.QueryContext(ctx, `SELECT a.target_id, `+hour+`, a.error IS NOT NULL, `+step.String()+`, COUNT(*) FROM attempt a
		WHERE a.tenant_id = $1 AND a.event_id >= $2 AND a.target_id `+q.words.InList(3)+` GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 4`,
		tenantID, idBefore(since), q.words.List(targets))
	return database.ReadAll(rows, err, "count attempts", func(row database.Scanner) (AttemptCount, error) {
		var c AttemptCount
		return c, row.Scan(&c.TargetID, &c.Hour, &c.Failed, &c.Step, &c.Count)
	})
}

// TargetWaits is how many deliveries wait for a target, and until when it has asked
// not to be called.
type TargetWaits struct {
	Pending   int64
	WaitUntil drover.Time
}

// Waits reads that of a tenant's targets with deliveries that wait.
func (q FeedReader) Waits(ctx context.Context, tenantID string, now drover.Time) (map[string]TargetWaits, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.target_id, COUNT(*), COALESCE(MAX(t.wait_until), 0) FROM delivery d
		LEFT JOIN delivery_target t ON t.tenant_id = d.tenant_id AND t.target_id = d.target_id AND t.waited_at <= $2
		WHERE d.tenant_id = $1 AND d.state = 'pending' GROUP BY d.target_id`, tenantID, latestWait(now))
	waits := map[string]TargetWaits{}
	_, err = database.ReadAll(rows, err, "count deliveries", func(row database.Scanner) (struct{}, error) {
		var id string
		var w TargetWaits
		err := row.Scan(&id, &w.Pending, &w.WaitUntil)
		waits[id] = w
		return struct{}{}, err
	})
	return waits, err
}
