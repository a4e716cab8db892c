package collect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// retryFile is how long a version of a file that was refused is left alone, and laterFile one
// that could not be tried.
const (
	retryFile = 15 * time.Minute
	laterFile = time.Minute
)

// current describes a provider as new connections to it are read.
func (c *Collector) current(name drover.ProviderName) provider.Info {
	info, ok := c.opts.Providers[name]
	if !ok && c.opts.Vendors != nil {
		info = c.opts.Vendors.Current()[name]
	}
	return info
}

// versionOf is the version of the file that describes a provider; empty where none does.
func versionOf(info provider.Info) string {
	if info.File == nil {
		return ""
	}
	return info.File.Version
}

// loadFile finds what the connection is read with: of a provider that a file describes, the
// version that is kept with it. That goes on where the file is broken, or gone.
func (v *run) loadFile(ctx context.Context) error {
	v.info, v.file = v.c.current(v.conn.IntegrationName), nil
	if _, builtIn := v.c.opts.Providers[v.conn.IntegrationName]; builtIn || v.c.opts.Vendors == nil {
		return nil
	}
	file, err := v.c.opts.Store.Jobs.File(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.file = &file
	if versionOf(v.info) == file.Version {
		return nil
	}
	v.c.adapters.mu.Lock()
	a := v.c.adapters.open[v.claim.ConnectionID]
	v.c.adapters.mu.Unlock()
	if a != nil && versionOf(a.info) == file.Version {
		v.info = a.info
		return nil
	}
	kept, err := v.c.opts.Vendors.Read(file.Text)
	if err != nil { // written for another release: the new version takes its place
		v.file = nil
		return nil //nolint:nilerr // the version that it had cannot be read
	}
	v.info = kept
	return nil
}

// renewFile begins to use a version of the provider's file that was placed since, once it
// has listed the connection's devices and read positions. Where that fails the connection
// stays with what it has.
func (v *run) renewFile(ctx context.Context) error {
	fresh := v.c.current(v.conn.IntegrationName)
	now := v.c.now()
	switch {
	case fresh.File == nil:
		return nil
	case v.file == nil: // nothing is in use yet
	case fresh.File.Version == v.file.Version:
		if v.file.Refused == nil {
			return nil // else the one that was refused was taken back
		}
	case !fresh.File.SeenAt.After(v.file.Since.Time):
		return nil // this process has an older folder than the one that placed the version in use
	case v.file.Refused != nil && *v.file.Refused == fresh.File.Version && now.Before(v.file.RefusedAt.Add(retryFile)):
		return nil
	case !v.c.adapters.fileDue(v.claim.ConnectionID, v.c.opts.Now()):
		return nil // the vendor was busy
	default:
		err := v.tryFile(ctx, fresh)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case busy(err):
			v.c.adapters.putOff(v.claim.ConnectionID, v.c.opts.Now().Add(laterFile))
			return nil
		case err != nil:
			return v.refuseFile(ctx, fresh.File.Version, err)
		}
	}
	return v.useFile(ctx, fresh)
}

// busy reports whether a failure says nothing of what was asked for.
func busy(err error) bool {
	return err != nil && (provider.KindOf(err) == provider.KindRateLimited || provider.StatusOf(err) == http.StatusServiceUnavailable)
}

// fileDue reports whether a new version of a file may be tried with a connection.
func (a *adapters) fileDue(connectionID string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	open := a.open[connectionID]
	return open == nil || !now.Before(open.newFile)
}

// putOff leaves a new version of a file alone for a while.
func (a *adapters) putOff(connectionID string, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if open := a.open[connectionID]; open != nil {
		open.newFile = until
	}
}

