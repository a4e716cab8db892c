package provider

import "context"

// Calls are how the calls of one connection are made, in the order of Provider. An
// adapter declares them in its New: most are a list of package paging or a job of
// package window, which say what differs between vendors and do the rest.
type Calls struct {
	Check     func(ctx context.Context) error
	Devices   func(ctx context.Context, cursor string) (Page[Device], error)
	Positions func(ctx context.Context, q Query) (Page[Position], error)
	Trips     func(ctx context.Context, q Query) (Page[Trip], error)
	Drivers   func(ctx context.Context, cursor string) (Page[Driver], error) // nil where none are listed
}

// Of returns the provider that makes the calls.
func Of(calls Calls) Provider { return declared{calls} }

type declared struct{ calls Calls }

func (d declared) Check(ctx context.Context) error { return d.calls.Check(ctx) }

func (d declared) Devices(ctx context.Context, cursor string) (Page[Device], error) {
	return d.calls.Devices(ctx, cursor)
}

func (d declared) Positions(ctx context.Context, q Query) (Page[Position], error) {
	return d.calls.Positions(ctx, q)
}

func (d declared) Trips(ctx context.Context, q Query) (Page[Trip], error) {
	return d.calls.Trips(ctx, q)
}

func (d declared) Drivers(ctx context.Context, cursor string) (Page[Driver], error) {
	if d.calls.Drivers == nil {
		return Page[Driver]{}, nil
	}
	return d.calls.Drivers(ctx, cursor)
}
