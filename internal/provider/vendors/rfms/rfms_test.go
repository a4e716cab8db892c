package rfms

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/provider/vendors/scania/scaniatest"
	"github.com/drover-fleet/drover/internal/provider/vendors/volvo_trucks/volvotruckstest"
	"github.com/drover-fleet/drover/internal/sim"
)

// The deviations that are known, as docs/providers/rfms.md has them.
const (
	byHeader      = "versions by the `Accept` header, with 406, 415 or 404 for those that are not served"
	capitals      = "names with capitals, `Vin` beside `VIN`, lists that are wrapped"
	inXML         = "XML, where a list of one has no list, and an empty one nothing"
	emptyNotFound = "404 or 204 where there are no reports"
	receiptStuck  = "the selection by the time of receipt stands still"
	driverText    = "a text where the driver's object belongs"
	headingText   = "headings as texts, times without a zone"
)

// maker is how a maker serves the standard.
type maker struct {
	deviations  []string
	credentials map[string]string
	resources   func(*sim.Account) http.Handler
	path        string
	// accept is the header that it serves, and unserved how it answers any other.
	accept   func(resource string) string
	unserved int
	// admits says whether a request is authenticated.
	admits func(*sim.Account, *http.Request) bool
}

func (m maker) has(deviation string) bool { return slices.Contains(m.deviations, deviation) }

var makers = map[string]maker{
	"4.0 with client credentials, registrations and the ignition beyond the standard": {
		credentials: map[string]string{
			"authentication": "oauth", "oauth_url": "https://vendor.test/oauth/token", "client_id": "client-1", "client_secret": "correct horse",
		},
		deviations: []string{byHeader, headingText},
		resources:  scaniatest.Resources, path: "/rfms4", unserved: http.StatusNotAcceptable,
		accept: func(resource string) string { return "application/json; rfms=" + resource + ".v4.0" },
		admits: func(account *sim.Account, r *http.Request) bool { return account.LoggedIn(bearer(r)) },
	},
	"2.1, other versions are not found, nor are reports where there are none": {
		credentials: map[string]string{"username": "api-user", "password": "correct horse"},
		deviations:  []string{byHeader, capitals, emptyNotFound, driverText},
		resources:   volvotruckstest.Resources, path: "/rfms", unserved: http.StatusNotFound,
		accept: func(resource string) string { return "application/vnd.fmsstandard.com." + resource + ".v2.1+json" },
		admits: func(account *sim.Account, r *http.Request) bool {
			name, password, ok := r.BasicAuth()
			return ok && account.Accepts("username", name) && account.Accepts("password", password)
		},
	},
	"2.1 with capital letters, a key, and a selection by receipt that stands still": {
		deviations:  []string{byHeader, capitals, receiptStuck},
		credentials: map[string]string{"authentication": "header", "header_name": "Ocp-Apim-Subscription-Key", "api_key": "correct horse"},
		resources:   volvotruckstest.StuckResources, path: "/rfms", unserved: http.StatusUnsupportedMediaType,
		accept: func(resource string) string {
			return "application/vnd.fmsstandard.com." + strings.ToUpper(resource[:1]) + resource[1:] + ".v2.1+json"
		},
		admits: func(account *sim.Account, r *http.Request) bool {
			return account.Accepts("api_key", r.Header.Get("Ocp-Apim-Subscription-Key")) && r.Header.Get("Authorization") == ""
		},
	},
	"2.1 in XML alone, with a token": {
		deviations:  []string{byHeader, inXML},
		credentials: map[string]string{"authentication": "bearer", "access_token": "a token for ever"},
		resources:   volvotruckstest.Resources, path: "/rfms", unserved: http.StatusNotAcceptable,
		accept: func(resource string) string {
			return "application/vnd.fmsstandard.com." + strings.ToUpper(resource[:1]) + resource[1:] + ".v2.1+xml"
		},
		admits: func(account *sim.Account, r *http.Request) bool { return account.Accepts("access_token", bearer(r)) },
	},
}

