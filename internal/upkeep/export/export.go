// Package export writes files of a tenant's records in the background, as CSV, JSON lines, GeoJSON
// or Parquet.
//
// An export is a row that a process claims under a lease and renews while it writes. Each attempt
// writes its own file, and the row names the complete one: an interrupted attempt leaves nothing
// that could be served, and the next one starts again. Records are read and written page by page,
// so memory does not grow with the export.
//
// One export works at a time. After turnTime it pauses between two pages, and goes on in turn with those
// of other tenants. A few may be long. Where they are, each other tenant's gets one turn: what is
// not done by then is given back, and waits until one of the long ones has ended.
package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// lease is how long an export of a process that has died waits for another, and
	// renewEvery how often one that lives says so, with its progress.
	lease      = time.Minute
	renewEvery = 2 * time.Second
	// lookEvery is how often new exports and those of dead processes are looked for,
	// and sweepEvery old ones.
	lookEvery  = 2 * time.Second
	sweepEvery = 10 * time.Minute
	// maxAttempts is how often an export is tried that fails.
	maxAttempts = 3
	// turnTime is how long an export works before another may, and maxUnderWay how many long ones may
	// have begun: each keeps rows in memory, and renews its lease only when it has its turn.
	turnTime    = 2 * time.Second
	maxUnderWay = 3
)

// Options are what a Runner works with.
type Options struct {
	Store  *store.Store
	Files  Files
	Now    func() time.Time
	Logger *slog.Logger
	// MaxBytes bounds a file; zero chooses.
	MaxBytes int64
}

// maxBytes is the size of the largest file.
const maxBytes = 8 << 30

// Runner makes the exports that wait, one after another.
type Runner struct {
	Options
	background.Work
	wake chan struct{}
	// served is when each tenant had its turn last. Exports are forgotten on request, and so
	// cannot say it.
	served map[string]time.Time
	// long are the tenants whose next export was given back.
	long map[string]bool
}

// New makes a Runner.
func New(o Options) *Runner {
	o.MaxBytes = cmp.Or(o.MaxBytes, maxBytes)
	r := &Runner{Options: o, wake: make(chan struct{}, 1), served: map[string]time.Time{}, long: map[string]bool{}}
	r.Run = r.run
	return r
}

// Wake makes the runner look for work at once.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Runner) now() drover.Time { return drover.At(r.Now()) }

func (r *Runner) run(ctx context.Context) {
	if r.Store.Database() == "sqlite" {
		r.report(ctx, "free exports", r.Store.Jobs.FreeExports(ctx))
	}
	sweep := func(ctx context.Context) { r.report(ctx, "sweep exports", r.Sweep(ctx)) }
	r.Store.EachPlace(ctx, func(ctx context.Context) {
		var beside sync.WaitGroup
		defer beside.Wait()
		sweep(ctx)
		beside.Go(func() { background.Every(ctx, sweepEvery, sweep) })
		// Each has the turns of its own tenants.
		one := &Runner{Options: r.Options, wake: r.wake, served: map[string]time.Time{}, long: map[string]bool{}}
		one.makeAll(ctx)
	})
}

// makeAll makes the exports of a place.
func (r *Runner) makeAll(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		worked, err := r.Next(ctx)
		r.report(ctx, "export", err)
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-look.C:
		}
	}
}

func (r *Runner) report(ctx context.Context, doing string, err error) {
	if err != nil && ctx.Err() == nil && !store.Silent(err) {
		r.Logger.ErrorContext(ctx, doing, "err", err)
	}
}

// Next makes the export that waits for longest, and says whether there was one. Where that takes
// long it makes those of other tenants in between.
func (r *Runner) Next(ctx context.Context) (bool, error) {
	first, err := r.begin(ctx, false)
	if first == nil || err != nil {
		return false, err
	}
	var failures []error
	for under := []*underWay{first}; len(under) > 0; {
		one := under[0]
		under = under[1:]
		if _, paused := one.resume(); paused && len(under) == maxUnderWay {
			r.long[one.tenant], one.ends = true, errGivenBack
			one.resume()
		} else if paused {
			under = append(under, one)
		}
		if one.ended {
			failures = append(failures, one.failure)
			continue
		}
		if ctx.Err() != nil {
			continue
		}
		other, err := r.begin(ctx, len(under) == maxUnderWay)
		if err != nil {
			failures = append(failures, err)
		}
		if other != nil {
			under = slices.Insert(under, 0, other)
		}
	}
	return true, errors.Join(failures...)
}

// underWay is an attempt that has begun. Resume lets it work, and is false once it has ended.
type underWay struct {
	tenant  string
	resume  func() (struct{}, bool)
	ended   bool
	failure error
	// ends is why it may not go on.
	ends error
}

