package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// CreateConnectionLink makes a link by which a fleet connects its own provider, or
// gives new credentials to a connection.
func (s Connections) CreateConnectionLink(
	ctx context.Context,
	p drover.Principal,
	in drover.ConnectionLinkInput,
) (drover.ConnectionLinkCreated, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.ConnectionLinkCreated{}, err
	}
	link, err := s.newConnectionLink(ctx, p, in)
	if err != nil {
		return drover.ConnectionLinkCreated{}, err
	}
	made := drover.ConnectionLinkCreated{ConnectionLink: link}
	var hash string
	hash, made.URL = s.newLink("/link/")
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.ConnectionLinkCreated, error) {
		if err := guard.Within(ctx, tx, p.TenantID, drover.QuotaLinks, 1); err != nil {
			return made, err
		}
		return made, tx.Accounts.AddConnectionLink(ctx, p.TenantID, link, hash)
	})
}

// newConnectionLink checks an input in the order of its fields.
func (s *core) newConnectionLink(ctx context.Context, p drover.Principal, in drover.ConnectionLinkInput) (drover.ConnectionLink, error) {
	link := drover.ConnectionLink{
		ID: store.NewID(), State: drover.LinkOpen, ABN: in.ABN, Email: in.Email, Providers: append([]drover.ProviderName{}, in.Providers...),
		CollectionStartTime: in.CollectionStartTime, ConnectionID: in.ConnectionID, CreatedAt: s.now(),
	}
	var err error
	switch {
	case in.BusinessName != nil:
		link.BusinessName = *in.BusinessName
	case in.ConnectionID == nil:
		return link, drover.Invalid("missing", "Field required", "body", "business_name")
	}
	if in.Email != nil && !looksLikeEmail(*in.Email) {
		return link, drover.Invalid("value_error", "value is not a valid email address", "body", "email")
	}
	if link.Tags, err = drover.NormalizeTags(in.Tags); err != nil {
		return link, drover.Under(err, "body", "tags")
	}
	if in.ConnectionID != nil {
		if err := s.relink(ctx, p, &link, *in.ConnectionID); err != nil {
			return link, err
		}
	}
	link.ExpiresAt, err = s.linkEnd(in.ExpiresAt, maxConnectionLink)
	return link, err
}

// relink makes a link ask for new credentials of a connection of the caller's own.
func (s *core) relink(ctx context.Context, p drover.Principal, link *drover.ConnectionLink, id string) error {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if errors.Is(err, store.ErrNotFound) {
		return drover.InvalidValue(fmt.Sprintf(guard.UnknownConnection, id), "body", "connection_id")
	}
	if err != nil {
		return err
	}
	if err := guard.Owned(p, c.Connection.TenantID); err != nil {
		return err
	}
	link.BusinessName, link.Providers = c.BusinessName, []drover.ProviderName{c.IntegrationName}
	return nil
}

// ConnectionLinks lists the tenant's links by id, after the id given.
func (s Connections) ConnectionLinks(
	ctx context.Context,
	p drover.Principal,
	after drover.IDCursor,
	limit int,
) ([]drover.ConnectionLink, error) {
	return s.store.Accounts.ConnectionLinks(ctx, p.TenantID, string(after), limit)
}

// DeleteConnectionLink revokes a link. What was connected by it stays.
func (s Connections) DeleteConnectionLink(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	other, err := s.store.Accounts.OtherConnectionLink(ctx, p.TenantID, id)
	if err != nil {
		return err
	}
	if other {
		return drover.Forbidden()
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		dropped, err := tx.Accounts.DropConnectionLink(ctx, p.TenantID, id)
		if err == nil && !dropped {
			return drover.Errorf(drover.KindNotFound, guard.UnknownLink, id)
		}
		return err
	})
}

// Invitation is what a fleet sees of a link.
type Invitation struct {
	drover.ConnectionLink
	TenantName string
	Providers  []provider.Info
	// Consent says that the vendor's consent is asked for instead of credentials.
	Consent bool
}

// Invitation shows a link to the fleet that it was sent to: one that was used, too,
// so that it can be withdrawn.
func (s Connections) Invitation(ctx context.Context, text string) (Invitation, error) {
	link, err := s.invitation(ctx, text)
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{
		ConnectionLink: link.ConnectionLink, TenantName: link.TenantName, Providers: s.choices(link),
		Consent: link.State == drover.LinkOpen && s.oauth(link) != nil,
	}, nil
}

