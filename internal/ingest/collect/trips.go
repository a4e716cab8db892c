package collect

import (
	"context"
	"iter"
	"time"

	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

// tripPage is a page of the vendor's own trips.
type tripPage struct {
	run     *run
	job     *store.Job
	records []provider.Trip
}

// save stores the trips and tells of them.
func (p *tripPage) save(ctx context.Context, tx *store.Tx) error {
	v := p.run
	devices, err := v.devicesOf(ctx, tx, p.systemIDs())
	if err != nil {
		return err
	}
	byDevice := map[string][]track.VendorTrip{}
	for _, r := range p.records {
		if id, ok := devices[r.SystemDeviceID]; ok && v.inWindow(r) {
			byDevice[id] = append(byDevice[id], vendorTrip(r))
		}
	}
	events, err := v.c.opts.Tracker.StoreTrips(ctx, tx, v.source(), byDevice, p.job.Backfill)
	if err != nil {
		return err
	}
	return v.tell(ctx, tx, events)
}

func vendorTrip(r provider.Trip) track.VendorTrip {
	return track.VendorTrip{SystemTripID: r.SystemTripID, DriverID: r.DriverID, Facts: trip.Facts{
		Start: r.Start, End: r.End, StartTime: r.StartTime, EndTime: r.EndTime, DistanceMetres: r.DistanceMetres,
		DrivingSeconds: r.DrivingSeconds, IdlingSeconds: r.IdlingSeconds, AuxiliarySeconds: r.AuxiliarySeconds,
	}}
}

// inWindow keeps the trips that start in the collection window.
func (v *run) inWindow(r provider.Trip) bool {
	return v.leftOut(r.StartTime, time.Time{}) == ""
}

// systemIDs are the vendor's ids of the devices that drove.
func (p *tripPage) systemIDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.records {
			if !yield(p.records[i].SystemDeviceID) {
				return
			}
		}
	}
}
