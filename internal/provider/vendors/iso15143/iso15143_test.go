package iso15143

import (
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/provider/vendors/iso15143/iso15143test"
	"github.com/drover-fleet/drover/internal/sim"
)

// The deviations that are known, as docs/providers/iso15143.md has them.
const (
	elements   = "times as attributes or as elements"
	prefixes   = "namespaces and prefixes that differ, names in other cases"
	nested     = "links within an element `Link`"
	nextIsSelf = "a last page whose next one is itself"
	oneFormat  = "XML or JSON alone, with 406 or 415 for the other"
	named      = "machines named by id, by PIN, or by make, model and serial number"
	noPast     = "no series of the past"
)

// TestDeviations holds that each deviation that the page names is one of a producer's.
func TestDeviations(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, p := range producers {
		f := p.producer
		for deviation, has := range map[string]bool{
			elements: f.Elements, prefixes: f.Lower, nested: f.NestedLinks, nextIsSelf: f.NextIsSelf, oneFormat: f.Unserved != 0,
			named: f.PIN, noPast: f.NoSeries,
		} {
			if has {
				served[deviation] = true
			}
		}
	}
	providertest.Deviations(t, "iso15143", served)
}

// producers are those with the deviations, with a way to authenticate each. "xml" is
// the standard to the letter.
var producers = map[string]struct {
	credentials map[string]string
	producer    iso15143test.Producer
}{
	"xml": {
		map[string]string{"username": "api-user", "password": "correct horse"},
		iso15143test.Producer{Formats: []string{"application/xml"}, Admits: iso15143test.Basic},
	},
	"elements, prefixes, machines by what is engraved": {
		map[string]string{"authentication": "bearer", "access_token": "a token for ever", "series": "make_model_serial", "format": "xml"},
		iso15143test.Producer{
			Formats: []string{"application/xml"}, Elements: true, Prefix: "iso:", MakeModelSerial: true,
			Admits: func(account *sim.Account, r *http.Request) bool {
				return account.Accepts("access_token", cut(r.Header.Get("Authorization")))
			},
		},
	},
	"json alone, nested links, a last page that follows itself, machines by PIN": {
		map[string]string{"authentication": "header", "header_name": "X-Api-Key", "api_key": "correct horse", "series": "pin"},
		iso15143test.Producer{
			Formats: []string{"application/json"}, NestedLinks: true, NextIsSelf: true, PIN: true,
			Admits: func(account *sim.Account, r *http.Request) bool {
				return account.Accepts("api_key", r.Header.Get("X-Api-Key")) && r.Header.Get("Authorization") == ""
			},
		},
	},
	"no past, and 415 for what is not served": {
		map[string]string{
			"authentication": "oauth", "oauth_url": "https://vendor.test/oauth/token", "client_id": "client-1", "client_secret": "correct horse",
			"series": "none",
		},
		iso15143test.Producer{
			Formats: []string{"application/json"}, Unserved: http.StatusUnsupportedMediaType, Lower: true, NoSeries: true,
			Admits: func(account *sim.Account, r *http.Request) bool {
				return account.LoggedIn(cut(r.Header.Get("Authorization")))
			},
		},
	},
}

func cut(header string) string { return header[min(len("Bearer "), len(header)):] }

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, p := range producers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := providertest.Harness{
				Info:        Info,
				Credentials: p.credentials,
				Vendor: func(account *sim.Account) http.Handler {
					mux := http.NewServeMux()
					mux.Handle("/", p.producer.Serve(account))
					mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, r *http.Request) {
						// This one wants the client in the form.
						if !account.Accepts("client_id", r.PostFormValue("client_id")) || !account.Accepts("client_secret", r.PostFormValue("client_secret")) {
							fake.ReplyStatus(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
							return
						}
						fake.Reply(w, map[string]any{"access_token": account.Login(time.Hour), "expires_in": 3600})
					})
					return mux
				},
				ID: func(v sim.Vehicle) string { return v.VIN },
				Readings: []drover.ReadingKind{
					drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingIdle, drover.ReadingFuelUsed,
					drover.ReadingFuelPercent, drover.ReadingDEF,
				},
				ExpectDevice: func(v sim.Vehicle, want *provider.Device) {
					want.Registration, want.Year, want.Active = nil, nil, true
					want.Description = new(iso15143test.EquipmentID(v))
				},
				ExpectPosition: func(_ sim.Sample, want *provider.Position, live bool) {
					if !live {
						want.Ignition, want.OdometerMetres = nil, nil
					}
				},
			}
			if name != "xml" {
				h.Lacks = map[string]string{"Limits": "the same calls as those of xml"}
			}
			if p.producer.NoSeries {
				h.Info.Features.Backfill = false
			}
			providertest.Run(t, h)
		})
	}
}

// TestNoPast holds that a producer without series is asked for none.
func TestNoPast(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 20, 12, 0, 0, 0, time.UTC)
	p := providertest.Adapter(t, Info, provider.Credentials{
		"base_url": "https://producer.example", "username": "u", "password": "p", "series": "none",
	}, providertest.Doer(func(*http.Request) (*http.Response, error) {
		t.Error("a call was made")
		return providertest.Refuse(http.StatusNotFound)
	}), now)
	page, err := p.Positions(t.Context(), provider.Query{From: now.AddDate(0, 0, -1), To: now, Devices: []string{"1"}})
	if err != nil || len(page.Records) > 0 || page.More {
		t.Errorf("%+v, %v", page, err)
	}
}
