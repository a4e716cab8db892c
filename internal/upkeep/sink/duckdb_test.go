//go:build duckdb

package sink_test

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

// seen is a position as DuckDB sees it.
type seen struct {
	DeviceID  string   `json:"device_id"`
	Timestamp int64    `json:"timestamp"`
	Longitude float64  `json:"longitude"`
	Latitude  float64  `json:"latitude"`
	Heading   *float64 `json:"heading"`
	SpeedKPH  *float64 `json:"speed_kph"`
	DriverID  *string  `json:"driver_id"`
	Ignition  *bool    `json:"ignition"`
	Auxiliary *bool    `json:"auxiliary"`
	Odometer  *float64 `json:"odometer_metres"`
	Suspect   *string  `json:"suspect"`
	Tenant    string   `json:"tenant"`
	Day       string   `json:"day"`
}

type daySum struct {
	Day       string   `json:"day"`
	Positions int      `json:"positions"`
	Speeds    int      `json:"speeds"`
	Speed     *float64 `json:"speed"`
}

// TestDuckDB reads the files of a sink with DuckDB, as the documentation shows it, and
// finds every value that was stored, of its type.
func TestDuckDB(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		var want []seen
		var positions []history.Position
		sums := map[string]*daySum{}
		for i := range 5000 {
			p := various(i)
			positions = append(positions, history.Of(w.device, p))
			s := seen{
				w.device, p.Time.UnixMilli(), p.Longitude, p.Latitude, p.Heading, p.SpeedKPH, p.DriverID, p.Ignition, p.Auxiliary, p.OdometerMetres,
				nil, w.tenant, p.Time.Format(time.DateOnly),
			}
			if i == 17 {
				positions[i].Suspect, s.Suspect = "jump", new("jump")
			}
			want = append(want, s)
			sum := sums[s.Day]
			if sum == nil {
				sum = &daySum{Day: s.Day}
				sums[s.Day] = sum
			}
			if sum.Positions++; p.SpeedKPH != nil {
				sum.Speeds++
				if sum.Speed == nil {
					sum.Speed = new(float64)
				}
				*sum.Speed += *p.SpeedKPH
			}
		}
		w.update(func(tx *store.Tx) error {
			_, err := tx.History.AddPositions(t.Context(), w.tenant, positions)
			return err
		})
		w.pack()
		w.clock.Advance(time.Hour)
		w.run()
		folder, _ := w.files.(sink.Folder)
		out, err := exec.CommandContext(t.Context(), "node", "../../test/outside/duckdb.mjs", string(folder)).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
		}
		var got struct {
			Types map[string]string `json:"types"`
			Rows  []seen            `json:"rows"`
			ByDay []daySum          `json:"byDay"`
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		types := map[string]string{
			"device_id": "VARCHAR", "timestamp": "TIMESTAMP WITH TIME ZONE", "longitude": "DOUBLE", "latitude": "DOUBLE", "heading": "DOUBLE",
			"speed_kph": "DOUBLE",
			"driver_id": "VARCHAR", "ignition": "BOOLEAN", "auxiliary": "BOOLEAN", "odometer_metres": "DOUBLE", "suspect": "VARCHAR",
			"tenant": "VARCHAR", "day": "DATE",
		}
		if diff := cmp.Diff(types, got.Types); diff != "" {
			t.Errorf("types (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, got.Rows); diff != "" {
			t.Errorf("rows (-want +got):\n%.2000s", diff)
		}
		if len(got.ByDay) != len(sums) || len(sums) != 3 {
			t.Fatalf("%d days, want %d", len(got.ByDay), len(sums))
		}
		for _, d := range got.ByDay {
			w := *sums[d.Day]
			if d.Positions != w.Positions || d.Speeds != w.Speeds || (*d.Speed-*w.Speed)/(*w.Speed) > 1e-9 ||
				(*d.Speed-*w.Speed)/(*w.Speed) < -1e-9 {
				t.Errorf("%+v with the speed %v, want %+v with %v", d, *d.Speed, w, *w.Speed)
			}
		}
	})
}

// various are positions of three days, in both hemispheres, with all fields, none, or
// some of them.
func various(i int) drover.Position {
	p := drover.Position{
		Time:     drover.At(start.Add(time.Duration(i)*43*time.Second + time.Duration(i%3)*time.Millisecond)),
		Latitude: -37 + float64(i)/70, Longitude: 144.123456 + float64(i%7)/3,
	}
	if i%2 == 0 {
		p.Heading, p.Ignition = new(float64(i%3600)/10), new(i%3 == 0)
	}
	if i%5 > 1 {
		p.SpeedKPH, p.DriverID = new(float64(i%130)+1.0/3), new([]string{"D-17", "Jürgen 運転手"}[i%2])
	}
	if i > 2500 {
		p.OdometerMetres, p.Auxiliary = new(float64(i)*123.4), new(i%11 == 0)
	}
	return p
}
