package api

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

func (s *server) getMilestoneUpdate(c *call) (drover.MilestoneProgress, error) {
	return s.Fleet.MilestoneProgress(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) getMilestone(c *call) (drover.Milestone, error) {
	return s.Fleet.Milestone(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) postMilestone(c *call, body drover.MilestoneInput) (drover.Milestone, error) {
	return s.Fleet.CreateMilestone(c.Context, c.principal, body)
}

func (s *server) patchMilestone(c *call, body drover.MilestoneUpdate) (drover.Milestone, error) {
	return s.Fleet.UpdateMilestone(c.Context, c.principal, c.PathValue("milestone_id"), body)
}

func (s *server) deleteMilestone(c *call) (nothing, error) {
	return nothing{}, s.Fleet.DeleteMilestone(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) listMilestones(c *call) (page[drover.Milestone], error) {
	q := c.URL.Query()
	var after string
	limit, err := paging(q, &after)
	if err != nil {
		return page[drover.Milestone]{}, err
	}
	f := store.MilestoneFilter{DeviceID: q.Get("device_id"), ConnectionID: q.Get("connection_id")}
	if f.Status, err = decode.QueryEnum(q, "status", drover.MilestoneStatuses...); err != nil {
		return page[drover.Milestone]{}, err
	}
	if f.From, f.To, err = timeRange(q); err != nil {
		return page[drover.Milestone]{}, err
	}
	milestones, err := s.Fleet.Milestones(c.Context, c.principal, f, after, limit+1)
	if err != nil {
		return page[drover.Milestone]{}, err
	}
	return newPage(milestones, limit, func(m drover.Milestone) any { return m.ID })
}

// predictionPlace is the cursor of an ETA history: the time after which it goes
// on.
type predictionPlace struct {
	After drover.Time `json:"p"`
}

func (s *server) listETAHistory(c *call) (page[drover.ETAPrediction], error) {
	var place predictionPlace
	limit, err := paging(c.URL.Query(), &place)
	if err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	foretold, err := s.Fleet.ETAHistory(c.Context, c.principal, c.PathValue("milestone_id"), place.After, limit+1)
	if err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	return newPage(foretold, limit, func(last drover.ETAPrediction) any { return predictionPlace{last.PredictedAt} })
}
