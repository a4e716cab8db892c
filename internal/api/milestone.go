package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) milestoneRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/milestone", s.listMilestones).
			named("listMilestones", tagMilestone, "List milestones", "The tenant's milestones, oldest first.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/milestone", s.postMilestone).
			named("postMilestone", tagMilestone, "Create milestone", "Begins to track a journey of a device. Positions that are stored already count.").
			can(errorsOfList...),
		op(http.MethodGet, "/milestone/{milestone_id}", s.getMilestone).
			named("getMilestone", tagMilestone, "Get milestone", "One milestone.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
		opQuery(http.MethodGet, "/milestone/{milestone_id}/event", s.listMilestoneEvents).
			named("listMilestoneEvents", tagMilestone, "List events of a milestone", "What happened to a milestone, in order.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
		opQuery(http.MethodGet, "/milestone/{milestone_id}/eta-history", s.listETAHistory).
			named("listMilestoneETAHistory", tagMilestone, "List predictions of a milestone", "The arrivals that were predicted on the way, every few minutes, against the real one.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
	}
}

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

type milestoneQuery struct {
	drover.MilestoneFilter
	paging
}

func (s *server) listMilestones(c *call, q milestoneQuery) (page[drover.Milestone], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Milestone]{}, err
	}
	milestones, err := s.Fleet.Milestones(c.Context, c.principal, q.MilestoneFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Milestone]{}, err
	}
	return newPage(milestones, q.Limit, func(m drover.Milestone) cursor { return drover.IDCursor(m.ID) })
}

func (s *server) listETAHistory(c *call, q paging) (page[drover.ETAPrediction], error) {
	var place drover.PredictionCursor
	if err := q.place(&place); err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	predicted, err := s.Fleet.ETAHistory(c.Context, c.principal, c.PathValue("milestone_id"), place.After, q.Limit+1)
	if err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	return newPage(predicted, q.Limit, func(last drover.ETAPrediction) cursor { return drover.PredictionCursor{After: last.PredictedAt} })
}
