package work

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// Bounds of what is put into one block: anyone who reads one event opens all of it.
const (
	groupEvents    = 256
	groupPositions = 8192
)

// groupRead is the number of events that are read with one statement.
const groupRead = 16

// groupWindow is the number of events that are looked at for blocks at once.
const groupWindow = 5000

// Grouped is what a run has put into blocks.
type Grouped struct{ Events, Blocks int }

// errRegrouped ends a transaction in which events are not as they were read.
var errRegrouped = errors.New("the events have changed")

// GroupEvents puts the data of a tenant's events about positions before a time into
// blocks, many of a connection in each: what they have in common is most of it. It works
// in small transactions and rests between them, and can be stopped at any point and be run by
// several processes.
func (q Feed) GroupEvents(ctx context.Context, tenantID string, before drover.Time, rest background.Rest) (done Grouped, err error) {
	var last, from int64
	err = q.db.QueryRowContext(ctx, `SELECT last, blocks_to FROM event_sequence WHERE tenant_id = $1`, tenantID).Scan(&last, &from)
	if err != nil {
		return done, database.Found(err, "read how far events lie in blocks")
	}
	pace := rest.Begin()
	to, err := q.EventsBefore(ctx, tenantID, last, before)
	for err == nil && from < to {
		from, err = q.groupFrom(ctx, tenantID, from, to, pace, &done)
	}
	if err != nil {
		return done, fmt.Errorf("put events into blocks: %w", err)
	}
	return done, nil
}

// placed is an event about positions that lies in no block.
type placed struct {
	sequence   int64
	connection string
}

// groupFrom puts events of (from, to] into blocks, as many as are looked at at once, and
// returns how far that is.
func (q *Queue) groupFrom(ctx context.Context, tenantID string, from, to int64, pace *background.Pace, done *Grouped) (int64, error) {
	rows, err := q.reader.db.QueryContext(ctx, `SELECT sequence, connection_id FROM event WHERE tenant_id = $1 AND sequence > $2 AND sequence <= $3
		AND type = 'position.updated' AND connection_id IS NOT NULL AND block IS NULL ORDER BY sequence LIMIT $4`, tenantID, from, to,
		groupWindow)
	events, err := database.ReadAll(rows, err, "list events", func(row database.Scanner) (placed, error) {
		var p placed
		return p, row.Scan(&p.sequence, &p.connection)
	})
	if err != nil {
		return from, err
	}
	if len(events) == groupWindow {
		to = events[len(events)-1].sequence
	}
	slices.SortStableFunc(events, func(a, b placed) int { return cmp.Compare(a.connection, b.connection) })
	for len(events) > 0 {
		n := 1
		for n < min(len(events), groupEvents) && events[n].connection == events[0].connection {
			n++
		}
		if err := q.groupConnection(ctx, tenantID, events[:n], done); err != nil {
			return from, err
		}
		if err := pace.Pause(ctx); err != nil {
			return from, err
		}
		events = events[n:]
	}
	return to, q.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		_, err := tx.Write("event_sequence").ExecContext(ctx,
			`UPDATE event_sequence SET blocks_to = $2 WHERE tenant_id = $1 AND blocks_to < $2`, tenantID, to)
		return err
	})
}

// groupConnection puts events of a connection into blocks.
func (q *Queue) groupConnection(ctx context.Context, tenantID string, list []placed, done *Grouped) error {
	var events []drover.Event
	var batches []pack.Batch
	positions := 0
	for part := range slices.Chunk(list, groupRead) {
		found, err := q.notInBlocks(ctx, tenantID, part)
		if err != nil {
			return err
		}
		for _, e := range found {
			batch, err := drover.ReadPositions(e.Data)
			if err != nil || len(batch.Positions) == 0 || len(batch.Positions) > groupPositions { // it stays as it is
				continue
			}
			if positions += len(batch.Positions); positions > groupPositions {
				if err := q.addBlock(ctx, tenantID, events, batches, done); err != nil {
					return err
				}
				positions, events, batches = len(batch.Positions), nil, nil
			}
			events, batches = append(events, e), append(batches, pack.Batch{Sequence: e.Sequence, PositionBatch: batch})
		}
	}
	return q.addBlock(ctx, tenantID, events, batches, done)
}

// notInBlocks reads events that are still in no block.
func (q *Queue) notInBlocks(ctx context.Context, tenantID string, list []placed) ([]drover.Event, error) {
	sequences := make([]string, len(list))
	for i, p := range list {
		sequences[i] = fmt.Sprint(p.sequence)
	}
	rows, err := q.reader.db.QueryContext(ctx, selectEvent+` WHERE tenant_id = $1 AND sequence `+q.reader.words.InList(2)+
		` AND block IS NULL ORDER BY sequence`, tenantID, q.reader.words.List(sequences))
	return database.ReadAll(rows, err, "read events", func(row database.Scanner) (drover.Event, error) {
		e, _, err := scanEvent(row)
		return e, err
	})
}