func (s *core) invitation(ctx context.Context, text string) (account.ConnectionLink, error) {
	link, err := s.store.Accounts.ConnectionLinkByHash(ctx, auth.HashSecret(text))
	if errors.Is(err, store.ErrNotFound) || err == nil && link.State == drover.LinkExpired {
		return link, errNoLink()
	}
	return link, err
}

// InvitationTenant is the tenant whose link has a text; empty is none.
func (s Connections) InvitationTenant(ctx context.Context, text string) (string, error) {
	link, err := s.store.Accounts.ConnectionLinkByHash(ctx, auth.HashSecret(text))
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return link.TenantID, err
}

// choices are the providers that a link lets a fleet choose from.
func (s *core) choices(link account.ConnectionLink) []provider.Info {
	if link.State != drover.LinkOpen {
		return nil
	}
	return slices.DeleteFunc(Connections{s}.ProviderList(), func(i provider.Info) bool {
		return i.Records || len(link.Providers) > 0 && !slices.Contains(link.Providers, i.Name) // a fleet has nothing to enter
	})
}

// guest is anyone who uses a link.
func guest(link account.ConnectionLink) drover.Principal {
	return drover.Principal{TenantID: link.TenantID, Role: drover.RoleMember, Name: "connection link"}
}

// openInvitation finds a link that can still be used, for a provider that it allows.
func (s *core) openInvitation(ctx context.Context, text string, in drover.LinkInput) (account.ConnectionLink, error) {
	link, err := s.invitation(ctx, text)
	if err != nil {
		return link, err
	}
	if link.State != drover.LinkOpen {
		return link, errUsed()
	}
	if s.provider(in.IntegrationName).Records || len(link.Providers) > 0 && !slices.Contains(link.Providers, in.IntegrationName) {
		return link, drover.InvalidValue("this link is for another provider", "body", "integration_name")
	}
	return link, nil
}

func errUsed() error { return drover.Errorf(drover.KindConflict, "This link was used already") }

// TryInvitation tries the credentials of a fleet. Nothing is stored.
func (s Connections) TryInvitation(ctx context.Context, text string, in drover.LinkInput) (drover.ConnectionTrial, error) {
	link, err := s.openInvitation(ctx, text, in)
	if err != nil {
		return drover.ConnectionTrial{}, err
	}
	if in.Code != nil {
		return drover.ConnectionTrial{}, drover.InvalidValue("a code is good for once: it is tried when the invitation is accepted", "body",
			"code")
	}
	return s.tryForGuest(ctx, guest(link), drover.ConnectionTrialInput{
		IntegrationName: in.IntegrationName,
		Credentials:     in.Credentials,
	})
}

// A failed trial at an address that a guest names is answered after guestTrial, and given up
// a second before.
const (
	guestTrial  = 8 * time.Second
	guestGiveUp = guestTrial - time.Second
)

// tryForGuest is a trial for anyone who has a link. Where the guest names the address, each
// failure has the same words and takes the same time: which ports answer there, and with
// what, is not its business.
func (s *core) tryForGuest(ctx context.Context, p drover.Principal, in drover.ConnectionTrialInput) (drover.ConnectionTrial, error) {
	if in.Credentials[provider.BaseURLField] == "" {
		return Connections{s}.TryConnection(ctx, p, in)
	}
	answer := time.NewTimer(guestTrial)
	defer answer.Stop()
	limited, cancel := context.WithTimeout(ctx, guestGiveUp)
	defer cancel()
	trial, err := Connections{s}.TryConnection(limited, p, in)
	if err != nil || trial.OK {
		return trial, err
	}
	select {
	case <-answer.C:
	case <-ctx.Done():
	}
	return drover.ConnectionTrial{
		Error:     new("The provider does not answer as expected at this address: check the address and the credentials"),
		ErrorKind: new(string(provider.KindCredentials)),
	}, nil
}

