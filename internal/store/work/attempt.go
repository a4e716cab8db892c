package work

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Attempt is one attempt of a delivery, and what becomes of the delivery.
type Attempt struct {
	drover.Target
	EventID  string
	Number   int // counts from 1
	Time     drover.Time
	Status   *int
	Duration int64 // milliseconds
	Error    *string
	Response *string

	State drover.DeliveryState
	DueAt drover.Time
	Tries int
}

// AddAttempts logs attempts and moves their deliveries on. A delivery whose
// attempt was logged by another process meanwhile is left alone.
func (tx FeedTx) AddAttempts(ctx context.Context, attempts []Attempt) error {
	add := tx.on.addAttempts
	if tx.words.Distributed() {
		add = addAttemptsApart
	}
	if err := add(ctx, tx.tx, attempts); err != nil {
		return fmt.Errorf("log attempts: %w", err)
	}
	return nil
}

const (
	attemptColumns = `tenant_id, target_id, event_id, number, time, status, duration_ms, error, response`
	// moveOn changes deliveries by rows named v. What has been given up meanwhile
	// stays so, unless the attempt succeeded.
	moveOn = `UPDATE delivery AS d SET attempts = v.number, tries = v.tries, due_at = v.due_at,
		state = CASE WHEN d.state = 'pending' OR v.state = 'delivered' THEN v.state ELSE d.state END FROM `
	moveOnWhere = ` WHERE d.tenant_id = v.tenant_id AND d.target_id = v.target_id AND d.event_id = v.event_id AND d.attempts = v.number - 1`
)

func (onPostgres) addAttempts(ctx context.Context, tx *database.Tx, attempts []Attempt) error {
	query, args := movePostgres(attempts)
	if _, err := tx.Write("delivery").ExecContext(ctx, query, args...); err != nil {
		return err
	}
	return logPostgres(ctx, tx, attempts, ` ON CONFLICT DO NOTHING`)
}

// addAttemptsApart logs those whose deliveries have moved on: of these no one has logged any yet. Citus
// copies rows into a table as they are, but not where some may be there.
func addAttemptsApart(ctx context.Context, tx *database.Tx, attempts []Attempt) error {
	query, args := movePostgres(attempts)
	type delivery struct{ target, event string }
	rows, err := tx.Write("delivery").QueryContext(ctx, query+` RETURNING d.target_id, d.event_id`, args...)
	list, err := database.ReadAll(rows, err, "move on", func(row database.Scanner) (d delivery, err error) {
		return d, row.Scan(&d.target, &d.event)
	})
	if err != nil {
		return err
	}
	moved := make(map[delivery]bool, len(list))
	for _, d := range list {
		moved[d] = true
	}
	attempts = slices.DeleteFunc(slices.Clone(attempts), func(a Attempt) bool { return !moved[delivery{a.ID, a.EventID}] })
	if len(attempts) == 0 {
		return nil
	}
	return logPostgres(ctx, tx, attempts, "")
}

// movePostgres moves the deliveries of attempts on.
func movePostgres(attempts []Attempt) (query string, args []any) {
	var tenant, target, event, state []string
	var number, due, tries []int64
	for _, a := range attempts {
		tenant, target, event, state = append(tenant, a.TenantID), append(target, a.ID), append(event, a.EventID), append(state, string(a.State))
		number, due, tries = append(number, int64(a.Number)), append(due, a.DueAt.UnixMilli()), append(tries, int64(a.Tries))
	}
	args = []any{tenant, target, event, number, state, due, tries}
	where := moveOnWhere
	if of := attempts[0].TenantID; !slices.ContainsFunc(attempts, func(a Attempt) bool { return a.TenantID != of }) {
		where, args = where+` AND d.tenant_id = $8`, append(args, of)
	}
	return moveOn + `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
		AS v (tenant_id, target_id, event_id, number, state, due_at, tries)` + where, args
}

// logPostgres logs attempts.
func logPostgres(ctx context.Context, tx *database.Tx, attempts []Attempt, conflict string) error {
	var tenant, target, event []string
	var number, at, duration []int64
	var status []*int64
	var failure, response []*string
	for _, a := range attempts {
		tenant, target, event = append(tenant, a.TenantID), append(target, a.ID), append(event, a.EventID)
		number, at, duration = append(number, int64(a.Number)), append(at, a.Time.UnixMilli()), append(duration, a.Duration)
		failure, response = append(failure, a.Error), append(response, a.Response)
		var code *int64
		if a.Status != nil {
			n := int64(*a.Status)
			code = &n
		}
		status = append(status, code)
	}
	_, err := tx.Write("attempt").ExecContext(ctx, `INSERT INTO attempt (`+attemptColumns+`)
		SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[])`+conflict,
		tenant, target, event, number, at, status, duration, failure, response)
	return err
}

