package declared

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// Fake serves a simulated fleet as the vendor of a file would: it is the file read backwards,
// and answers have the shape of those that were recorded. It shows that a file reads each value
// from where it says, in the unit that it says; that this is what the vendor sends is shown by
// the recorded answers, and in the end by the vendor alone.
type Fake struct {
	file     *File
	recorded map[string]any
	clock    clock
	calls    []fakeCall
}

// fakeCall is a call of the file that can be recognised.
type fakeCall struct {
	key    string
	r      *Request
	path   pattern
	params map[string]pattern
}

// fakePage is how many rows a page has, where the file does not say it.
const fakePage = 100

// Recorded reads the answers of a folder: of the call devices, devices.json.
func (f *File) Recorded(dir string) (map[string]any, error) {
	all := map[string]any{}
	for key := range f.requests() {
		text, err := os.ReadFile(filepath.Join(dir, key+".json"))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			all[key], err = tree(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.json: %w", key, err)
		}
	}
	return all, nil
}

// NewFake makes the fake of a file that has no mistakes.
func NewFake(f *File, recorded map[string]any) *Fake {
	s := &Fake{file: f, recorded: recorded, clock: clock{time.UTC, f.Layout}}
	if zone, err := wire.Zone(f.Zone); f.Zone != "" && err == nil {
		s.clock.zone = zone
	}
	for _, key := range slices.Sorted(maps.Keys(f.requests())) {
		r := f.requests()[key]
		if r.Get+r.Post == "" {
			continue
		}
		c := fakeCall{key: key, r: r, path: newPattern(r.Get + r.Post), params: map[string]pattern{}}
		for name, text := range r.Query {
			c.params[name] = newPattern(text)
		}
		for name, text := range r.Body {
			c.params[name] = newPattern(text)
		}
		s.calls = append(s.calls, c)
	}
	return s
}

// pattern is a text with names in braces, to be read backwards.
type pattern struct {
	names []string
	form  *regexp.Regexp
}

func newPattern(text string) pattern {
	form := fill(regexp.QuoteMeta(text), func(string) string { return "" })
	parts := regexp.MustCompile(`\\\{[^{}]*\\\}`).Split(regexp.QuoteMeta(text), -1)
	if len(parts) > 1 {
		form = strings.Join(parts, "(.*?)")
	}
	return pattern{names(text), regexp.MustCompile("^" + form + "$")}
}

// match returns the values of the names.
func (p pattern) match(text string) (map[string]string, bool) {
	found := p.form.FindStringSubmatch(text)
	if found == nil {
		return nil, false
	}
	values := map[string]string{}
	for i, name := range p.names {
		values[name] = found[i+1]
	}
	return values, true
}

// Vendor serves an account. Its credentials are those of the file.
func (s *Fake) Vendor(account *sim.Account) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		params := parameters(req)
		if t := s.file.Login.Token; t != nil && req.Method == http.MethodPost && req.URL.Path == tokenPath(t) {
			s.token(w, req, t, account, params)
			return
		}
		if !s.loggedIn(req, account) {
			fake.ReplyStatus(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized"})
			return
		}
		calls, asked := s.called(req, params)
		if len(calls) == 0 {
			fake.ReplyStatus(w, http.StatusNotFound, map[string]any{"error": "no such call"})
			return
		}
		fake.Reply(w, s.answer(calls, s.rows(calls, asked, account), params, account.Now()))
	})
}

func tokenPath(t *Token) string {
	u, err := url.Parse(t.Post)
	if err != nil {
		return t.Post
	}
	return u.Path
}

// parameters are those of the query, a form or a JSON body.
func parameters(req *http.Request) map[string]string {
	all := map[string]string{}
	body := map[string]any{}
	if strings.Contains(req.Header.Get("Content-Type"), "json") {
		_ = json.NewDecoder(req.Body).Decode(&body) // what is no object has no parameters
	} else {
		_ = req.ParseForm()
		for name := range req.PostForm {
			all[name] = req.PostForm.Get(name)
		}
	}
	for name, value := range body {
		all[name] = fmt.Sprint(value)
	}
	for name := range req.URL.Query() {
		all[name] = req.URL.Query().Get(name)
	}
	return all
}

// accepts reports whether a text has the account's credentials, or a token, where the file
// puts them.
func accepts(template, text string, account *sim.Account) bool {
	values, ok := newPattern(template).match(text)
	for name, value := range values {
		if name == "token" {
			ok = ok && account.LoggedIn(value)
		} else {
			ok = ok && account.Accepts(name, value)
		}
	}
	return ok
}

