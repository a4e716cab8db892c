package reading_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/reading"
)

func TestStateAdd(t *testing.T) {
	t.Parallel()
	type step struct {
		minute  int64
		value   float64
		kept    bool
		shown   float64
		suspect string
	}
	for name, test := range map[string]struct {
		kind  drover.ReadingKind
		steps []step
	}{
		"Counter": {drover.ReadingOdometer, []step{
			{0, 1000, true, 1000, ""},
			{1, 2000, false, 2000, ""}, // shown, and not worth a row
			{5, 6000, true, 6000, ""},
			{6, 0, true, 6000, ""}, // kept, not shown
			{7, 7000, true, 7000, ""},
		}},
		"NeverBelieved": {drover.ReadingSupply, []step{
			{0, 12_600, true, 12_600, reading.Range},
			{1, 12_700, true, 12_700, reading.Range},
			{2, 12.6, true, 12.6, ""},
			{3, 12_600, true, 12.6, ""},
		}},
		"Level": {drover.ReadingFuelPercent, []step{
			{0, 80, true, 80, ""},
			{1, 79.5, false, 79.5, ""},
			{2, 79, true, 79, ""},
			{17, 79, true, 79, ""},
		}},
	} {
		var s reading.State
		for i, step := range test.steps {
			kept := s.Add(test.kind, reading.Value{At: step.minute * minute, Value: step.value})
			if kept != step.kept || s.Shown.Value != step.shown || s.Suspect != step.suspect || s.Newest != step.minute*minute {
				t.Errorf("%s, step %d: kept %t, shows %g %q, newest %d; want %+v", name, i, kept, s.Shown.Value, s.Suspect, s.Newest, step)
			}
			text := s.Text()
			again, err := reading.ParseState(text, s.Shown, s.Suspect)
			if diff := cmp.Diff(s, again); err != nil || diff != "" {
				t.Errorf("%s, step %d, stored as %q (-want +got): %v\n%s", name, i, text, err, diff)
			}
		}
	}
}

// TestParseState takes no text for a state that none has.
func TestParseState(t *testing.T) {
	t.Parallel()
	shown := reading.Value{At: 5, Value: 6}
	s := reading.State{Newest: 7, Kept: &reading.Value{At: 3, Value: -4.5}, Shown: shown}
	s.Last, s.Segment, s.Doubt = &shown, 2, []reading.Value{{At: 6, Value: 1}, {At: 7, Value: 2}}
	text := s.Text()
	for n := 1; n < len(text); n++ {
		if n%16 == 0 && n >= 32 {
			continue // one with fewer doubts
		}
		if _, err := reading.ParseState(text[:n], shown, ""); err == nil {
			t.Errorf("%d of %d bytes are taken for a state", n, len(text))
		}
	}
	again, err := reading.ParseState(text, shown, "")
	if diff := cmp.Diff(s, again); err != nil || diff != "" {
		t.Errorf("(-want +got): %v\n%s", err, diff)
	}
	again, err = reading.ParseState("", shown, reading.Range)
	if diff := cmp.Diff(reading.State{Kept: &shown, Newest: 5, Shown: shown, Suspect: reading.Range}, again); err != nil || diff != "" {
		t.Errorf("(-want +got): %v\n%s", err, diff)
	}
}

func TestAddLate(t *testing.T) {
	t.Parallel()
	around := []reading.Value{{At: 0, Value: 10}, {At: 30 * minute, Value: 20}}
	for name, test := range map[string]struct {
		v    reading.Value
		want []reading.Value
		kept bool
	}{
		"There":        {reading.Value{At: 30 * minute, Value: 99}, around, false},
		"Between":      {reading.Value{At: 10 * minute, Value: 12}, []reading.Value{around[0], {At: 10 * minute, Value: 12}, around[1]}, true},
		"NothingNew":   {reading.Value{At: 4 * minute, Value: 12}, around, false},
		"Before":       {reading.Value{At: -1, Value: 10}, []reading.Value{{At: -1, Value: 10}, around[0], around[1]}, true},
		"BehindTheEnd": {reading.Value{At: 36 * minute, Value: 21}, []reading.Value{around[0], around[1], {At: 36 * minute, Value: 21}}, true},
	} {
		got, kept := reading.AddLate(drover.ReadingOdometer, append([]reading.Value(nil), around...), test.v)
		if diff := cmp.Diff(test.want, got); diff != "" || kept != test.kept {
			t.Errorf("%s: kept %t (-want +got):\n%s", name, kept, diff)
		}
		// The same again changes nothing: what was not kept is not, what was is there.
		again, kept := reading.AddLate(drover.ReadingOdometer, append([]reading.Value(nil), got...), test.v)
		if diff := cmp.Diff(got, again); diff != "" || kept {
			t.Errorf("%s, again: kept %t (-want +got):\n%s", name, kept, diff)
		}
	}
}

// TestJudgeRows has two series among each other: a counter that begins again, which later
// rows confirm, and a level.
func TestJudgeRows(t *testing.T) {
	t.Parallel()
	kinds := map[int64]drover.ReadingKind{1: drover.ReadingOdometer, 2: drover.ReadingFuelPercent}
	row := func(series, at int64, v float64) reading.Row {
		return reading.Row{Series: series, ReadingValue: reading.Value{At: at * minute, Value: v}}
	}
	rows := []reading.Row{
		row(1, 0, 900_000), row(2, 0, 50), row(1, 5, 5000), row(2, 6, 300), row(1, 7, 0), row(1, 10, 100), row(1, 15, 200), row(2, 16, 49),
		row(1, 20, 300), row(1, 25, 400),
	}
	got := reading.Judge(rows, kinds, 10*minute)
	want := []reading.Judgement{
		{First: true},
		{First: true},
		{Suspect: reading.Backwards}, // 100 does not follow it
		{Suspect: reading.Range},
		{Suspect: reading.Zero},
		{First: true, Segment: 1}, // believed by the two that follow
		{Segment: 1},
		{First: true},
		{First: true, Segment: 1},
		{Segment: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, j := range reading.Judge(rows, kinds, 0) {
		if j.First != (want[i].Suspect == "") {
			t.Errorf("row %d: first is %t without spans", i, j.First)
		}
	}
	if got := reading.Judge([]reading.Row{row(1, -11, 1), row(1, -1, 2), row(1, 1, 3)}, kinds, 10*minute); !got[0].First || !got[1].First ||
		!got[2].First {
		t.Errorf("spans before 1970: %+v", got)
	}
}
