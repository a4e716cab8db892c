package quality

import (
	"cmp"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
)

const (
	// maxDevices bounds the devices that are followed at a time, and followed is for
	// how long: then others get their turn.
	maxDevices = 256
	followed   = time.Hour
	// behind is by how much the newest position of a page lies before the newest one known
	// where a clock has changed: half of what time zones differ by.
	behind = halfHour * time.Minute / 2
	// maxPositions bounds the positions between two takings, so that a fleet of any
	// size costs the same.
	maxPositions = 2000
)

// Fix is a position of a device.
type Fix struct {
	Device   string
	Position *drover.Position
}

// Observer makes facts of the positions of one connection as they come. It holds the
// newest position of some devices. It is not safe for several goroutines.
type Observer struct {
	facts   Facts
	devices map[string]*device
	since   time.Time // when these devices were chosen
}

// Observe looks at a page of positions of the live stream that arrived now. Where
// there are more pages to come at once, what it has is no news, and its age is none.
func (o *Observer) Observe(fixes []Fix, now time.Time, news bool) {
	if o.devices == nil || now.Sub(o.since) > followed {
		o.devices, o.since = map[string]*device{}, now
	}
	if news {
		o.forget(fixes)
	}
	o.page(o.devices, fixes, now, news)
}

// forget forgets the devices whose positions of a page all lie far behind the newest one
// known: their clock has changed.
func (o *Observer) forget(fixes []Fix) {
	newest := map[string]int64{}
	for _, fix := range fixes {
		newest[fix.Device] = max(newest[fix.Device], fix.Position.Time.UnixMilli())
	}
	for id, at := range newest {
		if d := o.devices[id]; d != nil && d.last.at-at >= behind.Milliseconds() {
			delete(o.devices, id)
		}
	}
}

// ObservePast looks at a page of older positions.
func (o *Observer) ObservePast(fixes []Fix, now time.Time) {
	o.page(map[string]*device{}, fixes, now, false)
}

func (o *Observer) page(devices map[string]*device, fixes []Fix, now time.Time, news bool) {
	sample := o.sample(devices, fixes)
	if len(sample) == 0 {
		return
	}
	if o.facts.Since.IsZero() {
		o.facts.Since = drover.At(now)
	}
	order.By(sample, func(a, b Fix) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), a.Position.Time.Compare(b.Position.Time.Time))
	})
	places := map[place]string{}
	for i, fix := range sample {
		d := devices[fix.Device]
		known := d.known
		moved := o.facts.observe(d, fix.Position)
		if last := i == len(sample)-1 || sample[i+1].Device != fix.Device; last && known && news {
			o.facts.age(fix.Position, now, moved)
		}
		if moved {
			o.facts.sharing(places, fix)
		}
	}
}

// sample chooses the positions that are looked at.
func (o *Observer) sample(devices map[string]*device, fixes []Fix) []Fix {
	room := maxPositions - int(o.facts.Positions)
	out := make([]Fix, 0, min(room, len(fixes)))
	for _, fix := range fixes {
		if len(out) == room {
			break
		}
		d := devices[fix.Device]
		if d == nil {
			if len(devices) == maxDevices {
				continue
			}
			d = &device{}
			devices[fix.Device] = d
		}
		if d.known && fix.Position.Time.UnixMilli() <= d.last.at {
			continue // seen before, or late
		}
		out = append(out, fix)
	}
	return out
}

// Full reports whether enough has been seen until the next Take.
func (o *Observer) Full() bool { return o.facts.Positions >= maxPositions }

// Stored counts how many positions of a page were stored before, and how many were
// new but older than others of their device.
func (o *Observer) Stored(repeated, late int) {
	o.facts.Repeated += int64(repeated)
	o.facts.Late += int64(late)
}

// Newest returns the time of the newest position seen of a device, zero where it is
// not followed.
func (o *Observer) Newest(id string) time.Time {
	if d := o.devices[id]; d != nil && d.known {
		return time.UnixMilli(d.last.at)
	}
	return time.Time{}
}

// Clock notes how far a vendor's clock is ahead of ours.
func (o *Observer) Clock(ahead time.Duration) { count(&o.facts.Clock, sizeBin(ahead.Seconds())) }

// Trip notes how long a trip was by its positions, and by the vendor.
func (o *Observer) Trip(path, reported float64) { count(&o.facts.Trips, ratioBin(path, reported)) }

// Facts returns what was found since the last Take.
func (o *Observer) Facts() Facts { return o.facts }

// Take returns what was found and begins again.
func (o *Observer) Take() Facts {
	f := o.facts
	o.facts = Facts{}
	return f
}

// place is where and when a device was.
type place struct {
	at       int64
	lat, lon float64
}

// sharing counts moving positions that two devices have at once.
func (f *Facts) sharing(places map[place]string, fix Fix) {
	p := place{fix.Position.Time.UnixMilli(), fix.Position.Latitude, fix.Position.Longitude}
	if other, taken := places[p]; taken && other != fix.Device {
		f.Shared++
	}
	places[p] = fix.Device
}

// age counts how old a new position was when it arrived.
func (f *Facts) age(p *drover.Position, now time.Time, moved bool) {
	seconds := now.Sub(p.Time.Time).Seconds()
	count(&f.Latency, sizeBin(seconds))
	if moved {
		count(&f.Age, ageBin(seconds))
	}
}
