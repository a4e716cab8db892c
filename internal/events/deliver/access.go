package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/match"
)

// errWithdrawn says that a delivery holds what its tenant may not read any more.
var errWithdrawn = errors.New("the receiver has no access to it any more")

// readable is the data of a delivery as its tenant may read it now, however long it
// has waited: the share is asked for each, immediately before it is sent.
func (d *Deliverer) readable(ctx context.Context, j drover.Delivery, data json.RawMessage) (json.RawMessage, error) {
	if j.ConnectionID == "" || d.own.has(j.TenantID, j.ConnectionID) {
		return data, nil
	}
	grants, err := d.Store.Shares.ForeignGrants(ctx, j.TenantID, []string{j.ConnectionID}, nil)
	if err != nil {
		return nil, err
	}
	grant, foreign := grants[j.ConnectionID]
	if !foreign {
		d.own.add(j.TenantID, j.ConnectionID)
		return data, nil
	}
	e, ok := match.Readable(drover.Event{Type: j.Type, Data: data}, grant)
	if !ok {
		return nil, errWithdrawn
	}
	return e.Data, nil
}

// ownConnections remembers which connections are the tenants' own: that never
// changes, and most are.
type ownConnections struct {
	mu    sync.Mutex
	known map[[2]string]bool
}

// maxOwn bounds what is remembered.
const maxOwn = 100_000

func (o *ownConnections) has(tenantID, connectionID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[[2]string{tenantID, connectionID}]
}

func (o *ownConnections) add(tenantID, connectionID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= maxOwn {
		o.known = map[[2]string]bool{}
	}
	o.known[[2]string{tenantID, connectionID}] = true
}
