package export_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// instruments gives the first device a fault, a safety event, and more readings than a batch,
// of which one is not believed, and its connection a driver.
func (w *world) instruments(t *testing.T) {
	t.Helper()
	ctx, at := t.Context(), drover.At(present.Add(-time.Hour))
	d, err := w.store.Fleet.Device(ctx, w.tenant, w.devices[0])
	if err != nil {
		t.Fatal(err)
	}
	err = w.store.Update(ctx, func(tx *store.Tx) error {
		values := make([]store.ReadingRow, 0, 1201)
		for i := range 1201 {
			v := drover.ReadingValue{At: at.UnixMilli() + int64(i)*1000, Value: 1e6 + float64(i)*10}
			if i == 600 {
				v.Value = 0
			}
			values = append(values, store.ReadingRow{DeviceID: d.ID, ReadingRow: drover.ReadingRow{Series: 1, ReadingValue: v}})
		}
		if err := tx.Vehicles.AddReadings(ctx, w.tenant, values); err != nil {
			return err
		}
		err := tx.Vehicles.SetReadingSeries(ctx, w.tenant, []store.ReadingSeries{{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Number: 1, Shown: values[1200].ReadingValue,
			ReadingSeries: drover.ReadingSeries{Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, NativeName: "odo"},
		}})
		if err != nil {
			return err
		}
		err = tx.Vehicles.SetFaults(ctx, w.tenant, []store.Fault{{Key: "k", Fault: drover.Fault{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, Protocol: drover.FaultOBD, Code: "P0420", Status: drover.FaultOpen,
			Lamps: []drover.Lamp{drover.LampAmber, drover.LampProtect}, FirstSeenAt: at, LastSeenAt: at, Severity: new(drover.FaultHigh),
		}}})
		if err != nil {
			return err
		}
		err = tx.Vehicles.SetSafetyEvents(ctx, w.tenant, []drover.SafetyEvent{{
			ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, SystemEventID: "e", Type: drover.SafetyCrash, NativeType: "bump",
			DriverID: drover.NewDriverID(new("D-1")), StartTime: at, Latitude: new(48.5), Longitude: new(11.5), Status: drover.SafetyOpen,
		}})
		if err != nil {
			return err
		}
		return tx.Drivers.AddDrivers(ctx, w.tenant, []drover.Driver{{
			ID: store.NewID(), ConnectionID: d.ConnectionID, SystemDriverID: "D-1", Name: new("=Ann"), Active: true, Tags: []string{"night"},
			Keys: []drover.DriverKey{{Type: drover.KeyRFID, Value: "77"}},
		}}, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRecordsOfInstruments exports what vehicles say of themselves and who drives them.
func TestRecordsOfInstruments(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		t.Helper()
		w.instruments(t)
		for _, c := range []struct {
			kind    drover.ExportKind
			filters string
			rows    int
			want    string
		}{
			{drover.ExportReadings, `{}`, 1200, ",odometer_metres,,2024-05-02T09:35:30Z,1012000,vehicle,odo,"},
			{drover.ExportReadings, `{"suspect":true}`, 1201, ",0,vehicle,odo,zero"},
			{drover.ExportReadings, `{"every":600}`, 3, ",1000000,"},
			{drover.ExportReadings, `{"from":"2024-05-02T09:35:29Z"}`, 2, ",1012000,"},
			{drover.ExportReadings, `{"to":"2024-05-02T09:15:31Z"}`, 1, ",1000000,"},
			{drover.ExportReadings, `{"kind":"charge_percent"}`, 0, ""},
			{drover.ExportFaults, `{}`, 1, ",obd,P0420,,,,,high,amber;protect,open,2024-05-02T09:15:30Z,2024-05-02T09:15:30Z,,,"},
			{drover.ExportFaults, `{"status":"closed"}`, 0, ""},
			{drover.ExportSafety, `{}`, 1, ",e,crash,bump,D-1,2024-05-02T09:15:30Z,,48.5,11.5,"},
			{drover.ExportSafety, `{"type":["speeding"]}`, 0, ""},
			{drover.ExportDrivers, `{}`, 1, ",D-1,'=Ann,,,,,,,,rfid:77,true,night"},
			{drover.ExportDrivers, `{"q":"bob"}`, 0, ""},
		} {
			content := w.made(t, c.kind, drover.ExportCSV, c.filters)
			rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
			if err != nil || len(rows)-1 != c.rows || !strings.Contains(content, c.want) {
				t.Errorf("%s %s: %d rows, %v, want %d with %s: %.600s", c.kind, c.filters, len(rows)-1, err, c.rows, c.want, content)
			}
			lines := strings.TrimSpace(w.made(t, c.kind, drover.ExportJSONL, c.filters))
			if n := len(strings.Fields(strings.ReplaceAll(lines, " ", "_"))); n != c.rows {
				t.Errorf("%s %s: %d lines, want %d", c.kind, c.filters, n, c.rows)
			}
			flat := w.made(t, c.kind, drover.ExportParquet, c.filters)
			file, err := parquet.OpenFile(strings.NewReader(flat), int64(len(flat)))
			if err != nil || file.NumRows() != int64(c.rows) {
				t.Errorf("%s %s: the columns are %v, %v", c.kind, c.filters, file, err)
			}
		}
		var read drover.SafetyEvent
		if err := json.Unmarshal([]byte(w.made(t, drover.ExportSafety, drover.ExportJSONL, `{}`)), &read); err != nil || read.NativeType != "bump" {
			t.Errorf("a line is not the record: %+v, %v", read, err)
		}
		if shape := w.made(t, drover.ExportSafety, drover.ExportGeoJSON, `{}`); !strings.Contains(shape, `[11.5,48.5]`) {
			t.Errorf("the event is nowhere: %s", shape)
		}
	})
}
