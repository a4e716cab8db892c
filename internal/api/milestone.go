package api

import (
	"net/http"
	"reflect"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) milestoneRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/milestone", s.listMilestones).
			named("listMilestones", tagMilestone, "List milestones",
				"The tenant's milestones, in the order in which they were made unless another is asked for. "+copyWords).
			can(errorsOfCopy...),
		opQuery(http.MethodGet, "/milestone/update", s.listMilestoneUpdates).
			named("listMilestoneUpdates", tagMilestone, "List milestone updates",
				"The update records of the tenant's milestones, each with its status, how late it is, and how much of the way is done. "+
					"Arrivals are predicted without asking a routing server. Milestones whose device may not be read any more are left out.").
			shows(drover.ScopePositions, drover.ScopeDrivers).can(errorsOfList...),
		opBody(http.MethodPost, "/milestone", s.postMilestone).
			named("postMilestone", tagMilestone, "Create milestone",
				"Begins to track a journey of a device. Positions that are stored already count.").
			can(errorsOfList...),
		op(http.MethodGet, "/milestone/{milestone_id}", s.getMilestone).
			named("getMilestone", tagMilestone, "Get milestone", "One milestone.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
		opQuery(http.MethodGet, "/milestone/{milestone_id}/event", s.listMilestoneEvents).
			named("listMilestoneEvents", tagMilestone, "List events of a milestone", "What happened to a milestone, in order.").
			shows(drover.ScopePositions, drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownMilestone),
		opQuery(http.MethodGet, "/milestone/{milestone_id}/eta-history", s.listETAHistory).
			named("listMilestoneETAHistory", tagMilestone, "List predictions of a milestone",
				"The arrivals that were predicted on the way, every few minutes, against the real one.").
			places().can(errorsOfOne...).missing(guard.UnknownMilestone),
	}
}

func (s *server) getMilestoneUpdate(c *call) (drover.MilestoneProgress, error) {
	return s.Fleet.Milestones.MilestoneProgress(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) getMilestone(c *call) (drover.Milestone, error) {
	return s.Fleet.Milestones.Milestone(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) postMilestone(c *call, body drover.MilestoneInput) (drover.Milestone, error) {
	return s.Fleet.Milestones.CreateMilestone(c.Context, c.principal, body)
}

func (s *server) patchMilestone(c *call, body drover.MilestoneUpdate) (drover.Milestone, error) {
	return s.Fleet.Milestones.UpdateMilestone(c.Context, c.principal, c.PathValue("milestone_id"), body)
}

func (s *server) deleteMilestone(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Milestones.DeleteMilestone(c.Context, c.principal, c.PathValue("milestone_id"))
}

type milestoneQuery struct {
	drover.MilestoneFilter
	drover.MilestoneOrder
	paging
}

type milestoneListQuery struct {
	milestoneQuery
	copying
}

// listMilestones lists milestones. Those by updated_at with a filter, or newest first,
// are a list for people, and no list of changes.
func (s *server) listMilestones(c *call, q milestoneListQuery) (page[drover.Milestone], error) {
	plain := q.Order == drover.NewestFirst || !reflect.ValueOf(q.MilestoneFilter).IsZero()
	if q.UpdatedAfter != nil || q.copies(string(q.Sort)) && !plain {
		return listChanges[drover.Milestone](s, c, drover.ChangedMilestones, q.copying, q.paging, plain)
	}
	after, err := q.sorted(q.Name(), true)
	if err != nil {
		return page[drover.Milestone]{}, err
	}
	milestones, err := s.Fleet.Milestones.Milestones(c.Context, c.principal, q.MilestoneFilter, q.MilestoneOrder, after, q.Limit+1)
	if err != nil {
		return page[drover.Milestone]{}, err
	}
	return sortedPage(milestones, q.Limit)
}

func (s *server) listMilestoneUpdates(c *call, q milestoneQuery) (page[drover.MilestoneUpdateEntry], error) {
	after, err := q.sorted(q.Name(), true)
	if err != nil {
		return page[drover.MilestoneUpdateEntry]{}, err
	}
	updates, err := s.Fleet.Milestones.MilestoneUpdates(c.Context, c.principal, q.MilestoneFilter, q.MilestoneOrder, after, q.Limit+1)
	if err != nil {
		return page[drover.MilestoneUpdateEntry]{}, err
	}
	all, err := sortedPage(updates, q.Limit)
	shown := page[drover.MilestoneUpdateEntry]{items: []drover.MilestoneUpdateEntry{}, next: all.next}
	for _, u := range all.items {
		if u != nil {
			shown.items = append(shown.items, *u)
		}
	}
	return shown, err
}

func (s *server) listETAHistory(c *call, q paging) (page[drover.ETAPrediction], error) {
	var place drover.PredictionCursor
	if err := q.place(&place); err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	predicted, err := s.Fleet.Milestones.ETAHistory(c.Context, c.principal, c.PathValue("milestone_id"), place.After, q.Limit+1)
	if err != nil {
		return page[drover.ETAPrediction]{}, err
	}
	return newPage(predicted, q.Limit, func(last drover.ETAPrediction) cursor { return drover.PredictionCursor{After: last.PredictedAt} })
}
