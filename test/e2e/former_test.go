//go:build faults

package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/test/e2e/world"
)

var formerProgram = flag.String("former", "", "the program of the release before")

const (
	// formerRounds is how often each of the two programs stands still for longer than its
	// leases last, so that the other goes on with its work.
	formerRounds = 8
	// besideRegisters are written through both programs.
	besideRegisters = 4
)

// upgrade is the release before and this one on one PostgreSQL, in the middle of a
// rolling upgrade.
type upgrade struct {
	t           *testing.T
	site        site
	feed        *feed
	former, new *process
	owner       *client // at the release before
	other       *client // the tenant that the first connection is shared with
	received    *deliveryReceiver
	hook        drover.WebhookCreated
	registers   []string
	written     atomic.Int64
}

// TestFormerBeside runs the program of the release before, and this one beside it on the
// same PostgreSQL: both collect, deliver and answer, and each goes on with what the other
// began. Make beside builds the former program and runs it.
func TestFormerBeside(t *testing.T) { //nolint:paralleltest // it is run alone
	if *formerProgram == "" {
		t.Fatal("which program is the one before? make beside FORMER=commit")
	}
	u := newUpgrade(t)
	u.new = serve(t, u.site, beside...)
	writers, stop := u.write()
	for range formerRounds {
		u.rest(u.former)
		u.rest(u.new)
		anonymous(t, u.new).becomes(t, http.StatusOK, http.MethodGet, "/readyz")
	}
	if a, err := anonymous(t, u.former).do(t.Context(), http.MethodGet, "/readyz", ""); err != nil || a.status != http.StatusOK {
		t.Logf("the release before does not count as ready: %v %d %s", err, a.status, a.body)
	}
	close(stop)
	writers.Wait()
	u.former.terminate(t)
	if code := u.former.wait(t); code != 0 {
		t.Errorf("the release before ended with %d", code)
	}
	u.feed.finish()
	awaitCollected(t, u.feed, u.owner.at(u.new), patience)
	u.settle()
	u.new.kill()
	checkCollected(t, u.site, u.feed)
	u.checkShared()
	t.Logf("%d register writes, each read by the other program; %d deliveries; verify: %s", u.written.Load(), u.received.count(),
		strings.TrimSpace(u.site.drover(t, "", "verify")))
	for name, p := range map[string]*process{"the release before": u.former, "this one": u.new} {
		t.Logf("errors and warnings of %s: %s", name, sorted(complaints(p)))
	}
}

// beside are the settings of both programs: leases are short, so that they move.
var beside = append([]string{"--milestone-timeout", "2h", "--access-token-lifetime", "24h"}, collecting...)

