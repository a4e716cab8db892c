package johndeeretest

import (
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// trackPage is the server's choice.
const trackPage = 500

// host is where links of the Operations Center lead.
const host = "https://partnerapi.deere.com"

// longest is more than any journey takes.
const longest = 12 * time.Hour

// asked returns the machine and the period of a call. It refuses an unknown
// machine and a period that cannot be read.
func (s *server) asked(w http.ResponseWriter, r *http.Request) (v sim.Vehicle, from, to time.Time, ok bool) {
	v, ok = s.account.Vehicle(r.PathValue("id"), nil)
	if !ok {
		fake.ReplyStatus(w, http.StatusNotFound, object{"message": "Machine not found"})
		return v, from, to, false
	}
	from, err := time.Parse(time.RFC3339, r.URL.Query().Get("startDate"))
	if err == nil {
		to, err = time.Parse(time.RFC3339, r.URL.Query().Get("endDate"))
	}
	if err != nil {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"message": "startDate or endDate is invalid"})
	}
	return v, from, to, err == nil
}

func (s *server) breadcrumbs(w http.ResponseWriter, r *http.Request) {
	v, from, to, ok := s.asked(w, r)
	if !ok {
		return
	}
	values := []object{}
	for _, p := range s.account.Positions(v, from, to.Add(time.Second)) {
		values = append(values, object{
			"@type": "Breadcrumb", "createTimestamp": timestamp(p.Received), "eventTimestamp": timestamp(p.Time.Time),
			"point": object{"@type": "Point", "lat": p.Latitude, "lon": p.Longitude},
			"speed": object{"@type": "measurementAsDouble", "valueAsDouble": *p.SpeedKPH, "unit": "km1hr-1"},
			"heading": object{
				"@type": "measurementAsInteger", "valueAsInteger": strconv.Itoa(int(*p.Heading)),
			},
			"principalId": number(v.ID), "origin": "JDLINK",
		})
	}
	paged(w, r, host, values, trackPage)
}

// span is an interval in which the engine ran, or rested.
type span struct {
	start, end time.Time
	on         bool
}

// hours serves the intervals of the engine, cut at the edges of the period, or
// those of the power take-off.
func (s *server) hours(w http.ResponseWriter, r *http.Request) {
	v, from, to, ok := s.asked(w, r)
	if !ok {
		return
	}
	state := r.URL.Query().Get("detailedState")
	spans := s.engine(v, from, to)
	if state != "" {
		spans = s.takeOff(v, from, to)
	}
	values := []object{}
	for _, i := range spans {
		if i.start.Before(from) {
			i.start = from
		}
		if i.end.After(to) {
			i.end = to
		}
		if !i.start.Before(i.end) {
			continue
		}
		value := object{"startDate": timestamp(i.start), "endDate": timestamp(i.end), "engineState": 0}
		if i.on {
			value["engineState"] = 1
		}
		if state != "" {
			value["detailedState"] = state
		}
		values = append(values, value)
	}
	paged(w, r, host, values, trackPage)
}

// engine returns when the engine ran and rested, up to the newest report.
func (s *server) engine(v sim.Vehicle, from, to time.Time) []span {
	var spans []span
	rested := from
	for _, t := range s.account.Trips(v, from, to.Add(longest)) {
		spans = append(spans, span{rested, t.StartTime, false}, span{t.StartTime, t.EndTime, true})
		rested = t.EndTime
	}
	newest, ok := s.account.Latest(v)
	if !ok || !newest.Time.After(rested) {
		return spans
	}
	for _, p := range s.account.Positions(v, rested.Add(time.Second), newest.Time.Add(time.Second)) {
		if *p.Ignition {
			return append(spans, span{rested, p.Time.Time, false}, span{p.Time.Time, newest.Time.Time, true})
		}
	}
	return append(spans, span{rested, newest.Time.Time, false})
}

// takeOff returns when the power take-off ran: at the end of a journey.
func (s *server) takeOff(v sim.Vehicle, from, to time.Time) []span {
	var spans []span
	for _, t := range s.account.Trips(v, from, to.Add(longest)) {
		lasts := time.Duration(t.AuxiliarySeconds) * time.Second
		spans = append(spans, span{t.EndTime.Add(-lasts), t.EndTime, true})
	}
	return spans
}