// addBlock puts events into a block, unless one of them has changed meanwhile or would
// come out of it otherwise: such events stay as they are.
func (q *Queue) addBlock(ctx context.Context, tenantID string, events []drover.Event, batches []pack.Batch, done *Grouped) error {
	if len(events) < 2 {
		return nil
	}
	block, err := pack.EncodeBatches(batches)
	if err != nil {
		return nil //nolint:nilerr // of events that are not as they are made
	}
	same, err := comesOut(block, events)
	if err != nil {
		return err
	}
	if !slices.Contains(same, true) {
		return nil
	}
	if slices.Contains(same, false) {
		events, batches = keep(events, same), keep(batches, same)
		return q.addBlock(ctx, tenantID, events, batches, done)
	}
	first, last := events[0].Sequence, events[len(events)-1].Sequence
	err = q.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		_, err := tx.Write("event_block").ExecContext(ctx,
			`INSERT INTO event_block (tenant_id, first, last, connection_id, data) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (tenant_id, first) DO NOTHING`, tenantID, first, last, batches[0].ConnectionID, block)
		if err != nil {
			return err
		}
		if err := q.unchanged(ctx, tx, tenantID, events); err != nil {
			return err
		}
		return q.reader.on.moveToBlock(ctx, tx, tenantID, first, events)
	})
	switch {
	case errors.Is(err, errRegrouped): // by another process, or a driver was replaced in them
		return nil
	case err != nil:
		return err
	}
	done.Events += len(events)
	done.Blocks++
	return nil
}

// unchanged keeps others from changing events until the transaction ends, and fails where
// someone has since they were read.
func (q *Queue) unchanged(ctx context.Context, tx *database.Tx, tenantID string, events []drover.Event) error {
	sequences := make([]string, len(events))
	for i, e := range events {
		sequences[i] = fmt.Sprint(e.Sequence)
	}
	rows, err := tx.QueryContext(ctx, selectEvent+` WHERE tenant_id = $1 AND sequence `+q.reader.words.InList(2)+
		` AND block IS NULL ORDER BY sequence`+q.reader.words.ForUpdate(), tenantID, q.reader.words.List(sequences))
	now, err := database.ReadAll(rows, err, "read events again", func(row database.Scanner) (drover.Event, error) {
		e, _, err := scanEvent(row)
		return e, err
	})
	if err != nil {
		return err
	}
	same := func(a, b drover.Event) bool { return a.Sequence == b.Sequence && bytes.Equal(a.Data, b.Data) }
	if !slices.EqualFunc(now, events, same) {
		return errRegrouped
	}
	return nil
}

// comesOut says which events have the same bytes when they come out of a block.
func comesOut(block []byte, events []drover.Event) ([]bool, error) {
	batches, err := pack.DecodeBatches(block)
	if err != nil {
		return nil, err
	}
	same := make([]bool, len(events))
	for i, b := range batches {
		data, err := json.Marshal(b.PositionBatch)
		if err != nil {
			return nil, err
		}
		same[i] = bytes.Equal(data, events[i].Data)
	}
	return same, nil
}

func keep[T any](list []T, which []bool) []T {
	var kept []T
	for i, is := range which {
		if is {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// moveToBlock changes the rows where they are: anyone who deletes one of them meanwhile
// finds it changed, and deletes it all the same.
func (onPostgres) moveToBlock(ctx context.Context, tx *database.Tx, tenantID string, first int64, events []drover.Event) error {
	sequences := make([]int64, len(events))
	for i, e := range events {
		sequences[i] = e.Sequence
	}
	res, err := tx.Write("event").ExecContext(ctx, `UPDATE event SET data = '', packed = NULL, block = $2 WHERE tenant_id = $1 AND sequence = ANY($3) AND block IS NULL`, tenantID, first, sequences)
	return moved(res, err, len(events))
}

// moveToBlock writes the rows again, because SQLite joins pages that have become empty and
// not those of which rows have become small. No one writes beside it.
func (onSQLite) moveToBlock(ctx context.Context, tx *database.Tx, tenantID string, first int64, events []drover.Event) error {
	sequences, rows := make([]int64, len(events)), make([][]any, len(events))
	for i, e := range events {
		sequences[i] = e.Sequence
		rows[i] = []any{
			tenantID, e.Sequence, e.ID, string(e.Type), e.Timestamp.UnixMilli(), e.ConnectionID, e.DeviceID, e.MilestoneID, "", nil,
			first,
		}
	}
	list, err := json.Marshal(sequences)
	if err != nil {
		return err
	}
	res, err := tx.Write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND sequence IN (SELECT value FROM json_each($2)) AND block IS NULL`, tenantID, string(list))
	if err := moved(res, err, len(events)); err != nil {
		return err
	}
	return tx.InsertRows(ctx, "event", append(slices.Clone(eventColumns), database.Number("block")), rows, "")
}

func moved(res sql.Result, err error, want int) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != int64(want) {
		return errRegrouped
	}
	return err
}
