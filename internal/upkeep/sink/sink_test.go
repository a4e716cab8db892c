package sink_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/parquet-go/parquet-go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const day = 24 * time.Hour

var start = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// world is a store whose history can be packed, and a place for files.
type world struct {
	*store.Store
	t      *testing.T
	clock  *clocktest.Clock
	tenant string
	device string
	files  sink.Target
}

func onBoth(t *testing.T, f func(t *testing.T, w world)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := world{
				t: t, clock: clocktest.New(start.Add(10 * day)), tenant: store.NewID(), device: store.NewID(),
				files: sink.Folder(t.TempDir()),
			}
			o := storetest.Options(t, database)
			o.Present = w.clock.Now
			w.Store = storetest.Open(t, o)
			w.update(func(tx *store.Tx) error {
				err := tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: w.tenant, Name: "own", CreatedAt: drover.At(start)})
				d := drover.Device{ID: w.device, ConnectionID: store.NewID(), SystemDeviceID: "1", Active: true, Tags: []string{}}
				return errors.Join(err, tx.Fleet.AddDevice(t.Context(), w.tenant, d, drover.At(start)))
			})
			f(t, w)
		})
	}
}

func (w world) update(f func(*store.Tx) error) {
	w.t.Helper()
	if err := w.Update(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) add(after ...time.Duration) {
	w.t.Helper()
	var positions []history.Position
	for _, d := range after {
		positions = append(positions, history.Of(w.device,
			drover.Position{Time: drover.At(start.Add(d)), Latitude: 48.5, Longitude: 11.25, SpeedKPH: new(50.5)}))
	}
	w.update(func(tx *store.Tx) error {
		_, err := tx.History.AddPositions(w.t.Context(), w.tenant, positions)
		return err
	})
}

// pack packs what was settled a day ago: what may be packed is decided at one run and
// packed at the next.
func (w world) pack() {
	w.t.Helper()
	for range 2 {
		if _, err := w.History.Pack(w.t.Context(), w.clock.Now(), w.clock.Now().Add(-day), 0); err != nil {
			w.t.Fatal(err)
		}
		w.clock.Advance(6 * time.Minute)
	}
}

func (w world) run() sink.Done {
	w.t.Helper()
	var done sink.Done
	if err := sink.Run(w.t.Context(), w.History, w.files, w.tenant, w.clock.Now(), &done); err != nil {
		w.t.Fatal(err)
	}
	return done
}

func (w world) path(day time.Time) string {
	folder, _ := w.files.(sink.Folder)
	return filepath.Join(string(folder), sink.Name(w.tenant, drover.At(day)))
}

// row is what a reader of the files sees.
type row struct {
	DeviceID  string    `parquet:"device_id"`
	Timestamp time.Time `parquet:"timestamp,timestamp(millisecond)"`
	Latitude  float64   `parquet:"latitude"`
	SpeedKPH  *float64  `parquet:"speed_kph"`
	Suspect   *string   `parquet:"suspect"`
}

func (w world) rows(path string) []row {
	w.t.Helper()
	rows, err := parquet.ReadFile[row](path)
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

func (w world) expect(got, want sink.Done) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFilePerPackedDay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour, 2*time.Hour, day+time.Hour, 10*day-time.Minute)
		w.expect(w.run(), sink.Done{}) // nothing is packed
		w.pack()
		w.expect(w.run(), sink.Done{}) // packing may still go on
		w.clock.Advance(time.Hour)
		w.expect(w.run(), sink.Done{Files: 2, Positions: 3})
		w.expect(w.run(), sink.Done{Current: 2})
		want := []row{
			{w.device, start.Add(time.Hour), 48.5, new(50.5), nil},
			{w.device, start.Add(2 * time.Hour), 48.5, new(50.5), nil},
		}
		if diff := cmp.Diff(want, w.rows(w.path(start))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestLateAndCorrectedDataReplaceTheFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour, 2*time.Hour, day+time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		w.run()

		w.add(90 * time.Minute)                  // late
		w.expect(w.run(), sink.Done{Current: 1}) // the day waits until it is packed again
		w.clock.Advance(2 * day)
		w.pack()
		w.clock.Advance(time.Hour)
		w.expect(w.run(), sink.Done{Files: 1, Current: 1, Positions: 3})

		w.update(func(tx *store.Tx) error {
			return tx.History.MarkPositions(t.Context(), w.tenant,
				[]history.Mark{{DeviceID: w.device, Time: drover.At(start.Add(time.Hour)), Suspect: "jump"}})
		})
		w.clock.Advance(2 * day)
		w.pack()
		w.clock.Advance(time.Hour)
		w.expect(w.run(), sink.Done{Files: 1, Current: 1, Positions: 3})
		if got := w.rows(w.path(start))[0].Suspect; got == nil || *got != "jump" {
			t.Errorf("suspect = %v", got)
		}
	})
}

