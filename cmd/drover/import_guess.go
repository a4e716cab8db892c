package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
)

// importPlan is what the columns of a file are taken for.
type importPlan struct {
	file, format string
	columns      map[string]string // names by field
	device       string            // of all rows, where no column says
	comma        bool              // numbers have a decimal comma
	times        timeForm
	zone         *time.Location
	speed        float64 // factors to km/h and metres
	odometer     float64
	notes        []string // what was guessed, and by what
	sample       []fileRow
}

// importNames are what columns are called, by what they hold, letters and digits alone. Units
// are not part of them.
var importNames = map[string][]string{
	"device": {
		"systemdeviceid", "deviceid", "device", "imei", "vehicleid", "vehicle", "unitid", "unit", "trackerid", "tracker", "assetid", "asset",
		"registration", "plate", "licenseplate", "track", "id", "name",
	},
	"timestamp": {
		"timestamp", "datetime", "gpstime", "fixtime", "gpsdatetime", "devicetime", "eventtime", "positiontime", "recordedat", "utc",
		"timestamputc", "timeutc", "datetimeutc", "ts", "time", "date",
	},
	"latitude":  {"latitude", "lat", "gpslatitude", "gpslat", "positionlatitude", "positionlat", "y"},
	"longitude": {"longitude", "lon", "lng", "long", "gpslongitude", "gpslon", "gpslng", "positionlongitude", "positionlon", "x"},
	"speed":     {"speed", "speedspeed", "gpsspeed", "velocity", "groundspeed"},
	"heading":   {"heading", "course", "bearing", "direction", "angle", "azimuth"},
	"ignition":  {"ignition", "ignitionon", "ign", "acc"},
	"odometer":  {"odometer", "mileage", "odo", "totaldistance", "totalodometer"},
	"driver":    {"driverid", "driveridvalue", "driver", "drivername"},
}

// importUnits are the units that a name may end with.
var importUnits = map[string]struct {
	field  string
	factor float64
	unit   string
}{
	"kph": {"speed", 1, "km/h"}, "kmh": {"speed", 1, "km/h"}, "mph": {"speed", 1.609344, "mph"}, "knots": {"speed", 1.852, "knots"},
	"kn": {"speed", 1.852, "knots"}, "ms": {"speed", 3.6, "m/s"}, "mps": {"speed", 3.6, "m/s"},
	"km": {"odometer", 1000, "km"}, "miles": {"odometer", 1609.344, "miles"}, "mi": {"odometer", 1609.344, "miles"},
	"m": {"odometer", 1, "m"}, "metres": {"odometer", 1, "m"}, "meters": {"odometer", 1, "m"},
}

var notLetters = regexp.MustCompile(`[^a-z0-9]+`)

// plainName is a name without case, spaces and signs.
func plainName(name string) string { return notLetters.ReplaceAllString(strings.ToLower(name), "") }

// fieldOf is what a column with a name holds, the factor of its unit where the name says it,
// and how good the name is for it, from 0 on.
func fieldOf(name string) (field string, factor float64, unit string, rank int) {
	plain := plainName(name)
	for _, field := range slices.Sorted(maps.Keys(importNames)) {
		for i, known := range importNames[field] {
			if plain == known {
				return field, 0, "", i
			}
			of, ok := importUnits[strings.TrimPrefix(plain, known)]
			if ok && strings.HasPrefix(plain, known) && of.field == field {
				return field, of.factor, of.unit, i
			}
		}
	}
	return "", 0, "", 0
}

// guess finds out what a file holds.
func guess(c importCommand, names []string, rows []fileRow) (*importPlan, error) {
	p := &importPlan{file: c.File, format: c.Format, columns: map[string]string{}, device: c.Device, zone: time.UTC, sample: rows}
	if !slices.ContainsFunc(rows, func(r fileRow) bool { return r.record == nil }) {
		return p, nil // nothing to be guessed
	}
	p.sample = slices.DeleteFunc(slices.Clone(rows), func(r fileRow) bool { return r.record != nil })
	if err := p.guessColumns(c, names); err != nil {
		return nil, err
	}
	p.guessComma()
	if err := p.guessTimes(c); err != nil {
		return nil, err
	}
	p.guessUnits(c)
	return p, nil
}

