package geotab

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var assignments = &provider.Assignments{
	Besides: provider.Besides{
		Every: 2 * time.Minute, Names: []string{"DriverChange"}, Need: "a login whose clearance shows who drives",
	},
	Changes: true,
}

// byKey is the type of a change by a driver's key. How the vendor knows of the others is not said.
const byKey = "DriverKey"

// assignment returns the change; false for one of no device, id or time.
func (c driverChange) assignment() (provider.Assignment, bool) {
	device, at, driver, _ := c.state()
	a := provider.Assignment{SystemDeviceID: device, ID: c.ID.String(), DriverID: driver, Method: drover.ByUnknown, From: drover.At(at)}
	if c.Type == byKey {
		a.Method = drover.ByCard
	}
	return a, device != "" && c.ID != "" && !at.IsZero() && at.Year() < noEnd
}

// Assignments implements provider.AssignmentReader: it follows the feed, in which a change that is
// corrected comes again.
func (a *Adapter) Assignments(ctx context.Context, q provider.Query) (provider.Page[provider.Assignment], error) {
	rows, next, err := feed[driverChange](ctx, a, "DriverChange", q.Cursor, object{"fromDate": wire.ISOMilli(q.From)}, feedPage)
	if err != nil {
		return provider.Page[provider.Assignment]{}, err
	}
	return provider.Page[provider.Assignment]{
		Records: wire.Records(rows, driverChange.assignment), Cursor: next, More: len(rows) >= feedPage,
	}, nil
}

var _ provider.AssignmentReader = (*Adapter)(nil)
