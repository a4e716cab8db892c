// Package export makes files of a tenant's records in the background: of devices,
// positions, trips, stops, milestones or events, as CSV, JSON lines, GeoJSON or
// Parquet.
//
// An export is a row that a process claims under a lease and renews while it
// writes. Each attempt writes a file of its own, and the row names the one that is
// whole: an attempt that ends in the middle, however it ends, leaves nothing that
// could be served, and the next one begins again. Records are read in pages and
// written as they are read, so the memory does not grow with the export.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
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
}

// New makes a Runner.
func New(o Options) *Runner {
	o.MaxBytes = cmp.Or(o.MaxBytes, maxBytes)
	r := &Runner{Options: o, wake: make(chan struct{}, 1), served: map[string]time.Time{}}
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
	var beside sync.WaitGroup
	defer beside.Wait()
	sweep := func(ctx context.Context) { r.report(ctx, "sweep exports", r.Sweep(ctx)) }
	sweep(ctx)
	beside.Go(func() { background.Every(ctx, sweepEvery, sweep) })
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
	if err != nil && ctx.Err() == nil {
		r.Logger.ErrorContext(ctx, doing, "err", err)
	}
}

// Next makes the export that waits for longest, and says whether there was one.
func (r *Runner) Next(ctx context.Context) (bool, error) {
	tenants, err := r.Store.Jobs.ExportTenants(ctx, r.now())
	if err != nil {
		return false, err
	}
	slices.SortStableFunc(tenants, func(a, b string) int { return r.served[a].Compare(r.served[b]) })
	for _, tenant := range tenants {
		e, err := r.Store.Jobs.ClaimExport(ctx, tenant, store.NewID(), r.now(), drover.At(r.Now().Add(lease)))
		if errors.Is(err, store.ErrNotFound) {
			continue // one of its exports runs, in another process
		}
		if err != nil {
			return false, err
		}
		r.note(tenant)
		return true, r.attempt(ctx, e)
	}
	return false, nil
}

// note keeps that a tenant had its turn, and forgets turns of long ago.
func (r *Runner) note(tenant string) {
	const kept = 24 * time.Hour
	maps.DeleteFunc(r.served, func(_ string, at time.Time) bool { return r.Now().Sub(at) > kept })
	r.served[tenant] = r.Now()
}

// attempt makes an export once, and keeps what came of it.
func (r *Runner) attempt(ctx context.Context, e work.Export) error {
	failure := r.make(ctx, &e)
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
	if errors.Is(failure, context.Canceled) || errors.Is(failure, errTooLarge) {
		failure = nil // the process stops, or the caller asked for too much
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
)

// make writes the file of an export.
func (r *Runner) make(ctx context.Context, e *work.Export) error {
	file, err := r.Files.Create(ctx, *e)
	if err != nil {
		return err
	}
	e.Shares = nil
	err = r.noteShares(ctx, e)
	a := &attempt{r: r, e: e, renewed: r.Now(), w: &countingWriter{w: file, most: r.MaxBytes}}
	if err == nil {
		err = a.write(ctx)
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

// write writes the records of the export's kind.
func (a *attempt) write(ctx context.Context) error {
	e, r := a.e, a.r
	switch e.Kind {
	case drover.ExportDevices:
		return filtered(ctx, a, devices, func(f drover.DeviceFilter) (source[located], error) {
			return r.devices(e.TenantID, f, e.Format == drover.ExportGeoJSON), nil
		})
	case drover.ExportPositions:
		return filtered(ctx, a, positions, func(f positionFilter) (source[devicePosition], error) { return r.positions(e.TenantID, f), nil })
	case drover.ExportTrips:
		return filtered(ctx, a, trips, func(f tripFilter) (source[drivenTrip], error) { return r.trips(e.TenantID, f), nil })
	case drover.ExportStops:
		return filtered(ctx, a, stops, func(f drover.StopFilter) (source[drover.Stop], error) { return r.stops(e.TenantID, f), nil })
	case drover.ExportMilestones:
		return filtered(ctx, a, milestones, func(f drover.MilestoneFilter) (source[drover.Milestone], error) {
			return r.milestones(e.TenantID, f), nil
		})
	case drover.ExportEvents:
		return filtered(ctx, a, events, func(f eventFilter) (source[drover.Event], error) { return r.events(ctx, e.TenantID, f) })
	}
	return fmt.Errorf("no such kind: %s", e.Kind)
}

// filtered reads the filters of an export and writes what they choose.
func filtered[F, R, T any](ctx context.Context, a *attempt, t table[R, T], from func(F) (source[R], error)) error {
	f, err := parse[F](a.e.Filters)
	if err != nil {
		return err
	}
	next, err := from(f)
	if err != nil {
		return err
	}
	enc, err := newEncoder(a.e.Format, a.w, t)
	if err != nil {
		return err
	}
	for {
		records, progress, err := next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
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

// advance counts records, and now and then says how far it is.
func (a *attempt) advance(ctx context.Context, records int, progress float64) error {
	a.e.Records += int64(records)
	a.e.Bytes, a.e.ProgressPercent = a.w.n, min(99, 100*progress)
	if a.r.Now().Sub(a.renewed) < renewEvery {
		return ctx.Err()
	}
	a.renewed = a.r.Now()
	err := a.r.Store.Jobs.RenewExport(ctx, *a.e, drover.At(a.renewed.Add(lease)))
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
	used, err := r.Store.Jobs.ExportFiles(ctx)
	if err != nil {
		return err
	}
	return r.Files.Sweep(ctx, used)
}

// unlessGone takes what is no longer there for done.
func unlessGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
