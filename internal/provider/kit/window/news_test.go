package window_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// news reads from a vendor that tells the newest record of each device.
func (v *vendor) news(calls *int) window.News[provider.Position] {
	return window.News[provider.Position]{
		Reader: v.reader(),
		Lag:    5 * time.Minute,
		Updates: func(context.Context, time.Time, []string) (map[string]window.Update, error) {
			*calls++
			updates := map[string]window.Update{}
			for device, minutes := range v.records {
				for _, m := range minutes {
					if at := start.Add(time.Duration(m) * time.Minute); !at.After(v.now) {
						updates[device] = window.Update{Heard: at}
					}
				}
			}
			return updates, nil
		},
	}
}

func TestNewsAsksForUpdatedDevicesOnly(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(30 * time.Minute), records: map[string][]int{"a": {10, 25, 31, 50}, "b": {19}, "c": {5}}}
	calls := 0
	q := provider.Query{From: start.Add(15 * time.Minute), Devices: []string{"a", "b", "c", "d"}}
	for range 2 {
		page, err := v.news(&calls).Page(t.Context(), q)
		if err != nil || page.More {
			t.Fatalf("more %t, %v", page.More, err)
		}
		q.Cursor = page.Cursor
		v.now = v.now.Add(30 * time.Minute)
	}
	if diff := cmp.Diff([]string{"[b] 15-30", "[a] 15-30", "[a] 20-60"}, v.asked); diff != "" || calls != 2 {
		t.Errorf("%d calls, asked (-want +got):\n%s", calls, diff)
	}
}

func TestNewsAreKeptWhereAReadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	v := &vendor{now: start.Add(30 * time.Minute), records: map[string][]int{"a": {25}}}
	v.fail = func(window.Window) error { return broken }
	calls := 0
	q := provider.Query{From: start, Devices: []string{"a"}}
	page, err := v.news(&calls).Page(t.Context(), q)
	if err != nil || !page.More || len(page.Records) != 0 {
		t.Fatalf("updates: more %t, %v", page.More, err)
	}
	q.Cursor = page.Cursor
	if _, err = v.news(&calls).Page(t.Context(), q); !errors.Is(err, broken) {
		t.Fatalf("error %v, want %v", err, broken)
	}
	v.fail = nil
	page, err = v.news(&calls).Page(t.Context(), q)
	if err != nil || page.More || len(page.Records) != 1 || calls != 1 {
		t.Errorf("%d records, more %t, %d calls, %v", len(page.Records), page.More, calls, err)
	}
}

func TestNewsStopWithTheCaller(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(30 * time.Minute), records: map[string][]int{"a": {25}}}
	v.fail = func(window.Window) error { return context.Canceled }
	if _, err := v.news(new(int)).Page(t.Context(), provider.Query{From: start, Devices: []string{"a"}}); !provider.Canceled(err) {
		t.Errorf("error %v", err)
	}
	if _, err := v.news(new(int)).Page(t.Context(), provider.Query{Cursor: "{", From: start}); err == nil {
		t.Error("a cursor that is none was read")
	}
}

func TestNewsIgnoreUpdatesOfTheFuture(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(30 * time.Minute), records: map[string][]int{"a": {28, 58}}}
	n := v.news(new(int))
	updates := n.Updates
	n.Updates = func(ctx context.Context, since time.Time, devices []string) (map[string]window.Update, error) {
		all, err := updates(ctx, since, devices)
		all["z"] = window.Update{Heard: start.AddDate(1, 0, 0)}
		return all, err
	}
	q := provider.Query{From: start, Devices: []string{"a", "z"}}
	page, err := n.Page(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	v.now = v.now.Add(30 * time.Minute)
	q.Cursor = page.Cursor
	if page, err = n.Page(t.Context(), q); err != nil || len(page.Records) != 2 {
		t.Errorf("%d records, %v; want the overlap and the new one", len(page.Records), err)
	}
}

func TestNewsReadThePastInFull(t *testing.T) {
	t.Parallel()
	v := &vendor{now: start.Add(time.Hour), records: map[string][]int{"a": {5}, "b": {50}}}
	calls := 0
	q := provider.Query{From: start, To: start.Add(10 * time.Minute), Devices: []string{"a", "b"}}
	page, err := v.news(&calls).Page(t.Context(), q)
	if err != nil || len(page.Records) != 1 || calls != 0 || len(v.asked) != 2 {
		t.Errorf("%d records, %d calls, asked %v, %v", len(page.Records), calls, v.asked, err)
	}
}

// TestNewsOfAClockBehind has a device whose clock is six hours behind: the window by time has
// nothing of it, whether the vendor says when it heard of the device or only what the device says.
func TestNewsOfAClockBehind(t *testing.T) {
	t.Parallel()
	const behind = 6 * time.Hour
	for name, says := range map[string]func(now, own time.Time) window.Update{
		"TheVendorsTimeToo": func(now, own time.Time) window.Update { return window.Update{Heard: now, Newest: own} },
		"TheDevicesAlone":   func(_, own time.Time) window.Update { return window.Update{Heard: own, Newest: own} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &vendor{now: start.Add(24 * time.Hour), records: map[string][]int{"parked": {60}}}
			n := v.news(new(int))
			n.Reach = 24 * time.Hour
			n.Updates = func(context.Context, time.Time, []string) (map[string]window.Update, error) {
				parked := start.Add(time.Hour)
				return map[string]window.Update{
					"behind": says(v.now, v.now.Add(-behind)), "parked": {Heard: parked, Newest: parked},
				}, nil
			}
			q := provider.Query{From: v.now, Devices: []string{"behind", "parked"}}
			got := map[time.Time]bool{}
			for ; !v.now.After(start.Add(25 * time.Hour)); v.now = v.now.Add(5 * time.Minute) {
				for own := v.now.Add(-behind); len(v.records["behind"]) <= minute(own)-18*60; {
					v.records["behind"] = append(v.records["behind"], 18*60+len(v.records["behind"]))
				}
				page, err := n.Page(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				q.Cursor = page.Cursor
				for _, p := range page.Records {
					if p.SystemDeviceID != "behind" {
						t.Fatalf("%s was read, which is at rest", p.SystemDeviceID)
					}
					got[p.Time.Time] = true
				}
			}
			for m := range 61 {
				if at := start.Add(18*time.Hour + time.Duration(m)*time.Minute); !got[at] {
					t.Errorf("the record of %s was not read", at)
				}
			}
		})
	}
}