// AcceptInvitation tries the credentials of a fleet and, where they work, connects
// it. That uses the link up.
func (s Connections) AcceptInvitation(ctx context.Context, text string, in drover.LinkInput) (drover.LinkResult, error) {
	link, err := s.openInvitation(ctx, text, in)
	if err != nil {
		return drover.LinkResult{}, err
	}
	p, credentials := guest(link), maps.Clone(in.Credentials)
	if in.Code != nil {
		var refused drover.ConnectionTrial
		if credentials, refused, err = s.consented(ctx, link, *in.Code); err != nil || credentials == nil {
			return drover.LinkResult{Trial: refused}, err
		}
	}
	trial, err := s.tryForGuest(ctx, p, drover.ConnectionTrialInput{IntegrationName: in.IntegrationName, Credentials: credentials})
	if err != nil || !trial.OK {
		return drover.LinkResult{Trial: trial}, err
	}
	if trial.RenewedCredentials != nil {
		maps.Copy(credentials, *trial.RenewedCredentials)
		trial.RenewedCredentials = nil // they are kept: no one else needs them
	}
	defer s.wake()
	if link.ConnectionID != nil {
		err = s.reconnect(ctx, p, link, credentials)
	} else {
		err = s.connectGuest(ctx, p, link, in.IntegrationName, credentials)
	}
	return drover.LinkResult{Connected: err == nil, Trial: trial}, err
}

// use marks a link as used, unless another request was first.
func (s *core) use(ctx context.Context, tx account.Editor, link account.ConnectionLink, connectionID string) error {
	now, err := tx.ConnectionLinkForUpdate(ctx, link.TenantID, link.ID)
	if errors.Is(err, store.ErrNotFound) {
		return errNoLink()
	}
	if err != nil {
		return err
	}
	if now.State != drover.LinkOpen {
		return errUsed()
	}
	now.ConnectionID, now.UsedAt = &connectionID, new(s.now())
	return tx.SetConnectionLink(ctx, now)
}

func (s *core) connectGuest(
	ctx context.Context,
	p drover.Principal,
	link account.ConnectionLink,
	name drover.ProviderName,
	credentials map[string]string,
) error {
	c, tags, err := s.newConnection(ctx, p, drover.ConnectionInput{
		IntegrationName: name, Credentials: credentials, BusinessName: link.BusinessName, ABN: link.ABN, Email: link.Email,
		CollectionStartTime: link.CollectionStartTime, Tags: link.Tags,
	})
	if err != nil {
		return err
	}
	sealed, err := s.sealCredentials(credentials, c.TenantID, c.ID)
	if err != nil {
		return err
	}
	ctx = guard.About(ctx, "connection", c.ID)
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if err := s.addConnection(ctx, tx, c, tags, sealed); err != nil {
			return err
		}
		return s.use(ctx, tx.Accounts, link, c.ID)
	})
}

func (s *core) reconnect(ctx context.Context, p drover.Principal, link account.ConnectionLink, credentials map[string]string) error {
	id := *link.ConnectionID
	seen, err := s.changeable(ctx, p, id)
	if err != nil {
		return errNoLink()
	}
	u := drover.ConnectionUpdate{Credentials: drover.Some(credentials), Active: drover.Some(true)}
	sealed, err := s.checkUpdate(ctx, seen, u)
	if err != nil {
		return err
	}
	chosen, err := s.chooseTrips(ctx, seen, u)
	if err != nil {
		return err
	}
	ctx = guard.About(ctx, "connection", id)
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		if err := s.use(ctx, tx.Accounts, link, id); err != nil {
			return err
		}
		_, err := s.changeConnection(ctx, tx, p, id, connectionChange{u, sealed, chosen})
		return err
	})
}

// Withdraw ends what was connected by a link: the collection stops, and the
// credentials are forgotten. Again, it changes nothing.
func (s Connections) Withdraw(ctx context.Context, text string) error {
	link, err := s.invitation(ctx, text)
	if err != nil {
		return err
	}
	switch link.State {
	case drover.LinkWithdrawn:
		return nil
	case drover.LinkUsed:
	default:
		return drover.Errorf(drover.KindConflict, "Nothing was connected by this link")
	}
	nothing, err := s.sealCredentials(map[string]string{}, link.TenantID, *link.ConnectionID)
	if err != nil {
		return err
	}
	ctx = guard.About(ctx, "connection", *link.ConnectionID)
	return s.guard.Update(ctx, guest(link), func(tx *store.Tx) error {
		now, err := tx.Accounts.ConnectionLinkForUpdate(ctx, link.TenantID, link.ID)
		if err != nil {
			return err
		}
		now.WithdrawnAt = new(s.now())
		if err := tx.Accounts.SetConnectionLink(ctx, now); err != nil {
			return err
		}
		err = s.archive(ctx, tx, link.TenantID, *link.ConnectionID, nothing)
		if drover.ErrorKind(err) == drover.KindNotFound {
			return nil // it is gone already
		}
		return err
	})
}
