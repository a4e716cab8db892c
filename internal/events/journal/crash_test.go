package journal_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// victim is the environment of the process that is killed: which database and tenant it
// works on, and from which step.
const victim = "DROVER_TEST_VICTIM"

func TestMain(m *testing.M) {
	if task := os.Getenv(victim); task != "" {
		if err := beVictim(context.Background(), task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	storetest.Main(m)
}

// nameID is an id that is the same in every process.
func nameID(name string) string { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() }

// victimEvents are what step n appends: events about positions of two connections, of
// which some come after each other, and now and then one of another kind.
func victimEvents(n int) ([]drover.Event, error) {
	random := rand.New(rand.NewPCG(uint64(n), 15))
	events := make([]drover.Event, 0, 40)
	var failed error
	add := func(typ drover.EventType, data drover.EventData) {
		e, err := drover.NewEvent(typ, minutes(n), data)
		e.ID = nameID(fmt.Sprint("event ", n, " ", len(events)))
		events, failed = append(events, e), errors.Join(failed, err)
	}
	for i := range 1 + random.IntN(30) {
		name := fmt.Sprint("connection ", i%2)
		batch := drover.PositionBatch{ConnectionID: nameID(name)}
		for d := range 1 + random.IntN(20) {
			p := drover.Position{Time: minutes(n), Latitude: 48 + random.Float64(), Longitude: 11.5, SpeedKPH: new(float64(i))}
			batch.Positions = append(batch.Positions, drover.DevicePosition{
				DeviceID: nameID(fmt.Sprint(name, d)), SystemDeviceID: fmt.Sprint(d),
				CurrentPosition: *p.View(),
			})
		}
		add(drover.EventPositionUpdated, batch)
	}
	if n%3 == 0 {
		add(drover.EventDeviceCreated, drover.Device{
			ID: nameID(fmt.Sprint("device ", n)), ConnectionID: nameID("connection 0"),
			SystemDeviceID: fmt.Sprint(n), Tags: []string{},
		})
	}
	return events, failed
}

// beVictim appends one step after the other, puts events into blocks in between, and says
// when each is done, until it is killed.
func beVictim(ctx context.Context, task string) error {
	var where, tenant string
	var first int
	if _, err := fmt.Sscan(task, &where, &tenant, &first); err != nil {
		return err
	}
	o := store.Options{Path: where}
	if strings.Contains(where, "://") {
		o = store.Options{URL: where}
	}
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	for n := first; ; n++ {
		events, err := victimEvents(n)
		if err != nil {
			return err
		}
		if err := s.Update(ctx, func(tx *store.Tx) error { return journal.Append(ctx, tx, tenant, events) }); err != nil {
			return err
		}
		fmt.Println("did", n, 0) //nolint:forbidigo // the parent reads it
		done, err := s.Feed.GroupEvents(ctx, tenant, minutes(n+1), 0)
		if err != nil {
			return err
		}
		fmt.Println("grouped", n, done.Events) //nolint:forbidigo // the parent reads it
	}
}

// TestGroupThroughKills kills a process again and again while it appends events and puts
// them into blocks. Whatever it said it had done is in the feed, once and in its order,
// with the same bytes, and nothing else but the step that it was in.
func TestGroupThroughKills(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, database)
			r := &rig{t, storetest.Open(t, o), store.NewID()}
			r.update(func(tx *store.Tx) error {
				return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.tenant, Name: r.tenant, CreatedAt: noon})
			})
			random := rand.New(rand.NewPCG(15, 115))
			var want []drover.Event
			next, grouped := 0, 0
			for range 20 {
				said, moved := r.killAfter(cmp.Or(o.URL, o.Path), next, 2+random.IntN(12))
				grouped += moved
				for ; next <= said; next++ {
					want = r.step(want, next)
				}
				// A commit that a server still works at comes first: it holds the feed's end.
				mark := r.devices(1)
				r.update(func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.tenant, mark) })
				if int(mark[0].Sequence) > len(want)+1 { // the step that it was in was committed
					want = r.step(want, next)
					next++
				}
				want = append(want, mark...)
				r.sameFeed(want)
			}
			if next < 40 || grouped == 0 {
				t.Errorf("only %d steps were done, %d events put into blocks", next, grouped)
			}
			r.group(minutes(next + 1).Time)
			r.sameFeed(want)
		})
	}
}

// step appends what a step appends, numbered as in the feed.
func (r *rig) step(want []drover.Event, n int) []drover.Event {
	r.Helper()
	events, err := victimEvents(n)
	if err != nil {
		r.Fatal(err)
	}
	for i := range events {
		events[i].Sequence = int64(len(want) + i + 1)
	}
	return append(want, events...)
}

// killAfter runs the victim from a step on, kills it when it has said some lines, and
// returns the last step that it said it had done, and how many events lie in blocks by it.
func (r *rig) killAfter(where string, from, lines int) (done, grouped int) {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", victim, where, r.tenant, from))
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	done = from - 1
	said := bufio.NewScanner(out)
	listen := func() bool {
		if !said.Scan() {
			return false
		}
		var what string
		var n, events int
		if _, err := fmt.Sscan(said.Text(), &what, &n, &events); err == nil && what == "did" {
			done = n
		}
		grouped += events
		return true
	}
	for range lines {
		if !listen() {
			r.Fatalf("the process has ended by itself: %s", &faults)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		r.Fatal(err)
	}
	for listen() { // what it said before it was killed
		continue
	}
	if err := cmd.Wait(); err == nil {
		r.Fatal("the process was not killed")
	}
	return done, grouped
}