func (s *Fake) loggedIn(req *http.Request, account *sim.Account) bool {
	login, ok := s.file.Login, true
	if len(login.Basic) == 2 {
		name, password, _ := req.BasicAuth()
		ok = accepts(login.Basic[0], name, account) && accepts(login.Basic[1], password, account)
	}
	for name, template := range login.Header {
		ok = ok && accepts(template, req.Header.Get(name), account)
	}
	for name, template := range login.Query {
		ok = ok && accepts(template, req.URL.Query().Get(name), account)
	}
	return ok
}

func (s *Fake) token(w http.ResponseWriter, req *http.Request, t *Token, account *sim.Account, params map[string]string) {
	ok := true
	for _, fields := range []map[string]string{t.Form, t.JSON} {
		for name, template := range fields {
			ok = ok && accepts(template, params[name], account)
		}
	}
	if len(t.Basic) == 2 {
		name, password, _ := req.BasicAuth()
		ok = ok && accepts(t.Basic[0], name, account) && accepts(t.Basic[1], password, account)
	}
	if !ok {
		fake.ReplyStatus(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	var answer any
	set(&answer, "expires_in", 3600)
	set(&answer, t.field(), account.Login(time.Hour))
	fake.Reply(w, answer)
}

// called are the calls of the file that a request is: those that list the fleet may share one.
func (s *Fake) called(req *http.Request, params map[string]string) (calls []fakeCall, asked map[string]string) {
	best := -1
	for _, c := range s.calls {
		values, ok := c.path.match(strings.TrimPrefix(req.URL.Path, "/"))
		if !ok {
			values, ok = c.path.match(req.URL.Path)
		}
		if !ok || (c.r.Post != "") != (req.Method == http.MethodPost) {
			continue
		}
		for name, p := range c.params {
			found, matches := p.match(params[name])
			if ok = ok && (matches || len(p.names) > 0); ok {
				maps.Copy(values, found)
			}
		}
		switch {
		case !ok || len(c.params) < best:
		case len(c.params) > best:
			best, calls, asked = len(c.params), []fakeCall{c}, values
		default:
			calls = append(calls, c)
		}
	}
	return calls, asked
}

// span is what a call asks for.
func span(asked map[string]string, now time.Time) (from, to time.Time) {
	to = now
	for name, text := range asked {
		name, form, _ := strings.Cut(name, ":")
		at, err := time.Parse(time.RFC3339Nano, text)
		number, _ := strconv.ParseInt(text, 10, 64)
		switch form {
		case "date":
			at, err = time.Parse(time.DateOnly, text)
			if name == "to" {
				at = at.AddDate(0, 0, 1)
			}
		case "seconds":
			at, err = time.Unix(number, 0), nil
		case "millis":
			at, err = time.UnixMilli(number), nil
		}
		if err == nil && name == "from" {
			from = at
		} else if err == nil && name == "to" {
			to = at
		}
	}
	return from, to
}

// rows are those of an answer, in the shape that was recorded.
func (s *Fake) rows(calls []fakeCall, asked map[string]string, account *sim.Account) []any {
	rows := []any{}
	from, to := span(asked, account.Now())
	vehicles := account.Vehicles()
	if id, one := asked["device"]; one {
		v, known := account.Vehicle(id, nil)
		if vehicles = nil; known {
			vehicles = []sim.Vehicle{v}
		}
	}
	for _, v := range vehicles {
		switch key := calls[0].key; key {
		case "positions.backfill", "positions.feed":
			samples := account.Positions(v, from, to)
			if key == "positions.feed" {
				if since, err := strconv.ParseInt(asked["cursor"], 10, 64); err == nil {
					from = time.Unix(0, since)
				}
				samples = account.Arrived(v, from, account.Now())
			}
			for _, sample := range samples {
				rows = append(rows, s.position(s.template(calls), calls[0].r, v, &sample))
			}
		case "trips":
			rows = append(rows, s.trips(calls, v, from, to, account)...)
		default:
			rows = append(rows, s.vehicle(calls, v, account))
		}
	}
	return rows
}

// vehicle is a row of a list of the fleet, with the newest position where the call has it.
func (s *Fake) vehicle(calls []fakeCall, v sim.Vehicle, account *sim.Account) any {
	row := s.template(calls)
	for _, c := range calls {
		switch c.key {
		case "devices":
			f := s.file.Devices.Fields
			s.write(&row, c.r, c.r.Device, v.ID)
			s.write(&row, c.r, f.Description, v.Name)
			s.write(&row, c.r, f.Registration, v.Registration)
			s.write(&row, c.r, f.Make, v.Make)
			s.write(&row, c.r, f.Model, v.Model)
			s.write(&row, c.r, f.Year, float64(v.Year))
			s.write(&row, c.r, f.Active, v.Active)
			s.choose(&row, c.r)
		case "positions.newest":
			var newest *sim.Sample
			if sample, ok := account.Latest(v); ok {
				newest = &sample
			}
			row = s.position(row, c.r, v, newest)
		case "positions.updates":
			s.write(&row, c.r, c.r.Device, v.ID)
			s.write(&row, c.r, s.file.Positions.News.Time, account.Now())
		}
	}
	return row
}

// position writes a position into a row; one that is nil is not known.
func (s *Fake) position(row any, r *Request, v sim.Vehicle, p *sim.Sample) any {
	f := s.file.Positions.Fields
	s.write(&row, r, r.Device, v.ID)
	s.choose(&row, r)
	if p == nil {
		for _, value := range []*Value{f.Time, f.Latitude, f.Longitude} {
			s.write(&row, r, value, nil)
		}
		return row
	}
	gauges := p.Gauges()
	for _, reading := range s.file.Positions.Readings {
		if n, ok := gauges[reading.Kind]; ok && reading.Value != nil {
			s.write(&row, r, reading.Value, n)
		}
	}
	s.write(&row, r, f.Time, p.Time.Time)
	s.write(&row, r, f.Latitude, p.Latitude)
	s.write(&row, r, f.Longitude, p.Longitude)
	s.write(&row, r, f.Heading, *p.Heading)
	s.write(&row, r, f.Speed, *p.SpeedKPH)
	s.write(&row, r, f.Driver, optional(p.DriverID))
	s.write(&row, r, f.Ignition, *p.Ignition)
	s.write(&row, r, f.Auxiliary, *p.Auxiliary)
	s.write(&row, r, f.Odometer, *p.OdometerMetres)
	return row
}

func optional(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func (s *Fake) trips(calls []fakeCall, v sim.Vehicle, from, to time.Time, account *sim.Account) (rows []any) {
	r, f := calls[0].r, s.file.Trips.Fields
	found := account.Trips(v, from, to)
	if r.Before > 0 { // the file expects that trips are chosen by their start
		found = slices.DeleteFunc(account.Trips(v, from, to.Add(r.Before)), func(t sim.Trip) bool {
			return t.StartTime.Before(from) || !t.StartTime.Before(to)
		})
	}
	for _, t := range found {
		row := s.template(calls)
		idling := t.IdlingSeconds
		if f.Auxiliary == nil {
			idling += t.AuxiliarySeconds
		}
		s.write(&row, r, r.Device, v.ID)
		s.choose(&row, r)
		s.write(&row, r, f.ID, strconv.FormatInt(t.ID, 10))
		s.write(&row, r, f.Start, t.StartTime)
		s.write(&row, r, f.End, t.EndTime)
		s.write(&row, r, f.StartLatitude, t.Start.Latitude)
		s.write(&row, r, f.StartLongitude, t.Start.Longitude)
		s.write(&row, r, f.EndLatitude, t.End.Latitude)
		s.write(&row, r, f.EndLongitude, t.End.Longitude)
		s.write(&row, r, f.Distance, t.DistanceMetres)
		s.write(&row, r, f.Driving, t.DrivingSeconds)
		s.write(&row, r, f.Idling, idling)
		s.write(&row, r, f.Auxiliary, t.AuxiliarySeconds)
		s.write(&row, r, f.Driver, optional(t.DriverID))
		rows = append(rows, row)
	}
	return rows
}

// ExpectDevice says what of a vehicle the file reads.
func (s *Fake) ExpectDevice(_ sim.Vehicle, want *provider.Device) {
	f := s.file.Devices.Fields
	forget(&want.Description, f.Description)
	forget(&want.Registration, f.Registration)
	forget(&want.Make, f.Make)
	forget(&want.Model, f.Model)
	if f.Year == nil {
		want.Year = nil
	}
	want.Active = want.Active || f.Active == nil
}

func forget(field **string, v *Value) {
	if v == nil {
		*field = nil
	}
}

// ExpectTrip says what of a trip the file reads.
func (s *Fake) ExpectTrip(t sim.Trip, want *provider.Trip) {
	f := s.file.Trips.Fields
	if f.StartLatitude == nil {
		want.Start = nil
	}
	if f.EndLatitude == nil {
		want.End = nil
	}
	if f.Distance == nil {
		want.DistanceMetres = nil
	}
	if want.DrivingSeconds = nil; f.Driving != nil {
		want.DrivingSeconds = &t.DrivingSeconds
	}
	if f.Auxiliary == nil {
		want.AuxiliarySeconds = nil
	}
	if f.Driving != nil && f.Driving.Path == "$elapsed" && f.Driving.Minus == "" {
		want.DrivingSeconds = new(t.EndTime.Sub(t.StartTime).Seconds())
	}
}

// HasTripDrivers reports whether trips name drivers.
func (s *Fake) HasTripDrivers() bool { return s.file.Trips != nil && s.file.Trips.Fields.Driver != nil }
