package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/quota"
)

// TestWork has one tenant take all turns at the processors that it may have: its next
// request waits, and another tenant's does not.
func TestWork(t *testing.T) {
	t.Parallel()
	const processors = 2
	most := workPlaces * processors
	waiting := workWaits * most
	read := route{Operation: openapi.Operation{Method: http.MethodGet}}
	list := route{Operation: openapi.Operation{Method: http.MethodGet, List: true, Query: reflect.TypeFor[paging]()}}
	write := route{Operation: openapi.Operation{Method: http.MethodPost}}
	body := make([]byte, freeBody+1)
	tests := []struct {
		name     string
		embedded bool
		route    route
		raw      []byte
		query    any
		most     int // of one tenant at once; zero is no bound
	}{
		{"Read", true, read, nil, nil, most},
		{"ReadElsewhere", false, read, nil, nil, 0},
		{"LargeBody", true, write, body, nil, most},
		{"LargeBodyElsewhere", false, write, body, nil, waiting},
		{"SmallBody", true, write, body[:freeBody], nil, 0},
		{"Stream", true, route{Operation: openapi.Operation{Method: http.MethodGet, Streams: true}}, nil, nil, 0},
		{"LongPoll", true, route{Operation: openapi.Operation{Method: http.MethodGet}, long: true}, nil, nil, 0},
		{"LongPage", true, list, nil, &paging{Limit: fewRecords + 1}, most},
		{"LongPageElsewhere", false, list, nil, &paging{Limit: fewRecords + 1}, waiting},
		{"ShortPage", false, list, nil, &paging{Limit: fewRecords}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := clocktest.New(time.Unix(1_800_000_000, 0))
			o := Options{MaxInFlight: 8, Processors: processors, Embedded: tt.embedded, Now: clock.Now}
			s := &server{Options: o, places: newPlaces(o)}
			work := func(ctx context.Context, tenant string) (*quota.Place, error) {
				return s.work(&call{Context: ctx, raw: tt.raw, query: tt.query, principal: drover.Principal{TenantID: tenant}}, &tt.route)
			}
			held := tt.most
			if held == 0 {
				held = 2 * waiting
			}
			var place *quota.Place
			for n := range held {
				var err error
				if place, err = work(t.Context(), "a"); err != nil {
					t.Fatalf("turn %d: %v", n+1, err)
				}
			}
			if tt.most == 0 {
				return
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := work(gone, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("turn %d of one tenant: %v, want it to wait", held+1, err)
			}
			other, err := work(gone, "b")
			if err != nil {
				t.Fatalf("another tenant: %v, want its turn at once", err)
			}
			other.Return()
			place.Return()
			place.Return() // more often than once
			if _, err := work(gone, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("a tenant borrows beside another: %v, want it to wait", err)
			}
			clock.Advance(workRecent)
			if _, err := work(gone, "a"); err != nil {
				t.Errorf("alone again: %v", err)
			}
			if _, err := work(gone, "a"); !errors.Is(err, context.Canceled) {
				t.Errorf("after a turn was returned twice: %v, want it to count once", err)
			}
		})
	}
}