// begin claims the export that waits for longest; nil is none. Where there are as many long ones
// as may be, those that are known to be long are left out.
func (r *Runner) begin(ctx context.Context, full bool) (*underWay, error) {
	tenants, err := r.Store.Jobs.ExportTenants(ctx, r.now())
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(r.long, func(tenant string, _ bool) bool { return !slices.Contains(tenants, tenant) })
	slices.SortStableFunc(tenants, func(a, b string) int { return r.served[a].Compare(r.served[b]) })
	for _, tenant := range tenants {
		if full && r.long[tenant] {
			continue
		}
		e, err := r.Store.Jobs.ClaimExport(ctx, tenant, store.NewID(), r.now(), drover.At(r.Now().Add(lease)))
		if errors.Is(err, store.ErrNotFound) {
			continue // one of its exports runs, in another process
		}
		if err != nil {
			return nil, err
		}
		r.note(tenant)
		u := &underWay{tenant: tenant}
		u.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
			u.failure = r.attempt(ctx, e, func() error { yield(struct{}{}); return u.ends })
			u.ended = true
		})
		return u, nil
	}
	return nil, nil //nolint:nilnil // nothing waits
}

// note keeps that a tenant had its turn, and forgets turns of long ago.
func (r *Runner) note(tenant string) {
	const kept = 24 * time.Hour
	now := r.Now()
	maps.DeleteFunc(r.served, func(_ string, at time.Time) bool { return now.Sub(at) > kept })
	r.served[tenant] = now
}

// attempt makes an export once, and keeps what came of it. Pause returns when it may go on, or
// why it may not.
func (r *Runner) attempt(ctx context.Context, e work.Export, pause func() error) error {
	failure := r.make(ctx, &e, pause)
	if errors.Is(failure, errLost) {
		return r.clean(ctx, e) // it was cancelled, or is another's now
	}
	// What is to be said of the attempt is said also when the process stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease/2)
	defer cancel()
	if failure == nil {
		e.File, e.State, e.ProgressPercent = e.Claim, drover.ExportDone, 100
	} else {
		r.fail(&e, failure)
	}
	if !e.State.Unfinished() {
		e.FinishedAt, e.ExpiresAt = new(r.now()), new(drover.At(r.Now().Add(drover.ExportLifetime)))
	}
	err := r.Store.Jobs.EndExport(ctx, e)
	if errors.Is(err, store.ErrNotFound) {
		return r.clean(ctx, e)
	}
	if e.File == "" {
		err = errors.Join(err, r.clean(ctx, e))
	}
	if errors.Is(failure, context.Canceled) || errors.Is(failure, errTooLarge) || errors.Is(failure, errGivenBack) {
		failure = nil // the process stops, the caller asked for too much, or it waits for a place
	}
	return errors.Join(failure, err)
}

// fail says what becomes of an export whose attempt has failed: it is tried again,
// but not for ever. A process that stops has not failed.
func (r *Runner) fail(e *work.Export, failure error) {
	e.State, e.ProgressPercent, e.Records, e.Bytes = drover.ExportQueued, 0, 0, 0
	if errors.Is(failure, errTooLarge) {
		e.State, e.Error = drover.ExportFailed, new(fmt.Sprintf("The file would have more than %d bytes: narrow the filters", r.MaxBytes))
		return
	}
	if errors.Is(failure, errGivenBack) {
		e.Attempts--
		return
	}
	if e.Attempts >= maxAttempts && !errors.Is(failure, context.Canceled) {
		e.State, e.Error = drover.ExportFailed, new("The export could not be made; see the service's log")
	}
}

func (r *Runner) clean(ctx context.Context, e work.Export) error {
	return r.Files.Remove(context.WithoutCancel(ctx), e, e.Claim)
}

// errLost says that the attempt no longer holds its export.
var (
	errLost = errors.New("the export is no longer this attempt's")
	// errTooLarge says that a file would have too many bytes.
	errTooLarge = errors.New("the file would be too large")
	// errGivenBack says that an export is a long one, for which there is no place.
	errGivenBack = errors.New("the export waits for a long one to end")
)

