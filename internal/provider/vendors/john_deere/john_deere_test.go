package johndeere

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info: Info,
		Credentials: map[string]string{
			"client_id": "0oa1", "client_secret": "application-secret", "refresh_token": "first-refresh-token",
			"redirect_uri": "https://fleet.example.com/callback",
		},
		Vendor: johndeeretest.New,
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingIdle, drover.ReadingFuelUsed, drover.ReadingFuelPercent, drover.ReadingDEF,
		},
		ID: func(v sim.Vehicle) string { return v.VIN },
		// Both are computed from a point each 30 seconds: straight lines are shorter
		// than a winding road, and a stop is noticed up to one point late.
		Tolerance: providertest.Tolerance{TripMetres: 1600, TripSeconds: 61},
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Registration = nil
		},
	})
}

// canned answers by the end of the path. What it has no answer for is not found.
type canned map[string]string

func (c canned) Do(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/token") {
		return ok(`{"access_token":"t","expires_in":43200}`), nil
	}
	if host := req.URL.Host; host != "deere.test" {
		return nil, provider.Errorf(provider.KindPermanent, "the token was sent to %s", host)
	}
	query := req.URL.Query()
	for _, key := range []string{req.URL.Path + "?page=" + query.Get("pageOffset"), req.URL.Path + query.Get("detailedState"), req.URL.Path} {
		if body, found := c[key]; found {
			return ok(body), nil
		}
	}
	return providertest.Refuse(http.StatusNotFound)
}

func ok(body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}
}

type keepingNothing struct{ provider.TokenStore }

func (keepingNothing) Exchange(
	ctx context.Context,
	renew func(context.Context, provider.Credentials) (provider.Credentials, error),
) (provider.Credentials, error) {
	return renew(ctx, provider.Credentials{"client_id": "c", "client_secret": "s", "refresh_token": "r"})
}

var now = time.Date(2024, 5, 18, 12, 0, 0, 0, time.UTC)

