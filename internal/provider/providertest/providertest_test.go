package providertest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	const list = `{"items":[{"id":9223372036854775807},{"id":2}],"point":[1.50,2]}`
	n := &network{now: func() time.Time { return began }, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, list)
	})}
	tests := map[string]struct {
		fault fault
		want  string
	}{
		"none":     {nil, list},
		"reversed": {reversed, `{"items":[{"id":2},{"id":9223372036854775807}],"point":[1.50,2]}`},
		"repeated": {repeated, `{"items":[{"id":9223372036854775807},{"id":2},{"id":9223372036854775807},{"id":2}],"point":[1.50,2]}`},
		"cut":      {cutBody, list[:len(list)/2]},
		"garbage":  {garbage, "<html><body>Scheduled maintenance</body></html>"},
	}
	for name, test := range tests {
		n.plant(test.fault)
		resp, err := n.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://vendor.test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if failed := errors.Join(err, resp.Body.Close()) != nil; failed != (name == "cut") || string(body) != test.want {
			t.Errorf("%s: %s, %v", name, body, err)
		}
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	f := once(garbage)
	served := 0
	vendor := func(*http.Request) (*http.Response, error) {
		served++
		return answer(http.StatusOK, "text/plain", ""), nil
	}
	for range 3 {
		resp, err := f(nil, vendor)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if served != 2 {
		t.Errorf("the vendor served %d of 3 requests, want 2", served)
	}
}

func TestTolerance(t *testing.T) {
	t.Parallel()
	made := func(change func(*provider.Position)) provider.Position {
		p := provider.Position{SystemDeviceID: "1"}
		p.Time, p.Heading, p.SpeedKPH = drover.At(began), new(359.0), new(50.0)
		change(&p)
		return p
	}
	truth := made(func(*provider.Position) {})
	tests := map[string]struct {
		change func(*provider.Position)
		same   bool
	}{
		"equal":            {func(*provider.Position) {}, true},
		"speed within":     {func(p *provider.Position) { p.SpeedKPH = new(50.4) }, true},
		"speed beyond":     {func(p *provider.Position) { p.SpeedKPH = new(50.6) }, false},
		"speed unknown":    {func(p *provider.Position) { p.SpeedKPH = nil }, false},
		"heading at north": {func(p *provider.Position) { p.Heading = new(0.0) }, true},
		"heading beyond":   {func(p *provider.Position) { p.Heading = new(2.5) }, false},
		"ignition made up": {func(p *provider.Position) { p.Ignition = new(false) }, false},
		"other time":       {func(p *provider.Position) { p.Time = drover.At(began.Add(time.Millisecond)) }, false},
		"other zone":       {func(p *provider.Position) { p.Time = drover.Time{Time: began.In(time.FixedZone("", 3600))} }, false},
		"other place":      {func(p *provider.Position) { p.Latitude = 1e-6 }, false},
	}
	tolerance := Tolerance{SpeedKPH: 0.5, Heading: 2}
	for name, test := range tests {
		if got := tolerance.samePosition(truth, made(test.change)); got != test.same {
			t.Errorf("%s: same = %t", name, got)
		}
	}
}

func TestIndexFindsTheNearest(t *testing.T) {
	t.Parallel()
	r := newRig(t, &Harness{
		ID:        func(v sim.Vehicle) string { return v.ID },
		Vendor:    func(*sim.Account) http.Handler { return http.NotFoundHandler() },
		Tolerance: Tolerance{Time: 5 * time.Second},
	}, sim.Options{})
	v := r.fleet.Vehicles()[0]
	truth := r.fleet.Positions(v, began, began.Add(time.Hour))[0]
	for off, want := range map[time.Duration]bool{0: true, 5 * time.Second: true, -5 * time.Second: true, 6 * time.Second: false} {
		p := provider.Position{SystemDeviceID: v.ID}
		p.Time = drover.At(truth.Time.Add(off))
		_, s, found := r.index([]provider.Position{p}).find(v.ID, p.Time)
		if found != want || found && s.ID != truth.ID {
			t.Errorf("%v off: found %t", off, found)
		}
	}
}

func TestExceeded(t *testing.T) {
	t.Parallel()
	var calls []call
	for i := range 4 {
		calls = append(calls, call{at: began.Add(time.Duration(i) * 20 * time.Second), path: "/api/rows", operation: "GetFeed Trip"})
	}
	for name, test := range map[string]struct {
		limit provider.Limit
		fine  bool
	}{
		"AsManyAsDeclared":     {provider.Limit{Requests: 3, Per: time.Minute}, true},
		"OneTooMany":           {provider.Limit{Requests: 2, Per: time.Minute}, false},
		"OfAPath":              {provider.Limit{Path: "/api", Requests: 2, Per: time.Minute}, false},
		"OfAnOperation":        {provider.Limit{Path: "GetFeed Trip", Requests: 2, Per: time.Minute}, false},
		"OfAnother":            {provider.Limit{Path: "GetFeed Log", Requests: 2, Per: time.Minute}, true},
		"DayHasRoom":           {provider.Limit{Requests: 96, Per: 24 * time.Hour}, true},
		"DayIsUsedUp":          {provider.Limit{Requests: 95, Per: 24 * time.Hour}, false},
		"OnlyConcurrencyBound": {provider.Limit{Concurrent: 1}, true},
	} {
		if err := exceeded(test.limit, calls); (err == nil) != test.fine {
			t.Errorf("%s: %v", name, err)
		}
	}
}
