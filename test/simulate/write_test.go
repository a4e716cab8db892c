package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
)

// write sets a field of a record that no one else writes.
func (t *tenant) write(path, field, value string) {
	r := t.values[path]
	if r == nil {
		r = &register{possible: []string{""}} // whatever it was
		t.values[path] = r
	}
	a := t.call(http.MethodPatch, path, fmt.Sprintf(`{%q:%q}`, field, value), "")
	switch {
	case a.done():
		r.possible = []string{value}
	case !a.refused():
		r.possible = append(r.possible, value)
	}
}

// readBack reads a record that was written: what was acknowledged is there at once.
func (t *tenant) readBack() {
	path := t.pick(t.paths())
	if path == "" {
		return
	}
	if a := t.call(http.MethodGet, path, "", ""); a.done() {
		t.compare(path, a)
	}
}

// paths are those of the values that were written, in one order.
func (t *tenant) paths() []string {
	var paths []string
	for path := range t.values {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

func (t *tenant) compare(path string, a answer) {
	var got struct {
		Description string       `json:"description"`
		EndTime     *drover.Time `json:"end_time"`
	}
	if err := a.data(&got); err != nil {
		t.world.fail("%s GET %s: %v", t.name, path, err)
		return
	}
	value := got.Description
	if got.EndTime != nil {
		value = got.EndTime.UTC().Format(time.RFC3339)
	}
	r := t.values[path]
	if r.possible[0] != "" && !slices.Contains(r.possible, value) {
		t.world.fail("%s: %s is %q, want one of %q", t.name, path, value, r.possible)
	}
}

// create makes a milestone and does not give up: the key lets it happen once.
func (t *tenant) create(ctx context.Context) {
	c, end := &creation{mark: 100 + t.number()}, begin.Add(48*time.Hour).Format(time.RFC3339)
	body := fmt.Sprintf(`{"device_id":%q,"end_time":%q,"radius_metres":%d,"start_point":{"latitude":-37.8,"longitude":145},"end_point":{"latitude":-37.7,"longitude":145.1}}`,
		t.pick(t.readable()), end, c.mark)
	t.created = append(t.created, c)
	for range 6 {
		a := t.call(http.MethodPost, "/milestone", body, fmt.Sprintf("key %d", c.mark))
		if a.refused() {
			return // suspended; an earlier try may have come through
		}
		var m drover.Milestone
		if a.done() && a.data(&m) == nil {
			if c.id != "" && c.id != m.ID {
				t.world.fail("%s: the key of %d made %s and %s", t.name, c.mark, c.id, m.ID)
			}
			if c.id == "" {
				t.journeys = append(t.journeys, m.ID)
				t.values["/milestone/"+m.ID] = &register{possible: []string{end}}
			}
			c.id = m.ID
			if t.random.IntN(3) > 0 {
				return
			}
		}
		if !sleep(ctx, time.Duration(1+t.random.IntN(10))*time.Second) {
			return
		}
	}
}

// judge says of each of the tenant's trips that it is the contrary of what it was, and
// reads that back.
func (t *tenant) judge() {
	a := t.call(http.MethodGet, "/trip?limit=100", "", "")
	var trips []drover.Trip
	if !a.done() || a.data(&trips) != nil {
		t.world.fail("%s cannot read its trips: %d", t.name, a.status)
		return
	}
	for _, trip := range trips {
		if !slices.Contains(t.devices, trip.DeviceID) {
			continue // it is shared
		}
		path, valid := "/trip/"+trip.ID, !trip.IsValid
		if a := t.call(http.MethodPatch, path, fmt.Sprintf(`{"is_valid":%t}`, valid), ""); !a.done() {
			t.world.fail("%s cannot judge a trip: %d %s", t.name, a.status, a.body)
			continue
		}
		var after drover.Trip
		if a := t.call(http.MethodGet, path, "", ""); !a.done() || a.data(&after) != nil || after.IsValid != valid {
			t.world.fail("%s: a trip that was judged to be valid: %t is valid: %t", t.name, valid, after.IsValid)
		}
	}
}

// readable are the devices of the tenant and those that it may follow as well.
func (t *tenant) readable() []string {
	ids := t.devices
	for _, owner := range t.world.tenants {
		if owner != t && t.world.access.of(owner.index, t.index).positions.now() == yes {
			ids = append(slices.Clone(ids), owner.devices...)
		}
	}
	return ids
}

// remove deletes a milestone.
func (t *tenant) remove() {
	id := t.pick(t.journeys)
	if id == "" || len(t.journeys) < 3 {
		return
	}
	a := t.call(http.MethodDelete, "/milestone/"+id, "", "")
	if a.refused() && a.status != http.StatusNotFound {
		return
	}
	i := slices.IndexFunc(t.created, func(c *creation) bool { return c.id == id })
	t.journeys = slices.DeleteFunc(t.journeys, func(other string) bool { return other == id })
	delete(t.values, "/milestone/"+id)
	t.created[i].deleted = maybe
	if a.done() {
		t.created[i].deleted = yes
	}
}

// offer offers the tenant's connection to another.
func (t *tenant) offer(to *tenant) {
	p := t.world.access.of(t.index, to.index)
	if !t.world.access.take(p) {
		return
	}
	defer t.world.access.leave(p)
	if p.share != "" {
		return
	}
	scopes := []string{`[]`, `["positions"]`, `["drivers"]`, `["positions","drivers"]`}[t.random.IntN(4)]
	a := t.call(http.MethodPost, "/connection/"+t.connection.ID+"/share", fmt.Sprintf(`{"tenant_id":%q,"scopes":%s}`, to.id, scopes), "")
	var s drover.Share
	if !a.done() || a.data(&s) != nil {
		return // where it was offered all the same, the next offer finds it
	}
	given, err := json.Marshal(s.Scopes)
	if err != nil {
		panic(err) // it was JSON before
	}
	p.share, p.scopes = s.ID, string(given)
}

// accept accepts what another offers.
func (t *tenant) accept(from *tenant) {
	p := t.world.access.of(from.index, t.index)
	if !t.world.access.take(p) {
		return
	}
	defer t.world.access.leave(p)
	if p.share == "" || p.records.now() == yes {
		return
	}
	p.records.begin()
	if p.grants() {
		p.positions.begin()
	}
	if a := t.call(http.MethodPost, "/share/"+p.share+"/accept", "", ""); a.done() {
		p.records.end(true)
		if p.grants() {
			p.positions.end(true)
		}
	}
}

// endShare ends a share with another, from either side.
func (t *tenant) endShare(with *tenant) {
	owner, reader := t, with
	if t.random.IntN(2) == 0 {
		owner, reader = with, t
	}
	p := t.world.access.of(owner.index, reader.index)
	if !t.world.access.take(p) {
		return
	}
	defer t.world.access.leave(p)
	if p.share == "" {
		return
	}
	p.records.begin()
	p.positions.begin()
	if a := t.call(http.MethodDelete, "/share/"+p.share, "", ""); a.done() || a.status == http.StatusNotFound {
		p.records.end(false)
		p.positions.end(false)
		p.share = ""
	}
}

// readForeign reads a device of another tenant: as long as that is shared, and not
// a moment longer.
func (t *tenant) readForeign(owner *tenant) {
	p := t.world.access.of(owner.index, t.index)
	id, begun := t.pick(owner.devices), time.Now()
	a := t.call(http.MethodGet, "/device/"+id, "", "")
	known := p.records.during(begun, time.Now())
	if a.done() && known == no {
		t.world.fail("%s read a device of %s", t.name, owner.name)
	}
	calm := t.suspended.during(begun.Add(-suspensionGrace), time.Now()) == no &&
		owner.suspended.during(begun.Add(-suspensionGrace), time.Now()) == no
	if a.refused() && known == yes && calm {
		t.world.fail("%s was refused a device of %s that is shared: %d", t.name, owner.name, a.status)
	}
}

// suspensionGrace is how long a process may take to notice that a tenant was
// suspended, or is so no more.
const suspensionGrace = 2 * time.Second

// readNewest reads where all devices are that the tenant may see.
func (t *tenant) readNewest() {
	begun := time.Now()
	a := t.call(http.MethodGet, "/position", "", "")
	if t.suspended.during(begun.Add(-suspensionGrace), time.Now()) == yes && a.done() {
		t.world.fail("%s reads although it is suspended", t.name)
	}
	var rows []struct {
		DeviceID string `json:"device_id"`
	}
	if !a.done() || a.data(&rows) != nil {
		return
	}
	for _, row := range rows {
		owner := t.world.ownerOf(row.DeviceID)
		if owner != nil && owner != t && t.world.access.of(owner.index, t.index).positions.during(begun, time.Now()) == no {
			t.world.fail("%s read a position of %s", t.name, owner.name)
		}
	}
}

// ownerOf finds whose a device is.
func (w *world) ownerOf(device string) *tenant {
	for _, t := range w.tenants {
		if slices.Contains(t.devices, device) {
			return t
		}
	}
	return nil
}
