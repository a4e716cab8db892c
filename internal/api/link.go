package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) linkRoutes() []route {
	const sharePath, linkPath, stopped = "/public/share/{share_token}", "/public/link/{link_token}", "This link was used already"
	return []route{
		op(http.MethodGet, "/milestone/{milestone_id}/share", s.listMilestoneLinks).
			named("listMilestoneLinks", tagMilestone, "List links of a milestone",
				"The links by which people without a user follow the journey, oldest first, without their addresses.").
			can(errorsOfOne...).missing(guard.UnknownMilestone),
		opBody(http.MethodPost, "/milestone/{milestone_id}/share", s.postMilestoneLink).
			named("postMilestoneLink", tagMilestone, "Share milestone",
				"Makes a link by which anyone who has it follows the journey: where the vehicle is while it is on its way, and when it arrives. Its address is shown this once.").
			maybe().can(errorsOfOne...).missing(guard.UnknownMilestone),
		op(http.MethodDelete, "/milestone/{milestone_id}/share/{link_id}", s.deleteMilestoneLink).
			named("deleteMilestoneLink", tagMilestone, "Revoke link", "The link shows nothing from then on.").
			can(errorsOfOne...).missing(guard.UnknownLink),
		op(http.MethodGet, sharePath, s.getSharedJourney).
			named("getSharedJourney", tagLink, "Follow a journey", "What the page of a shared milestone shows. It counts as opening the link.").
			open().can(404, 422).missing(fleet.NoLink),
		opStream(http.MethodGet, sharePath+"/stream", s.getSharedStream).
			named("getSharedJourneyStream", tagLink, "Follow a journey live",
				"Sends an event named update with the same data whenever it changes, and one named end when the link does.").
			open().lasting().can(404, 422).missing(fleet.NoLink),
		opQuery(http.MethodGet, "/connection-link", s.listConnectionLinks).
			named("listConnectionLinks", tagConnection, "List connection links",
				"The links by which fleets connect themselves, oldest first, without their addresses.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/connection-link", s.postConnectionLink).
			named("postConnectionLink", tagConnection, "Invite a fleet",
				"Makes a link by which a fleet chooses its provider and enters its credentials itself, once. Its address is shown this once.").
			can(errorsOfList...),
		op(http.MethodDelete, "/connection-link/{link_id}", s.deleteConnectionLink).
			named("deleteConnectionLink", tagConnection, "Revoke connection link",
				"The link can no longer be used, nor withdrawn by. What was connected by it stays.").
			can(errorsOfOne...).missing(guard.UnknownLink),
		op(http.MethodGet, linkPath, s.getInvitation).
			named("getInvitation", tagLink, "See an invitation",
				"For whom a fleet is to connect, what is read, and from which providers with which credentials.").
			open().can(404, 422).missing(fleet.NoLink),
		opBody(http.MethodPost, linkPath+"/test", s.postInvitationTest).
			named("postInvitationTest", tagLink, "Try credentials of an invitation",
				"Asks the provider as POST /connection/test does. Nothing is stored.").
			open().tries().can(404, 409, 422).missing(fleet.NoLink).clash(stopped),
		op(http.MethodPost, linkPath+"/consent", s.postInvitationConsent).
			named("postInvitationConsent", tagLink, "Ask for a consent",
				"Where the fleet agrees at its provider, of an invitation with consent. The provider then sends the browser to the redirect URI of the tenant's application with a code, by which the invitation is accepted.").
			open().can(404, 409, 422).missing(fleet.NoLink).clash(stopped),
		opBody(http.MethodPost, linkPath, s.postInvitation).
			named("postInvitation", tagLink, "Accept an invitation",
				"Tries the credentials, or what the code of a consent gives, and, where they work, connects the fleet, which uses the link up.").
			open().tries().can(403, 404, 409, 422).missing(fleet.NoLink).clash(stopped),
		op(http.MethodDelete, linkPath, s.deleteInvitation).
			named("deleteInvitation", tagLink, "Withdraw", "Ends what was connected by the link, however much later: the collection stops, and the credentials are forgotten.").
			open().can(404, 409, 422).missing(fleet.NoLink).clash("Nothing was connected by this link"),
	}
}

const (
	// publicPath begins the paths of what links show.
	publicPath = "/public/"
	// linkPlaces and linkStreams are how many of them are served at once.
	linkPlaces  = 32
	linkStreams = 256
	// linkRate and linkBurst are what an address may ask of them.
	linkRate  = 5
	linkBurst = 60
	// linkCheck is how soon the end of a link reaches those who follow it.
	linkCheck = time.Second
)

// linkLimiter throttles what links show, by address.
func linkLimiter(o Options) *middle.Limiter {
	return middle.NewLimiter(middle.LimiterConfig{PerSecond: linkRate, Burst: linkBurst, MaxTenants: maxTenants, Now: o.Now})
}

// ofLink reports whether a request is for what a link shows.
func ofLink(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, publicPath) }

func (s *server) listMilestoneLinks(c *call) ([]drover.MilestoneLink, error) {
	return s.Fleet.Milestones.MilestoneLinks(c.Context, c.principal, c.PathValue("milestone_id"))
}

func (s *server) postMilestoneLink(c *call, body drover.MilestoneLinkInput) (drover.MilestoneLinkCreated, error) {
	return s.Fleet.Milestones.ShareMilestone(c.Context, c.principal, c.PathValue("milestone_id"), body)
}

func (s *server) deleteMilestoneLink(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Milestones.UnshareMilestone(c.Context, c.principal, c.PathValue("milestone_id"), c.PathValue("link_id"))
}

