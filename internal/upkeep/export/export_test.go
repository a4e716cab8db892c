package export_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/upkeep/export"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

var present = time.Date(2024, 5, 2, 10, 15, 30, 0, time.UTC)

// world is a tenant with devices and positions, and where its exports lie.
type world struct {
	store   *store.Store
	files   export.Files
	runner  *export.Runner
	now     time.Time
	step    time.Duration // by which it advances each time that it is looked at
	tenant  string
	devices []string
}

func onBoth(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		w := &world{store: s, now: present, tenant: store.NewID()}
		w.files = export.Files(export.Table{Store: s})
		if s.Database() == "sqlite" {
			w.files = export.Folder(t.TempDir())
		}
		w.runner = w.newRunner(w.files)
		w.fill(t)
		f(t, w)
	})
}

func (w *world) newRunner(files export.Files) *export.Runner {
	return export.New(export.Options{
		Store: w.store, Files: files, Now: func() time.Time { w.now = w.now.Add(w.step); return w.now },
		Logger: slog.New(slog.DiscardHandler),
	})
}

// fill adds three devices with 1, 1500 and 0 positions: less than a page, more than
// one, and none.
func (w *world) fill(t *testing.T) {
	t.Helper()
	ctx, at := t.Context(), drover.At(present)
	connection := store.NewID()
	err := w.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: w.tenant, Name: w.tenant, CreatedAt: at}); err != nil {
			return err
		}
		for i, count := range []int{1, 1500, 0} {
			d := drover.Device{
				ID: store.NewID(), ConnectionID: connection, SystemDeviceID: string(rune('a' + i)),
				Description: new(`Truck "7", red`), Active: true, Tags: []string{"north", "cold"},
			}
			w.devices = append(w.devices, d.ID)
			if err := tx.Fleet.AddDevice(ctx, w.tenant, d, at); err != nil {
				return err
			}
			positions := make([]history.Position, count)
			for j := range positions {
				positions[j] = history.Of(d.ID, drover.Position{
					Time: drover.At(present.Add(time.Duration(j-1500) * time.Second)), Latitude: 48 + float64(j)/1e4, Longitude: 11.5,
					SpeedKPH: new(50.5), DriverID: new("D-1"),
				})
			}
			if _, err := tx.History.AddPositions(ctx, w.tenant, positions); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) add(t *testing.T, kind drover.ExportKind, format drover.ExportFormat, filters string) string {
	t.Helper()
	e := work.Export{TenantID: w.tenant, Export: drover.Export{
		ID: store.NewID(), Kind: kind, Format: format, Filters: json.RawMessage(filters), State: drover.ExportQueued, CreatedAt: drover.At(w.now),
	}}
	if err := w.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.AddExport(t.Context(), e) }); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

func (w *world) read(t *testing.T, id string) work.Export {
	t.Helper()
	e, err := w.store.Jobs.Export(t.Context(), w.tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// made runs an export to its end and returns its file.
func (w *world) made(t *testing.T, kind drover.ExportKind, format drover.ExportFormat, filters string) string {
	t.Helper()
	id := w.add(t, kind, format, filters)
	if worked, err := w.runner.Next(t.Context()); !worked || err != nil {
		t.Fatalf("worked is %t: %v", worked, err)
	}
	e := w.read(t, id)
	if e.State != drover.ExportDone || e.ProgressPercent != 100 || e.ExpiresAt == nil || !e.ExpiresAt.Equal(w.now.Add(drover.ExportLifetime)) {
		t.Fatalf("the export is %+v", e)
	}
	return w.content(t, e)
}

func (w *world) content(t *testing.T, e work.Export) string {
	t.Helper()
	file, err := w.files.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(content)) != e.Bytes {
		t.Errorf("%d bytes are read, %d were reported", len(content), e.Bytes)
	}
	return string(content)
}

func TestPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(w.made(t, drover.ExportPositions, drover.ExportCSV, `{}`))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1+1501 || rows[0][0] != "device_id" || rows[0][5] != "speed_kph" {
			t.Fatalf("%d rows, the first %v", len(rows), rows[0])
		}
		seen := map[string]bool{}
		for _, r := range rows[1:] {
			seen[r[0]+r[1]] = true
		}
		if len(seen) != 1501 {
			t.Errorf("%d positions are different", len(seen))
		}
		if want := []string{w.devices[0], "2024-05-02T09:50:30Z", "11.5", "48", "", "50.5", "D-1", "", "", "", ""}; !slices.Equal(rows[1], want) {
			t.Errorf("the first row is %q, want %q", rows[1], want)
		}
		lines := strings.Split(strings.TrimSpace(w.made(t, drover.ExportPositions, drover.ExportJSONL,
			`{"device_id":["`+w.devices[1]+`"],"from":"2024-05-02T10:15:20Z","to":"2024-05-02T10:15:25Z"}`)), "\n")
		if len(lines) != 5 || !strings.HasPrefix(lines[0], `{"device_id":"`+w.devices[1]+`","timestamp":"2024-05-02T10:15:20Z"`) {
			t.Errorf("the lines are %q", lines)
		}
	})
}

