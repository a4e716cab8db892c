// Package iso15143test is a fake of a producer of ISO 15143-3 that serves a simulated fleet,
// in the forms and with the deviations that producers are known for.
package iso15143test

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const pageSize = 100

// Producer is how a producer serves the standard.
type Producer struct {
	// Formats are those that it serves: any other is answered with 406, or as Unserved says.
	Formats  []string
	Unserved int
	// Elements says that times are elements, and not attributes.
	Elements bool
	// Prefix is that of the names in XML.
	Prefix string
	// Lower says that names in JSON begin with small letters.
	Lower bool
	// NestedLinks says that links lie within an element of their own.
	NestedLinks bool
	// NextIsSelf says that the last page's next one is itself.
	NextIsSelf bool
	// MakeModelSerial says that machines are named by what is engraved.
	MakeModelSerial bool
	// PIN says that the id by which machines are named is the PIN.
	PIN bool
	// NoSeries says that there is no past.
	NoSeries bool
	// Admits says whether a request is authenticated.
	Admits func(account *sim.Account, r *http.Request) bool
}

type server struct {
	Producer
	account *sim.Account
}

// object is an object in either form.
type object map[string]any

// New returns a producer that serves all of the standard, with basic authentication. The
// account's credentials are username and password.
func New(account *sim.Account) http.Handler {
	return Producer{Formats: []string{"application/xml", "application/json"}, Admits: Basic}.Serve(account)
}

// Basic admits the account's user name and password.
func Basic(account *sim.Account, r *http.Request) bool {
	name, password, ok := r.BasicAuth()
	return ok && account.Accepts("username", name) && account.Accepts("password", password)
}

// Serve returns the producer's server.
func (p Producer) Serve(account *sim.Account) http.Handler {
	s := &server{p, account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /Fleet/{page}", s.guarded(s.fleet))
	if !p.NoSeries {
		machine := "ID/{id}"
		if p.MakeModelSerial {
			machine = "MakeModelSerial/{make}/{model}/{id}"
		}
		mux.HandleFunc("GET /Fleet/Equipment/"+machine+"/Locations/{start}/{end}/{page}", s.guarded(s.series))
	}
	return mux
}

func (s *server) guarded(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !s.Admits(s.account, r):
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case !slices.Contains(s.Formats, r.Header.Get("Accept")):
			http.Error(w, "not this format", cmp.Or(s.Unserved, http.StatusNotAcceptable))
		default:
			serve(w, r)
		}
	}
}

