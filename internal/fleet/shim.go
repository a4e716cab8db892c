package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Names of package guard for code that was written before it: use those of guard.
var (
	readable       = guard.Readable
	grantOf        = guard.GrantOf
	owned          = guard.Owned
	mayWrite       = guard.MayWrite
	mayAdminister  = guard.MayAdminister
	mayReadSecrets = guard.MayReadSecrets
	orNotFound     = guard.OrNotFound
	orUnknown      = guard.OrUnknown
	asInvalid      = guard.AsInvalid
	within         = guard.Within
	person         = guard.Person
	orNull         = guard.OrNull
)

// The same for words.
const (
	UnknownConnection      = guard.UnknownConnection
	UnknownDevice          = guard.UnknownDevice
	UnknownTrip            = guard.UnknownTrip
	UnknownMilestone       = guard.UnknownMilestone
	UnknownMilestoneUpdate = guard.UnknownMilestoneUpdate
	UnknownWebhook         = guard.UnknownWebhook
	UnknownShare           = guard.UnknownShare
	UnknownUser            = guard.UnknownUser
	UnknownDelivery        = guard.UnknownDelivery
	UnknownLink            = guard.UnknownLink
	UnknownExport          = guard.UnknownExport
)

func change[T any](ctx context.Context, s *Service, p drover.Principal, f func(tx *store.Tx) (T, error)) (T, error) {
	return guard.Change(ctx, s.guard, p, f)
}

func (s *Service) update(ctx context.Context, p drover.Principal, f func(tx *store.Tx) error) error {
	return s.guard.Update(ctx, p, f)
}

func (s *Service) milestone(ctx context.Context, p drover.Principal, id, unknown string) (store.Milestone, error) {
	return s.guard.Milestone(ctx, p, id, unknown)
}
