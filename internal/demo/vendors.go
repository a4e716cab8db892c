package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/provider/vendors/geotab/geotabtest"
	"github.com/drover-fleet/drover/internal/provider/vendors/samsara/samsaratest"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
)

// vendor is a fake of a vendor's API with a fleet of its own.
type vendor struct {
	provider drover.ProviderName
	host     string
	business string
	tags     []string
	other    bool // belongs to the other tenant
	seed     uint64
	vehicles int
	roads    sim.Roads
	loses    bool   // one of its vehicles, shortly before the demo begins
	kind     string // what its vehicles are called, where not trucks
	accepts  map[string]string
	expired  bool // its credentials were accepted once
	serve    func(*sim.Account) http.Handler

	misreports bool // it has lost the distance of some trips since a few days
}

// The names end in .invalid, so that nothing is ever called outside of the
// process.
var vendors = []vendor{
	{
		provider: drover.Traccar, host: "traccar.demo.invalid", business: "Goldfields Haulage", tags: []string{"north", "trucks"}, seed: 4,
		vehicles: 6, roads: sim.Highways,
		accepts: map[string]string{"token": "demo-traccar-token"}, serve: traccartest.New, misreports: true,
	},
	{
		provider: drover.Samsara, host: "samsara.demo.invalid", business: "Bass Strait Couriers", tags: []string{"vans"}, seed: 7, vehicles: 20,
		roads: sim.CityRoads, kind: "Van",
		accepts: map[string]string{"api_token": "demo-samsara-token"}, serve: samsaratest.New,
	},
	{
		provider: drover.Geotab, host: "geotab.demo.invalid", business: "Murray Plant Hire", tags: []string{"plant", "north"}, seed: 2,
		vehicles: 4, roads: sim.CountryRoads, loses: true, kind: "Loader",
		accepts: map[string]string{"database": "murray", "username": "api@murray.example", "password": "demo-geotab-password"}, serve: inMiles,
	},
	{
		provider: drover.Samsara, host: "yarra.demo.invalid", business: "Yarra Cold Chain", tags: []string{"vans"}, seed: 21, vehicles: 4,
		roads: sim.CityRoads, expired: true,
		accepts: map[string]string{"api_token": "demo-yarra-token"}, serve: samsaratest.New,
	},
	{
		provider: drover.Flespi, host: "flespi.demo.invalid", business: "Otway Timber", other: true, seed: 13, vehicles: 3,
		roads:   sim.CountryRoads,
		accepts: map[string]string{"token": "demo-flespi-token"}, serve: flespitest.New,
	},
}

func (v vendor) credentials() map[string]string {
	all := map[string]string{provider.BaseURLField: "https://" + v.host}
	maps.Copy(all, v.accepts)
	if v.expired {
		for name := range v.accepts {
			all[name] = "expired-" + v.accepts[name]
		}
	}
	return all
}

// fleet is what the vehicles did and will do in a demo that begins at a time. Parked ones
// report every five minutes, so that there is always something to see.
func (v vendor) fleet(begin time.Time) *sim.Fleet {
	busy := &sim.Busy{Roads: v.roads, Recent: begin.Add(-time.Hour)}
	if v.loses {
		busy.Silent = begin.Add(-30 * time.Minute)
	}
	return sim.New(sim.Options{Seed: v.seed, Vehicles: v.vehicles, Interval: 15 * time.Second, Heartbeat: 5 * time.Minute, Busy: busy})
}

// Demo is the vendors of a demo and their fleets.
type Demo struct {
	now    func() time.Time
	begin  time.Time
	fleets []*sim.Fleet // of the vendors, in their order
}

// New returns a demo that began at a time, as what it does depends on, and that lives in the time of now.
func New(begin time.Time, now func() time.Time) *Demo {
	d := &Demo{now: now, begin: begin}
	for _, v := range vendors {
		d.fleets = append(d.fleets, v.fleet(begin))
	}
	return d
}

// Vendors are the fakes by host, to be served within the process.
func (d *Demo) Vendors() map[string]http.Handler {
	hosts := map[string]http.Handler{receiverHost: http.HandlerFunc(receive)}
	for i, v := range vendors {
		hosts[v.host] = v.serve(sim.NewAccount(d.fleets[i], d.now, v.accepts))
		if v.misreports {
			hosts[v.host] = misreported(hosts[v.host], d.begin.Add(-misreporting))
		}
	}
	return hosts
}

// receiverHost takes the webhooks of the demo.
const receiverHost = "hooks.demo.invalid"

// receive accepts deliveries at one path, and says so at any other.
func receive(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/orders" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "there is no hook "+r.URL.Path+": deliveries are taken at /orders", http.StatusNotFound)
}

// inMiles is a Geotab account whose speeds are in miles per hour, which they should
// not be, so that there is a connection with doubtful data. Its login may not see
// exceptions, so that one lacks a right.
func inMiles(account *sim.Account) http.Handler {
	server := geotabtest.New(account)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body) // the demo's own client
		if bytes.Contains(asked, []byte(`"ExceptionEvent"`)) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","error":{"data":{"type":"InvalidPermissionsException"}}}`) //nolint:errcheck // the demo's own client
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
		answer := &answer{ResponseWriter: w}
		server.ServeHTTP(answer, r)
		w.Write(speed.ReplaceAllFunc(answer.body, func(text []byte) []byte { //nolint:errcheck // the demo's own client
			kph, err := strconv.ParseFloat(string(speed.FindSubmatch(text)[1]), 64)
			if err != nil {
				return text
			}
			return fmt.Appendf(nil, `"speed":%.1f`, kph/drover.SpeedFactor("mph"))
		}))
	})
}

// speed is one in the text of an answer.
var speed = regexp.MustCompile(`"speed":([0-9.]+)`)

// misreporting is for how long a server has lost distances.
const misreporting = 3 * 24 * time.Hour

// misreported is a Traccar server that loses the distance of some trips, and of more since
// a time: so there are invalid ones to look at, and more this week than in the week before.
func misreported(server http.Handler, since time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/reports/trips") {
			server.ServeHTTP(w, r)
			return
		}
		answer := &answer{ResponseWriter: w}
		server.ServeHTTP(answer, r)
		var trips []map[string]any
		if err := json.Unmarshal(answer.body, &trips); err != nil {
			w.Write(answer.body) //nolint:errcheck // the demo's own client
			return
		}
		for _, t := range trips {
			one := int64(20)
			if text, ok := t["startTime"].(string); ok && text >= since.Format(time.DateOnly) {
				one = 4
			}
			if id, ok := t["startPositionId"].(float64); ok && int64(id)/30%one == 0 {
				t["distance"] = 0
			}
		}
		json.NewEncoder(w).Encode(trips) //nolint:errcheck,errchkjson // the demo's own client
	})
}

// answer holds a body back.
type answer struct {
	http.ResponseWriter
	body []byte
}

func (a *answer) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}
