package window_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

var start = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)

// vendor holds minutes after start at which each device has a record, and notes
// the windows it is asked for.
type vendor struct {
	now     time.Time
	records map[string][]int
	asked   []string
	fail    func(window.Window) error
}

func minute(t time.Time) int { return int(t.Sub(start) / time.Minute) }

func (v *vendor) reader() window.Reader[provider.Position] {
	return window.Reader[provider.Position]{
		Fetch: v.fetch, Now: func() time.Time { return v.now },
		Batch: 1, Overlap: 5 * time.Minute, Reach: time.Hour,
	}
}

func (v *vendor) fetch(_ context.Context, w window.Window) ([]provider.Position, error) {
	v.asked = append(v.asked, fmt.Sprintf("%v %d-%d", w.Devices, minute(w.From), minute(w.To)))
	if v.fail != nil {
		if err := v.fail(w); err != nil {
			return nil, err
		}
	}
	devices := w.Devices
	if devices == nil {
		devices = []string{"a", "b"}
	}
	var out []provider.Position
	for _, device := range devices {
		for _, m := range v.records[device] {
			at := start.Add(time.Duration(m) * time.Minute)
			if !at.Before(w.From) && !at.After(w.To) { // inclusive, as many vendors are
				p := provider.Position{SystemDeviceID: device}
				p.Time = drover.At(at)
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// drain reads pages until the round is over.
func drain(t *testing.T, r window.Reader[provider.Position], q provider.Query) (got []string, cursor string) {
	t.Helper()
	for range 100 {
		page, err := r.Page(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Records {
			got = append(got, fmt.Sprintf("%s%d", p.SystemDeviceID, minute(p.Time.Time)))
		}
		if page.Cursor == "" {
			t.Fatal("empty cursor")
		}
		q.Cursor = page.Cursor
		if !page.More {
			return got, page.Cursor
		}
	}
	t.Fatal("no end")
	return nil, ""
}

func TestLive(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(10 * time.Minute), records: map[string][]int{"a": {1, 8}, "b": {2}}}
	q := provider.Query{From: start, Devices: []string{"a", "b", "c"}}
	r := v.reader()
	r.Calls = 1
	got, cursor := drain(t, r, q)
	if diff := cmp.Diff([]string{"a1", "a8", "b2"}, got); diff != "" {
		t.Errorf("first round: %s", diff)
	}

	v.asked, v.now, q.Cursor = nil, start.Add(12*time.Minute), cursor
	v.records["a"] = append(v.records["a"], 4, 11)
	got, cursor = drain(t, v.reader(), q)
	if diff := cmp.Diff([]string{"a8", "a4", "a11", "b2"}, got); diff != "" {
		t.Errorf("second round, with a late record: %s", diff)
	}
	if diff := cmp.Diff([]string{"[a] 3-12", "[b] 0-12", "[c] 0-12"}, v.asked); diff != "" {
		t.Errorf("windows: %s", diff)
	}

	// A long silence, within the reach of the last round and beyond it.
	v.asked, v.now, q.Cursor = nil, start.Add(180*time.Minute), cursor
	_, cursor = drain(t, v.reader(), q)
	v.asked, v.now, q.Cursor = nil, start.Add(181*time.Minute), cursor
	drain(t, v.reader(), q)
	if diff := cmp.Diff([]string{"[a] 120-181", "[b] 120-181", "[c] 120-181"}, v.asked); diff != "" {
		t.Errorf("windows after a silence: %s", diff)
	}
}

func TestOutageIsReadInFull(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(time.Minute), records: map[string][]int{"a": {0, 100, 5000}}}
	q := provider.Query{From: start, Devices: []string{"a"}}
	_, q.Cursor = drain(t, v.reader(), q)
	v.now, v.asked = start.Add(6000*time.Minute), nil
	got, _ := drain(t, v.reader(), q)
	if diff := cmp.Diff([]string{"a0", "a100", "a5000"}, got); diff != "" {
		t.Error(diff)
	}
	if want := 5; len(v.asked) != want {
		t.Errorf("asked %d windows of a day, want %d: %v", len(v.asked), want, v.asked)
	}
}

func TestFutureRecordHidesNothing(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(time.Minute), records: map[string][]int{"a": {0}}}
	q := provider.Query{From: start, Devices: []string{"a"}}
	r := v.reader()
	r.Fetch = func(ctx context.Context, w window.Window) ([]provider.Position, error) {
		w.To = start.AddDate(10, 0, 0)
		return v.fetch(ctx, w)
	}
	v.records["a"] = []int{0, 1_000_000}
	_, q.Cursor = drain(t, r, q)
	v.now = start.Add(30 * time.Minute)
	v.records["a"] = append(v.records["a"], 20)
	got, _ := drain(t, r, q)
	if diff := cmp.Diff([]string{"a0", "a1000000", "a20"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistoric(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(500 * time.Hour), records: map[string][]int{"a": {9, 10, 1500, 2999, 3000}, "b": {2000}}}
	r := v.reader()
	r.Calls = 2
	q := provider.Query{From: start.Add(10 * time.Minute), To: start.Add(3000 * time.Minute), Devices: []string{"a", "b"}}
	got, _ := drain(t, r, q)
	if diff := cmp.Diff([]string{"a10", "a1500", "a2999", "b2000"}, got); diff != "" {
		t.Errorf("records: %s", diff)
	}
	want := []string{"[a] 10-1450", "[a] 1450-2890", "[a] 2890-3000", "[b] 10-1450", "[b] 1450-2890", "[b] 2890-3000"}
	if diff := cmp.Diff(want, v.asked); diff != "" {
		t.Errorf("windows: %s", diff)
	}
}

func TestWidened(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(100 * time.Minute), records: map[string][]int{"a": {50, 62, 75}}}
	r := v.reader()
	r.Before, r.After = 30*time.Minute, 30*time.Minute
	q := provider.Query{From: start.Add(60 * time.Minute), To: start.Add(80 * time.Minute), Devices: []string{"a"}}
	got, _ := drain(t, r, q)
	if diff := cmp.Diff([]string{"[a] 30-100"}, v.asked); diff != "" {
		t.Errorf("windows: %s", diff)
	}
	if diff := cmp.Diff([]string{"a62", "a75"}, got); diff != "" {
		t.Errorf("records: %s", diff)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for batch, want := range map[int][]string{
		0: {"[] 5-20"},
		2: {"[a b] 5-20", "[c] 0-20"},
	} {
		v := &vendor{now: start.Add(15 * time.Minute), records: map[string][]int{"a": {10}, "b": {12}}}
		r := v.reader()
		r.Batch, r.Overlap = batch, 5*time.Minute
		if batch == 0 {
			v.records["b"] = []int{10}
		}
		q := provider.Query{From: start, Devices: []string{"a", "b", "c"}}
		_, q.Cursor = drain(t, r, q)
		v.asked, v.now = nil, start.Add(20*time.Minute)
		drain(t, r, q)
		if diff := cmp.Diff(want, v.asked); diff != "" {
			t.Errorf("batches of %d: %s", batch, diff)
		}
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	v := &vendor{now: start.Add(10 * time.Minute), records: map[string][]int{"a": {1}, "b": {2}}}
	v.fail = func(w window.Window) error {
		if w.Devices[0] == "b" {
			return broken
		}
		return nil
	}
	q := provider.Query{From: start, Devices: []string{"a", "b"}}
	page, err := v.reader().Page(t.Context(), q)
	if err != nil || len(page.Records) != 1 || !page.More {
		t.Fatalf("page = %+v, %v; want what was read before the failure", page, err)
	}
	q.Cursor = page.Cursor
	if _, err := v.reader().Page(t.Context(), q); !errors.Is(err, broken) {
		t.Errorf("second page: %v, want the failure", err)
	}
	v.fail = nil
	if got, _ := drain(t, v.reader(), q); len(got) != 1 || got[0] != "b2" {
		t.Errorf("after the failure: %v, want b2", got)
	}
}

func TestDevicesComeAndGo(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(10 * time.Minute), records: map[string][]int{"a": {1}, "b": {2}, "c": {3}}}
	r := v.reader()
	r.Calls = 1
	q := provider.Query{From: start, Devices: []string{"a", "b"}}
	page, err := r.Page(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Cursor, q.Devices = page.Cursor, []string{"a", "c"} // b, which is next, is gone
	got, _ := drain(t, r, q)
	if diff := cmp.Diff([]string{"a1", "c3"}, got); diff != "" {
		t.Error(diff)
	}
	q = provider.Query{From: start}
	if got, _ := drain(t, r, q); got != nil {
		t.Errorf("no devices: %v", got)
	}
}

func TestBadCursor(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start}
	if _, err := v.reader().Page(t.Context(), provider.Query{Cursor: "?"}); err == nil {
		t.Error("an unreadable cursor was accepted")
	}
}

// TestLongRoundReadsUpToNow asks device by device while time passes: each is read up
// to the moment of its own call, and no window is longer than it may be.
func TestLongRoundReadsUpToNow(t *testing.T) {
	t.Parallel()
	now := start.Add(time.Hour)
	var ends []time.Duration
	r := window.Reader[provider.Position]{
		Batch: 1, Length: 61 * time.Minute, Now: func() time.Time { return now },
		Fetch: func(_ context.Context, w window.Window) ([]provider.Position, error) {
			ends = append(ends, w.To.Sub(start))
			now = now.Add(time.Minute)
			return nil, nil
		},
	}
	if _, err := r.Page(t.Context(), provider.Query{From: start, Devices: []string{"a", "b", "c"}}); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{60 * time.Minute, 61 * time.Minute, 61 * time.Minute}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Errorf("ends of the windows (-want +got):\n%s", diff)
	}
	now = start.Add(3 * time.Hour)
	ends = nil
	if _, err := r.Page(t.Context(), provider.Query{From: start, To: start.Add(time.Minute), Devices: []string{"a"}}); err != nil ||
		ends[0] != time.Minute {
		t.Errorf("a past window ends at %v: %v", ends, err)
	}
}

// TestAhead asks a vendor whose times are ahead for what it has up to its own present.
func TestAhead(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(time.Hour), records: map[string][]int{"a": {85}}}
	q := provider.Query{From: start.Add(40 * time.Minute), Ahead: 30 * time.Minute, Devices: []string{"a"}}
	page, err := v.reader().Page(t.Context(), q)
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%d records, %v; want 1", len(page.Records), err)
	}
	v.now, q.Cursor = v.now.Add(10*time.Minute), page.Cursor
	if _, err := v.reader().Page(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"[a] 40-90", "[a] 80-100"}, v.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
