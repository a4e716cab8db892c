package e2e

import (
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

var (
	packRounds = flag.Int("pack-rounds", 5, "kills of the service and of the command that packs, on each database")
	packSeed   = flag.Uint64("pack-seed", 15, "seed of the moments at which they are killed")
)

// TestPackThroughKills kills the service while positions of packed days come in, and
// the command that packs them, at random moments. Whatever the service has acknowledged
// is there, once; of the rest there is at most the notice that no one answered.
func TestPackThroughKills(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s site) {
		t.Helper()
		p := newPacker(t, s)
		for range *packRounds {
			p.round()
			p.check()
			p.age()
		}
		p.finish()
		t.Logf("%d notices of %d positions were acknowledged; %d of %d times packing was killed before its end", p.sent, p.total(), p.midway,
			*packRounds)
	})
}

// packer is an installation, what its service has acknowledged, and chance.
type packer struct {
	t      *testing.T
	site   site
	late   *lateVendor
	random *rand.Rand
	began  time.Time
	ids    map[string]string // of devices, by the vendor's
	known  map[string]map[int64]bool
	sent   int
	doubt  *lateNotice   // sent, and not answered
	others int64         // positions of other devices
	rows   int64         // of which are not packed
	full   time.Duration // that packing takes
	midway int
}

func newPacker(t *testing.T, s site) *packer {
	t.Helper()
	p := &packer{
		t: t, site: s, random: rand.New(rand.NewPCG(*packSeed, uint64(len(s.database)))), ids: map[string]string{},
		known: map[string]map[int64]bool{},
		began: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -lateDays-3), // all of them may be packed, also after midnight
	}
	before := p.storage()
	p.others = before.Rows + before.Packed
	running := p.serve()
	c := logIn(t, running, "demo")
	p.late = newLateVendor(t, c, p.began)
	p.devices(c)
	for n := range p.late.first() {
		if !p.send(c, n) {
			t.Fatalf("the first notices were not accepted:\n%s", running.log)
		}
	}
	running.kill()
	p.pack() // decides what may be packed
	p.age()
	begun := time.Now()
	p.pack()
	p.full = time.Since(begun)
	after := p.storage()
	if p.rows = after.Rows; after.Packed < int64(p.total()) {
		t.Fatalf("of %d positions %d are packed", p.total(), after.Packed)
	}
	p.check()
	return p
}

func (p *packer) serve() *process {
	p.t.Helper()
	return serve(p.t, p.site, "--collection-lease", "1s", "--log-level", "info")
}

func (p *packer) pack() { p.site.drover(p.t, "", "pack") }

// devices waits until the vendor's vehicles are known, and the connection is at rest.
func (p *packer) devices(c *client) {
	p.t.Helper()
	eventually(p.t, func() error {
		var list []drover.Device
		c.must(p.t, &list, http.MethodGet, "/device?connection_id="+p.late.conn.ID, "")
		for _, d := range list {
			p.ids[d.SystemDeviceID], p.known[d.SystemDeviceID] = d.ID, map[int64]bool{}
		}
		var h drover.ConnectionHealth
		c.must(p.t, &h, http.MethodGet, "/connection/"+p.late.conn.ID+"/health", "")
		if len(p.ids) < lateVehicles || h.State != drover.ConnectionHealthy {
			return fmt.Errorf("%d vehicles are known and the connection is %s", len(p.ids), h.State)
		}
		return nil
	})
}

// round lets late positions come in while what came before is packed, and kills both.
func (p *packer) round() {
	p.t.Helper()
	service := p.serve()
	c := logIn(p.t, service, "demo")
	if p.doubt != nil && !p.send(c, *p.doubt) {
		p.t.Fatalf("a notice is not accepted after a restart:\n%s", service.log)
	}
	first, ended := make(chan struct{}), make(chan struct{})
	notices := p.late.more(p.random, 400)
	go func() {
		defer close(ended)
		for i, n := range notices {
			if !p.send(c, n) {
				return
			}
			if i == 0 {
				close(first)
			}
		}
	}()
	select {
	case <-first:
	case <-ended:
		p.t.Fatalf("the first notice of a round is not accepted:\n%s", service.log)
	}
	packing := start(p.t, append([]string{"pack"}, p.site.flags()...)...)
	killed := make(chan struct{})
	moments := []<-chan time.Time{time.After(p.moment()), time.After(p.moment())}
	go func() {
		defer close(killed)
		<-moments[0]
		service.kill()
	}()
	select {
	case <-moments[1]:
		p.midway++
	case err := <-packing.ended:
		packing.ended <- err
	}
	packing.kill()
	<-killed
	<-ended
}

