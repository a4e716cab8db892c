package deliver

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/queue"
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
			l := &loop{Deliverer: &Deliverer{Options: Options{Now: func() time.Time { return now }}}, next: map[string]int64{"a": tt.known}, targets: map[drover.Target]*target{}}
			for _, name := range []drover.Target{named, other, foreign} {
				held := newTarget(name, now)
				held.held, held.key, held.readAt, held.settings = true, &key{}, now, queue.TargetSettings{Enabled: true, URL: "https://receiver.example"}
				l.targets[name] = held
			}
			read := map[drover.Target]bool{}
			for _, a := range []queue.Added{
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
