package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/quality"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// watch measures the data of a connection, beside the transactions that store them:
// it is a sample, so that nothing is lost where a process ends.
type watch struct {
	observer quality.Observer
	units    *drover.Units // that the data were read with
	// known are the facts that are stored, and verdict what was announced; nil
	// before they were read.
	known   *quality.Facts
	verdict drover.Verdict
	savedAt time.Time
	judged  int64 // moving positions at the last judgement
	trips   []provider.Trip
	clock   vendorClock
	// coverageAt is when it was last looked which kinds of readings still come.
	coverageAt time.Time
}

const (
	// keepFacts is how often facts are stored.
	keepFacts = 5 * time.Minute
	// judgeAfter is how many moving positions are worth a judgement before that.
	judgeAfter = 20
	// watchedTrips bounds the trips that are compared each time.
	watchedTrips = 5
)

// vendorClock is the newest times that a vendor's answers named as its own.
type vendorClock struct {
	mu    sync.Mutex
	ahead []time.Duration
}

// dated notes the Date of answers. One from a cache tells the time of another call.
type dated struct {
	http.RoundTripper
	now   func() time.Time
	clock *vendorClock
}

// RoundTrip implements http.RoundTripper.
func (d dated) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.RoundTripper.RoundTrip(req)
	if err != nil || res.Header.Get("Age") != "" {
		return res, err
	}
	if at, bad := http.ParseTime(res.Header.Get("Date")); bad == nil {
		d.clock.mu.Lock()
		defer d.clock.mu.Unlock()
		if len(d.clock.ahead) < watchedTrips {
			d.clock.ahead = append(d.clock.ahead, at.Sub(d.now().Truncate(time.Second)))
		}
	}
	return res, nil
}

// observe looks at a page that was stored.
func (v *run) observe(s *store.Job, f fetched) {
	w := &v.adapter.watch
	if !drover.SameUnits(w.units, v.conn.Configuration.Units) {
		// What was measured before was read differently.
		w.observer, w.known, w.judged, w.trips, w.units = quality.Observer{}, nil, 0, nil, v.conn.Configuration.Units
	}
	w.readClock()
	switch p := f.page.(type) {
	case *positionPage:
		p.observe(w, s, f.more)
		v.c.opts.Usage.Add(v.claim.TenantID, quota.Counts{Positions: p.stored()})
	case *tripPage:
		for _, t := range p.records {
			if len(w.trips) < watchedTrips && t.DistanceMetres != nil && *t.DistanceMetres > 0 {
				w.trips = append(w.trips, t)
			}
		}
	}
}

func (w *watch) readClock() {
	w.clock.mu.Lock()
	defer w.clock.mu.Unlock()
	for _, ahead := range w.clock.ahead {
		w.observer.Clock(ahead)
	}
	w.clock.ahead = w.clock.ahead[:0]
}

func (p *positionPage) observe(w *watch, s *store.Job, more bool) {
	if w.observer.Full() {
		return
	}
	fixes := make([]quality.Fix, len(p.records))
	for i := range p.records {
		fixes[i] = quality.Fix{Device: p.devices[p.records[i].SystemDeviceID], Position: &p.records[i].Position}
	}
	now := p.run.c.opts.Now()
	if s.Backfill || s.Kind == store.JobTracks {
		w.observer.ObservePast(fixes, now)
		return
	}
	repeated, late := 0, 0
	for i, row := range p.rows {
		switch {
		case !p.fresh[i]:
			repeated++
		case row.Time.Before(w.observer.Newest(row.DeviceID)):
			late++
		}
	}
	w.observer.Stored(repeated, late)
	w.observer.Observe(fixes, now, !more)
}

// judgeData judges what was measured, and stores it from time to time. Anyone who
// should know is notified when the data become doubtful, and when they no longer are.
func (v *run) judgeData(ctx context.Context) error {
	if v.adapter == nil {
		return nil
	}
	w, now := &v.adapter.watch, v.c.opts.Now()
	fresh := w.observer.Facts()
	due := now.Sub(w.savedAt) >= keepFacts
	if fresh.Positions == 0 || !due && fresh.Moving < w.judged+judgeAfter {
		return nil
	}
	w.judged = fresh.Moving
	if err := v.readFacts(ctx, w); err != nil {
		return err
	}
	if due {
		if err := v.compareTrips(ctx, w); err != nil {
			return err
		}
		fresh = w.observer.Facts()
	}
	total := w.known.Clone()
	total.Add(fresh)
	reading := v.adapter.info.Reading(v.conn.Configuration.Units)
	doubtful := quality.Judge(total, reading).Verdict == drover.VerdictDoubtful
	if !due && doubtful == (w.verdict == drover.VerdictDoubtful) {
		return nil
	}
	return v.storeFacts(ctx, w, reading)
}

