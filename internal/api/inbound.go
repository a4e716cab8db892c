package api

import (
	"net/http"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
)

func (s *server) inboundRoutes() []route {
	return []route{
		op(http.MethodPost, "/connection/{connection_id}/inbound", s.postInbound).
			named("postInbound", tagConnection, "Make inbound address",
				"Makes an address that the connection's provider may call with news, so that they are read at once: "+
					"for Bouncie, Motive, Samsara and Verizon Connect. It is shown this once, and replaces the one before.").
			secrets().admin().can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodPost, "/inbound/{connection_id}/{inbound_token}", s.postNotice).
			named("postNotice", tagConnection, "Notice of a provider",
				"A provider says that there is something new: positions that it sends along are stored, and the connection's positions are read at once. "+
					"Its own signature, or key, is verified where the credentials have a webhook_secret. The body is the provider's, of at most 1 MiB, and nothing else of it is kept.").
			open().notice().can(403, 404, 422).missing(fleet.UnknownInbound),
	}
}

const (
	inboundPath = "/inbound/"
	// Notices are throttled by address: a large vendor sends from a few.
	inboundRate  = 50
	inboundBurst = 500
	// noticePlaces are for notices that were read, noticesOfTenant of which one tenant may have: they
	// wait for their connection.
	noticePlaces    = 256
	noticesOfTenant = 16
)

// ofInbound reports whether a request is a provider's notice. Its body is whatever
// the provider sends.
func ofInbound(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, inboundPath) }

func inboundLimiter(o Options) *middle.Limiter {
	return middle.NewLimiter(middle.LimiterConfig{PerSecond: inboundRate, Burst: inboundBurst, MaxTenants: maxTenants, Now: o.Now})
}

func (s *server) postInbound(c *call) (drover.InboundAddress, error) {
	return s.Fleet.Connections.MakeInbound(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) postNotice(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Connections.Notice(c.Context, c.inbound, c.Header, c.raw)
}

// admitNotice finds out whose address is called. What a notice takes is counted to that tenant, so
// the address is known before the body is read.
func (s *server) admitNotice(c *call) error {
	if err := s.allowNotice(c); err != nil {
		return err
	}
	place, err := s.atTheDoor(c)
	if err != nil {
		return err
	}
	defer place.Return()
	c.inbound, err = s.Fleet.Connections.Inbound(c.Context, c.PathValue("connection_id"), c.PathValue("inbound_token"))
	c.payer = c.inbound.TenantID
	return err
}

// allowNotice throttles notices by address.
func (s *server) allowNotice(c *call) error {
	return s.inbound.Allow(auth.AddressGroup(c.RemoteAddr), 0).Err()
}
