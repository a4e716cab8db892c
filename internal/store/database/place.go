package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/drover-fleet/drover"
)

// Place is a server of a distributed database and the tenants whose rows lie there. Work is looked
// for place by place, and each has connections of its own: one that is stopped, or hangs, holds
// up no other. One PostgreSQL or SQLite is one place with all tenants, which is named by nothing.
type Place struct {
	Name string
	// Address is the host and port of the server; empty is that of the database.
	Address string
	Tenants []string
}

// Places lists them as they are now, from the connections to the database itself.
type Places func(ctx context.Context, r Reader) ([]Place, error)

type placeKey struct{}

// At has work looked for at one place alone.
func At(ctx context.Context, place string) context.Context {
	return context.WithValue(ctx, placeKey{}, place)
}

// AtNone has what names no tenant asked of the database itself, also by those who look at a place.
func AtNone(ctx context.Context) context.Context { return context.WithValue(ctx, placeKey{}, nil) }

// AtPlace names the place at which a caller looks, nothing where it looks at all.
func AtPlace(ctx context.Context) string {
	name, _ := ctx.Value(placeKey{}).(string)
	return name
}

type askKey struct{}

// Ask has what names several tenants asked of one place, whichever of them it names first; no place
// leaves it as it is. Outside of transactions alone.
func Ask(ctx context.Context, place string) context.Context {
	if place == "" {
		return ctx
	}
	return context.WithValue(ctx, askKey{}, place)
}

// Here is a condition that leaves out what lies elsewhere than the caller looks, and args with the
// tenants that are there.
func Here(ctx context.Context, d Dialect, column string, args []any) (string, []any) {
	tenants, some := d.TenantsHere(ctx)
	if !some {
		return "", args
	}
	if len(tenants) == 0 { // an empty list would be looked for at all servers
		return " AND FALSE", args
	}
	args = append(args, d.List(tenants))
	return " AND " + column + " " + d.InList(len(args)), args
}

