package fleet

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	// linkLifetime is how long a link lasts unless it is said otherwise.
	linkLifetime = 7 * 24 * time.Hour
	// maxJourneyLink and maxConnectionLink are how long it may last.
	maxJourneyLink    = 90 * 24 * time.Hour
	maxConnectionLink = 30 * 24 * time.Hour
	// LinkMemory is how long a link that has ended is still listed.
	LinkMemory = 30 * 24 * time.Hour
)

// errNoLink is the answer for a link that is not known, has ended or was revoked:
// which of them it is concerns no one.
func errNoLink() error { return drover.Errorf(drover.KindNotFound, NoLink) }

// NoLink are the words for a link that cannot be used.
const NoLink = "This link is not known, or no longer valid"

// newLink makes the text of a link, and its address below a page.
func (s *core) newLink(page string) (hash, url string) {
	raw := make([]byte, 20)
	_, _ = rand.Read(raw) // it never fails
	text := strings.ToLower(base32.StdEncoding.EncodeToString(raw))
	return auth.HashSecret(text), strings.TrimSuffix(s.publicURL, "/") + page + text
}

// linkEnd checks when a link is to end.
func (s *core) linkEnd(asked *drover.Time, longest time.Duration) (drover.Time, error) {
	if asked == nil {
		return drover.At(s.clock().Add(linkLifetime)), nil
	}
	switch {
	case !asked.After(s.clock()):
		return *asked, drover.InvalidValue("expires_at must lie in the future", "body", "expires_at")
	case asked.After(s.clock().Add(longest)):
		return *asked, drover.InvalidValue("expires_at must lie within "+days(longest), "body", "expires_at")
	}
	return *asked, nil
}

func days(d time.Duration) string {
	if d == maxJourneyLink {
		return "90 days"
	}
	return "30 days"
}

// ShareMilestone makes a link by which someone without a user follows a journey.
func (s Milestones) ShareMilestone(
	ctx context.Context,
	p drover.Principal,
	id string,
	in drover.MilestoneLinkInput,
) (drover.MilestoneLinkCreated, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.MilestoneLinkCreated{}, err
	}
	m, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone)
	if err != nil {
		return drover.MilestoneLinkCreated{}, err
	}
	if _, _, err := s.located(ctx, p, m.DeviceID); err != nil {
		return drover.MilestoneLinkCreated{}, err
	}
	made := drover.MilestoneLinkCreated{MilestoneLink: drover.MilestoneLink{ID: store.NewID(), MilestoneID: id, CreatedAt: s.now()}}
	if made.ExpiresAt, err = s.linkEnd(in.ExpiresAt, maxJourneyLink); err != nil {
		return drover.MilestoneLinkCreated{}, err
	}
	var hash string
	hash, made.URL = s.newLink("/share/")
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.MilestoneLinkCreated, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaLinks, 1); err != nil {
			return made, err
		}
		if _, err := tx.Trips.MilestoneForUpdate(ctx, p.TenantID, id); err != nil {
			return made, guard.OrNotFound(err, guard.UnknownMilestone, id)
		}
		return made, tx.Accounts.AddMilestoneLink(ctx, p.TenantID, made.MilestoneLink, hash)
	})
}

// MilestoneLinks lists the links of a milestone.
func (s Milestones) MilestoneLinks(ctx context.Context, p drover.Principal, id string) ([]drover.MilestoneLink, error) {
	if _, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone); err != nil {
		return nil, err
	}
	return s.store.Accounts.MilestoneLinks(ctx, p.TenantID, id)
}

// UnshareMilestone revokes a link at once.
func (s Milestones) UnshareMilestone(ctx context.Context, p drover.Principal, id, link string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	if _, err := s.guard.Milestone(ctx, p, id, guard.UnknownMilestone); err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		dropped, err := tx.Accounts.DropMilestoneLink(ctx, p.TenantID, id, link)
		if err == nil && !dropped {
			return drover.Errorf(drover.KindNotFound, guard.UnknownLink, link)
		}
		return err
	})
}

// OpenJourney shows the journey of a link, and counts that it was opened.
func (s Milestones) OpenJourney(ctx context.Context, text string) (drover.SharedJourney, error) {
	link, journey, err := s.journey(ctx, text)
	if err != nil {
		return journey, err
	}
	if journey.Brand, err = s.store.Accounts.Brand(ctx, link.TenantID); err != nil {
		return journey, err
	}
	return journey, s.store.Update(ctx, func(tx *store.Tx) error {
		return tx.Accounts.OpenMilestoneLink(ctx, link.TenantID, link.ID,
			s.now())
	})
}

// Journey shows the journey of a link to someone who has opened it.
func (s Milestones) Journey(ctx context.Context, text string) (drover.SharedJourney, error) {
	_, journey, err := s.journey(ctx, text)
	return journey, err
}

// CheckJourney says whether a link still shows something.
func (s Milestones) CheckJourney(ctx context.Context, text string) error {
	_, err := s.journeyLink(ctx, text)
	return err
}

func (s *core) journeyLink(ctx context.Context, text string) (account.MilestoneLink, error) {
	link, err := s.store.Accounts.MilestoneLinkByHash(ctx, auth.HashSecret(text), s.now())
	if errors.Is(err, store.ErrNotFound) {
		return link, errNoLink()
	}
	return link, err
}

func (s *core) journey(ctx context.Context, text string) (account.MilestoneLink, drover.SharedJourney, error) {
	link, err := s.journeyLink(ctx, text)
	if err != nil {
		return link, drover.SharedJourney{}, err
	}
	view, err := s.linkView(ctx, link)
	if err != nil {
		return link, drover.SharedJourney{}, err
	}
	journey := milestone.Shared(view)
	journey.TenantName, journey.ExpiresAt = link.TenantName, link.ExpiresAt
	return link, journey, nil
}

// linkView reads a milestone as its tenant sees it. Where the tenant may no longer
// see it, the link shows nothing either.
func (s *core) linkView(ctx context.Context, link account.MilestoneLink) (milestone.View, error) {
	p := drover.Principal{TenantID: link.TenantID, Role: drover.RoleViewer}
	m, err := s.store.Trips.Milestone(ctx, p.TenantID, link.MilestoneID)
	if errors.Is(err, store.ErrNotFound) {
		return milestone.View{}, errNoLink()
	}
	if err != nil {
		return milestone.View{}, err
	}
	view, err := s.view(ctx, p, m)
	if err != nil {
		if kind := drover.ErrorKind(err); kind == drover.KindForbidden || kind == drover.KindNotFound {
			return milestone.View{}, errNoLink()
		}
		return milestone.View{}, err
	}
	view.Route = s.tracker.Ask(ctx, view)
	return view, nil
}

// FollowJourney hears of what may change the journey of a link that shows one. The
// subscription must be closed.
func (s Milestones) FollowJourney(ctx context.Context, text string) (*live.Subscription, error) {
	link, _, err := s.journey(ctx, text)
	if err != nil {
		return nil, err
	}
	m, err := s.store.Trips.Milestone(ctx, link.TenantID, link.MilestoneID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoLink()
	}
	if err != nil {
		return nil, err
	}
	return s.notify.Subscribe(ctx, drover.Principal{TenantID: link.TenantID}, live.Filter{DeviceIDs: []string{m.DeviceID}}, nil)
}