// tryFile lists the fleet once with a version that is not in use, and reads positions. The list
// must have devices that are known: with other ids, each would be there twice.
func (v *run) tryFile(ctx context.Context, fresh provider.Info) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	ctx, end := v.c.opts.Budget.WithReading(ctx, v.claim.TenantID)
	defer end()
	sealed, err := v.c.opts.Store.Fleet.Credentials(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	credentials, err := v.c.openCredentials(ctx, v.conn, sealed)
	if err != nil {
		return err
	}
	for _, f := range fresh.Fields {
		if f.Required && credentials[f.Name] == "" {
			return fmt.Errorf("it needs the credential %s, which the connection does not have", f.Name)
		}
	}
	a, err := v.c.newAdapter(v.conn, fresh, sealed, credentials)
	if err != nil {
		return err
	}
	a.claim = v.claim
	page, err := a.Devices(ctx, "")
	if err != nil {
		return err
	}
	known, err := v.c.opts.Store.Fleet.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	cleanDevices(page.Records)
	var ids []string
	same := 0
	for _, d := range page.Records {
		if slices.Contains(known, d.SystemDeviceID) {
			same++
		}
		if len(ids) < tryDevices {
			ids = append(ids, d.SystemDeviceID)
		}
	}
	if len(known) > 0 && (same == 0 || 2*same < len(page.Records)) {
		return fmt.Errorf("only %d of the %d listed devices are among the %d devices of the connection", same, len(page.Records), len(known))
	}
	_, err = a.Positions(ctx, provider.Query{From: v.c.opts.Now().Add(-time.Hour), Devices: ids})
	if paced(err) { // the file's own limits leave no room for it now
		return nil
	}
	return err
}

// refuseFile notes that a version does not work with the connection, where its health shows it.
func (v *run) refuseFile(ctx context.Context, version string, cause error) error {
	now, reason := v.c.now(), strings.TrimSuffix(cause.Error(), ".")
	file := *v.file
	file.Refused, file.RefusedAt, file.Reason = &version, &now, &reason
	v.file = &file
	v.c.opts.Logger.WarnContext(ctx, "a new version of a vendor's file does not work with a connection", "connection", v.claim.ConnectionID,
		"provider", v.conn.IntegrationName, "version", version, "err", cause)
	return v.storeFile(ctx, func(s *store.Job) bool {
		if s.Kind != store.JobDevices || s.ConsecutiveErrors > 0 {
			return false
		}
		v.note(s, "")
		return true
	}, nil)
}

// refusal says in words that a newer version is not used; empty where there is none.
func (v *run) refusal() string {
	if v.file == nil || v.file.Refused == nil {
		return ""
	}
	return fmt.Sprintf("The operator placed version %s of the file that describes this provider. It was tried and does not work here: %s. "+
		"The connection goes on with version %s.", *v.file.Refused, *v.file.Reason, v.file.Version)
}

// useFile reads the connection with a version from now on.
func (v *run) useFile(ctx context.Context, fresh provider.Info) error {
	before, now := v.info, v.c.now()
	changed := v.file != nil && v.file.Version != fresh.File.Version
	file := work.File{
		TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, Version: fresh.File.Version, Text: fresh.File.Text,
		Since: drover.At(fresh.File.SeenAt),
	}
	if v.file != nil && !changed {
		file.Used = v.file.Used
	}
	v.file, v.info = &file, fresh
	trips := v.conn.Configuration.Trips
	if changed {
		trips = v.tripsOf(before, fresh)
	}
	err := v.storeFile(ctx, func(s *store.Job) bool {
		over := s.LastErrorKind != nil && *s.LastErrorKind == kindFile
		if over {
			s.LastError, s.LastErrorKind, s.LastErrorAt = nil, nil, nil
		}
		return v.restart(s, before, changed, now) || over
	}, func(tx *store.Tx) error {
		if trips == v.conn.Configuration.Trips {
			return nil
		}
		return tx.Fleet.Configure(ctx, v.claim.TenantID, v.claim.ConnectionID, func(c *drover.Configuration) { c.Trips = trips })
	})
	if err != nil {
		return err
	}
	v.conn.Configuration.Trips = trips
	return v.chooseTrips(ctx)
}

// tripsOf is where trips come from with a new version: what the tenant chose stays, where the
// version has it.
func (v *run) tripsOf(before, fresh provider.Info) drover.TripSource {
	switch trips := v.conn.Configuration.Trips; {
	case !fresh.Features.Trips:
		return drover.TripsDerived
	case !before.Features.Trips:
		return drover.TripsNative
	default:
		return trips
	}
}

