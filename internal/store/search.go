package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// searched are the texts by whose beginning a device is found, each with an index.
var searched = []string{"registration", "description", "system_device_id"}

// SearchDevices finds the devices that asker may see whose plate, name or provider's
// id begins with a text, whatever the case: its own by indexes, and those of
// connections that are shared with it.
func (q FleetReader) SearchDevices(ctx context.Context, asker, text string, limit int) ([]drover.Finding, error) {
	return q.beginning(ctx, asker, text, limit, drover.FoundDevice, "d.id, d.description, d.registration", "device d", "TRUE", searched...)
}

// SearchFaults finds the faults that asker may see whose code begins with a text, whatever the
// case.
func (q VehiclesReader) SearchFaults(ctx context.Context, asker, text string, limit int) ([]drover.Finding, error) {
	return q.beginning(ctx, asker, text, limit, drover.FoundFault, "d.id, d.code, d.device_id", "fault d", "cs.readings = TRUE", "code")
}

// beginning finds records, called d, one of whose columns begins with a text: the asker's own,
// each column by an index, and those of connections that are shared with it as a condition says.
func (q queries) beginning(
	ctx context.Context,
	asker, text string,
	limit int,
	kind drover.SearchKind,
	fields, table, shared string,
	columns ...string,
) ([]drover.Finding, error) {
	text = strings.ToLower(text)
	args := []any{asker, text, text + string(utf8.MaxRune), limit, q.present()}
	var own, each, others []string
	for _, column := range columns {
		value := fmt.Sprintf(`LOWER(d.%s)%s`, column, q.d.ByBytes())
		begins := value + ` >= $2 AND ` + value + ` < $3`
		mine := `SELECT * FROM (SELECT ` + fields + ` FROM ` + table + ` WHERE d.tenant_id = $1 AND ` + begins + ` ORDER BY ` + value +
			` LIMIT $4) AS own_` + column
		other := `SELECT ` + fields + ` FROM connection_share cs JOIN ` + table +
			` ON d.tenant_id = cs.tenant_id AND d.connection_id = cs.connection_id
				WHERE cs.shared_with = $1 AND ` + shared + ` AND ` + activeShare(5) + ` AND ` + begins
		own, others = append(own, mine), append(others, other)
		each = append(each, mine, `SELECT * FROM (`+other+` LIMIT $4) AS shared_`+column)
	}
	read := func(ctx context.Context, query string, args []any) ([]drover.Finding, error) {
		rows, err := q.db.QueryContext(ctx, query+` LIMIT $4`, args...)
		return database.ReadAll(rows, err, "search for a "+string(kind), func(row database.Scanner) (drover.Finding, error) {
			f := drover.Finding{Kind: kind}
			return f, row.Scan(&f.ID, &f.Name, &f.Detail)
		})
	}
	if !q.d.Distributed() {
		return read(ctx, strings.Join(each, " UNION "), args)
	}
	byID := func(a, b drover.Finding) int { return strings.Compare(a.ID, b.ID) }
	return readParts(ctx, q, asker, limit, byID, func(ctx context.Context, p part) ([]drover.Finding, error) {
		if p.own {
			return read(ctx, strings.Join(own, " UNION "), args[:4])
		}
		p.of = q.d.InList(len(args) + 1)
		var found []drover.Finding
		for _, query := range others {
			some, err := read(ctx, query+p.only("cs.tenant_id")+p.only("d.tenant_id"), append(slices.Clip(args), p.args[2]))
			if err != nil {
				return nil, err
			}
			found = append(found, some...)
		}
		order.By(found, byID)
		return slices.CompactFunc(found, func(a, b drover.Finding) bool { return a.ID == b.ID }), nil
	})
}

// SearchDrivers finds the drivers that asker may see whose name, employee number or provider's
// id contains a text, whatever the case.
func (q DriversReader) SearchDrivers(ctx context.Context, asker, text string, limit int) ([]drover.Finding, error) {
	drivers, err := q.Drivers(ctx, asker, drover.DriverFilter{Text: text}, "", limit)
	found := make([]drover.Finding, len(drivers))
	for i, d := range drivers {
		found[i] = drover.Finding{Kind: drover.FoundDriver, ID: d.ID, Name: d.Name, Detail: &d.SystemDriverID}
	}
	return found, err
}

// SearchMilestones finds the milestones of a tenant whose reference begins with a
// text, whatever the case.
func (q TripsReader) SearchMilestones(ctx context.Context, tenantID, text string, limit int) ([]drover.Finding, error) {
	text = strings.ToLower(text)
	value := `LOWER(m.reference)` + q.d.ByBytes()
	rows, err := q.db.QueryContext(ctx, `SELECT m.id, m.reference, m.device_id FROM milestone m WHERE m.tenant_id = $1 AND `+value+` >= $2 AND `+
		value+` < $3 AND m.reference IS NOT NULL ORDER BY `+value+` LIMIT $4`, tenantID, text, text+string(utf8.MaxRune), limit)
	return database.ReadAll(rows, err, "search milestones", func(row database.Scanner) (drover.Finding, error) {
		f := drover.Finding{Kind: drover.FoundMilestone}
		return f, row.Scan(&f.ID, &f.Name, &f.Detail)
	})
}

// SearchID finds the record with an id that asker may see.
func (q FleetReader) SearchID(ctx context.Context, asker, id string) ([]drover.Finding, error) {
	found := []drover.Finding{}
	d, err := q.Device(ctx, asker, id)
	if err == nil && (d.TenantID == asker || d.Shared.Records()) {
		found = append(found, drover.Finding{Kind: drover.FoundDevice, ID: d.ID, Name: d.Description, Detail: d.Registration})
	}
	t, tripErr := TripsReader(q).Trip(ctx, asker, id)
	if tripErr == nil && (t.TenantID == asker || t.Shared.Records()) {
		found = append(found, drover.Finding{Kind: drover.FoundTrip, ID: t.ID, Detail: &t.DeviceID})
	}
	m, milestoneErr := TripsReader(q).Milestone(ctx, asker, id)
	if milestoneErr == nil && m.TenantID == asker {
		found = append(found, drover.Finding{Kind: drover.FoundMilestone, ID: m.ID, Name: m.Reference, Detail: &m.DeviceID})
	}
	driver, driverErr := DriversReader(q).Driver(ctx, asker, id)
	if driverErr == nil && (driver.TenantID == asker || driver.Shared.Drivers()) {
		found = append(found, drover.Finding{Kind: drover.FoundDriver, ID: driver.ID, Name: driver.Name, Detail: &driver.SystemDriverID})
	}
	fault, faultErr := VehiclesReader(q).Fault(ctx, asker, id)
	if faultErr == nil && (fault.TenantID == asker || fault.Shared.Readings()) {
		found = append(found, drover.Finding{Kind: drover.FoundFault, ID: fault.ID, Name: &fault.Code, Detail: &fault.DeviceID})
	}
	e, safetyErr := VehiclesReader(q).SafetyEvent(ctx, asker, id)
	if safetyErr == nil && (e.TenantID == asker || e.Shared.Safety()) {
		found = append(found, drover.Finding{Kind: drover.FoundSafety, ID: e.ID, Name: new(string(e.Type)), Detail: &e.DeviceID})
	}
	for _, err := range []error{err, tripErr, milestoneErr, driverErr, faultErr, safetyErr} {
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	return found, nil
}
