package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// UnknownInbound is for an address that is none.
const UnknownInbound = "Unknown inbound address of connection %s"

const (
	inboundToken = 32 // bytes
	// noticeGap is the least time between two readings that notices bring about.
	noticeGap = 5 * time.Second
)

// MakeInbound makes an address that the provider of a connection may call with news,
// in the place of the one before. It is for admins of the owner.
func (s Connections) MakeInbound(ctx context.Context, p drover.Principal, id string) (drover.InboundAddress, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.InboundAddress{}, err
	}
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.InboundAddress{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Owned(p, c.Connection.TenantID); err != nil {
		return drover.InboundAddress{}, err
	}
	info := s.provider(c.IntegrationName)
	if info.Notices == nil {
		return drover.InboundAddress{}, drover.InvalidValue(info.Title+" sends no notices", "path", "connection_id")
	}
	credentials, err := s.openCredentials(ctx, c.Connection.TenantID, id)
	if err != nil {
		return drover.InboundAddress{}, err
	}
	secret := make([]byte, inboundToken)
	if _, err := rand.Read(secret); err != nil {
		return drover.InboundAddress{}, fmt.Errorf("make a token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(secret)
	hash := sha256.Sum256([]byte(token))
	made := drover.InboundAddress{
		ConnectionID: id, URL: strings.TrimSuffix(s.publicURL, "/") + "/inbound/" + id + "/" + token, Help: info.Notices.Help,
		Signed: info.Notices.Genuine != nil && credentials[provider.WebhookSecretField] != "", CreatedAt: s.now(),
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.InboundAddress, error) {
		return made, tx.Jobs.SetInbound(ctx, work.Inbound{TenantID: p.TenantID, ConnectionID: id, TokenHash: hash[:], CreatedAt: made.CreatedAt})
	})
}

// Inbound is an address that a provider may call.
type Inbound = work.Inbound

// Inbound finds the address of a connection with a token. It is asked for before a notice is read.
func (s Connections) Inbound(ctx context.Context, id, token string) (Inbound, error) {
	in, err := s.store.Jobs.Inbound(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Inbound{}, err
	}
	hash := sha256.Sum256([]byte(token))
	if err != nil || subtle.ConstantTimeCompare(hash[:], in.TokenHash) != 1 {
		return Inbound{}, guard.OrNotFound(store.ErrNotFound, UnknownInbound, id)
	}
	return in, nil
}

// Notice is a call of a provider that says that there is something new. Positions that
// the notice carries are stored, and those of the connection are read at once.
func (s Connections) Notice(ctx context.Context, in Inbound, header http.Header, body []byte) error {
	id := in.ConnectionID
	c, err := s.store.Fleet.Connection(ctx, in.TenantID, id)
	if err != nil {
		return guard.OrNotFound(err, UnknownInbound, id)
	}
	notices := s.provider(c.IntegrationName).Notices
	if notices == nil || !c.Active {
		return guard.OrNotFound(store.ErrNotFound, UnknownInbound, id)
	}
	if err := s.genuine(ctx, c.Connection, notices, header, body); err != nil {
		return err
	}
	if notices.Confirm != nil {
		if url := notices.Confirm(body); url != "" {
			return s.confirm(ctx, url)
		}
	}
	if err := s.takeIn(ctx, in, notices, body); err != nil {
		return err
	}
	if in.LastNoticeAt != nil && s.now().Sub(in.LastNoticeAt.Time) < noticeGap && !in.LastNoticeAt.After(s.clock()) {
		return nil // the one before has not been followed by a reading yet
	}
	defer s.wake()
	return s.store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.TakeNotice(ctx, in.TenantID, id, s.now(), noticeGap) })
}

// takeIn stores the positions that a notice carries. Where the connection is busy for
// long the provider is asked to send it again.
func (s *core) takeIn(ctx context.Context, in Inbound, notices *provider.Notices, body []byte) error {
	if notices.Positions == nil || s.accept == nil {
		return nil
	}
	records := notices.Positions(body)
	if len(records) == 0 {
		return nil
	}
	if err := s.accept(ctx, in.TenantID, in.ConnectionID, records); err != nil {
		return busy("The connection is busy; send the notice again", err)
	}
	return nil
}

// busy asks a sender to send something again, a little later.
func busy(words string, err error) error {
	return &drover.Error{Kind: drover.KindUnavailable, Message: words, Err: err, RetryAfter: noticeGap}
}

// genuine refuses a notice that is not the provider's, where that can be known.
func (s *core) genuine(ctx context.Context, c drover.Connection, notices *provider.Notices, header http.Header, body []byte) error {
	if notices.Genuine == nil {
		return nil
	}
	credentials, err := s.openCredentials(ctx, c.TenantID, c.ID)
	if err != nil {
		return err
	}
	if secret := credentials[provider.WebhookSecretField]; secret != "" && !notices.Genuine(secret, header, body) {
		return drover.Forbidden()
	}
	return nil
}

// inboundState is how the notices of a connection go, nil where it has no address.
func (s *core) inboundState(ctx context.Context, id string) (*drover.InboundState, error) {
	in, err := s.store.Jobs.Inbound(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &drover.InboundState{CreatedAt: in.CreatedAt, LastNoticeAt: in.LastNoticeAt}, err
}
