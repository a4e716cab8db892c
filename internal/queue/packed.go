package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/pack"
)

// Sizes from which the data of an event is packed. Below, there is little to win, and
// of what does not come with every position even less.
const (
	packFrom  = 512
	packBatch = 256 // for batches of positions
)

// packing knows whether events may be packed: not while processes of the version
// before, which cannot read it, may run beside this one.
type packing struct{ allowed atomic.Bool }

// allows asks the database until it says yes.
func (p *packing) allows(ctx context.Context, tx *Tx) (bool, error) {
	if p.allowed.Load() {
		return true, nil
	}
	if tx.words.Name() == "postgres" { // an embedded database has one process
		var yes bool
		if err := tx.tx.QueryRowContext(ctx, `SELECT not_before <= `+serverNow+` FROM packed_before`).Scan(&yes); err != nil || !yes {
			return false, err
		}
	}
	p.allowed.Store(true)
	return true, nil
}

// eventData is how the data of an event is stored: as text, or packed, which is nil
// or bytes.
func (tx *Tx) eventData(ctx context.Context, typ drover.EventType, data json.RawMessage) (text string, packed any, err error) {
	if len(data) < packFrom && (typ != drover.EventPositionUpdated || len(data) < packBatch) {
		return string(data), nil, nil
	}
	may, err := tx.packing.allows(ctx, tx)
	if err != nil {
		return "", nil, fmt.Errorf("ask whether events may be packed: %w", err)
	}
	if !may {
		return string(data), nil, nil
	}
	return "", pack.Text(data), nil
}

// readData is the data of an event as it was, nil where there is none.
func readData(text *string, packed []byte) (json.RawMessage, error) {
	switch {
	case packed != nil:
		return pack.OpenText(packed)
	case text != nil:
		return json.RawMessage(*text), nil
	}
	return nil, nil
}