// moment is some time within that which packing takes.
func (p *packer) moment() time.Duration { return time.Duration(p.random.Int64N(int64(p.full))) }

// send gives the service a notice until it answers, and reports whether it did.
func (p *packer) send(c *client, n lateNotice) bool {
	p.doubt = &n
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		a, err := c.do(p.t.Context(), http.MethodPost, p.late.path, n.body())
		if err != nil {
			return false
		}
		if a.status/100 == 2 {
			for _, at := range n.times {
				p.known[n.imei][at] = true
			}
			p.doubt, p.sent = nil, p.sent+1
			return true
		}
		<-time.After(20 * time.Millisecond) // busy: the connection is still claimed by the process that was killed
	}
	return false
}

// check reads everything while no process runs.
func (p *packer) check() {
	p.t.Helper()
	p.site.rest(p.t)
	opened, err := app.OpenStore(p.t.Context(), config.Store{Data: p.site.data, Database: p.site.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		p.t.Fatal(err)
	}
	defer opened.Close()
	sum := p.others
	for imei, known := range p.known {
		sum += p.checkDevice(opened, imei, known)
	}
	s, _, err := opened.History.Storage(p.t.Context(), p.site.world.Owner.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	if s.Rows+s.Packed != sum {
		p.t.Fatalf("%d rows and %d packed positions are stored, want %d in all: some are there twice", s.Rows, s.Packed, sum)
	}
}

func (p *packer) checkDevice(s *store.Store, imei string, known map[int64]bool) int64 {
	p.t.Helper()
	got, err := s.History.Positions(p.t.Context(), history.Range{
		TenantID: p.site.world.Owner.ID, DeviceID: p.ids[imei], From: drover.Milli(0), To: drover.At(time.Now()), WithSuspect: true,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	missing := maps.Clone(known)
	allowed := map[int64]bool{}
	if p.doubt != nil && p.doubt.imei == imei {
		for _, at := range p.doubt.times {
			allowed[at] = true
		}
	}
	for _, g := range got {
		at := g.Time.UnixMilli()
		if !known[at] && !allowed[at] {
			p.t.Fatalf("vehicle %s has a position at %s that no one has sent", imei, g.Time)
		}
		if want := p.late.latitude(at); g.Latitude != want || g.Longitude != lateLongitude {
			p.t.Fatalf("vehicle %s was at %v, %v at %s, want %v, %v", imei, g.Latitude, g.Longitude, g.Time, want, lateLongitude)
		}
		delete(missing, at)
	}
	if len(missing) > 0 {
		p.t.Fatalf("vehicle %s lacks %d of %d positions that were acknowledged", imei, len(missing), len(known))
	}
	return int64(len(got))
}

// finish lets packing come to its end: all is packed then.
func (p *packer) finish() {
	p.t.Helper()
	if p.doubt != nil {
		running := p.serve()
		if !p.send(logIn(p.t, running, "demo"), *p.doubt) {
			p.t.Fatalf("a notice is not accepted after a restart:\n%s", running.log)
		}
		running.kill()
		p.age()
	}
	p.pack()
	p.check()
	if s := p.storage(); s.Rows > p.rows {
		p.t.Errorf("%d rows are left, want %d", s.Rows, p.rows)
	}
	p.site.drover(p.t, "", "verify")
}

func (p *packer) storage() drover.PositionStorage {
	p.t.Helper()
	opened, err := app.OpenStore(p.t.Context(), config.Store{Data: p.site.data, Database: p.site.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		p.t.Fatal(err)
	}
	defer opened.Close()
	s, _, err := opened.History.Storage(p.t.Context(), p.site.world.Owner.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *packer) total() (n int) {
	for _, known := range p.known {
		n += len(known)
	}
	return n
}

// age lets two days pass for what waits to be packed. No process runs meanwhile.
func (p *packer) age() {
	p.t.Helper()
	driver, source := "sqlite", filepath.Join(p.site.data, "drover.db")
	if p.site.database != "" {
		driver, source = "pgx", p.site.database
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`UPDATE packed_before SET since = 0`,
		`UPDATE position_change SET changed_at = changed_at - 172800000`,
	} {
		if _, err := db.ExecContext(p.t.Context(), statement); err != nil {
			p.t.Fatal(err)
		}
	}
}
