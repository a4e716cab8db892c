package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// Sizes from which the data of an event is packed. Below, there is little to win, and
// of what does not come with every position even less.
const (
	packFrom  = 512
	packBatch = 256 // for batches of positions
)

// eventData is how the data of an event is stored: as text, or packed, which is nil
// or bytes.
func eventData(typ drover.EventType, data json.RawMessage) (text string, packed any) {
	if len(data) < packFrom && (typ != drover.EventPositionUpdated || len(data) < packBatch) {
		return string(data), nil
	}
	return "", pack.Text(data)
}

// storedData is the data of an event as it is stored: as text, packed, or in a block.
type storedData struct {
	text   *string
	packed []byte
	block  *int64
}

// read is the data of an event as it was, nil where there is none or a block has it.
func (s storedData) read() (json.RawMessage, error) {
	switch {
	case s.block != nil:
		return nil, nil
	case s.packed != nil:
		return pack.OpenText(s.packed)
	case s.text != nil:
		return json.RawMessage(*s.text), nil
	}
	return nil, nil
}

// inBlock is an event whose data is in a block, and where it is wanted.
type inBlock struct {
	sequence, block int64
	data            *json.RawMessage
}

// blocksAtOnce is the number of blocks that are in memory at once.
const blocksAtOnce = 8

// openBlocks reads the data of events from their blocks. Where a block is missing, its
// events have just been forgotten, and it is ErrNotFound.
func (q Reader) openBlocks(ctx context.Context, tenantID string, events []inBlock) error {
	wanted, blocks := map[int64][]inBlock{}, []string{}
	for _, e := range events {
		if len(wanted[e.block]) == 0 {
			blocks = append(blocks, fmt.Sprint(e.block))
		}
		wanted[e.block] = append(wanted[e.block], e)
	}
	for len(blocks) > 0 {
		n := min(blocksAtOnce, len(blocks))
		rows, err := q.db.QueryContext(ctx, `SELECT first, data FROM event_block WHERE tenant_id = $1 AND first `+q.words.InList(2), tenantID,
			q.words.List(blocks[:n]))
		found, err := database.ReadAll(rows, err, "read blocks of events", func(row database.Scanner) (struct{}, error) {
			var first int64
			var data []byte
			if err := row.Scan(&first, &data); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, openBlock(first, data, wanted[first])
		})
		if err != nil {
			return err
		}
		if len(found) < n {
			return database.ErrNotFound
		}
		blocks = blocks[n:]
	}
	return nil
}

// openBlock gives events their data from the block that has it.
func openBlock(first int64, data []byte, wanted []inBlock) error {
	batches, err := pack.DecodeBatches(data)
	if err != nil {
		return fmt.Errorf("events from %d on: %w", first, err)
	}
	at := make(map[int64]int, len(batches))
	for i, b := range batches {
		at[b.Sequence] = i
	}
	for _, e := range wanted {
		i, there := at[e.sequence]
		if !there {
			return fmt.Errorf("event %d: %w: it is not in the block from %d on", e.sequence, pack.ErrBrokenBatches, first)
		}
		if *e.data, err = json.Marshal(batches[i].PositionBatch); err != nil {
			return fmt.Errorf("event %d: %w", e.sequence, err)
		}
	}
	return nil
}

// withBlocks reads rows of which some have their data in blocks. Read returns those. It
// is called again where they were forgotten between the two reads.
func (q Reader) withBlocks(ctx context.Context, tenantID string, read func() ([]inBlock, error)) error {
	for again := false; ; again = true {
		events, err := read()
		if err != nil || len(events) == 0 {
			return err
		}
		if err = q.openBlocks(ctx, tenantID, events); !errors.Is(err, database.ErrNotFound) {
			return err
		}
		if again {
			return fmt.Errorf("%w: one of the blocks of events %d to %d is missing", pack.ErrBrokenBatches, events[0].sequence,
				events[len(events)-1].sequence)
		}
	}
}
