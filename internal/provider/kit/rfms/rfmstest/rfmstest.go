// Package rfmstest turns a simulated fleet into what trucks report over rFMS, for
// the fakes of makers that serve it: which reports there are, how they are
// selected and how they are paged. How they are written is each maker's own.
package rfmstest

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// pageSize is how many reports a server returns at once. A page never ends within
// a second: the next one starts a second later.
const pageSize = 1000

// Event is what a status was sent for.
type Event int

// The events.
const (
	None  Event = iota // the vehicle reports at its interval
	Start              // a journey starts
	End                // a journey ends
)

// Report is one position or status.
type Report struct {
	Vehicle sim.Vehicle
	sim.Sample
	Event Event
	// Counters are there in statuses of an event.
	Counters *Counters
}

// Counters are totals in seconds. They are true within a journey; between two
// they run on with the clock.
type Counters struct{ Driving, Idling, Auxiliary int64 }

// Page is an answer.
type Page struct {
	Reports []Report
	More    bool
	Now     time.Time // the server's, at the time of the request
}

// vehiclePage is how many vehicles a server lists at once.
const vehiclePage = 100

// Vehicles returns the page of the vehicles that a query asks for; more says that others follow.
func Vehicles(account *sim.Account, query url.Values) (page []sim.Vehicle, more bool) {
	all := account.Vehicles()
	first := 1 + slices.IndexFunc(all, func(v sim.Vehicle) bool { return v.VIN == query.Get("lastVin") })
	end := min(first+vehiclePage, len(all))
	return all[first:end], end < len(all)
}

// Positions returns the positions that a query selects: each sample is one.
func Positions(account *sim.Account, query url.Values) (Page, error) {
	return serve(account, query, func(v sim.Vehicle, samples []sim.Sample) []Report {
		reports := make([]Report, len(samples))
		for i, s := range samples {
			reports[i] = Report{Vehicle: v, Sample: s}
		}
		return reports
	})
}

// Statuses returns the statuses that a query selects.
func Statuses(account *sim.Account, query url.Values) (Page, error) {
	return serve(account, query, func(v sim.Vehicle, samples []sim.Sample) []Report {
		samples = slices.DeleteFunc(samples, func(s sim.Sample) bool { return !HasStatus(s) })
		if len(samples) == 0 {
			return nil
		}
		events := eventsOf(account, v, samples)
		reports := make([]Report, len(samples))
		for i, s := range samples {
			reports[i] = events.report(v, s)
		}
		return reports
	})
}

// HasStatus reports whether a vehicle sends a status with a sample: always while
// it stands, and once in two minutes otherwise.
func HasStatus(s sim.Sample) bool {
	return *s.SpeedKPH == 0 || s.Time.Unix()/30%4 == 0
}

// serve selects and pages.
func serve(account *sim.Account, query url.Values, reports func(sim.Vehicle, []sim.Sample) []Report) (Page, error) {
	now := account.Now().UTC().Truncate(time.Second)
	sel, err := parse(query, now)
	if err != nil {
		return Page{}, err
	}
	page := Page{Now: now}
	if sel.latest {
		for _, v := range account.Vehicles() {
			if s, ok := account.Latest(v); ok {
				page.Reports = append(page.Reports, reports(v, []sim.Sample{s})...)
			}
		}
		return page, nil
	}
	// Slice by slice, so that a long window costs no more than its first page.
	const slice = 2 * time.Hour
	for from := sel.from; from.Before(sel.to) && len(page.Reports) <= pageSize; from = from.Add(slice) {
		to := from.Add(slice)
		if to.After(sel.to) {
			to = sel.to
		}
		for _, v := range account.Vehicles() {
			page.Reports = append(page.Reports, reports(v, sel.samples(account, v, from, to))...)
		}
	}
	sel.cut(&page)
	return page, nil
}

// selection is what a query asks for.
type selection struct {
	latest   bool
	created  bool // by the vehicle's time, not the server's
	from, to time.Time
}

func parse(query url.Values, now time.Time) (selection, error) {
	sel := selection{created: query.Get("datetype") == "created", to: now}
	sel.latest, _ = strconv.ParseBool(query.Get("latestOnly"))
	start, stop := query.Get("starttime"), query.Get("stoptime")
	switch {
	case sel.latest && (start != "" || stop != ""):
		return sel, errors.New("latestOnly must not be combined with starttime or stoptime")
	case sel.latest:
		return sel, nil
	case start == "":
		return sel, errors.New("starttime or latestOnly is required")
	}
	var err error
	if sel.from, err = time.Parse(time.RFC3339, start); err != nil {
		return sel, errors.New("starttime is not valid")
	}
	if stop != "" {
		to, err := time.Parse(time.RFC3339, stop)
		if err != nil {
			return sel, errors.New("stoptime is not valid")
		}
		if to.Before(sel.to) {
			sel.to = to
		}
	}
	return sel, nil
}

func (sel selection) samples(account *sim.Account, v sim.Vehicle, from, to time.Time) []sim.Sample {
	if sel.created {
		return account.Positions(v, from, to)
	}
	return account.Arrived(v, from, to)
}

func (sel selection) time(r Report) time.Time {
	if sel.created {
		return r.Time.Time
	}
	return r.Received
}

// cut sorts a page and ends it behind a whole second.
func (sel selection) cut(page *Page) {
	order.By(page.Reports, func(a, b Report) int { return sel.time(a).Compare(sel.time(b)) })
	end := min(pageSize, len(page.Reports))
	for end > 0 && end < len(page.Reports) && sel.time(page.Reports[end]).Equal(sel.time(page.Reports[end-1])) {
		end++
	}
	page.More = end < len(page.Reports)
	page.Reports = page.Reports[:end]
}