// make writes the file of an export.
func (r *Runner) make(ctx context.Context, e *work.Export, pause func() error) error {
	file, err := r.Files.Create(ctx, *e)
	if err != nil {
		return err
	}
	e.Shares = nil
	err = r.noteShares(ctx, e)
	now := r.Now()
	a := &attempt{r: r, e: e, renewed: now, resumed: now, pause: pause, w: &countingWriter{w: file, most: r.MaxBytes}}
	if err == nil {
		err = kinds[e.Kind].write(ctx, a)
	}
	if err == nil {
		err = r.noteShares(ctx, e)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// attempt is one making of an export.
type attempt struct {
	r       *Runner
	e       *work.Export
	w       *countingWriter
	renewed time.Time
	// resumed is since when it works, and pause lets others.
	resumed time.Time
	pause   func() error
	// own are the connections whose records alone are wanted; nil for all that the tenant reads.
	own map[string]bool
	// version is noted in a file of columns.
	version [2]string
}

type countingWriter struct {
	w       io.Writer
	n, most int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	if c.n+int64(len(b)) > c.most {
		return 0, errTooLarge
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// kind is how the records of one kind are chosen and written.
type kind struct {
	check  func(filters json.RawMessage) error
	write  func(ctx context.Context, a *attempt) error
	placed bool // they are somewhere
}

var kinds = map[drover.ExportKind]kind{
	drover.ExportDevices:    kindOf(devices, (*attempt).devices),
	drover.ExportPositions:  kindOf(positions, (*attempt).positions),
	drover.ExportTrips:      kindOf(trips, (*attempt).trips),
	drover.ExportStops:      kindOf(stops, (*attempt).stops),
	drover.ExportMilestones: kindOf(milestones, (*attempt).milestones),
	drover.ExportEvents:     kindOf(events, (*attempt).events),
	drover.ExportReadings:   kindOf(readings, (*attempt).readings),
	drover.ExportDrivers:    kindOf(drivers, (*attempt).drivers),
	drover.ExportFaults:     kindOf(faults, (*attempt).faults),
	drover.ExportSafety:     kindOf(safetyEvents, (*attempt).safetyEvents),
}

func kindOf[F, R, T any](t table[R, T], from func(*attempt, context.Context, F) (source[R], error)) kind {
	return kind{
		check: func(filters json.RawMessage) error {
			_, err := parse[F](filters)
			return err
		},
		write:  func(ctx context.Context, a *attempt) error { return filtered(ctx, a, t, from) },
		placed: t.place != nil,
	}
}

// filtered reads the filters of an export and writes what they choose.
func filtered[F, R, T any](
	ctx context.Context,
	a *attempt,
	t table[R, T],
	from func(*attempt, context.Context, F) (source[R], error),
) error {
	f, err := parse[F](a.e.Filters)
	if err != nil {
		return err
	}
	next, err := from(a, ctx, f)
	if err != nil {
		return err
	}
	enc, err := newEncoder(a.e.Format, a.w, t)
	if err != nil {
		return err
	}
	if columns, ok := enc.(*parquetEncoder[R, T]); ok && a.version[0] != "" {
		columns.w.SetKeyValueMetadata(a.version[0], a.version[1])
	}
	for {
		records, progress, err := next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if a.own != nil {
			records = slices.DeleteFunc(records, func(r R) bool { return !a.own[t.connection(r)] })
		}
		if err := enc.Encode(records); err != nil {
			return err
		}
		if err := a.advance(ctx, len(records), progress); err != nil {
			return err
		}
	}
	err = enc.Close()
	a.e.Bytes = a.w.n
	return err
}

// WriteOwn writes the readings, drivers, faults or safety events of a tenant's own connections
// as one Parquet file, with the columns of an export, and notes its version in it.
func WriteOwn(ctx context.Context, o Options, e work.Export, version [2]string, w io.Writer) (records int64, err error) {
	connections, err := o.Store.Fleet.Connections(ctx, e.TenantID, "")
	if err != nil {
		return 0, err
	}
	own := map[string]bool{}
	for _, c := range connections {
		own[c.ID] = c.TenantID == e.TenantID
	}
	e.Format = drover.ExportParquet
	a := &attempt{r: &Runner{Options: o}, e: &e, own: own, version: version, w: &countingWriter{w: w, most: math.MaxInt64}}
	err = kinds[e.Kind].write(ctx, a)
	return e.Records, err
}

// advance counts records, and now and then says how far it is.
func (a *attempt) advance(ctx context.Context, records int, progress float64) error {
	a.e.Records += int64(records)
	a.e.Bytes, a.e.ProgressPercent = a.w.n, min(99, 100*progress)
	if a.e.Claim == "" {
		return ctx.Err()
	}
	now := a.r.Now()
	if now.Sub(a.renewed) < renewEvery {
		return ctx.Err()
	}
	if err := a.renew(ctx, now); err != nil || now.Sub(a.resumed) < turnTime {
		return err
	}
	if err := a.pause(); err != nil {
		return err
	}
	a.resumed = a.r.Now()
	return a.renew(ctx, a.resumed)
}

// renew says that the attempt lives, and finds out whether it still holds its export.
func (a *attempt) renew(ctx context.Context, now time.Time) error {
	a.renewed = now
	err := a.r.Store.Jobs.RenewExport(ctx, *a.e, drover.At(now.Add(lease)))
	if errors.Is(err, store.ErrNotFound) {
		return errLost
	}
	return err
}

// Sweep forgets exports whose time is over, and files that no one names.
func (r *Runner) Sweep(ctx context.Context) error {
	expired, err := r.Store.Jobs.ExpiredExports(ctx, r.now())
	if err != nil {
		return err
	}
	for _, e := range expired {
		err := r.Store.Update(ctx, func(tx *store.Tx) error { return unlessGone(tx.Jobs.DropExport(ctx, e.TenantID, e.ID)) })
		if err != nil {
			return err
		}
	}
	return r.Files.Sweep(ctx, r.Store.Jobs.ExportFiles)
}

// unlessGone takes what is no longer there for done.
func unlessGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
