package main

import (
	"cmp"
	"compress/gzip"
	"context"
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
)

// trace is the recording of a real vehicle, oldest position first.
type trace struct {
	name      string // of the file, without its endings
	positions []drover.Position
}

// set is what a trace is counted with: its name up to the last dash, so that
// truck-01 and truck-02 are trucks.
func (t trace) set() string {
	if i := strings.LastIndexByte(t.name, '-'); i > 0 {
		return t.name[:i]
	}
	return t.name
}

// traces measures the rules of trips on recordings of real vehicles, which whoever
// runs it has: a folder of files NAME.csv or NAME.csv.gz with the columns time
// (seconds since 1970), latitude, longitude, speed_kph, ignition (1 or 0) and
// odometer_metres, the last three empty where unknown, below a line of names.
func (b *bench) traces(context.Context) error {
	if b.tracesDir == "" {
		return errors.New("--traces names the folder of the recordings")
	}
	all, err := readTraces(b.tracesDir)
	if err != nil {
		return err
	}
	b.tripsOfTraces(all)
	b.arrivalsOfTraces(all)
	b.qualityOfTraces(all)
	return nil
}

// readTraces reads every recording of a folder, by name.
func readTraces(dir string) ([]trace, error) {
	var all []trace
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
	slices.SortFunc(all, func(a, b trace) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

func readTrace(path string) (t trace, err error) {
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
		t.positions = append(t.positions, p)
	}
	byTime := func(a, b drover.Position) int { return a.Time.Compare(b.Time.Time) }
	slices.SortStableFunc(t.positions, byTime)
	// Stored positions are unique by their time, the first one stays.
	t.positions = slices.CompactFunc(t.positions, func(a, b drover.Position) bool { return byTime(a, b) == 0 })
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
