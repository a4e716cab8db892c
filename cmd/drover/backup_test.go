package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	filled "github.com/drover-fleet/drover/test/e2e/world"
)

// drill is an installation with something of everything in it, and a place for its
// copy.
type drill struct {
	from, to []string // flags
	copied   config.Store
	made     *filled.World
}

func newDrill(t *testing.T, database string) drill {
	t.Helper()
	here, there := config.Store{Data: folder(t)}, config.Store{Data: folder(t)}
	d := drill{from: []string{"--data", here.Data}, to: []string{"--data", there.Data}}
	if database == "postgres" {
		server, err := storetest.StartServer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Stop() })
		for _, name := range []string{"here", "there"} {
			if err := server.Create(context.Background(), name, ""); err != nil {
				t.Fatal(err)
			}
		}
		here.Database, there.Database = server.URL("here"), server.URL("there")
		d.from, d.to = append(d.from, "--database", here.Database), append(d.to, "--database", there.Database)
	}
	var err error
	if d.made, err = filled.Make(t.Context(), here); err != nil {
		t.Fatal(err)
	}
	d.copied = there
	return d
}

// TestRestoreDrill takes a backup, brings it back elsewhere and looks whether all of
// it is there.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			d, file := newDrill(t, database), filepath.Join(t.TempDir(), "drover.tar.gz")
			succeed(t, "", with(d.from, "verify")...)
			out := succeed(t, "", with(d.from, "backup", file)...)
			if !strings.Contains(out, "schema") || !strings.Contains(out, "SHA-256") {
				t.Errorf("the backup says %q", out)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the backup is readable by others: %v, %v", info.Mode(), err)
			}
			refuse(t, "is there already", "", with(d.from, "backup", file)...)
			succeed(t, "", with(d.to, "restore", file)...)
			refuse(t, map[string]string{"sqlite": "is there already", "postgres": "is not empty"}[database], "", with(d.to, "restore", file)...)

			from := d.from[1]
			key, err := os.ReadFile(filepath.Join(from, "master.key"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(d.copied.Data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(d.copied.Data, "master.key"), key, 0o600); err != nil {
				t.Fatal(err)
			}
			if out := succeed(t, "", with(d.to, "verify")...); strings.Contains(out, "sealed     0 values") {
				t.Errorf("nothing sealed was found:\n%s", out)
			}
			s, err := app.OpenStore(t.Context(), d.copied, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			owner, first := d.made.Owner.ID, d.made.Devices[0].ID
			drivers, err1 := s.Drivers.Drivers(t.Context(), owner, drover.DriverFilter{}, "", 9)
			faults, err2 := s.Vehicles.Faults(t.Context(), owner, drover.FaultFilter{}, "", 9)
			dangers, err3 := s.Vehicles.SafetyEvents(t.Context(), owner, drover.SafetyFilter{}, "", 9)
			series, err4 := s.Vehicles.DeviceReadings(t.Context(), owner, first)
			all := store.ReadingRange{TenantID: owner, DeviceID: first, To: drover.Milli(1 << 60), Limit: 9}
			readings, err5 := s.Vehicles.Readings(t.Context(), all)
			if err := errors.Join(err1, err2, err3, err4, err5); err != nil || len(drivers)*len(faults)*len(dangers)*len(series)*len(readings) != 1 {
				t.Errorf("%d drivers, %d faults, %d safety events, %d series with %d readings: %v", len(drivers), len(faults), len(dangers),
					len(series), len(readings), err)
			}
			for _, device := range d.made.Devices {
				if _, err := s.Fleet.Device(t.Context(), d.made.Owner.ID, device.ID); err != nil {
					t.Errorf("device %s: %v", device.ID, err)
				}
			}
		})
	}
}

