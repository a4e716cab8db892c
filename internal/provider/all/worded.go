package all

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/provider"
)

// worded says in each error of an adapter what was being done, in the same words
// for all of them.
type worded struct{ adapter provider.Provider }

// wordedNew returns a New whose adapters are worded.
func wordedNew(open func(provider.Config) (provider.Provider, error)) func(provider.Config) (provider.Provider, error) {
	return func(cfg provider.Config) (provider.Provider, error) {
		adapter, err := open(cfg)
		if err != nil {
			return nil, err
		}
		if push, ok := adapter.(provider.Pusher); ok {
			return wordedPusher{worded{adapter}, push}, nil
		}
		return worded{adapter}, nil
	}
}

// Check implements provider.Provider.
func (w worded) Check(ctx context.Context) error {
	return doing("check credentials", w.adapter.Check(ctx))
}

// Devices implements provider.Provider.
func (w worded) Devices(ctx context.Context, cursor string) (provider.Page[provider.Device], error) {
	page, err := w.adapter.Devices(ctx, cursor)
	return page, doing("list devices", err)
}

// Positions implements provider.Provider.
func (w worded) Positions(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	page, err := w.adapter.Positions(ctx, q)
	return page, doing("read positions", err)
}

// Trips implements provider.Provider.
func (w worded) Trips(ctx context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
	page, err := w.adapter.Trips(ctx, q)
	return page, doing("read trips", err)
}

// Faults implements provider.FaultReader. It is called only where Info.Faults says so.
func (w worded) Faults(ctx context.Context, q provider.Query) (provider.Page[provider.FaultReport], error) {
	reader, ok := w.adapter.(provider.FaultReader)
	if !ok {
		return provider.Page[provider.FaultReport]{}, provider.Errorf(provider.KindPermanent, "the adapter reads no faults")
	}
	page, err := reader.Faults(ctx, q)
	return page, doing("read faults", err)
}

// Drivers implements provider.Provider.
func (w worded) Drivers(ctx context.Context, cursor string) (provider.Page[provider.Driver], error) {
	page, err := w.adapter.Drivers(ctx, cursor)
	return page, doing("list drivers", err)
}

// SafetyEvents implements provider.SafetyReader. It is called only where Info.Safety says so.
func (w worded) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	reader, ok := w.adapter.(provider.SafetyReader)
	if !ok {
		return provider.Page[provider.SafetyEvent]{}, provider.Errorf(provider.KindPermanent, "the adapter reads no safety events")
	}
	page, err := reader.SafetyEvents(ctx, q)
	return page, doing("read safety events", err)
}

// Assignments implements provider.AssignmentReader. It is called only where Info.Assignments says so.
func (w worded) Assignments(ctx context.Context, q provider.Query) (provider.Page[provider.Assignment], error) {
	reader, ok := w.adapter.(provider.AssignmentReader)
	if !ok {
		return provider.Page[provider.Assignment]{}, provider.Errorf(provider.KindPermanent, "the adapter reads no assignments")
	}
	page, err := reader.Assignments(ctx, q)
	return page, doing("read assignments", err)
}

// wordedPusher is worded for an adapter with a push.
type wordedPusher struct {
	worded
	push provider.Pusher
}

// Push implements provider.Pusher.
func (w wordedPusher) Push(ctx context.Context, take func([]provider.Position) error) error {
	return doing("follow the push", w.push.Push(ctx, take))
}

func doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