func (p *importPlan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *importPlan) guessColumns(c importCommand, names []string) error {
	ranks := map[string]int{}
	for name, field := range c.Column {
		_, known := importNames[field]
		switch {
		case !slices.Contains(names, name):
			return misused("--column %s: unknown column; the file has %s", name, strings.Join(names, ", "))
		case !known && field != "nothing":
			return misused("--column %s=%s: must be one of %s, or nothing", name, field, strings.Join(slices.Sorted(maps.Keys(importNames)), ", "))
		case known:
			p.columns[field], ranks[field] = name, -1
		}
	}
	for _, name := range names {
		if _, said := c.Column[name]; said {
			continue
		}
		field, factor, unit, rank := fieldOf(name)
		if best, taken := ranks[field]; field == "" || taken && best <= rank {
			continue
		}
		p.columns[field], ranks[field] = name, rank
		switch field {
		case "speed":
			p.speed = p.byName(name, unit, factor)
		case "odometer":
			p.odometer = p.byName(name, unit, factor)
		}
	}
	if date, clock := p.find(names, "date"), p.find(names, "time"); date != "" && clock != "" && ranks["timestamp"] >= 0 {
		p.columns["timestamp"], p.columns["clock"] = date, clock
	}
	for _, field := range []string{"timestamp", "latitude", "longitude"} {
		if p.columns[field] == "" {
			return fmt.Errorf("no column found for the %s: name it with --column NAME=%s; the file has %s", field, field, strings.Join(names, ", "))
		}
	}
	if p.device != "" {
		delete(p.columns, "device")
	} else if p.columns["device"] == "" {
		p.device = strings.TrimSuffix(filepath.Base(p.file), filepath.Ext(p.file))
		p.note("device: %s, after the file, because no column names one (--device)", p.device)
	}
	return nil
}

func (p *importPlan) byName(name, unit string, factor float64) float64 {
	if factor != 0 {
		p.note("unit of %q: %s, by its name", name, unit)
	}
	return factor
}

func (*importPlan) find(names []string, plain string) string {
	if i := slices.IndexFunc(names, func(n string) bool { return plainName(n) == plain }); i >= 0 {
		return names[i]
	}
	return ""
}

var decimalComma = regexp.MustCompile(`^-?\d+,\d+$`)

func (p *importPlan) guessComma() {
	p.comma = slices.ContainsFunc(p.sample, func(r fileRow) bool { return decimalComma.MatchString(r.values[p.columns["latitude"]]) })
	if p.comma {
		p.note("numbers have a decimal comma")
	}
}

// timeForm is how times are written.
type timeForm struct {
	layout string
	digits time.Duration // of numbers since 1970, what one is; zero for others
	zoned  bool
	words  string
}

var timeForms = []timeForm{
	{layout: time.RFC3339, zoned: true, words: "RFC 3339"},
	{layout: "2006-01-02 15:04:05Z07:00", zoned: true, words: "year-month-day"},
	{layout: "2006-01-02 15:04:05 -0700", zoned: true, words: "year-month-day"},
	{layout: "2006-01-02 15:04:05-07", zoned: true, words: "year-month-day"},
	{digits: time.Second, zoned: true, words: "seconds since 1970"},
	{digits: time.Millisecond, zoned: true, words: "milliseconds since 1970"},
	{layout: "2006-01-02T15:04:05", words: "year-month-day"},
	{layout: "2006-01-02 15:04:05", words: "year-month-day"},
	{layout: "2006-01-02 15:04", words: "year-month-day"},
	{layout: "2006/01/02 15:04:05", words: "year/month/day"},
	{layout: "20060102150405", words: "year, month, day"},
	{layout: "2.1.2006 15:04:05", words: "day.month.year"},
	{layout: "2.1.2006 15:04", words: "day.month.year"},
	{layout: "2/1/2006 15:04:05", words: "day/month/year"},
	{layout: "2/1/2006 15:04", words: "day/month/year"},
	{layout: "1/2/2006 15:04:05", words: "month/day/year"},
	{layout: "1/2/2006 15:04", words: "month/day/year"},
	{layout: "1/2/2006 3:04:05 PM", words: "month/day/year"},
	{layout: "1/2/2006 3:04 PM", words: "month/day/year"},
}

// parse reads a time, in a zone where it names none.
func (f timeForm) parse(text string, zone *time.Location) (time.Time, bool) {
	if f.digits == 0 {
		at, err := time.ParseInLocation(f.layout, text, zone)
		return at.UTC(), err == nil
	}
	n, err := strconv.ParseFloat(text, 64)
	at := time.UnixMilli(int64(n * float64(f.digits/time.Millisecond))).UTC()
	return at, err == nil && at.Year() >= 2000 && at.Year() < 2100
}

func (p *importPlan) timeText(r fileRow) string {
	if clock := p.columns["clock"]; clock != "" {
		return r.values[p.columns["timestamp"]] + " " + r.values[clock]
	}
	return r.values[p.columns["timestamp"]]
}

