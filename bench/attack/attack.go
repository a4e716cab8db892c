// Package attack measures what other tenants notice while one tenant does its worst.
package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// What another tenant is owed while one tenant attacks.
const (
	attackWrite  = 250 // milliseconds, of 99 in 100 small writes
	attackRead   = 100
	attackMemory = 512 << 20
	attackSpan   = 10 * time.Second
	attackBegin  = 2 * time.Second // until it has an effect
)

// attack is what one tenant, or someone without a login, does to an installation.
type attack struct {
	name string
	// prepare changes the data before the service starts; nil leaves it.
	prepare func(g *siege, ctx context.Context) error
	// run attacks until ctx is done. It returns once the attack is under way, and
	// waits for nothing that it leaves to the siege.
	run func(g *siege, ctx context.Context) error
	// span is how long it is measured; zero is attackSpan.
	span time.Duration
}

// attackList are all of them. The first is none: what the others are to be held against.
func attackList() []attack {
	return []attack{
		{name: "no attack", run: func(*siege, context.Context) error { return nil }},
		{name: "300 connections to a silent host", run: (*siege).silentHost},
		{name: "512 logins that are sent slowly", run: (*siege).slowLogins},
		{name: "long names, lists of them", run: (*siege).longNames},
		{name: "12 vendors whose answers unpack to a gigabyte", run: (*siege).packedAnswers},
		{name: "a mebibyte of webhook filters", prepare: (*siege).addVehicle, run: (*siege).largeFilters},
		{name: "milestones since 2000 over 345,000 positions", prepare: (*siege).addPast, run: (*siege).longMilestones},
		{name: "a vendor that lists 100,000 devices", run: (*siege).longList},
		{name: "arrays of 3,000 calls to /mcp", run: (*siege).agentArrays},
		{name: "trials at a silent host", run: (*siege).silentTrials},
		{name: "users whose name is taken", run: (*siege).takenNames},
		{name: "exports without a pause", prepare: (*siege).addVehicle, run: (*siege).manyExports},
		{name: "refused changes", run: (*siege).refusedChanges},
		{name: "guesses of passwords", run: (*siege).guesses},
		{name: "reads outside the scopes of a share", run: (*siege).outsideScopes},
		{name: "80 downloads that are not read", prepare: (*siege).addPast, run: (*siege).unreadDownloads, span: unreadSpan},
		{name: "erasures of drivers", prepare: (*siege).addPast, run: (*siege).manyErasures},
		{name: "logos that are no images", run: (*siege).rubbishLogos},
		{name: "notices of a mebibyte", prepare: (*siege).addNotices, run: (*siege).sendNotices},
		{name: "tests of a silent webhook, 64 places", prepare: (*siege).fewPlaces, run: (*siege).silentTests},
		{name: "trials by 40 links, 64 places", prepare: (*siege).fewPlaces, run: (*siege).linkTrials},
		{name: "notices that stop halfway, 64 places", prepare: (*siege).fewPlaces, run: (*siege).halfNotices},
		{name: "what there is no right to", prepare: (*siege).behindProxy, run: (*siege).withoutRight},
	}
}

// Arena is where attacks are measured, and where their figures go.
type Arena struct {
	Dir       string
	Databases []string
	Server    func(ctx context.Context) (*storetest.Server, error)
	Table     *table.Table
	Progress  func(doing string)
	// Like is a part of the names of the attacks that are measured; empty is all.
	Like string
}

// Attacks measures what another tenant notices of each attack.
func (b *Arena) Attacks(ctx context.Context) error {
	binary := filepath.Join(b.Dir, "drover")
	if err := service.Build(ctx, binary); err != nil {
		return err
	}
	for _, database := range b.Databases {
		for _, a := range attackList() {
			if !strings.Contains(a.name, b.Like) {
				continue
			}
			b.Progress(a.name + ", " + database)
			if err := b.besiege(ctx, database, binary, a); err != nil {
				return fmt.Errorf("%s, %s: %w", a.name, database, err)
			}
		}
	}
	return nil
}

// siege is an installation of its own under attack. Its first tenant is the one that is
// to notice nothing, its second the attacker.
type siege struct {
	*service.Place
	vehicle  string // a device of the attacker's, where it was prepared
	attacker string // its token
	notices  string // the path of a vendor's notices, where it was prepared
	others   errgroup.Group
}

func (b *Arena) newSiege(ctx context.Context, database, binary string) (g *siege, remove func() error, err error) {
	name := "attack_" + strings.ReplaceAll(store.NewID(), "-", "")
	g = &siege{Place: &service.Place{Name: database, Binary: binary, Data: filepath.Join(b.Dir, name), Role: "all", Memory: "512MiB"}}
	remove = func() error { return nil }
	if database != "embedded" {
		server, err := b.Server(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := server.Create(ctx, name, ""); err != nil {
			return nil, nil, err
		}
		g.URL = server.URL(name)
		remove = func() error { return server.Drop(context.WithoutCancel(ctx), name) }
	}
	g.World, err = world.Make(ctx, config.Store{Data: g.Data, Database: g.URL})
	return g, remove, err
}

// besiege measures one attack on one database.
func (b *Arena) besiege(ctx context.Context, database, binary string, a attack) (err error) {
	g, remove, err := b.newSiege(ctx, database, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if a.prepare != nil {
		if err := a.prepare(g, ctx); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	if err := g.begin(ctx); err != nil {
		return err
	}
	defer g.Stop()
	attacking, end := context.WithCancel(ctx)
	defer end()
	if err := a.run(g, attacking); err != nil {
		return fmt.Errorf("attack: %w", err)
	}
	noticed, err := g.notice(ctx, cmp.Or(a.span, attackSpan))
	if err != nil {
		return err
	}
	peak, err := g.Server.Peak()
	if err != nil {
		return err
	}
	end()
	if err := g.others.Wait(); err != nil {
		return fmt.Errorf("attack: %w", err)
	}
	b.Table.AtMost(fmt.Sprintf("%s, %s: another's writes, p99", a.name, database), noticed.writes.p99(), attackWrite, table.Milliseconds)
	b.Table.AtMost(fmt.Sprintf("%s, %s: another's reads, p99", a.name, database), noticed.reads.p99(), attackRead, table.Milliseconds)
	b.Table.AtMost(fmt.Sprintf("%s, %s: memory", a.name, database), peak, attackMemory, table.Mebibytes)
	return nil
}

// begin starts the service and logs the attacker in.
func (g *siege) begin(ctx context.Context) error {
	if err := g.Start(ctx); err != nil {
		return err
	}
	c, err := load.Dial(ctx, g.Server.Address)
	if err != nil {
		return err
	}
	defer c.Close()
	g.attacker, err = service.LogIn(c, world.Stranger)
	return err
}
