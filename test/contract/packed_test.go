package contract_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// packedTest is a device with two days of positions that may be packed.
type packedTest struct {
	*testing.T
	*service
	device    string
	positions []history.Position
	passed    time.Duration
}

// TestPackedAnswersAreTheSame reads positions, tracks, the path of a trip and exports, in
// every format, while the positions are rows, while they are packed, while blocks were
// opened again, and packed once more: every answer is the same to the byte.
func TestPackedAnswersAreTheSame(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		p := &packedTest{T: t, service: s}
		p.fill()
		want := p.answers()
		p.pack(len(p.positions))
		p.same("packed", want)
		first := p.positions[0]
		for _, reason := range []string{"jump", first.Suspect} {
			p.update(t, func(tx *store.Tx) error {
				return tx.History.MarkPositions(t.Context(), s.ids["alpha"], []history.Mark{{DeviceID: p.device, Time: first.Time, Suspect: reason}})
			})
		}
		p.same("opened again", want)
		p.passed += 48 * time.Hour // the change settles
		p.pack(0)
		p.same("packed again", want)
	})
}

// fill stores what a simulated vehicle did on two days, with every field and some
// positions that are not believed.
func (p *packedTest) fill() {
	p.Helper()
	p.device = p.addDevice(p, "alpha", "packed_device", "conn", drover.Device{Active: true})
	fleet := sim.New(sim.Options{Seed: 15, Vehicles: 1, Interval: time.Minute, Heartbeat: 5 * time.Minute})
	from := present.Truncate(24*time.Hour).AddDate(0, 0, -10)
	for i, s := range fleet.Positions(fleet.Vehicles()[0], from, from.AddDate(0, 0, 2)) {
		at := history.Of(p.device, s.Position)
		if i%50 == 7 {
			at.Suspect = "jump"
		}
		if i%3 == 0 {
			at.DriverID = new(fmt.Sprintf("D-%d & Söhne", i%2))
		}
		p.positions = append(p.positions, at)
	}
	if len(p.positions) < 500 {
		p.Fatalf("only %d positions", len(p.positions))
	}
	p.update(p, func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(p.Context(), p.ids["alpha"], p.positions)
		return err
	})
	p.addTrip(p, "alpha", "packed_trip", "conn", "packed_device", drover.Trip{
		StartTime: p.positions[100].Time, EndTime: p.positions[400].Time, DurationSeconds: 60, IsValid: true,
	})
}

// pack packs what is settled, and wants at least so many positions to be packed.
func (p *packedTest) pack(least int) {
	p.Helper()
	packed := 0
	for range 2 { // it is decided what may be packed, and then packed
		now := present.Add(p.passed)
		done, err := p.app.Store.History.Pack(p.Context(), now, now.AddDate(0, 0, -1), 0)
		if err != nil {
			p.Fatal(err)
		}
		packed += done.Positions
		p.passed += time.Hour
	}
	if packed < max(1, least) {
		p.Fatalf("%d positions were packed, want at least %d", packed, max(1, least))
	}
}

func (p *packedTest) same(when string, want map[string]string) {
	p.Helper()
	for path, got := range p.answers() {
		if got != want[path] {
			p.Errorf("%s, %s: %d bytes, want these %d:\n%.2000s\ninstead of\n%.2000s", when, path, len(got), len(want[path]), got, want[path])
		}
	}
}

// answers are the bodies by what was asked for.
func (p *packedTest) answers() map[string]string {
	p.Helper()
	answers := map[string]string{}
	from, to := p.positions[0].Time, p.positions[len(p.positions)-1].Time
	window := fmt.Sprintf("from=%s&to=%s", from, to)
	for _, path := range []string{
		"/device/" + p.device + "/positions?limit=700&include_suspect=true&" + window, "/device/" + p.device + "/positions?" + window,
		"/device/" + p.device + "/track?" + window, "/device/" + p.device + "/track?tolerance=0&" + window,
		"/trip/" + p.ids["packed_trip"] + "/path?tolerance=0",
	} {
		for _, format := range []string{"json", "geojson", "gpx"} {
			answers[path+" "+format] = p.body(path + "&format=" + format)
		}
	}
	for _, format := range drover.ExportFormats {
		answers["export as "+string(format)] = p.export(format)
	}
	return answers
}

func (p *packedTest) body(path string) string {
	p.Helper()
	resp := p.send(p, request{method: http.MethodGet, path: path, header: p.authorized(p, alice)})
	if resp.status != http.StatusOK || resp.body == "" {
		p.Fatalf("GET %s: status %d: %s", path, resp.status, resp.body)
	}
	return resp.body
}

// export makes an export of the device's positions and reads its file.
func (p *packedTest) export(format drover.ExportFormat) string {
	p.Helper()
	in := drover.ExportInput{
		Kind: drover.ExportPositions, Format: format,
		Filters: []byte(`{"device_id":["` + p.device + `"],"include_suspect":true}`),
	}
	e, err := p.app.Fleet.Exports.CreateExport(p.Context(), p.admin("alpha"), in)
	if err != nil {
		p.Fatal(err)
	}
	if worked, err := p.app.Exports.Next(p.Context()); !worked || err != nil {
		p.Fatalf("the export was not made: %v", err)
	}
	return p.body("/export/" + e.ID + "/file")
}