// TestDeviations holds that each deviation that the page names is one of a maker's.
func TestDeviations(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, m := range makers {
		for _, deviation := range m.deviations {
			served[deviation] = true
		}
	}
	providertest.Deviations(t, "rfms", served)
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func (m maker) serve(account *sim.Account) http.Handler {
	resources := m.resources(account)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, ok := r.BasicAuth()
		if !ok || !account.Accepts("client_id", id) || !account.Accepts("client_secret", secret) {
			fake.ReplyStatus(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
			return
		}
		fake.Reply(w, map[string]any{"access_token": account.Login(time.Hour), "expires_in": 3600})
	})
	mux.HandleFunc(m.path+"/{resource}", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !m.admits(account, r):
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case r.Header.Get("Accept") != m.accept(r.PathValue("resource")):
			http.Error(w, "not this version", m.unserved)
		case m.has(emptyNotFound) && r.PathValue("resource") != "vehicles" && r.URL.Query().Get("starttime") > account.Now().Format(time.RFC3339):
			http.Error(w, "no data", http.StatusNotFound)
		default:
			r.Header.Set("Accept", r.Header.Get("Accept")+"; scania=extended")
			m.reply(w, r, resources)
		}
	})
	return mux
}

// reply serves what resources have, in the maker's form.
func (m maker) reply(w http.ResponseWriter, r *http.Request, resources http.Handler) {
	answer := httptest.NewRecorder()
	resources.ServeHTTP(answer, r)
	w.WriteHeader(answer.Code)
	if answer.Code != http.StatusOK {
		return
	}
	var body any
	err := json.Unmarshal(answer.Body.Bytes(), &body)
	if m.has(driverText) || m.has(headingText) {
		body = m.rewritten("", body)
	}
	var text []byte
	switch {
	case err != nil:
		return
	case m.has(inXML):
		var b strings.Builder
		writeXML(&b, "Response", body)
		text = []byte(b.String())
	default:
		text, err = json.Marshal(body)
	}
	if err == nil {
		_, _ = w.Write(text) // to memory
	}
}

// rewritten is a part of an answer with the driver as a text, or times without a zone.
func (m maker) rewritten(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if own, ok := v["OemDriverIdentification"].(map[string]any); ok && m.has(driverText) && name == "Driver1Id" {
			return own["OemDriverIdentification"]
		}
		if m.has(driverText) && name == "Driver1Id" {
			return ""
		}
		for name, part := range v {
			v[name] = m.rewritten(name, part)
		}
	case []any:
		for i := range v {
			v[i] = m.rewritten(name, v[i])
		}
	case string:
		if m.has(headingText) && strings.HasSuffix(name, "DateTime") {
			return strings.TrimSuffix(v, "Z")
		}
	}
	return v
}

// writeXML writes a value as an element, and a list as several.
func writeXML(b *strings.Builder, name string, v any) {
	if list, ok := v.([]any); ok {
		for _, item := range list {
			writeXML(b, name, item)
		}
		return
	}
	b.WriteString("<ns2:" + name)
	if name == "Response" {
		b.WriteString(` xmlns:ns2="urn:fms-standard:rfms"`)
	}
	b.WriteString(">")
	switch v := v.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			writeXML(b, member, v[member])
		}
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
	case nil:
	default:
		_ = xml.EscapeText(b, fmt.Append(nil, v)) // to memory
	}
	b.WriteString("</ns2:" + name + ">")
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, m := range makers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := providertest.Harness{
				Info: Info, Credentials: m.credentials, Vendor: m.serve, BasePath: m.path,
				ID: func(v sim.Vehicle) string { return v.VIN },
				Readings: []drover.ReadingKind{
					drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingFuelUsed, drover.ReadingDEF,
				},
				ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
					if m.path == "/rfms" { // 2.1 says neither
						want.Registration, want.Active = nil, true
					}
				},
				ExpectPosition: expected(m.path),
				Lacks:          map[string]string{"Limits": "the same calls as those of Volvo Trucks, whose suite counts them"},
			}
			if m.path == "/rfms4" {
				h.Readings = append(h.Readings, drover.ReadingAmbient)
				delete(h.Lacks, "Limits")
			}
			providertest.Run(t, h)
		})
	}
}