func (s *server) getSharedJourney(c *call) (drover.SharedJourney, error) {
	private(c.w)
	return s.Fleet.Milestones.OpenJourney(c.Context, c.PathValue("share_token"))
}

// private keeps what a link shows out of caches and search engines.
func private(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// getSharedStream sends a journey again whenever something may have changed it.
func (s *server) getSharedStream(c *call, _ noQuery) (any, error) {
	token := c.PathValue("share_token")
	sub, err := s.Fleet.Milestones.FollowJourney(c.Context, token)
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	private(c.w)
	w, last := openEventWriter(c.w), []byte(nil)
	for err == nil {
		if last, err = s.sendJourney(c, token, w, last); err == nil {
			err = s.awaitJourney(c, token, sub)
		}
	}
	if drover.ErrorKind(err) == drover.KindNotFound {
		_ = w.write([]byte("event: end\ndata: {}\n\n")) // a receiver who has gone hears nothing
	}
	return streamed{}, nil
}

// sendJourney sends a journey that differs from the last one sent, or breaks the
// silence.
func (s *server) sendJourney(c *call, token string, w *eventWriter, last []byte) ([]byte, error) {
	journey, err := s.Fleet.Milestones.Journey(c.Context, token)
	if err != nil {
		return last, err
	}
	data, err := json.Marshal(journey)
	if err != nil {
		return last, err
	}
	if !bytes.Equal(data, last) {
		return data, w.write(append(append([]byte("event: update\ndata: "), data...), "\n\n"...))
	}
	if w.quiet++; w.quiet < checksPerBeat {
		return last, nil
	}
	return last, w.write([]byte(": heartbeat\n\n"))
}

// awaitJourney waits for an event, or for the time to look again, for as long as the link
// is good.
func (s *server) awaitJourney(c *call, token string, sub *live.Subscription) error {
	most := s.Heartbeat / checksPerBeat
	for waited := time.Duration(0); waited < most; {
		step := min(linkCheck, most-waited)
		ctx, cancel := context.WithTimeout(c.Context, step)
		_, err := sub.Next(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || c.Err() != nil {
			return err
		}
		if waited += step; waited < most { // otherwise all of it is read
			if err := s.Fleet.Milestones.CheckJourney(c.Context, token); err != nil {
				return err
			}
		}
	}
	return nil
}

// noQuery are no parameters.
type noQuery struct{}

func (s *server) listConnectionLinks(c *call, q paging) (page[drover.ConnectionLink], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.ConnectionLink]{}, err
	}
	links, err := s.Fleet.Connections.ConnectionLinks(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.ConnectionLink]{}, err
	}
	return newPage(links, q.Limit, func(l drover.ConnectionLink) cursor { return drover.IDCursor(l.ID) })
}

func (s *server) postConnectionLink(c *call, body drover.ConnectionLinkInput) (drover.ConnectionLinkCreated, error) {
	return s.Fleet.Connections.CreateConnectionLink(c.Context, c.principal, body)
}

func (s *server) deleteConnectionLink(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Connections.DeleteConnectionLink(c.Context, c.principal, c.PathValue("link_id"))
}

// invitationView is a link as the fleet sees it that it was sent to.
type invitationView struct {
	TenantName   string                     `json:"tenant_name" doc:"For whom the data is read."`
	BusinessName string                     `json:"business_name" doc:"The fleet that is asked."`
	State        drover.ConnectionLinkState `json:"state"`
	Renewal      bool                       `json:"renewal" doc:"Whether new credentials are asked for, of what is connected already."`
	Reads        []string                   `json:"reads" doc:"What is read."`
	Since        *drover.Time               `json:"since" doc:"From when on data is read; from the connection on, where it is null."`
	ExpiresAt    drover.Time                `json:"expires_at" doc:"When the link can no longer be used."`
	ConnectedAt  *drover.Time               `json:"connected_at"`
	WithdrawnAt  *drover.Time               `json:"withdrawn_at"`
	Consent      bool                       `json:"consent" doc:"Whether the provider is to be asked for its consent (POST …/consent), instead of credentials being entered."`
	Providers    []providerView             `json:"providers" doc:"Those to choose from; none once the link is used."`
}

func (s *server) getInvitation(c *call) (invitationView, error) {
	private(c.w)
	i, err := s.Fleet.Connections.Invitation(c.Context, c.PathValue("link_token"))
	v := invitationView{
		TenantName: i.TenantName, BusinessName: i.BusinessName, State: i.State, Renewal: i.ConnectionID != nil && i.UsedAt == nil,
		Reads: drover.LinkReads,
		Since: i.CollectionStartTime, ExpiresAt: i.ExpiresAt, ConnectedAt: i.UsedAt, WithdrawnAt: i.WithdrawnAt, Consent: i.Consent,
		Providers: []providerView{},
	}
	for _, info := range i.Providers {
		v.Providers = append(v.Providers, viewProvider(info))
	}
	return v, err
}

func (s *server) postInvitationTest(c *call, body drover.LinkInput) (drover.ConnectionTrial, error) {
	liftDeadlines(c.w)
	return s.Fleet.Connections.TryInvitation(c.Context, c.PathValue("link_token"), body)
}

func (s *server) postInvitationConsent(c *call) (drover.LinkConsent, error) {
	private(c.w)
	return s.Fleet.Connections.InvitationConsent(c.Context, c.PathValue("link_token"))
}

func (s *server) postInvitation(c *call, body drover.LinkInput) (drover.LinkResult, error) {
	liftDeadlines(c.w)
	return s.Fleet.Connections.AcceptInvitation(c.Context, c.PathValue("link_token"), body)
}

func (s *server) deleteInvitation(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Connections.Withdraw(c.Context, c.PathValue("link_token"))
}
