package mixtelematics

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/mix_telematics/mixtelematicstest"
	"github.com/drover-fleet/drover/internal/sim"
)

func credentials() map[string]string {
	return map[string]string{
		"data_centre": "za", "client_id": "acme-drover", "client_secret": "6d9f5b0e-secret",
		"username": "api@acme.example", "password": "correct horse",
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: credentials(),
		Vendor:      mixtelematicstest.New,
		ID:          mixtelematicstest.AssetID,
		DriverID:    mixtelematicstest.DriverID,
		Readings:    []drover.ReadingKind{drover.ReadingOdometer},
		ExpectPosition: func(_ sim.Sample, want *provider.Position, _ bool) {
			want.DriverID = wire.Map(want.DriverID, mixtelematicstest.DriverID)
		},
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.GoldenOf(t, "testdata/devices.json", func(assets []asset) []provider.Device {
		return wire.All(assets, asset.record)
	})
	providertest.GoldenOf(t, "testdata/positions.json", func(positions []position) []provider.Position {
		return wire.Records(positions, position.record)
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) ([]provider.Trip, error) {
		var rows []trip
		err := json.Unmarshal(payload, &rows)
		return trips(rows), err
	})
}

// transport carries requests to a handler.
type transport struct{ handler http.Handler }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	t.handler.ServeHTTP(recorder, req)
	return recorder.Result(), nil
}

type account struct {
	*sim.Account
	now time.Time
}

func newAccount(now time.Time) *account {
	a := &account{now: now}
	a.Account = sim.NewAccount(sim.New(sim.Options{Vehicles: 4}), func() time.Time { return a.now }, credentials())
	return a
}

func (a *account) adapter(t *testing.T, more map[string]string) provider.Provider {
	t.Helper()
	c := credentials()
	maps.Copy(c, more)
	now := func() time.Time { return a.now }
	p, err := New(provider.Config{
		Credentials: c, BaseURL: "https://vendor.test", Now: now,
		HTTP: outbound.New(outbound.Options{Transport: transport{mixtelematicstest.New(a.Account)}, Now: now}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func drain(t *testing.T, p provider.Provider, q provider.Query) (all []provider.Position, cursor string) {
	t.Helper()
	for range 1000 {
		page, err := p.Positions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if all, q.Cursor = append(all, page.Records...), page.Cursor; !page.More {
			return all, page.Cursor
		}
	}
	t.Fatal("the job has no last page")
	return nil, ""
}

// TestOldTokenLeavesNoHole stops polling for longer than the vendor keeps its
// feed.
func TestOldTokenLeavesNoHole(t *testing.T) {
	t.Parallel()
	from := time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC)
	a := newAccount(from.Add(time.Hour))
	var devices []string
	for _, v := range a.Vehicles() {
		devices = append(devices, mixtelematicstest.AssetID(v))
	}
	q := provider.Query{From: from, Devices: devices}
	got, cursor := drain(t, a.adapter(t, nil), q)
	a.now = a.now.Add(9 * 24 * time.Hour)
	q.Cursor = cursor
	more, cursor := drain(t, a.adapter(t, nil), q)
	a.now = a.now.Add(time.Hour)
	q.Cursor = cursor
	last, _ := drain(t, a.adapter(t, nil), q)
	type key struct {
		device string
		at     int64
	}
	seen := map[key]bool{}
	for _, p := range append(append(got, more...), last...) {
		seen[key{p.SystemDeviceID, p.Time.Unix()}] = true
	}
	for _, v := range a.Vehicles() {
		for _, s := range a.Positions(v, from, a.now) {
			if !seen[key{mixtelematicstest.AssetID(v), s.Time.Unix()}] {
				t.Fatalf("the position of vehicle %s at %s was lost", v.ID, s.Time)
			}
		}
	}
}

func TestForeignOrganisationIsNoWrongPassword(t *testing.T) {
	t.Parallel()
	a := newAccount(time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC))
	for id, answered := range map[string]bool{"42": true, "../../x": false} {
		_, err := a.adapter(t, map[string]string{"organisation_id": id}).Devices(t.Context(), "")
		var status *provider.StatusError
		if provider.KindOf(err) != provider.KindPermanent || errors.As(err, &status) != answered {
			t.Errorf("organisation %s: %v of kind %s", id, err, provider.KindOf(err))
		}
	}
}

// TestRemovedAssetDoesNotBlockOthers asks for a vehicle that the organisation no
// longer has.
func TestRemovedAssetDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	a := newAccount(time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC))
	q := provider.Query{From: a.now.Add(-6 * time.Hour), To: a.now, Devices: []string{"99", mixtelematicstest.AssetID(a.Vehicles()[0])}}
	if got, _ := drain(t, a.adapter(t, nil), q); len(got) == 0 {
		t.Error("no positions of the vehicle that is left")
	}
}

func TestWaitsWhereTheVendorDoesNotSayHowLong(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)
	a := &Adapter{cfg: provider.Config{Now: func() time.Time { return now }}}
	err := a.meaning(provider.Errorf(provider.KindRateLimited, "slow down"))
	if until := provider.RetryAt(err); !until.Equal(now.Add(time.Minute)) {
		t.Errorf("come back at %s", until)
	}
}

// TestAccountIsNamed holds that the organisations that are read are the account.
func TestAccountIsNamed(t *testing.T) {
	t.Parallel()
	a := newAccount(time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC))
	const one = "-1709358234985168962"
	for id, want := range map[string]string{"": "Acme 1, Acme 2", one: "Acme 2", "42": ""} {
		p := a.adapter(t, map[string]string{"organisation_id": id}).(*Adapter)
		var account string
		p.cfg.Named = func(name string) { account = name }
		if err := p.Check(t.Context()); err != nil || account != want {
			t.Errorf("with organisation %q the account is %q: %v", id, account, err)
		}
	}
}
