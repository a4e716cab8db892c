package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// Connections lists the connections within the caller's tenancy, oldest first, after
// the id given. An empty provider means all.
func (s Connections) Connections(
	ctx context.Context,
	p drover.Principal,
	name drover.ProviderName,
	after drover.IDCursor,
	limit int,
) ([]drover.Connection, error) {
	return s.store.Fleet.ConnectionPage(ctx, p.TenantID, name, string(after), limit)
}

// Connection reads one connection with its tags.
func (s Connections) Connection(ctx context.Context, p drover.Principal, id string) (drover.ConnectionDetail, error) {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionDetail{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Readable(p, c.Access); err != nil {
		return drover.ConnectionDetail{}, err
	}
	tags, err := s.store.Accounts.ConnectionTags(ctx, c.Connection.TenantID, c.ID)
	return drover.ConnectionDetail{Connection: c.Connection, ConnectionTags: tags}, err
}

// ConnectionTags lists the tenant's tags by name.
func (s Connections) ConnectionTags(ctx context.Context, p drover.Principal) ([]drover.Tag, error) {
	return s.store.Accounts.Tags(ctx, p.TenantID)
}

// Credentials reads a connection's credentials, for admins of its owner alone.
func (s Connections) Credentials(ctx context.Context, p drover.Principal, id string) (drover.ConnectionCredentials, error) {
	if err := guard.MayReadSecrets(p); err != nil {
		return drover.ConnectionCredentials{}, err
	}
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionCredentials{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Owned(p, c.Connection.TenantID); err != nil {
		return drover.ConnectionCredentials{}, err
	}
	credentials, err := s.openCredentials(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionCredentials{}, err
	}
	return drover.ConnectionCredentials{ConnectionID: id, Credentials: credentials}, s.guard.AuditRead(ctx, p)
}

// openCredentials reads the credentials of a connection.
func (s *core) openCredentials(ctx context.Context, tenantID, id string) (map[string]string, error) {
	sealed, err := s.store.Fleet.Credentials(ctx, tenantID, id)
	if err != nil {
		return nil, err
	}
	plain, err := s.vault.Open(ctx, sealed, tenantID, id)
	if err != nil {
		return nil, fmt.Errorf("open credentials: %w", err)
	}
	var credentials map[string]string
	if err := json.Unmarshal(plain, &credentials); err != nil {
		return nil, errors.New("read credentials: the sealed text is no object")
	}
	return credentials, nil
}

// CreateConnection stores a connection with its credentials, sealed. Whether
// the credentials work is found out by the first collection.
func (s Connections) CreateConnection(ctx context.Context, p drover.Principal, in drover.ConnectionInput) (drover.Connection, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Connection{}, err
	}
	c, tags, err := s.newConnection(ctx, p, in)
	if err != nil {
		return drover.Connection{}, err
	}
	sealed, err := s.sealCredentials(in.Credentials, c.TenantID, c.ID)
	if err != nil {
		return drover.Connection{}, err
	}
	defer s.wake()
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Connection, error) {
		return c, s.addConnection(ctx, tx, c, tags, sealed)
	})
}

// sealCredentials seals credentials for one connection alone.
func (s *core) sealCredentials(credentials map[string]string, tenantID, id string) ([]byte, error) {
	plain, err := json.Marshal(credentials)
	if err != nil {
		return nil, errors.New("write credentials")
	}
	sealed, err := s.vault.Seal(plain, tenantID, id)
	if err != nil {
		return nil, fmt.Errorf("seal credentials: %w", err)
	}
	return sealed, nil
}

// addConnection stores a new connection with all that follows from it.
func (s *core) addConnection(ctx context.Context, tx *store.Tx, c drover.Connection, tags []string, sealed []byte) error {
	if err := guard.Within(ctx, tx, c.TenantID, drover.QuotaConnections, 1); err != nil {
		return err
	}
	created, err := drover.NewEvent(drover.EventConnectionCreated, s.now(), c)
	if err != nil {
		return err
	}
	if err := tx.Fleet.AddConnection(ctx, c, sealed, s.now()); err != nil {
		return err
	}
	if err := tx.Accounts.TagConnection(ctx, c.TenantID, c.ID, tags); err != nil {
		return err
	}
	if err := tx.Jobs.AddCollection(ctx, c.TenantID, c.ID, s.now()); err != nil {
		return err
	}
	return journal.Append(ctx, tx, c.TenantID, []drover.Event{created})
}

