package fleet

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// InvitationConsent is where the fleet of a link agrees at its vendor. Only a link for a
// connection that has an application's credentials can ask for it: these are the tenant's,
// and are not shown.
func (s Connections) InvitationConsent(ctx context.Context, text string) (drover.LinkConsent, error) {
	link, err := s.invitation(ctx, text)
	if err != nil {
		return drover.LinkConsent{}, err
	}
	if link.State != drover.LinkOpen {
		return drover.LinkConsent{}, errUsed()
	}
	asks := s.oauth(link)
	if asks == nil {
		return drover.LinkConsent{}, errNoConsent()
	}
	credentials, err := s.application(ctx, link)
	if err != nil {
		return drover.LinkConsent{}, err
	}
	state := rand.Text()
	return drover.LinkConsent{URL: asks.ConsentURL(credentials, state), State: state}, nil
}

func errNoConsent() error {
	return drover.Errorf(drover.KindConflict, "This link asks for credentials, not for a consent")
}

// oauth is how the vendor of a link asks for a consent; nil where the link asks for
// credentials.
func (s *core) oauth(link account.ConnectionLink) *provider.OAuth {
	if link.ConnectionID == nil || len(link.Providers) != 1 {
		return nil
	}
	return s.provider(link.Providers[0]).OAuth
}

// application are the credentials of the connection that a link is for.
func (s *core) application(ctx context.Context, link account.ConnectionLink) (map[string]string, error) {
	credentials, err := s.openCredentials(ctx, link.TenantID, *link.ConnectionID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNoLink()
	}
	return credentials, err
}

// consented are the credentials of a link's connection with what the code of a consent
// gives. A vendor that refuses the code is part of the trial; an error is one of ours.
func (s *core) consented(
	ctx context.Context,
	link account.ConnectionLink,
	code string,
) (map[string]string, drover.ConnectionTrial, error) {
	if s.oauth(link) == nil {
		return nil, drover.ConnectionTrial{}, errNoConsent()
	}
	credentials, err := s.application(ctx, link)
	if err != nil {
		return nil, drover.ConnectionTrial{}, err
	}
	credentials, err = s.consent(ctx, link.Providers[0], credentials, code)
	if err != nil {
		return nil, drover.ConnectionTrial{Error: new(err.Error()), ErrorKind: new(string(provider.KindOf(err)))}, nil
	}
	return credentials, drover.ConnectionTrial{}, nil
}