// TestPositionsOfDriver exports what is known of one person.
func TestPositionsOfDriver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.History.AddPositions(t.Context(), w.tenant, []history.Position{
				history.Of(w.devices[1], drover.Position{Time: drover.At(present.Add(-time.Hour)), DriverID: new("Ann")}),
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(w.made(t, drover.ExportPositions, drover.ExportJSONL, `{"driver_id":"Ann"}`))
		if strings.Count(got, "\n") != 0 || !strings.HasPrefix(got, `{"device_id":"`+w.devices[1]+`","timestamp":"2024-05-02T09:15:30Z"`) {
			t.Errorf("the positions are %s", got)
		}
		if got := w.made(t, drover.ExportPositions, drover.ExportJSONL, `{"driver_id":"no one"}`); got != "" {
			t.Errorf("of no one there are %s", got)
		}
	})
}

// TestTripsHaveTheirDriver exports a trip with a driver and one without: the flat formats
// have a column for it, JSON lines where it is asked for.
func TestTripsHaveTheirDriver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		d, err := w.store.Fleet.Device(t.Context(), w.tenant, w.devices[0])
		if err != nil {
			t.Fatal(err)
		}
		err = w.store.Update(t.Context(), func(tx *store.Tx) error {
			for i, driver := range []*string{new("D-1"), nil} {
				start := present.Add(time.Duration(i-2) * time.Hour)
				added := store.Trip{Access: store.Access{TenantID: w.tenant}, ConnectionID: d.ConnectionID, DriverID: driver, Trip: drover.Trip{
					ID: store.NewID(), DeviceID: d.ID, SystemTripID: fmt.Sprint(i), StartTime: drover.At(start),
					EndTime: drover.At(start.Add(time.Minute)), IsValid: true,
				}}
				if err := tx.Trips.AddTrip(t.Context(), added); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(w.made(t, drover.ExportTrips, drover.ExportCSV, `{}`))).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		last := len(rows[0]) - 1
		if got, want := []string{rows[0][last], rows[1][last], rows[2][last]}, []string{"driver_id", "D-1", ""}; !slices.Equal(got, want) {
			t.Errorf("the last column is %q, want %q", got, want)
		}
		content := w.made(t, drover.ExportTrips, drover.ExportParquet, `{}`)
		type row struct {
			DriverID *string `parquet:"driver_id"`
		}
		drivers, err := parquet.Read[row](strings.NewReader(content), int64(len(content)))
		if err != nil || len(drivers) != 2 || drivers[0].DriverID == nil || *drivers[0].DriverID != "D-1" || drivers[1].DriverID != nil {
			t.Errorf("Parquet has %+v: %v", drivers, err)
		}
		if got := w.made(t, drover.ExportTrips, drover.ExportJSONL, `{}`); strings.Count(got, "\n") != 2 || strings.Contains(got, "driver") {
			t.Errorf("without include the lines are %s", got)
		}
		lines := strings.Split(w.made(t, drover.ExportTrips, drover.ExportJSONL, `{"include":"driver"}`), "\n")
		if !strings.Contains(lines[0], `"driver_id":{"format":"text","value":"D-1"}`) || !strings.Contains(lines[1], `"driver_id":null`) {
			t.Errorf("with include the lines are %s", lines)
		}
	})
}