// readFacts reads what is stored, once.
func (v *run) readFacts(ctx context.Context, w *watch) error {
	if w.known != nil {
		return nil
	}
	stored, err := v.c.opts.Store.Jobs.Quality(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	w.known, w.verdict, err = parseFacts(stored)
	return err
}

func parseFacts(q work.Quality) (*quality.Facts, drover.Verdict, error) {
	facts := &quality.Facts{}
	if len(q.Facts) > 0 {
		if err := json.Unmarshal(q.Facts, facts); err != nil {
			return nil, "", fmt.Errorf("read facts: %w", err)
		}
	}
	return facts, q.Verdict, nil
}

// storeFacts adds what was measured to what is stored.
func (v *run) storeFacts(ctx context.Context, w *watch, reading quality.Context) error {
	fresh := w.observer.Facts()
	var total *quality.Facts
	var verdict drover.Verdict
	err := v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		stored, err := tx.Jobs.QualityForUpdate(ctx, v.claim.TenantID, v.claim.ConnectionID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if total, verdict, err = parseFacts(stored); err != nil {
			return err
		}
		total.Add(fresh)
		if reading.Devices, reading.Brief, err = tx.Fleet.DeviceTurnover(ctx, v.claim.TenantID, v.claim.ConnectionID,
			quality.BriefListing); err != nil {
			return err
		}
		verdict, err = v.announce(ctx, tx, verdict, quality.Judge(*total, reading))
		if err != nil {
			return err
		}
		text, err := json.Marshal(total)
		if err != nil {
			return fmt.Errorf("write facts: %w", err)
		}
		return tx.Jobs.SetQuality(ctx, work.Quality{
			TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, Verdict: verdict,
			Facts: text,
		}, v.c.now())
	})
	if err != nil {
		return err
	}
	w.observer.Take()
	w.known, w.verdict, w.savedAt, w.judged = total, verdict, v.c.opts.Now(), 0
	return nil
}

// trustAfter is how many moving positions must be without a doubt before it is over.
const trustAfter = 50

// announce tells of data that have become doubtful, or are so no longer, and returns
// the verdict that is known from now on.
func (v *run) announce(ctx context.Context, tx *store.Tx, before drover.Verdict, q drover.ConnectionQuality) (drover.Verdict, error) {
	was, is := before == drover.VerdictDoubtful, q.Verdict == drover.VerdictDoubtful
	if was && !is && q.Moving < trustAfter {
		return before, nil
	}
	if was == is {
		return q.Verdict, nil
	}
	typ, doubt := drover.EventConnectionTrusted, drover.ConnectionDoubt{Connection: v.conn, Reason: q.Reason, Checks: []string{}}
	if is {
		typ = drover.EventConnectionDoubtful
	}
	for _, c := range q.Checks {
		if c.Verdict == drover.VerdictDoubtful {
			doubt.Checks = append(doubt.Checks, c.Name)
		}
	}
	e, err := drover.NewEvent(typ, v.c.now(), doubt)
	if err != nil {
		return before, err
	}
	return q.Verdict, v.tell(ctx, tx, []drover.Event{e})
}

// Positions of a trip that can be measured: enough of them, and no hole.
const (
	tripFixes = 10
	tripHole  = 3 * time.Minute
)

// compareTrips measures some of the vendor's trips along their positions.
func (v *run) compareTrips(ctx context.Context, w *watch) error {
	for _, t := range w.trips {
		id := v.adapter.devices[t.SystemDeviceID]
		if id == "" {
			continue
		}
		path, err := v.c.opts.Store.History.Positions(ctx, history.Range{
			TenantID: v.claim.TenantID, DeviceID: id, From: t.StartTime, To: drover.At(t.EndTime.Add(time.Second)), Limit: watchedFixes,
		})
		if err != nil {
			return err
		}
		if metres, ok := tripLength(t, path); ok {
			w.observer.Trip(metres, *t.DistanceMetres)
		}
	}
	w.trips = nil
	return nil
}

// watchedFixes is more than the positions of a trip that is compared.
const watchedFixes = 2000

func tripLength(t provider.Trip, path []drover.StoredPosition) (metres float64, ok bool) {
	if len(path) < tripFixes || len(path) == watchedFixes {
		return 0, false
	}
	last := t.StartTime.Time
	points := make([]drover.Coordinate, len(path))
	for i, p := range path {
		if p.Time.Sub(last) > tripHole {
			return 0, false
		}
		last, points[i] = p.Time.Time, p.Point()
	}
	return geo.LengthMetres(points), t.EndTime.Sub(last) <= tripHole
}