func newUpgrade(t *testing.T) *upgrade {
	t.Helper()
	name := fmt.Sprintf("e2e_%d", shared.databases.Add(1))
	if err := shared.postgres.Create(t.Context(), name, ""); err != nil {
		t.Fatal(err)
	}
	u := &upgrade{t: t, site: site{data: filepath.Join(t.TempDir(), "data"), database: shared.postgres.URL(name), world: &world.World{}}}
	for user, tenant := range map[string]*drover.Tenant{"demo": &u.site.world.Owner, "other": &u.site.world.Other} {
		tenant.ID = u.command("", "tenant", "add", user)
		u.command(world.Password+"\n", "user", "add", "--tenant", user, "--username", user, "--email", user+"@example.com", "--role", "admin")
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--allow-network", "127.0.0.0/8"}, beside...)
	u.former = launch(t, u.program(append(args, u.site.flags()...)...))
	u.former.address = u.former.await(t, u.former.log, readyLine)
	u.owner, u.other = logIn(t, u.former, "demo"), logIn(t, u.former, "other")
	u.feed, u.received = newFeed(t, collectCustomers), newDeliveryReceiver(t)
	u.hook = u.received.subscribe(t, u.owner)
	u.feed.connect(t, u.owner)
	u.share()
	for i := range besideRegisters {
		var c drover.Connection
		u.owner.must(t, &c, http.MethodPost, "/connection", connectionBody(fmt.Sprintf("register %d", i), "t"))
		u.registers = append(u.registers, "/connection/"+c.ID)
	}
	return u
}

func (u *upgrade) program(args ...string) *exec.Cmd {
	command := exec.Command(*formerProgram, args...)
	command.Env = environment()
	return command
}

// command runs a command of the release before and returns what it printed.
func (u *upgrade) command(input string, args ...string) string {
	u.t.Helper()
	c := u.program(append(args, u.site.flags()...)...)
	c.Stdin = strings.NewReader(input)
	out, err := c.Output()
	if err != nil {
		u.t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// share shares the first connection, and has the recipient follow its vehicles with
// milestones of its own, to where each of them stands at the end.
func (u *upgrade) share() {
	u.t.Helper()
	first := u.feed.customers[0]
	var s drover.Share
	u.owner.must(u.t, &s, http.MethodPost, "/connection/"+first.conn.ID+"/share",
		fmt.Sprintf(`{"tenant_id":%q,"scopes":["positions","drivers"]}`, u.site.world.Other.ID))
	u.other.must(u.t, nil, http.MethodPost, "/share/"+s.ID+"/accept", "")
	var devices []drover.Device
	eventually(u.t, func() error {
		u.owner.must(u.t, &devices, http.MethodGet, "/device?connection_id="+first.conn.ID, "")
		if len(devices) < feedVehicles {
			return errNotYet
		}
		return nil
	})
	for _, v := range first.fleet.Vehicles() {
		from, begun := first.fleet.At(v, u.feed.present())
		to, ended := first.fleet.At(v, u.feed.stop)
		for _, d := range devices {
			if d.SystemDeviceID == v.ID && begun && ended {
				u.other.must(u.t, nil, http.MethodPost, "/milestone",
					fmt.Sprintf(`{"device_id":%q,"start_time":%q,"start_point":{"latitude":%v,"longitude":%v},"end_point":{"latitude":%v,"longitude":%v}}`,
						d.ID, u.feed.present().Format(time.RFC3339), from.Latitude, from.Longitude, to.Latitude, to.Longitude))
			}
		}
	}
}

// write changes registers through either program, and reads each change through the
// other at once.
func (u *upgrade) write() (writers *sync.WaitGroup, stop chan struct{}) {
	writers, stop = &sync.WaitGroup{}, make(chan struct{})
	for i, path := range u.registers {
		writers.Go(func() {
			for n, well := 0, true; well; n++ {
				select {
				case <-stop:
					return
				default:
				}
				here, there := u.owner.at(u.former), u.owner.at(u.new)
				if (i+n)%2 == 0 {
					here, there = there, here
				}
				well = u.change(here, there, path, fmt.Sprintf("register %d, write %d", i, n))
			}
		})
	}
	return writers, stop
}

func (u *upgrade) change(here, there *client, path, value string) bool {
	a, err := here.do(u.t.Context(), http.MethodPatch, path, fmt.Sprintf(`{"business_name":%q}`, value))
	if err != nil || a.status != http.StatusOK {
		u.t.Errorf("PATCH %s: %v %d %s", path, err, a.status, a.body)
		return false
	}
	a, err = there.do(u.t.Context(), http.MethodGet, path, "")
	var got struct{ Data drover.Connection }
	if err != nil || json.Unmarshal([]byte(a.body), &got) != nil || got.Data.BusinessName != value {
		u.t.Errorf("%s is %q by the other program, want %q: %v %d %s", path, got.Data.BusinessName, value, err, a.status, a.body)
		return false
	}
	u.written.Add(1)
	return true
}

// rest has a program stand still until its leases have run out.
func (u *upgrade) rest(p *process) {
	u.t.Helper()
	if err := p.command.Process.Signal(syscall.SIGSTOP); err != nil {
		u.t.Fatal(err)
	}
	pause(3 * time.Second)
	if err := p.command.Process.Signal(syscall.SIGCONT); err != nil {
		u.t.Fatal(err)
	}
	pause(time.Second)
}

// settle waits until every delivery has come.
func (u *upgrade) settle() {
	u.t.Helper()
	c := u.owner.at(u.new)
	within(u.t, leasePatience, func() error {
		waiting := 0
		for _, a := range deliveryLog(u.t, c, u.hook) {
			if a.State != drover.DeliveryDelivered {
				waiting++
			}
		}
		if waiting > 0 {
			return fmt.Errorf("%d deliveries wait", waiting)
		}
		return nil
	})
	for id, n := range u.received.settle(u.t) {
		if n > 1 { // what was under way when its program was stopped
			u.t.Logf("event %s came %d times", id, n)
		}
	}
}

// checkShared wants the recipient to have what the owner has of the shared connection,
// and its milestones to have ended once.
func (u *upgrade) checkShared() {
	u.t.Helper()
	s, err := app.OpenStore(u.t.Context(), config.Store{Data: u.site.data, Database: u.site.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		u.t.Fatal(err)
	}
	defer s.Close()
	positions := map[string]map[string]int{}
	counts := map[string]int{}
	for _, tenant := range []string{u.site.world.Owner.ID, u.site.world.Other.ID} {
		positions[tenant] = map[string]int{}
		events, err := s.Feed.Events(context.Background(), tenant, drover.EventFilter{}, work.EventRange{To: 1 << 40, Limit: 1_000_000})
		if err != nil {
			u.t.Fatal(err)
		}
		for _, e := range events {
			if tenant == u.site.world.Other.ID {
				counts[string(e.Type)]++
			}
			if e.Type == drover.EventPositionUpdated && e.ConnectionID != nil && *e.ConnectionID == u.feed.customers[0].conn.ID {
				batch, err := drover.ReadPositions(e.Data)
				if err != nil {
					u.t.Fatal(err)
				}
				for _, p := range batch.Positions {
					positions[tenant][fmt.Sprintf("%s %d", p.DeviceID, p.Timestamp.UnixMilli())]++
				}
			}
		}
	}
	for key, n := range positions[u.site.world.Owner.ID] {
		if got := positions[u.site.world.Other.ID][key]; got != n {
			u.t.Errorf("the recipient was notified of %s %d times, the owner %d times", key, got, n)
		}
	}
	u.t.Logf("events of the recipient: %s", sorted(counts))
	if counts[string(drover.EventMilestoneEnded)] > feedVehicles || counts[string(drover.EventMilestoneStarted)] == 0 {
		u.t.Errorf("of %d milestones %d started and %d ended", feedVehicles, counts[string(drover.EventMilestoneStarted)],
			counts[string(drover.EventMilestoneEnded)])
	}
}

var complaint = regexp.MustCompile(`level=(?:ERROR|WARN) (msg=(?:"[^"]*"|\S+))`)

// complaints counts what a program has logged that is not well.
func complaints(p *process) map[string]int {
	counts := map[string]int{}
	for _, match := range complaint.FindAllStringSubmatch(p.log.String(), -1) {
		counts[match[1]]++
	}
	return counts
}