// addAttempts sends all rows as one JSON text, which SQLite takes apart: that is
// one statement to compile however many rows there are.
func (onSQLite) addAttempts(ctx context.Context, tx *database.Tx, attempts []Attempt) error {
	rows := make([][]any, len(attempts))
	for i, a := range attempts {
		rows[i] = []any{
			a.TenantID, a.ID, a.EventID, a.Number, a.Time.UnixMilli(), a.Status, a.Duration, a.Error, a.Response,
			a.State, a.DueAt.UnixMilli(), a.Tries,
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = tx.Write("delivery").ExecContext(ctx, moveOn+
		`(SELECT value->>0 AS tenant_id, value->>1 AS target_id, value->>2 AS event_id, value->>3 AS number,
		value->>9 AS state, value->>10 AS due_at, value->>11 AS tries FROM json_each($1)) AS v`+moveOnWhere, string(text))
	if err != nil {
		return err
	}
	_, err = tx.Write("attempt").ExecContext(ctx, `INSERT INTO attempt (`+attemptColumns+`)
		SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8 FROM json_each($1) WHERE TRUE
		ON CONFLICT DO NOTHING`, string(text))
	return err
}

// DeliveryLog lists a target's attempts, newest event first, and deliveries that
// were not attempted. An empty state does not narrow it.
func (q FeedReader) DeliveryLog(
	ctx context.Context,
	t drover.Target,
	state drover.DeliveryState,
	after drover.AttemptCursor,
	limit int,
) ([]drover.DeliveryAttempt, error) {
	return q.log(ctx, t, "", state, after, limit)
}

// DeliveryLogOf is DeliveryLog of one event.
func (q FeedReader) DeliveryLogOf(ctx context.Context, t drover.Target, eventID string, limit int) ([]drover.DeliveryAttempt, error) {
	return q.log(ctx, t, eventID, "", drover.AttemptCursor{}, limit)
}

func (q Reader) log(
	ctx context.Context,
	t drover.Target,
	eventID string,
	state drover.DeliveryState,
	after drover.AttemptCursor,
	limit int,
) ([]drover.DeliveryAttempt, error) {
	w := database.Where{Args: []any{t.TenantID, t.ID}, Parts: []string{"d.tenant_id = $1", "d.target_id = $2"}}
	w.ID("d.event_id =", eventID)
	if state != "" {
		w.Add("d.state = $%d", string(state))
	}
	if after.EventID != "" {
		w.ID("d.event_id <=", after.EventID)
		n := len(w.Args)
		w.Args = append(w.Args, after.Attempt)
		w.Parts = append(w.Parts, fmt.Sprintf("(d.event_id < $%d OR COALESCE(a.number, 0) < $%d)", n, n+1))
	}
	// What a later attempt came to says nothing of an earlier one.
	query := `SELECT d.event_id, d.type, d.sequence, CASE WHEN a.number < d.attempts THEN CASE WHEN a.error IS NULL THEN 'delivered' ELSE 'failed' END ELSE d.state END, d.created_at, d.due_at,
		COALESCE(a.number, 0), a.time, a.status, a.duration_ms, a.error, a.response
		FROM delivery d LEFT JOIN attempt a ON a.tenant_id = d.tenant_id AND a.target_id = d.target_id AND a.event_id = d.event_id` +
		w.SQL() + w.Limit("d.event_id DESC, a.number DESC", limit)
	rows, err := q.db.QueryContext(ctx, query, w.Args...)
	return database.ReadAll(rows, err, "read delivery log", func(row database.Scanner) (drover.DeliveryAttempt, error) {
		var a drover.DeliveryAttempt
		var sequence int64
		var due drover.Time
		err := row.Scan(&a.EventID, &a.Type, &sequence, &a.State, &a.CreatedAt, &due, &a.Attempt, &a.Time, &a.Status, &a.DurationMS, &a.Error,
			&a.Response)
		if sequence > 0 {
			a.Sequence = &sequence
		}
		if a.State == drover.DeliveryPending {
			a.NextAttemptAt = &due
		}
		return a, err
	})
}
