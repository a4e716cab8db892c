package deliver

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestPushKeepsTheOrder has notices of which the first does not follow what is known,
// as after a start, or where another process has written: nothing that comes later is
// taken on before what is missing has been read.
func TestPushKeepsTheOrder(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	named, other := drover.Target{TenantID: "a", ID: "named"}, drover.Target{TenantID: "a", ID: "other"}
	foreign := drover.Target{TenantID: "b", ID: "foreign"}
	tests := []struct {
		name   string
		known  int64 // the sequence that is to come
		pushed []int64
		read   map[drover.Target]bool
	}{
		{"Follows", 13, []int64{13, 15, 16}, map[drover.Target]bool{}},
		{"AfterAStart", 0, nil, map[drover.Target]bool{named: true, other: true}},
		{"AfterAGap", 12, nil, map[drover.Target]bool{named: true, other: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &loop{
				Deliverer: &Deliverer{Options: Options{Now: func() time.Time { return now }}}, next: map[string]int64{"a": tt.known},
				targets: map[drover.Target]*target{},
			}
			for _, name := range []drover.Target{named, other, foreign} {
				held := newTarget(name, now)
				held.held, held.key, held.readAt, held.settings = true, &key{}, now, work.TargetSettings{Enabled: true, URL: "https://receiver.example"}
				l.targets[name] = held
			}
			read := map[drover.Target]bool{}
			for _, a := range []work.Added{
				{TenantID: "a", First: 13, Last: 14, Deliveries: []drover.Delivery{{Target: named, Sequence: 13}}},
				{TenantID: "a", First: 15, Last: 15, Deliveries: []drover.Delivery{{Target: named, Sequence: 15}}},
				{TenantID: "a", First: 16, Last: 16, Deliveries: []drover.Delivery{{Target: other, Sequence: 16}}},
			} {
				l.push(a, map[*key]bool{}, read)
			}
			var pushed []int64
			for _, name := range []drover.Target{named, other, foreign} {
				for _, j := range l.targets[name].queue {
					pushed = append(pushed, j.Sequence)
				}
			}
			if diff := cmp.Diff(tt.pushed, pushed); diff != "" {
				t.Errorf("taken on (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.read, read); diff != "" {
				t.Errorf("to be read (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRenewalKeepsOrLosesTargets holds a renewal against what was held when it began:
// what is no longer held is not served any more, the rest lasts for longer.
func TestRenewalKeepsOrLosesTargets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	before, after := now.Add(time.Second), now.Add(time.Minute)
	type state struct {
		Held   bool
		End    time.Time
		Queue  int
		Losses int
	}
	kept, lost, asItWas := state{true, after, 1, 0}, state{false, before, 0, 1}, state{true, before, 1, 0}
	tests := []struct {
		name   string
		held   bool  // by what the database says
		err    error // of the database
		change func(l *loop, t *target)
		want   state
	}{
		{name: "Held", held: true, want: kept},
		{name: "TakenByAnother", want: lost},
		{name: "DatabaseFails", err: errors.New("no connection"), want: asItWas},
		{name: "BeingGivenBack", held: true, change: func(_ *loop, t *target) { t.releasing = true }, want: asItWas},
		{name: "TakenOnAgain", change: func(l *loop, t *target) { l.targets[t.Target] = newTarget(t.Target, now) }, want: asItWas},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			options := Options{Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)}
			name := drover.Target{TenantID: "a", ID: "t"}
			held := newTarget(name, now)
			held.held, held.leaseEnd, held.queue = true, before, []*job{{}}
			l := &loop{Deliverer: &Deliverer{Options: options}, targets: map[drover.Target]*target{name: held}, renewing: true, stopping: true}
			if tt.change != nil {
				tt.change(l, held)
			}
			l.lost(t.Context(), renewal{held: map[drover.Target]bool{name: tt.held}, asked: []*target{held}, end: after, err: tt.err})
			if diff := cmp.Diff(tt.want, state{held.held, held.leaseEnd, len(held.queue), held.losses}); diff != "" {
				t.Errorf("the target (-want +got):\n%s", diff)
			}
			if l.renewing {
				t.Error("it never asks again")
			}
		})
	}
}
