package history_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// victim is the environment of the process that is killed: which database it works
// on, and from which step.
const victim = "DROVER_TEST_VICTIM"

func TestMain(m *testing.M) {
	if task := os.Getenv(victim); task != "" {
		if err := beVictim(context.Background(), strings.Fields(task)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	storetest.PlannedMain(m)
}

// victimStep is what step n does: late positions of a day that may be packed, or a mark
// that opens a block. It is the same in every process.
func victimStep(device string, n int) (add []history.Position, mark *history.Mark) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	if n%5 == 4 {
		at := at(device, time.Duration(n-2)*time.Minute) // the first of an earlier step
		return nil, &history.Mark{DeviceID: device, Time: at.Time, Suspect: "jump"}
	}
	for i := range 1 + r.IntN(300) {
		p := at(device, time.Duration(n)*time.Minute+time.Duration(i)*time.Hour/4+time.Duration(n)*time.Millisecond)
		if i == 0 {
			p = at(device, time.Duration(n)*time.Minute)
		}
		add = append(add, p)
	}
	return add, nil
}

// beVictim does one step after the other, packs in between, and says when each is
// done, until it is killed.
func beVictim(ctx context.Context, task []string) error {
	o := store.Options{Path: task[0], Present: func() time.Time { return start.Add(10 * day) }}
	if strings.Contains(task[0], "://") {
		o.URL, o.Path = o.Path, ""
	}
	tenant, device := task[1], task[2]
	first, err := strconv.Atoi(task[3])
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	for n := first; ; n++ {
		add, mark := victimStep(device, n)
		err := s.Update(ctx, func(tx *store.Tx) error {
			if mark != nil {
				return tx.History.MarkPositions(ctx, tenant, []history.Mark{*mark})
			}
			_, err := tx.History.AddPositions(ctx, tenant, add)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Println("did", n)                         //nolint:forbidigo // the parent reads it
		now := start.Add(time.Duration(20+3*n) * day) // all has settled by then
		if _, err := s.History.Pack(ctx, now, now.Add(-day), 0); err != nil {
			return err
		}
		fmt.Println("packed", n) //nolint:forbidigo // the parent reads it
	}
}

// TestPackThroughKills kills a process again and again while it adds, marks and
// packs. Whatever it said it had done is there, once, and nothing else but the step
// that it was in.
func TestPackThroughKills(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		device, want, next := b.devices[0], map[int64]history.Position{}, 0
		r := rand.New(rand.NewPCG(15, 15))
		for round := range 20 {
			said := b.killAfter(t, device, next, 2+r.IntN(12))
			for ; next <= said; next++ {
				apply(want, device, next)
			}
			got := b.read(b.all(device))
			if !equals(got, want) {
				apply(want, device, next) // the step that it was in may have been committed
				next++
			}
			if !equals(got, want) {
				t.Fatalf("round %d, after step %d: %d positions are read that are not the %d that were stored", round, said, len(got), len(want))
			}
		}
		if next < 40 {
			t.Errorf("only %d steps were done", next)
		}
	})
}

func apply(want map[int64]history.Position, device string, n int) {
	add, mark := victimStep(device, n)
	for _, p := range add {
		if _, known := want[p.Time.UnixMilli()]; !known {
			want[p.Time.UnixMilli()] = p
		}
	}
	if mark != nil {
		if p, known := want[mark.Time.UnixMilli()]; known {
			p.Suspect = mark.Suspect
			want[mark.Time.UnixMilli()] = p
		}
	}
}

func equals(got []history.Position, want map[int64]history.Position) bool {
	for _, p := range got {
		if w, known := want[p.Time.UnixMilli()]; !known || w.Suspect != p.Suspect || w.Longitude != p.Longitude {
			return false
		}
	}
	return len(got) == len(want)
}

// killAfter runs the victim from a step on, kills it when it has said some lines, and
// returns the last step that it said it had done.
func (b bench) killAfter(t *testing.T, device string, from, lines int) (done int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", victim, b.where, b.tenant, device, from))
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done = from - 1
	said := bufio.NewScanner(out)
	for range lines {
		if !said.Scan() {
			t.Fatalf("the process has ended by itself: %s", &faults)
		}
		if step, found := strings.CutPrefix(said.Text(), "did "); found {
			done, _ = strconv.Atoi(step)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for said.Scan() { // what it said before it was killed
		if step, found := strings.CutPrefix(said.Text(), "did "); found {
			done, _ = strconv.Atoi(step)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process was not killed")
	}
	return done
}
