package fleet

import (
	"context"
	"strings"

	"github.com/drover-fleet/drover"
)

// Search finds what the caller may see: devices and connections by the beginning of
// their name or plate, or a word of the connection's, milestones by the beginning of
// their reference, drivers by a part of their name or number, faults by the beginning of
// their code, and any record by its id.
func (s Account) Search(ctx context.Context, p drover.Principal, text string, limit int) ([]drover.Finding, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return []drover.Finding{}, nil
	}
	connections, err := s.store.Fleet.Connections(ctx, p.TenantID, "")
	if err != nil {
		return nil, err
	}
	found := []drover.Finding{}
	for _, c := range connections {
		if c.ID == text || strings.Contains(strings.ToLower(c.BusinessName), strings.ToLower(text)) {
			found = append(found, drover.Finding{
				Kind: drover.FoundConnection, ID: c.ID, Name: &c.BusinessName,
				Detail: new(string(c.IntegrationName)),
			})
		}
	}
	more, err := s.findRecords(ctx, p, text, limit)
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	return found[:min(len(found), limit)], nil
}

func (s *core) findRecords(ctx context.Context, p drover.Principal, text string, limit int) ([]drover.Finding, error) {
	if drover.IsID(text) {
		return s.store.Fleet.SearchID(ctx, p.TenantID, text)
	}
	found := []drover.Finding{}
	for _, search := range []func(context.Context, string, string, int) ([]drover.Finding, error){
		s.store.Fleet.SearchDevices, s.store.Trips.SearchMilestones, s.store.Drivers.SearchDrivers, s.store.Vehicles.SearchFaults,
	} {
		more, err := search(ctx, p.TenantID, text, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