// guessTimes takes the form that most times of the sample have.
func (p *importPlan) guessTimes(c importCommand) error {
	most := 0
	var fitting []timeForm
	for _, form := range timeForms {
		n := 0
		for _, r := range p.sample {
			if _, ok := form.parse(p.timeText(r), time.UTC); ok {
				n++
			}
		}
		switch {
		case n > most:
			most, fitting = n, []timeForm{form}
		case n == most && n > 0:
			fitting = append(fitting, form)
		}
	}
	if most == 0 {
		return fmt.Errorf("the times in %q have an unknown format, such as %q", p.columns["timestamp"], p.timeText(p.sample[0]))
	}
	p.times = fitting[0]
	p.note("times: %s, as %q", p.times.words, p.timeText(p.sample[0]))
	if len(fitting) > 1 && fitting[1].words != p.times.words {
		p.note("times could be %s as well: no day of the first %d rows is past 12", fitting[1].words, len(p.sample))
	}
	switch zone, err := time.LoadLocation(c.TimeZone); {
	case err != nil:
		return misused("--time-zone: unknown zone %q; use one such as Europe/Berlin", c.TimeZone)
	case p.times.zoned:
	case c.TimeZone != "":
		p.zone = zone
		p.note("time zone: %s, as you say", zone)
	case strings.Contains(plainName(p.columns["timestamp"]), "utc"), strings.Contains(plainName(p.columns["timestamp"]), "gmt"):
		p.note("time zone: UTC, by the name of the column")
	default:
		p.note("time zone: taken for UTC, because the times name none (--time-zone)")
	}
	return nil
}

// show tells a person what was guessed, and what the first records are.
func (p *importPlan) show(w io.Writer) error {
	lines := []string{fmt.Sprintf("%s is read as %s.", p.file, p.format)}
	for _, field := range slices.Sorted(maps.Keys(p.columns)) {
		lines = append(lines, fmt.Sprintf("  %-10s is in %q", field, p.columns[field]))
	}
	for _, note := range p.notes {
		lines = append(lines, "  "+note)
	}
	lines = append(lines, "The first records are:")
	shown := 0
	for _, r := range p.sample {
		record, err := p.record(r)
		if err != nil {
			continue
		}
		lines = append(lines, "  "+string(record))
		if shown++; shown == importShown {
			break
		}
	}
	if shown == 0 {
		_, err := p.record(p.sample[0])
		return fmt.Errorf("no row can be read: %w", err)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// record turns a row into what is sent.
func (p *importPlan) record(r fileRow) (json.RawMessage, error) {
	if r.record != nil {
		return r.record, nil
	}
	at, ok := p.times.parse(p.timeText(r), p.zone)
	if !ok {
		return nil, badRow{r.line, fmt.Sprintf("%q is no time of the form %s", p.timeText(r), p.times.words)}
	}
	record := drover.Record{Type: drover.RecordPosition, SystemDeviceID: p.device, Timestamp: new(drover.At(at))}
	if column := p.columns["device"]; column != "" {
		if record.SystemDeviceID = r.values[column]; record.SystemDeviceID == "" {
			return nil, badRow{r.line, "it names no device"}
		}
	}
	var err error
	number := func(field string) *float64 {
		v, bad := p.number(r, field)
		if err == nil {
			err = bad
		}
		return v
	}
	record.Latitude, record.Longitude, record.Heading = number("latitude"), number("longitude"), number("heading")
	if speed := number("speed"); speed != nil {
		record.Speed = &drover.Speed{SpeedKPH: *speed * p.speed}
	}
	if odometer := number("odometer"); odometer != nil {
		record.OdometerMetres = new(*odometer * p.odometer)
	}
	if on, said := truth(r.values[p.columns["ignition"]]); said {
		record.Ignition = &on
	}
	if driver := r.values[p.columns["driver"]]; driver != "" {
		record.DriverID = &drover.DriverID{Format: "text", Value: driver}
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("write a record: %w", err)
	}
	return text, nil
}

// number is a number of a row, nil where it has none.
func (p *importPlan) number(r fileRow, field string) (*float64, error) {
	text := r.values[p.columns[field]]
	if p.columns[field] == "" || text == "" {
		return nil, nil //nolint:nilnil // a number that is missing is no fault
	}
	if p.comma {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, badRow{r.line, fmt.Sprintf("%s: %.40q is no number", field, text)}
	}
	return &v, nil
}

// truth reads what stands for on and off.
func truth(text string) (on, said bool) {
	switch strings.ToLower(text) {
	case "1", "true", "on", "yes":
		return true, true
	case "0", "false", "off", "no":
		return false, true
	}
	return false, false
}