func cannedAdapter(t *testing.T, c canned) provider.Provider {
	t.Helper()
	p, err := New(provider.Config{
		Credentials: provider.Credentials{"environment": live}, BaseURL: "https://deere.test",
		HTTP: c, Tokens: keepingNothing{}, Now: func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	equipmentList = `{"values":[{"principalId":7099,"serialNumber":"1DW260EXJEF001076","modelYear":"2014","archived":false},
		{"id":8001,"serialNumber":"1DW260EXJEF001077","modelYear":"unknown","archived":true}]}`
	crumbsPath = "/platform/machines/7099/breadcrumbs"
	hoursPath  = "/platform/machines/7099/hoursOfOperation"
)

var query = provider.Query{From: now.Add(-6 * time.Hour), Devices: []string{"1DW260EXJEF001076"}}

func TestGolden(t *testing.T) {
	t.Parallel()
	providertest.Golden(t, "testdata/devices.json", func(payload []byte) ([]provider.Device, error) {
		var document string
		if err := json.Unmarshal(payload, &document); err != nil {
			return nil, err
		}
		page, err := cannedAdapter(t, canned{"/Fleet/1": document, "/isg/equipment": equipmentList}).Devices(t.Context(), "")
		return page.Records, err
	})
	providertest.Golden(t, "testdata/breadcrumbs.json", func(payload []byte) ([]provider.Position, error) {
		c := canned{"/isg/equipment": equipmentList, crumbsPath: string(payload)}
		page, err := cannedAdapter(t, c).Positions(t.Context(), query)
		return page.Records, err
	})
	providertest.Golden(t, "testdata/trips.json", func(payload []byte) ([]provider.Trip, error) {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(payload, &parts); err != nil {
			return nil, err
		}
		page, err := cannedAdapter(t, canned{
			"/isg/equipment": equipmentList, crumbsPath: string(parts["breadcrumbs"]),
			hoursPath: string(parts["hours"]), hoursPath + "RearPTOEngagement": string(parts["takeOff"]),
		}).Trips(t.Context(), query)
		return page.Records, err
	})
}

// A list of one may be that one, without a list around it.
func TestOneMachineThatIsNoList(t *testing.T) {
	t.Parallel()
	page, err := cannedAdapter(t, canned{
		"/isg/equipment": `{"values":{"principalId":7099,"serialNumber":"1DW260EXJEF001076","modelYear":"2014"}}`,
		crumbsPath:       `{"values":{"eventTimestamp":"2024-05-18T11:01:00Z","point":{"lat":1,"lon":2}}}`,
	}).Positions(t.Context(), query)
	if err != nil || len(page.Records) != 1 || page.Records[0].SystemDeviceID != "1DW260EXJEF001076" {
		t.Errorf("%+v, %v", page.Records, err)
	}
}

func TestNoOrganisationIsConnected(t *testing.T) {
	t.Parallel()
	p := cannedAdapter(t, canned{
		"/isg/equipment": `{"values":[]}`,
		"/Fleet/1":       `<Fleet><Links><rel>connections</rel><href>https://connections.deere.com/connections/1/select</href></Links></Fleet>`,
	})
	err := p.Check(t.Context())
	if provider.KindOf(err) != provider.KindPermanent || !strings.Contains(err.Error(), "no organisation is connected") {
		t.Errorf("Check: %v of kind %s", err, provider.KindOf(err))
	}
	if _, err := p.Devices(t.Context(), ""); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("Devices: %v: the fleet must not look empty", err)
	}
}

// A machine without a track is followed by the snapshot: one that the Operations
// Center does not know, and one whose track may not be read.
func TestMachineWithoutATrack(t *testing.T) {
	t.Parallel()
	const snapshot = `<Fleet><Equipment><EquipmentHeader><PIN>1DW260EXJEF001076</PIN></EquipmentHeader>
		<Location datetime="2024-05-18T11:00:00Z"><Latitude>1.5</Latitude><Longitude>2.5</Longitude></Location></Equipment></Fleet>`
	for name, machines := range map[string]string{"unknown": `{"values":[]}`, "refused": equipmentList} {
		p := cannedAdapter(t, canned{"/isg/equipment": machines, "/Fleet/1": snapshot})
		page, err := p.Positions(t.Context(), query)
		if err != nil || len(page.Records) != 1 || page.Records[0].Latitude != 1.5 {
			t.Errorf("%s: %+v, %v", name, page.Records, err)
		}
		trips, err := p.Trips(t.Context(), query)
		if err != nil || len(trips.Records) != 0 {
			t.Errorf("%s: trips %+v, %v", name, trips.Records, err)
		}
	}
}

func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	crumb := func(minute string) string {
		return `{"eventTimestamp":"2024-05-18T11:` + minute + `:00Z","point":{"lat":1,"lon":2}}`
	}
	p := cannedAdapter(t, canned{
		"/isg/equipment": equipmentList,
		crumbsPath + "?page=": `{"links":[{"rel":"nextPage","uri":"https://evil.test` + crumbsPath + `?pageOffset=1"}],"values":[` +
			crumb("01") + `]}`,
		crumbsPath + "?page=1": `{"links":[{"rel":"nextPage","uri":"https://evil.test` + crumbsPath + `?pageOffset=1"}],"values":[` +
			crumb("02") + `]}`,
	})
	page, err := p.Positions(t.Context(), query)
	if err != nil || len(page.Records) != 2 {
		t.Errorf("%d positions, %v, want those of both pages", len(page.Records), err)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	if h := hostsOf(live, ""); h.fleet != "https://partneraemp.deere.com" || h.platform != "https://api.deere.com" {
		t.Errorf("live: %+v", h)
	}
	if h := hostsOf(sandbox, ""); h.fleet != "https://sandboxaemp.deere.com" || h.platform != "https://sandboxapi.deere.com" {
		t.Errorf("sandbox: %+v", h)
	}
}

// An engine that runs still, or that ran at the edge of a window, makes no trip.
func TestWhole(t *testing.T) {
	t.Parallel()
	at := func(minutes int) wire.Time { return wire.TimeOf(now.Add(time.Duration(minutes) * time.Minute)) }
	w := window.Window{From: now.Add(-tripMargin - time.Hour), To: now}
	before := int(-tripMargin / time.Minute)
	for name, test := range map[string]struct {
		hours []interval
		want  int
	}{
		"over":                {[]interval{{at(-50), at(-31), "1"}}, 1},
		"followed by rest":    {[]interval{{at(-50), at(-5), "1"}, {at(-5), at(-1), "0"}}, 1},
		"under way":           {[]interval{{at(-50), at(-29), "1"}}, 0},
		"up to the end":       {[]interval{{at(-50), at(0), "1"}, {at(0), at(1), "0"}}, 0},
		"rest":                {[]interval{{at(-50), at(-31), "0"}}, 0},
		"no length":           {[]interval{{at(-50), at(-50), "1"}}, 0},
		"from the beginning":  {[]interval{{at(before - 60), at(-31), "1"}}, 0},
		"of an earlier query": {[]interval{{at(before - 50), at(before - 1), "1"}}, 0},
	} {
		if got := whole(test.hours, w); len(got) != test.want {
			t.Errorf("%s: %d trips, want %d", name, len(got), test.want)
		}
	}
}