// TestDamagedBackup changes a byte in the middle of a backup, and cuts one off.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	d, file := newDrill(t, "sqlite"), filepath.Join(t.TempDir(), "drover.tar.gz")
	succeed(t, "", with(d.from, "backup", file)...)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[len(changed)/2] ^= 1
	for name, text := range map[string][]byte{
		"changed": changed, "cut": whole[:len(whole)-100], "empty": nil,
		"other": []byte("nothing of the kind"),
	} {
		broken := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(broken, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r := execute(t.Context(), "", with(d.to, "restore", broken)...)
		if r.code != 1 || !strings.Contains(r.err, "is damaged") && !strings.Contains(r.err, "is no backup of drover") {
			t.Errorf("%s: exit code %d: %s", name, r.code, r.err)
		}
		if _, err := os.Stat(d.copied.DatabasePath()); err == nil {
			t.Errorf("%s: a database was made", name)
		}
	}
}

// TestVerifyFinds plants a fault of each kind.
func TestVerifyFinds(t *testing.T) {
	t.Parallel()
	for want, fault := range map[string]string{
		"FAIL  sealed": `UPDATE connection SET credentials = x'00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'`,
		"FAIL  sums": `INSERT INTO trip_total (tenant_id, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms)
			SELECT tenant_id, id, 1, 0, 0, 0, 0, 0 FROM connection LIMIT 1`,
		"FAIL  feeds": `UPDATE event_sequence SET last = last + 1`,
		"a series of readings has no device": `INSERT INTO reading_series (tenant_id, device_id, connection_id, series, ids, shown, states)
			SELECT tenant_id, id, id, 0, '[]', x'', x'' FROM connection LIMIT 1`,
		"readings have no series": `INSERT INTO reading (tenant_id, device_id, series, time, value) SELECT tenant_id, id, 9, 1, 1 FROM device LIMIT 1`,
		"a fault has no device": `INSERT INTO fault (tenant_id, id, connection_id, device_id, fault_key, protocol, code, lamps, status, first_seen_at, last_seen_at)
			SELECT tenant_id, id, id, id, 'x', 'obd', 'P0420', '[]', 'open', 1, 1 FROM connection LIMIT 1`,
		"a fault is open and over": `INSERT INTO fault (tenant_id, id, connection_id, device_id, fault_key, protocol, code, lamps, status, first_seen_at, last_seen_at, closed_at, closed_by)
			SELECT tenant_id, id, connection_id, id, 'x', 'obd', 'P0420', '[]', 'open', 1, 1, 1, 'vendor' FROM device LIMIT 1`,
		"a safety event has no device": `INSERT INTO safety_event (tenant_id, id, connection_id, device_id, system_event_id, type, native_type, start_time, status)
			SELECT tenant_id, id, id, id, 'x', 'other', 'x', 1, 'open' FROM connection LIMIT 1`,
		"an assignment has no device": `INSERT INTO assignment (tenant_id, id, connection_id, device_id, system_id, method, start_time, end_time)
			SELECT tenant_id, id, id, id, 'x', 'app', 1, 2 FROM connection LIMIT 1`,
		"an assignment ends before it begins": `INSERT INTO assignment (tenant_id, id, connection_id, device_id, system_id, method, start_time, end_time)
			SELECT tenant_id, id, connection_id, id, 'x', 'app', 2, 1 FROM device LIMIT 1`,
		"packed readings of device": `INSERT INTO reading_block (tenant_id, device_id, day, readings, data) SELECT tenant_id, id, 1, 1, x'7262' FROM device LIMIT 1`,
		"packed positions of device": `INSERT INTO position_block (tenant_id, device_id, first, last, rows, data)
			SELECT tenant_id, id, 1, 1, 1, x'00' FROM device LIMIT 1`,
		"a driver has no connection": `INSERT INTO driver (tenant_id, id, connection_id, system_driver_id, keys, tags, edited, active, created_at, updated_at)
			SELECT tenant_id, id, id, 'x', '[]', '[]', '[]', TRUE, 1, 1 FROM device LIMIT 1`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d := newDrill(t, "sqlite")
			db, err := sql.Open("sqlite", filepath.Join(d.from[1], "drover.db"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), fault); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if r := execute(t.Context(), "", with(d.from, "verify")...); r.code != 1 || !strings.Contains(r.out, want) ||
				strings.Count(r.out, "FAIL") != 1 {
				t.Errorf("exit code %d, want 1 and %q:\n%s", r.code, want, r.out)
			}
		})
	}
}