func (s *server) fleet(w http.ResponseWriter, r *http.Request) {
	all := s.account.Vehicles()
	number, err := strconv.Atoi(r.PathValue("page"))
	first := (number - 1) * pageSize
	if err != nil || first < 0 || first >= len(all) {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	end := min(first+pageSize, len(all))
	list := []object{}
	for _, v := range all[first:end] {
		list = append(list, s.machine(v))
	}
	s.reply(w, r, "Fleet", object{"Links": s.links(r, number, end < len(all)), "Equipment": list})
}

func (s *server) machine(v sim.Vehicle) object {
	o := object{"EquipmentHeader": object{
		"OEMName": v.Make, "Model": v.Model, "EquipmentID": EquipmentID(v), "SerialNumber": v.VIN, "PIN": v.VIN,
	}}
	p, ok := s.account.Latest(v)
	if !ok {
		return o
	}
	add := func(name string, members object) {
		members["datetime"] = timestamp(p.Time.Time)
		o[name] = members
	}
	g := p.Gauges()
	add("Location", object{"Latitude": p.Latitude, "Longitude": p.Longitude, "Altitude": 258.8})
	add("EngineStatus", object{"Running": *p.Ignition})
	add("Distance", object{"OdometerUnits": "kilometre", "Odometer": *p.OdometerMetres / 1000})
	add("CumulativeOperatingHours", object{"Hour": g[drover.ReadingEngine] / 3600})
	add("CumulativeIdleHours", object{"Hour": g[drover.ReadingIdle] / 3600})
	add("FuelUsed", object{"FuelUnits": "litre", "FuelConsumed": g[drover.ReadingFuelUsed]})
	add("FuelRemaining", object{"Percent": g[drover.ReadingFuelPercent]})
	add("DEFRemaining", object{"Percent": g[drover.ReadingDEF]})
	return o
}

// EquipmentID is the name that the customer gave a machine.
func EquipmentID(v sim.Vehicle) string { return fmt.Sprintf("digger %d", v.Index+1) }

func (s *server) series(w http.ResponseWriter, r *http.Request) {
	key := EquipmentID
	if s.MakeModelSerial || s.PIN {
		key = func(v sim.Vehicle) string { return v.VIN }
	}
	v, ok := s.account.Vehicle(r.PathValue("id"), key)
	if !ok || s.MakeModelSerial && (r.PathValue("make") != v.Make || r.PathValue("model") != v.Model) {
		http.Error(w, "no such machine", http.StatusNotFound)
		return
	}
	from, errFrom := time.Parse(time.RFC3339, r.PathValue("start"))
	to, errTo := time.Parse(time.RFC3339, r.PathValue("end"))
	number, errPage := strconv.Atoi(r.PathValue("page"))
	if errFrom != nil || errTo != nil || errPage != nil || number < 1 || to.Sub(from) > 14*24*time.Hour {
		http.Error(w, "no such span", http.StatusBadRequest)
		return
	}
	samples := s.account.Positions(v, from, to)
	first := min((number-1)*pageSize, len(samples))
	end := min(first+pageSize, len(samples))
	list := []object{}
	for _, p := range samples[first:end] {
		list = append(list, object{"Latitude": p.Latitude, "Longitude": p.Longitude, "datetime": timestamp(p.Time.Time)})
	}
	s.reply(w, r, "LocationMessages", object{"Links": s.links(r, number, end < len(samples)), "Location": list})
}

func (s *server) links(r *http.Request, number int, more bool) []object {
	path := "https://producer.example" + strings.TrimSuffix(r.URL.Path, "/"+strconv.Itoa(number))
	link := func(rel string, number int) object {
		return object{"rel": rel, "href": fmt.Sprintf("%s/%d", path, number)}
	}
	list := []object{link("self", number)}
	switch {
	case more:
		list = append(list, link("next", number+1))
	case s.NextIsSelf:
		list = append(list, link("next", number))
	}
	if s.NestedLinks {
		return []object{{"Link": list}}
	}
	return list
}

func (s *server) reply(w http.ResponseWriter, r *http.Request, root string, o object) {
	if r.Header.Get("Accept") == "application/json" {
		if s.Lower {
			o, _ = lower(o).(object)
		}
		fake.Reply(w, o)
		return
	}
	o["version"], o["snapshotTime"] = "1", timestamp(s.account.Now())
	w.Header().Set("Content-Type", "application/xml")
	var b strings.Builder
	b.WriteString(xml.Header)
	s.write(&b, root, o)
	_, _ = w.Write([]byte(b.String())) // a client that has gone away needs no answer
}

// lower returns a value with names that begin with small letters.
func lower(value any) any {
	switch v := value.(type) {
	case []object:
		list := make([]any, len(v))
		for i := range v {
			list[i] = lower(v[i])
		}
		return list
	case object:
		out := object{}
		for name, member := range v {
			out[strings.ToLower(name[:1])+name[1:]] = lower(member)
		}
		return out
	default:
		return value
	}
}

// attributes are the members that XML has as such.
var attributes = []string{"datetime", "version", "snapshotTime"}

func (s *server) write(b *strings.Builder, name string, value any) {
	switch v := value.(type) {
	case []object:
		for _, item := range v {
			s.write(b, name, item)
		}
	case object:
		fmt.Fprintf(b, "<%s%s", s.Prefix, name)
		for _, member := range attributes {
			if text, ok := v[member]; ok && !s.Elements {
				fmt.Fprintf(b, " %s=%q", member, text)
			}
		}
		b.WriteString(">")
		for _, member := range slices.Sorted(maps.Keys(v)) {
			if s.Elements || !slices.Contains(attributes, member) {
				s.write(b, member, v[member])
			}
		}
		fmt.Fprintf(b, "</%s%s>", s.Prefix, name)
	default:
		fmt.Fprintf(b, "<%s%s>", s.Prefix, name)
		_ = xml.EscapeText(b, fmt.Append(nil, v)) // a builder takes all
		fmt.Fprintf(b, "</%s%s>", s.Prefix, name)
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