// DropOld deletes the rows of a table whose column is before a bound, such as "expires_at <": those of all
// tenants, or of the place that the caller looks at.
func DropOld(ctx context.Context, tx *Tx, d Dialect, table, column string, bound any) error {
	here, args := Here(ctx, d, "tenant_id", []any{bound})
	if _, err := tx.Write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE `+column+` $1`+here, args...); err != nil {
		return fmt.Errorf("delete what is old from %s: %w", table, err)
	}
	return nil
}

// IsHere reports whether a tenant is at the place that a caller looks at, if it looks at one.
func IsHere(ctx context.Context, d Dialect, tenantID string) bool {
	_, some := d.TenantsHere(ctx)
	return !some || d.PlaceOf(tenantID) == AtPlace(ctx)
}

func (sqliteWords) Distributed() bool                            { return false }
func (sqliteWords) Places() []string                             { return []string{""} }
func (sqliteWords) Answering() map[string]bool                   { return nil }
func (sqliteWords) PlaceOf(string) string                        { return "" }
func (sqliteWords) TenantsHere(context.Context) ([]string, bool) { return nil, false }

// Distributed reports whether tenants lie at several places.
func (d *postgresDB) Distributed() bool { return d.places != nil }

// Places names the places, in order.
func (d *postgresDB) Places() []string {
	if d.places == nil {
		return []string{""}
	}
	return slices.Sorted(maps.Keys(d.places.now.Load().pools))
}

// Answering says of each place whether it answers, as far as those who asked it know.
func (d *postgresDB) Answering() map[string]bool {
	if d.places == nil {
		return nil
	}
	pools := d.places.now.Load().pools
	answering := make(map[string]bool, len(pools))
	for name, p := range pools {
		answering[name] = p.silent.Load() <= p.answered.Load()
	}
	return answering
}

// PlaceOf names the place of a tenant.
func (d *postgresDB) PlaceOf(tenantID string) string {
	if d.places == nil {
		return ""
	}
	if p := d.places.now.Load().of[tenantID]; p != nil {
		return p.name
	}
	return ""
}

// TenantsHere are the tenants of the place that a caller looks at, unless it looks at all.
func (d *postgresDB) TenantsHere(ctx context.Context) ([]string, bool) {
	place, some := ctx.Value(placeKey{}).(string)
	if d.places == nil || !some {
		return nil, false
	}
	return d.places.now.Load().tenants[place], true
}

const (
	// placesEvery is how often it is looked what lies where, and placesList how long that may take.
	placesEvery = 2 * time.Second
	placesList  = 4 * time.Second
	// placeStatement bounds a statement at a place, and placeWait the wait for one of its
	// connections: together a caller knows in less than five seconds that it does not answer.
	placeStatement = 3500 * time.Millisecond
	placeSilence   = 4 * time.Second
	placeWait      = 500 * time.Millisecond
	placeConnect   = 3
	// placeAround is for how long a place is asked through the database whose server was not reached.
	placeAround = time.Minute
	// placeAgain is how often someone tries a place that answers no one.
	placeAgain = time.Second
)

// ErrPlace says that a place answers no one, which is known since before.
var ErrPlace = errors.New("the database's server for this tenant does not answer")

// isServerOf reports whether connections lead to the server of a place. Every server knows every tenant,
// of which one is named.
type isServerOf func(ctx context.Context, db *sql.DB, place Place, tenant string) bool

// places are those of a distributed database.
type places struct {
	list   Places
	is     isServerOf // nil where it need not be asked
	base   *sql.DB
	config *pgx.ConnConfig
	conns  int
	now    atomic.Pointer[layout]
	stop   context.CancelFunc
	done   chan struct{}
}

// layout is what lies where at one moment.
type layout struct {
	pools   map[string]*pool
	tenants map[string][]string // the operator's are at no place
	of      map[string]*pool    // by tenant
}

// pool are the connections to a place.
type pool struct {
	name, address string
	config        *pgx.ConnConfig // without bounds of statements
	db            *sql.DB
	asking        chan struct{} // those who wait for an answer, or for a connection
	now           func() time.Time
	until         time.Time // no earlier is its server tried that was not reached
	// When a statement was answered last, when the place was last found to answer no one, and when
	// someone tried it last since, in nanoseconds since 1970.
	answered, silent, tried atomic.Int64
}

func newPlaces(
	ctx context.Context,
	base *sql.DB,
	config *pgx.ConnConfig,
	conns int,
	list Places,
	is isServerOf,
) (*places, error) {
	p := &places{list: list, is: is, base: base, config: config, conns: conns, done: make(chan struct{})}
	p.now.Store(&layout{})
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	go p.follow(life)
	return p, nil
}

// follow looks now and then what lies where. What was known last holds until it can be read again.
func (p *places) follow(ctx context.Context) {
	defer close(p.done)
	ticker := time.NewTicker(placesEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = p.look(ctx)
		}
	}
}

func (p *places) look(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, placesList)
	defer cancel()
	list, err := p.list(bounded, p.base)
	if err != nil {
		return fmt.Errorf("read where tenants are: %w", err)
	}
	before, some := p.now.Load(), ""
	for _, place := range list {
		if len(place.Tenants) > 0 {
			some = place.Tenants[0]
		}
	}
	next := &layout{pools: map[string]*pool{}, tenants: map[string][]string{"": {drover.OperatorTenant}}, of: map[string]*pool{}}
	for _, place := range list {
		known := before.pools[place.Name]
		if known == nil || known.address != place.Address && known.retry() && (p.is == nil || some != "") {
			if known, err = p.reach(ctx, place, some); err != nil {
				return err
			}
		}
		next.pools[place.Name], next.tenants[place.Name] = known, place.Tenants
		for _, tenant := range place.Tenants {
			next.of[tenant] = known
		}
	}
	p.now.Store(next)
	for name, old := range before.pools {
		if next.pools[name] != old {
			go old.db.Close() //nolint:errcheck // it waits for those who still read
		}
	}
	return nil
}

// reach makes the connections to a place: to its server or, where that cannot be reached from here,
// through the database itself. Before there is a tenant it cannot be known, and is tried again soon.
func (p *places) reach(ctx context.Context, place Place, tenant string) (*pool, error) {
	around := place
	around.Address = ""
	if p.is != nil && tenant == "" {
		return p.open(around)
	}
	one, err := p.open(place)
	if err != nil || place.Address == "" || p.is == nil || p.is(ctx, one.db, place, tenant) {
		return one, err
	}
	through, err := p.open(around)
	if err == nil {
		through.until = through.now().Add(placeAround)
	}
	return through, errors.Join(err, one.db.Close())
}

// retry reports whether a server may be tried directly again.
func (p *pool) retry() bool { return !p.now().Before(p.until) }

// open makes the connections to a place, which are bounded more narrowly.
func (p *places) open(place Place) (*pool, error) {
	config := p.config.Copy()
	if place.Address != "" {
		host, port, err := net.SplitHostPort(place.Address)
		if err != nil {
			return nil, fmt.Errorf("the address of %s: %w", place.Name, err)
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("the address of %s: %w", place.Name, err)
		}
		config.Host, config.Port, config.Fallbacks, config.ValidateConnect = host, uint16(n), nil, nil
		if config.TLSConfig != nil && config.TLSConfig.ServerName != "" {
			config.TLSConfig.ServerName = host
		}
	}
	config.ConnectTimeout = placeConnect * time.Second
	unbounded := config.Copy()
	config, options := boundedBy(config, placeStatement, placeSilence)
	// A connection is not asked before it is used whether it is there: one that hangs would be waited for
	// twice.
	options = append(options, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false }))
	db := stdlib.OpenDB(*config, options...)
	db.SetMaxOpenConns(p.conns)
	db.SetMaxIdleConns(p.conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return &pool{
		name: place.Name, address: place.Address, config: unbounded, db: db, asking: make(chan struct{}, p.conns),
		now: time.Now, //nolint:forbidigo // servers answer by the real clock
	}, nil
}

func (p *places) close() error {
	p.stop()
	<-p.done
	var failed error
	for _, one := range p.now.Load().pools {
		failed = errors.Join(failed, one.db.Close())
	}
	return failed
}

// directory finds statements on the one table with tenants that lies at no place.
var directory = regexp.MustCompile(`\b(?:FROM|INTO|UPDATE|JOIN) directory\b`)

// to is the pool for a statement: that of the first tenant that it names, or of the place that the
// caller looks at; nil is the database itself.
func (p *places) to(ctx context.Context, query string, args []any) *pool {
	if directory.MatchString(query) {
		return nil
	}
	at := p.now.Load()
	if name, some := ctx.Value(askKey{}).(string); some && at.pools[name] != nil {
		return at.pools[name]
	}
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			if one := at.of[v]; one != nil {
				return one
			}
		case []string:
			if len(v) > 0 && at.of[v[0]] != nil {
				return at.of[v[0]]
			}
		}
	}
	if name, some := ctx.Value(placeKey{}).(string); some {
		return at.pools[name]
	}
	return nil
}

// heard notes that a place has answered.
func (p *pool) heard(err error) {
	if p != nil && !Unavailable(err) {
		p.answered.Store(p.now().UnixNano())
	}
}

// ask takes a turn among those who wait for an answer of the place, and says what came of it.
// Where all wait and none gets one, it is an error soon; while the place answers no one, at once
// for all but one caller now and then.
func (p *pool) ask(ctx context.Context) (told func(err error) error, err error) {
	begun := p.now().UnixNano()
	known := p.silent.Load() > p.answered.Load()
	if known {
		tried := p.tried.Load()
		if begun-tried < int64(placeAgain) || !p.tried.CompareAndSwap(tried, begun) {
			return nil, ErrPlace
		}
	}
	timer := time.NewTimer(placeWait)
	defer timer.Stop()
	for asking := false; !asking; {
		select {
		case p.asking <- struct{}{}:
			asking = true
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			if p.now().UnixNano()-p.answered.Load() > int64(placeWait) {
				return nil, ErrPlace
			}
			timer.Reset(placeWait) // it is busy, and answers
		}
	}
	return func(err error) error {
		<-p.asking
		if !Unavailable(err) || p.answers(err) {
			p.answered.Store(p.now().UnixNano())
			return err
		}
		p.db.SetMaxIdleConns(0) // others may be broken as well
		p.db.SetMaxIdleConns(cap(p.asking))
		if p.answered.Load() >= begun { // one statement takes too long
			return err
		}
		p.silent.Store(p.now().UnixNano())
		if known {
			return fmt.Errorf("%w: %w", ErrPlace, err)
		}
		return err
	}, nil
}

// answers reports whether an error is what the place's own server says of a statement: that it took too
// long, or that another server, which has some of its rows, was not reached.
func (p *pool) answers(err error) bool {
	state := State(err)
	return p.address != "" && (state == statementTimeout || strings.HasPrefix(state, "08"))
}

// EachPlace runs f for every place until ctx is done, each with a context of its own, as places
// come and go. Where there is one, it is f.
func EachPlace(ctx context.Context, d Dialect, f func(ctx context.Context)) {
	if !d.Distributed() {
		f(ctx)
		return
	}
	running := map[string]context.CancelFunc{}
	var all sync.WaitGroup
	defer all.Wait()
	ticker := time.NewTicker(placesEvery)
	defer ticker.Stop()
	for {
		names := d.Places()
		for _, name := range names {
			if running[name] == nil {
				one, stop := context.WithCancel(At(ctx, name))
				running[name] = stop
				all.Go(func() { f(one) })
			}
		}
		for name, stop := range running {
			if !slices.Contains(names, name) {
				stop()
				delete(running, name)
			}
		}
		select {
		case <-ctx.Done():
			for _, stop := range running {
				stop()
			}
			return
		case <-ticker.C:
		}
	}
}