// expected takes away what a maker's statuses do not have.
func expected(path string) func(s sim.Sample, want *provider.Position, live bool) {
	return func(s sim.Sample, want *provider.Position, _ bool) {
		if !rfmstest.HasStatus(s) {
			want.DriverID, want.OdometerMetres = nil, nil
		}
		if want.DriverID != nil && path == "/rfms4" {
			want.DriverID = new("S" + *want.DriverID) // with the state that issued the card
		}
		if path == "/rfms" && *s.SpeedKPH > 0 || !rfmstest.HasStatus(s) {
			want.Ignition = nil // in 2.1 only events have it, which happen at a standstill
		}
	}
}

// TestVersionIsFoundAgain holds that a maker who goes on to a newer version is followed.
func TestVersionIsFoundAgain(t *testing.T) {
	t.Parallel()
	serves, refusal := "v2.1", http.StatusNotAcceptable
	var found []string
	p, err := New(provider.Config{
		BaseURL: "https://maker.example", Now: time.Now, Credentials: provider.Credentials{"username": "u", "password": "p"},
		Observed: func(_, form string) { found = append(found, form) },
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			if !strings.Contains(req.Header.Get("Accept"), serves) {
				return providertest.Refuse(refusal)
			}
			return providertest.Answer(`{"vehicle":[],"moreDataAvailable":false}`)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, version := range []string{"v2.1", "v2.1", "v4.0", "v4.0", "v2.1", "v2.1"} {
		if serves = version; i > 3 {
			refusal = http.StatusNotFound // as Volvo Trucks answers what it does not serve
		}
		_, err := p.Devices(t.Context(), "")
		if err != nil && (i == 0 || i%2 == 1) {
			t.Errorf("%s: %v", version, err)
		}
	}
	if strings.Join(found, " ") != "2.1 4.0 2.1" {
		t.Errorf("found %v", found)
	}
	serves, refusal = "v9", http.StatusNotAcceptable
	_, _ = p.Devices(t.Context(), "") // it forgets what it found
	if _, err := p.Devices(t.Context(), ""); provider.StatusOf(err) != http.StatusNotAcceptable {
		t.Errorf("a maker that serves nothing known: %v", err)
	}
}

// TestAnyVersion holds that a maker who knows no header but that of JSON is read.
func TestAnyVersion(t *testing.T) {
	t.Parallel()
	found := ""
	p, err := New(provider.Config{
		BaseURL: "https://maker.example", Now: time.Now, Credentials: provider.Credentials{"username": "u", "password": "p"},
		Observed: func(_, form string) { found = form },
		HTTP: providertest.Doer(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("Accept") != "application/json" {
				return providertest.Refuse(http.StatusUnsupportedMediaType)
			}
			return providertest.Answer(`{"vehicleResponse":{"vehicles":[{"vin":"V1"}]},"moreDataAvailable":false}`)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := p.Devices(t.Context(), ""); err != nil || len(page.Records) != 1 || found != "any" {
		t.Errorf("%+v, %v, found %q", page, err, found)
	}
}

// TestFixedVersion holds that a version that the connection names is the only one asked for.
func TestFixedVersion(t *testing.T) {
	t.Parallel()
	p := providertest.Adapter(t, Info, provider.Credentials{
		"base_url": "https://maker.example", "username": "u", "password": "p", "version": "2.1",
	}, providertest.Doer(func(req *http.Request) (*http.Response, error) {
		if accept := req.Header.Get("Accept"); accept != "application/vnd.fmsstandard.com.vehicles.v2.1+json" {
			t.Errorf("asked for %q", accept)
		}
		return providertest.Refuse(http.StatusNotAcceptable)
	}), time.Date(2024, 5, 2, 14, 0, 0, 0, time.UTC))
	if err := p.Check(t.Context()); provider.StatusOf(err) != http.StatusNotAcceptable {
		t.Errorf("%v", err)
	}
}