// What a tenant has set of its own is in every format, and its filters find it.
func TestMilestonesHaveTheirReference(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		err := w.store.Update(t.Context(), func(tx *store.Tx) error {
			for _, m := range []drover.Milestone{
				{Reference: new("order 7"), Metadata: map[string]string{"customer": "Acme"}}, {Reference: new("order 8")}, {},
			} {
				m.ID, m.TenantID, m.DeviceID, m.Status = store.NewID(), w.tenant, w.devices[0], drover.TripNotStarted
				m.StartTime, m.CreatedAt, m.UpdatedAt = drover.At(present), drover.At(present), drover.At(present)
				if err := tx.Trips.AddMilestone(t.Context(), store.Milestone{Milestone: m, DeviceTenantID: w.tenant, State: []byte("{}")}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all := w.made(t, drover.ExportMilestones, drover.ExportCSV, `{}`)
		for _, want := range []string{",status,reference,metadata\n", `,order 7,"{""customer"":""Acme""}"` + "\n", ",order 8,\n", ",trip_not_started,,\n"} {
			if !strings.Contains(all, want) {
				t.Errorf("the file lacks %q:\n%s", want, all)
			}
		}
		for _, filters := range []string{`{"reference":"order 7"}`, `{"metadata":"customer=Acme"}`} {
			one := w.made(t, drover.ExportMilestones, drover.ExportJSONL, filters)
			if strings.Count(one, "\n") != 1 || !strings.Contains(one, `"reference":"order 7","metadata":{"customer":"Acme"}`) {
				t.Errorf("with %s the file is %s", filters, one)
			}
		}
	})
}

func TestParquet(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		content := w.made(t, drover.ExportPositions, drover.ExportParquet, `{}`)
		type row struct {
			DeviceID  string    `parquet:"device_id"`
			Timestamp time.Time `parquet:"timestamp,timestamp(millisecond)"`
			Latitude  float64   `parquet:"latitude"`
			Heading   *float64  `parquet:"heading"`
			SpeedKPH  *float64  `parquet:"speed_kph"`
		}
		rows, err := parquet.Read[row](strings.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		last := rows[len(rows)-1]
		if len(rows) != 1501 || last.DeviceID != w.devices[1] || !last.Timestamp.Equal(present.Add(-time.Second)) || last.Heading != nil ||
			*last.SpeedKPH != 50.5 {
			t.Errorf("%d rows, the last %+v", len(rows), last)
		}
	})
}

func TestEveryKindInEveryFormat(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		for _, kind := range drover.ExportKinds {
			for _, format := range drover.ExportFormats {
				if new(export.Runner).Check(drover.ExportInput{Kind: kind, Format: format}) != nil {
					continue // it has no place
				}
				content := w.made(t, kind, format, `{}`)
				if format == drover.ExportGeoJSON {
					var collection struct {
						Features []struct{ Properties map[string]any }
					}
					if err := json.Unmarshal([]byte(content), &collection); err != nil {
						t.Fatalf("%s: %v: %.200s", kind, err, content)
					}
					if kind == drover.ExportDevices && (len(collection.Features) != 3 ||
						collection.Features[0].Properties["description"] != `Truck "7", red`) {
						t.Errorf("the devices are %s", content)
					}
				}
			}
		}
	})
}

// broken breaks off in the middle of a file.
type broken struct {
	export.Files
	fault func() error
}

type brokenWriter struct {
	io.WriteCloser
	fault func() error
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind    drover.ExportKind
		format  drover.ExportFormat
		filters string
		loc     []any
	}{
		"Good":       {drover.ExportTrips, drover.ExportCSV, `{"is_valid":true,"from":"2024-05-01T00:00:00Z","device_id":null}`, nil},
		"None":       {drover.ExportTrips, drover.ExportCSV, ``, nil},
		"Include":    {drover.ExportTrips, drover.ExportJSONL, `{"include":"driver"}`, nil},
		"NotThat":    {drover.ExportTrips, drover.ExportJSONL, `{"include":"path"}`, []any{"body", "filters", "include"}},
		"NoObject":   {drover.ExportTrips, drover.ExportCSV, `[]`, []any{"body", "filters"}},
		"Unknown":    {drover.ExportTrips, drover.ExportCSV, `{"colour":"red"}`, []any{"body", "filters", "colour"}},
		"BadTime":    {drover.ExportStops, drover.ExportCSV, `{"from":"today"}`, []any{"body", "filters", "from"}},
		"BadStatus":  {drover.ExportMilestones, drover.ExportCSV, `{"status":"gone"}`, []any{"body", "filters", "status"}},
		"Object":     {drover.ExportDevices, drover.ExportCSV, `{"tag":{}}`, []any{"body", "filters", "tag"}},
		"ObjectIn":   {drover.ExportPositions, drover.ExportCSV, `{"device_id":["a",{}]}`, []any{"body", "filters", "device_id", 1}},
		"BadType":    {drover.ExportEvents, drover.ExportCSV, `{"type":["device.gone"]}`, []any{"body", "filters", "type"}},
		"NoPlace":    {drover.ExportEvents, drover.ExportGeoJSON, ``, []any{"body", "format"}},
		"NoDriver":   {drover.ExportDrivers, drover.ExportGeoJSON, ``, []any{"body", "format"}},
		"NoFault":    {drover.ExportFaults, drover.ExportGeoJSON, ``, []any{"body", "format"}},
		"NoReading":  {drover.ExportReadings, drover.ExportGeoJSON, ``, []any{"body", "format"}},
		"Danger":     {drover.ExportSafety, drover.ExportGeoJSON, `{"type":["crash"]}`, nil},
		"NoDanger":   {drover.ExportSafety, drover.ExportCSV, `{"type":["loud"]}`, []any{"body", "filters", "type"}},
		"BadKind":    {drover.ExportReadings, drover.ExportCSV, `{"kind":["miles"]}`, []any{"body", "filters", "kind"}},
		"OtherOrder": {drover.ExportEvents, drover.ExportCSV, `{"order":"desc"}`, []any{"body", "filters", "order"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := new(export.Runner).Check(drover.ExportInput{Kind: c.kind, Format: c.format, Filters: json.RawMessage(c.filters)})
			e, _ := errors.AsType[*drover.Error](err)
			switch {
			case c.loc == nil && err != nil:
				t.Error(err)
			case c.loc != nil && (e == nil || !slices.Equal(e.Loc, c.loc)):
				t.Errorf("refused with %+v, want one at %v", err, c.loc)
			}
		})
	}
}