// newConnection checks an input in the order of its fields and fills in what was
// left out.
func (s *core) newConnection(ctx context.Context, p drover.Principal, in drover.ConnectionInput) (drover.Connection, []string, error) {
	info := s.provider(in.IntegrationName)
	c := drover.Connection{
		ID: store.NewID(), TenantID: p.TenantID, IntegrationName: in.IntegrationName, BusinessName: in.BusinessName,
		ABN: in.ABN, Email: in.Email, Active: true, CollectionStartTime: s.now(), CollectionEndTime: in.CollectionEndTime,
	}
	if info.Records {
		c.CollectionStartTime = firstRecord
	}
	if err := s.checkCredentials(ctx, info, in.Credentials); err != nil {
		return c, nil, drover.Under(err, "body", "credentials")
	}
	if in.Email != nil && !looksLikeEmail(*in.Email) {
		return c, nil, drover.Invalid("value_error", "value is not a valid email address", "body", "email")
	}
	if in.Active != nil {
		c.Active = *in.Active
	}
	if in.CollectionStartTime != nil {
		c.CollectionStartTime = *in.CollectionStartTime
	}
	if c.CollectionEndTime != nil && c.CollectionEndTime.Before(c.CollectionStartTime.Time) {
		return c, nil, drover.InvalidValue("collection_end_time must not be before collection_start_time", "body", "collection_end_time")
	}
	tags, err := drover.NormalizeTags(in.Tags)
	if err != nil {
		return c, nil, drover.Under(err, "body", "tags")
	}
	if in.TenantID != nil && *in.TenantID != p.TenantID {
		return c, nil, drover.Forbidden()
	}
	c.Configuration = s.configure(info, in.Credentials)
	if !c.Active {
		c.Configuration.Health = drover.ConnectionDisabled
	}
	return c, tags, nil
}

// configure writes down what the service decides for a new connection.
func (s *core) configure(info provider.Info, credentials map[string]string) drover.Configuration {
	c := drover.Configuration{
		PollIntervalSeconds: info.PollSeconds(s.pollInterval), Trips: drover.TripsDerived, Health: drover.ConnectionPending,
	}
	if info.NativeTrips(credentials) {
		c.Trips = drover.TripsNative
	}
	if base := credentials[provider.BaseURLField]; base != "" {
		c.BaseURL = &base
	}
	return c
}

// checkCredentials checks credentials against the provider's own fields.
func (s *core) checkCredentials(ctx context.Context, info provider.Info, credentials map[string]string) error {
	for _, f := range info.Fields {
		value, sent := credentials[f.Name]
		switch {
		case !sent && needed(f, credentials):
			return drover.Invalid("missing", "Field required", f.Name)
		case sent && value == "" && needed(f, credentials):
			return drover.Invalid("string_too_short", "String should have at least 1 character", f.Name)
		case value != "" && len(f.Options) > 0 && !slices.Contains(f.Options, value):
			return drover.Invalid("enum", "Input should be "+alternatives(f.Options), f.Name)
		}
	}
	for _, f := range info.Fields {
		address := credentials[f.Name]
		if address == "" || !f.Address && f.Name != provider.BaseURLField {
			continue
		}
		if err := plainURL(address); err != nil {
			return drover.InvalidValue(err.Error(), f.Name)
		}
		if err := s.checkURL(ctx, address); err != nil {
			return drover.InvalidValue(err.Error(), f.Name)
		}
	}
	return nil
}

// plainURL refuses a base address with what could be a secret: it is shown to
// everyone who sees the connection.
func plainURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return errors.New("the URL is not valid")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return errors.New("the URL must have no user, password, query or fragment")
	}
	return nil
}

// needed reports whether a field must be given: always, or while none of those
// that make it optional is.
func needed(f provider.Field, credentials map[string]string) bool {
	given := func(other string) bool { return credentials[other] != "" }
	return f.Required || len(f.RequiredUnless) > 0 && !slices.ContainsFunc(f.RequiredUnless, given)
}

// alternatives lists options as pydantic does: 'a', 'b' or 'c'.
func alternatives(options []string) string {
	last := len(options) - 1
	if last == 0 {
		return "'" + options[0] + "'"
	}
	return "'" + strings.Join(options[:last], "', '") + "' or '" + options[last] + "'"
}

func looksLikeEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text {
		return false
	}
	_, domain, _ := strings.Cut(text, "@")
	return strings.Contains(strings.Trim(domain, "."), ".")
}

// ownConnection checks that the caller administers the connection's owner.
func (s *core) ownConnection(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayAdminister(p); err != nil {
		return err
	}
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	return guard.Owned(p, c.Connection.TenantID)
}
