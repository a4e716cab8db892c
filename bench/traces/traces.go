// Package traces measures the rules of trips, arrival times and data quality on recordings of
// real vehicles.
package traces

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
)

// Trace is the recording of a real vehicle, oldest position first.
type Trace struct {
	name      string // of the file, without its endings
	Positions []drover.Position
}

// set is what a trace is counted with: its name up to the last dash, so that
// truck-01 and truck-02 are trucks.
func (t Trace) set() string {
	if i := strings.LastIndexByte(t.name, '-'); i > 0 {
		return t.name[:i]
	}
	return t.name
}

// Measure measures the rules of trips on recordings of real vehicles, which anyone who
// runs it has: a folder of files NAME.csv or NAME.csv.gz with the columns time
// (seconds since 1970), latitude, longitude, speed_kph, ignition (1 or 0) and
// odometer_metres, the last three empty where unknown, below a line of names.
func Measure(dir string, t *table.Table, progress func(doing string)) error {
	if dir == "" {
		return errors.New("--traces names the folder of the recordings")
	}
	all, err := Read(dir)
	if err != nil {
		return err
	}
	r := &report{table: t, progress: progress}
	if all = r.usable(all); len(all) == 0 {
		return fmt.Errorf("no trace in %s has a position that can be true", dir)
	}
	r.goals(all)
	r.trips(all)
	r.arrivals(all)
	r.quality(all)
	return nil
}

// report is where the figures go.
type report struct {
	table    *table.Table
	progress func(doing string)
}

// usable leaves out the recordings of which no position is accepted, or none is believed.
func (r *report) usable(all []Trace) []Trace {
	return slices.DeleteFunc(all, func(t Trace) bool {
		accepted, _ := t.derive()
		if len(accepted) > 0 && len(newTruth(t.Positions).positions) > 0 {
			return false
		}
		r.progress(t.name + " has no position that can be true, and is left out")
		return true
	})
}

// Read reads every recording of a folder, by name.
func Read(dir string) ([]Trace, error) {
	var all []Trace
	for _, pattern := range []string{"*.csv", "*.csv.gz"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("look for traces: %w", err)
		}
		for _, path := range paths {
			t, err := readTrace(path)
			if err != nil {
				return nil, fmt.Errorf("read trace %s: %w", filepath.Base(path), err)
			}
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no traces in %s", dir)
	}
	slices.SortFunc(all, func(a, b Trace) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

func readTrace(path string) (t Trace, err error) {
	t.name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".csv")
	file, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var from io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			return t, err
		}
	}
	rows, err := csv.NewReader(from).ReadAll()
	if err != nil {
		return t, err
	}
	for i, row := range rows {
		p, err := parsePosition(row)
		if err != nil {
			if i == 0 { // the names of the columns
				continue
			}
			return t, fmt.Errorf("line %d: %w", i+1, err)
		}
		t.Positions = append(t.Positions, p)
	}
	if len(t.Positions) == 0 {
		return t, errors.New("no position")
	}
	byTime := func(a, b drover.Position) int { return a.Time.Compare(b.Time.Time) }
	slices.SortStableFunc(t.Positions, byTime)
	// Stored positions are unique by their time, the first one stays.
	t.Positions = slices.CompactFunc(t.Positions, func(a, b drover.Position) bool { return byTime(a, b) == 0 })
	return t, nil
}

func parsePosition(row []string) (drover.Position, error) {
	var p drover.Position
	const columns = 6
	if len(row) < columns {
		return p, fmt.Errorf("%d columns, not %d", len(row), columns)
	}
	numbers := make([]*float64, columns)
	for i := range numbers {
		if row[i] == "" {
			continue
		}
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil {
			return p, err
		}
		numbers[i] = &v
	}
	if numbers[0] == nil || numbers[1] == nil || numbers[2] == nil {
		return p, errors.New("no time or no place")
	}
	p.Time = drover.Milli(int64(*numbers[0]) * time.Second.Milliseconds())
	p.Latitude, p.Longitude, p.SpeedKPH, p.OdometerMetres = *numbers[1], *numbers[2], numbers[3], numbers[5]
	if numbers[4] != nil {
		p.Ignition = new(*numbers[4] != 0)
	}
	return p, nil
}
