package johndeere

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/iso15143"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// The environments.
const (
	live    = "live"
	sandbox = "sandbox"
)

// The sign-in of John Deere, and what is asked for there.
const (
	signInHost = "https://signin.johndeere.com"
	signInPath = "/oauth2/aus78tnlaysMraFhC1t7/v1"

	equipmentScope = "eq1"
	refreshScope   = "offline_access"
)

// hosts are John Deere's addresses.
type hosts struct{ fleet, platform, equipment string }

func hostsOf(environment, base string) hosts {
	h := hosts{
		fleet: "https://partneraemp.deere.com", platform: "https://api.deere.com", equipment: "https://equipmentapi.deere.com",
	}
	if environment == sandbox {
		h.fleet, h.platform = "https://sandboxaemp.deere.com", "https://sandboxapi.deere.com"
	}
	if base != "" {
		h = hosts{base, base, base}
	}
	return h
}

// errNoTrack says that the Operations Center does not know a machine.
var errNoTrack = errors.New("the Operations Center does not know the machine")

// withoutTrack reports whether an error is about one machine, of which John Deere has
// or gives no track, rather than about all.
func withoutTrack(err error) bool {
	if errors.Is(err, errNoTrack) {
		return true
	}
	status := provider.StatusOf(err)
	return status == http.StatusNotFound || status == http.StatusForbidden
}

// fleet reads a page of the fleet's snapshot.
func (a *Adapter) fleet(ctx context.Context, page int) (iso15143.Fleet, bool, error) {
	fleet, more, err := a.iso.Fleet(ctx, page)
	if err == nil && len(fleet.Equipment) == 0 && fleet.Has("connections") {
		err = provider.Errorf(provider.KindPermanent,
			"no organisation is connected to the application: connect one in the Operations Center, under Connections")
	}
	return fleet, more, err
}

// readNewest reads the newest position of each machine from the snapshot.
func (a *Adapter) readNewest(ctx context.Context) (map[string]provider.Position, error) {
	fleet, err := a.machinesNow(ctx)
	newest := map[string]provider.Position{}
	for _, e := range fleet {
		if p, ok := e.Location.Position(idOf(e.Header)); ok {
			newest[p.SystemDeviceID] = p
		}
	}
	return newest, err
}

// machinesNow reads the whole snapshot.
func (a *Adapter) machinesNow(ctx context.Context) ([]iso15143.Equipment, error) {
	return paging.ByNumber(func(number int) ([]iso15143.Equipment, bool, error) {
		fleet, more, err := a.fleet(ctx, number)
		return fleet.Equipment, more, err
	})
}

// readings are what the snapshot says of the machines' instruments.
func (a *Adapter) readings(ctx context.Context, _ []string) ([]provider.DeviceReading, error) {
	fleet, err := a.machinesNow(ctx)
	var said []provider.DeviceReading
	for _, e := range fleet {
		id := idOf(e.Header)
		if id == "" {
			continue
		}
		for _, r := range e.Readings() {
			said = append(said, provider.DeviceReading{SystemDeviceID: id, Reading: r})
		}
	}
	return said, err
}

// readMachines reads the list of equipment, by serial number.
func (a *Adapter) readMachines(ctx context.Context) (map[string]machine, error) {
	query := url.Values{"categories": {"Machine"}, "itemLimit": {"1000"}}
	if id := a.cfg.Credentials["organization_id"]; id != "" {
		query.Set("organizationIds", id)
	}
	list, err := values[machine](ctx, a.equipment, "/isg/equipment", query)
	machines := map[string]machine{}
	for _, m := range list {
		machines[strings.TrimSpace(m.SerialNumber.String())] = m
	}
	return machines, err
}

// breadcrumbs reads a machine's track in [from, to], oldest first.
func (a *Adapter) breadcrumbs(ctx context.Context, id string, from, to time.Time) ([]breadcrumb, error) {
	crumbs, err := machineValues[breadcrumb](ctx, a, id, "breadcrumbs", period(from, to))
	crumbs = slices.DeleteFunc(crumbs, func(c breadcrumb) bool { return !c.valid() })
	order.By(crumbs, func(a, b breadcrumb) int { return a.Time.Compare(b.Time.Time) })
	return slices.CompactFunc(crumbs, func(a, b breadcrumb) bool { return a.Time.Equal(b.Time.Time) }), err
}

// hours reads when a machine's engine ran and when it did not, or when it was in
// the given state.
func (a *Adapter) hours(ctx context.Context, id, state string, from, to time.Time) ([]interval, error) {
	query := period(from, to)
	if state != "" {
		query.Set("detailedState", state)
	}
	list, err := machineValues[interval](ctx, a, id, "hoursOfOperation", query)
	order.By(list, func(a, b interval) int { return a.Start.Compare(b.Start.Time) })
	return slices.CompactFunc(list, func(a, b interval) bool { return a == b }), err
}

func period(from, to time.Time) url.Values {
	return url.Values{"startDate": {wire.ISOMilli(from)}, "endDate": {wire.ISOMilli(to)}}
}

// machineValues reads a list of one machine.
func machineValues[T any](ctx context.Context, a *Adapter, id, name string, query url.Values) ([]T, error) {
	machines, err := a.machines.Get(ctx)
	if err != nil {
		return nil, err
	}
	principal := machines[id].principal()
	if principal == "" {
		return nil, errNoTrack
	}
	if org := a.cfg.Credentials["organization_id"]; org != "" && name == "breadcrumbs" {
		query.Set("orgId", org)
	}
	return values[T](ctx, a.platform, "/platform/machines/"+url.PathEscape(principal)+"/"+name, query)
}

// values reads all pages of a list. The next page is what a link says, but at the
// host that is ours: no answer can lead the token elsewhere.
func values[T any](ctx context.Context, api *client.Client, path string, query url.Values) ([]T, error) {
	first := path + "?" + query.Encode()
	return paging.ByCursor(func(link string) ([]T, string, error) {
		page, err := client.Get[list[T]](ctx, api, cmp.Or(link, first), nil)
		next, _ := page.next()
		return page.Values, next, err
	})
}

// signPlatform also asks for the form that the platform's answers are read in.
func signPlatform(req *http.Request, token string) {
	client.Bearer(req, token)
	req.Header.Set("Accept", "application/vnd.deere.axiom.v3+json")
}