// restart begins a list again, and positions whose cursor the new version may not know: from
// before the last that was read, for what is read twice is stored once.
func (v *run) restart(s *store.Job, before provider.Info, changed bool, now drover.Time) bool {
	fits := before.File != nil && v.info.File != nil && before.File.Cursors == v.info.File.Cursors
	live := s.Kind == store.JobPositions && !s.Backfill && !fits
	if !changed || s.Cursor == "" || s.Kind != store.JobDevices && !live {
		return false
	}
	s.Cursor, s.DueAt = "", now
	if s.LastSuccessAt != nil && s.LastSuccessAt.Add(-settled).After(s.WindowFrom.Time) && live {
		s.WindowFrom = drover.At(s.LastSuccessAt.Add(-settled))
	}
	return true
}

// storeFile keeps the file of the connection, with the jobs that it changes.
func (v *run) storeFile(ctx context.Context, change func(s *store.Job) bool, also func(tx *store.Tx) error) error {
	var changed []store.Job
	for i := range v.jobs {
		if change(&v.jobs[i]) {
			changed = append(changed, v.jobs[i])
		}
	}
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		for _, s := range changed {
			if _, err := tx.Fleet.SetJob(ctx, s); err != nil {
				return err
			}
		}
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		return tx.Jobs.SetFile(ctx, *v.file)
	})
}

// fileUses are the calls that an adapter of a file has made in a run.
type fileUses struct {
	mu    sync.Mutex
	parts map[string]drover.FilePart
}

// use is the Used of the adapter's configuration.
func (a *adapter) use(u provider.Use) {
	if a == nil { // made for a single call
		return
	}
	a.uses.mu.Lock()
	defer a.uses.mu.Unlock()
	if a.uses.parts == nil {
		a.uses.parts = map[string]drover.FilePart{}
	}
	part := a.uses.parts[u.Part]
	a.uses.parts[u.Part] = drover.FilePart{
		Part: u.Part, FromLine: u.From, ToLine: u.To, Calls: part.Calls + 1, Rows: part.Rows + u.Rows,
	}
}

// give counts what a run gave.
func (v *run) give(kind store.JobKind, records int) {
	if v.file == nil {
		return
	}
	if v.gave == nil {
		v.gave = map[store.JobKind]int{}
	}
	v.gave[kind] += records
}

// storeUse keeps what the run used of the provider's file, and what came of it.
func (v *run) storeUse(ctx context.Context) error {
	if v.file == nil || v.adapter == nil {
		return nil
	}
	v.adapter.uses.mu.Lock()
	parts := v.adapter.uses.parts
	v.adapter.uses.parts = nil
	v.adapter.uses.mu.Unlock()
	if len(parts) == 0 || ctx.Err() != nil {
		return nil //nolint:nilerr // what is shown to people is not worth holding up the end of a process
	}
	now, file := v.c.now(), *v.file
	file.Used.Parts = slices.DeleteFunc(slices.Clone(file.Used.Parts), func(p drover.FilePart) bool {
		_, again := parts[p.Part]
		return again
	})
	for _, p := range parts {
		p.At = now
		file.Used.Parts = append(file.Used.Parts, p)
	}
	order.By(file.Used.Parts, func(a, b drover.FilePart) int { return a.FromLine - b.FromLine })
	file.Used.Records = slices.DeleteFunc(slices.Clone(file.Used.Records), func(r drover.FileRecords) bool {
		_, again := v.gave[store.JobKind(r.Kind)]
		return again
	})
	for kind, n := range v.gave {
		file.Used.Records = append(file.Used.Records, drover.FileRecords{Kind: string(kind), Records: n, At: now})
	}
	order.By(file.Used.Records, func(a, b drover.FileRecords) int { return strings.Compare(a.Kind, b.Kind) })
	v.file = &file
	return v.storeFile(ctx, func(*store.Job) bool { return false }, nil)
}
