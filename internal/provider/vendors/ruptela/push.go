package ruptela

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	streamVersion = "2"
	// silence is longer than a fleet at rest says nothing: nothing is documented that
	// would show that the push is there.
	silence = 15 * time.Minute
)

// push is TrustTrack's server-sent events.
var push = &provider.Push{Poll: 5 * time.Minute, Freshness: 5 * time.Second}

var _ provider.Pusher = (*Adapter)(nil)

// streamed is an event: a coordinate of one object.
type streamed struct {
	ObjectID wire.Text `json:"object_id"`
	coordinate
}

// Push implements provider.Pusher. The push begins with the last coordinate of
// each object.
func (a *Adapter) Push(ctx context.Context, take func([]provider.Position) error) error {
	query := url.Values{"version": {streamVersion}, "api_key": {a.cfg.Credentials["api_key"]}}
	req, err := wire.Get(ctx, a.api.Base+"/object-coordinates-stream", query)
	if err != nil {
		return err
	}
	events, err := a.cfg.Pushes.Events(req, silence)
	if err != nil {
		return err
	}
	defer events.Close()
	for records := []provider.Position(nil); ; {
		if err := take(records); err != nil {
			return err
		}
		data, err := events.Next()
		if err != nil {
			return err
		}
		var event streamed
		if err := json.Unmarshal(data, &event); err != nil || event.ObjectID == "" {
			return provider.Errorf(provider.KindTemporary, "the provider's push says what is not a coordinate")
		}
		records = nil
		if r, ok := event.record(event.ObjectID.String()); ok {
			records = []provider.Position{r}
		}
	}
}
