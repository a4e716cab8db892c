package provider_test

import (
	"context"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
)

func TestOf(t *testing.T) {
	t.Parallel()
	var made []string
	p := provider.Of(provider.Calls{
		Check: func(context.Context) error {
			made = append(made, "check")
			return nil
		},
		Devices: func(_ context.Context, cursor string) (provider.Page[provider.Device], error) {
			made = append(made, "devices "+cursor)
			return provider.Page[provider.Device]{Cursor: "d"}, nil
		},
		Positions: func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			made = append(made, "positions "+q.Cursor)
			return provider.Page[provider.Position]{Cursor: "p"}, nil
		},
		Trips: func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			made = append(made, "trips "+q.Cursor)
			return provider.Page[provider.Trip]{Cursor: "t"}, nil
		},
	})
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
	devices, errDevices := p.Devices(t.Context(), "1")
	positions, errPositions := p.Positions(t.Context(), provider.Query{Cursor: "2"})
	trips, errTrips := p.Trips(t.Context(), provider.Query{Cursor: "3"})
	if errDevices != nil || errPositions != nil || errTrips != nil || devices.Cursor+positions.Cursor+trips.Cursor != "dpt" {
		t.Errorf("answers %q %q %q, errors %v %v %v", devices.Cursor, positions.Cursor, trips.Cursor, errDevices, errPositions, errTrips)
	}
	want := []string{"check", "devices 1", "positions 2", "trips 3"}
	for i, call := range want {
		if i >= len(made) || made[i] != call {
			t.Fatalf("made %v, want %v", made, want)
		}
	}
}