func TestErasedDeviceLeavesTheFiles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		w.run()
		if err := w.History.ErasePositions(t.Context(), w.tenant, w.device); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(2 * time.Hour)
		w.expect(w.run(), sink.Done{Files: 1})
		if n := len(w.rows(w.path(start))); n != 0 {
			t.Errorf("%d rows of a device that was erased", n)
		}
	})
}

func TestForgottenDaysStay(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		w.run()
		if _, err := w.History.ForgetPositions(t.Context(),
			[]history.Cut{{TenantID: w.tenant, Before: new(drover.At(start.Add(8 * day)))}}); err != nil {
			t.Fatal(err)
		}
		w.expect(w.run(), sink.Done{})
		if n := len(w.rows(w.path(start))); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

// changing is a target of a day that changes while its file is written.
type changing struct {
	sink.Target
	change func()
}

func (c changing) Put(ctx context.Context, name, version string, write func(io.Writer) error) error {
	c.change()
	return c.Target.Put(ctx, name, version, write)
}

func TestDayThatChangesMeanwhileIsLeftForTheNextRun(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		folder := w.files
		w.files = changing{folder, func() {
			w.add(2 * time.Hour)
			w.clock.Advance(2 * day)
			w.pack()
		}}
		w.expect(w.run(), sink.Done{Changing: 1})
		w.files = folder
		if _, err := os.Stat(w.path(start)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file is there: %v", err)
		}
		w.clock.Advance(time.Hour)
		w.expect(w.run(), sink.Done{Files: 1, Positions: 2})
	})
}

func TestRunThatWasKilledIsRepeated(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		// A process that was killed leaves a part of a file.
		part := w.path(start) + ".part"
		if err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o700), os.WriteFile(part, []byte("PAR1 and no more"), 0o600)); err != nil {
			t.Fatal(err)
		}
		w.expect(w.run(), sink.Done{Files: 1, Positions: 1})
		if _, err := os.Stat(part); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the part is still there: %v", err)
		}
	})
}

func TestForeignFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		path := w.path(start)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("a letter"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := sink.Run(t.Context(), w.History, w.files, w.tenant, w.clock.Now(), &sink.Done{}); err == nil {
			t.Error("no error")
		}
	})
}

func TestBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
	backend := s3mem.New()
	if err := backend.CreateBucket("fleet"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	bucket, err := sink.OpenBucket("s3://fleet/history", server.URL, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	put := func(version, text string, failure error) error {
		return bucket.Put(t.Context(), "a/b.parquet", version, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, failure)
		})
	}
	expect := func(want string) {
		t.Helper()
		if got, err := bucket.Version(t.Context(), "a/b.parquet"); err != nil || got != want {
			t.Errorf("version %q, %v; want %q", got, err, want)
		}
	}
	expect("")
	if err := put("1", "one", errors.New("the day has changed")); err == nil {
		t.Error("a file whose writing failed was put")
	}
	expect("")
	for _, version := range []string{"1", "2"} {
		if err := put(version, "version "+version, nil); err != nil {
			t.Fatal(err)
		}
		expect(version)
	}
	object, err := backend.GetObject("fleet", "history/a/b.parquet", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer object.Contents.Close()
	if text, err := io.ReadAll(object.Contents); err != nil || string(text) != "version 2" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAddressOfABucket(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"s3://", "s3:///prefix", "https://bucket", "s3://user:key@bucket", "s3://bucket?x=y", "%"} {
		if _, err := sink.OpenBucket(bad, "", ""); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	for _, bad := range []string{"s3.example.com", "ftp://s3.example.com", "https://", "https://s3.example.com/path"} {
		if _, err := sink.OpenBucket("s3://bucket", bad, ""); err == nil {
			t.Errorf("endpoint %s is taken", bad)
		}
	}
}
