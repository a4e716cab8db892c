package history

import (
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/memory/arena"
	"github.com/drover-fleet/drover/internal/store/database"
)

// rowScanner reads the rows of a device's positions. They are many, and each has ten
// columns: it takes what the driver gives as it is, because conversions of database/sql
// cost more than reading the row.
type rowScanner struct {
	device string
	more   []any // where the columns that follow go

	values  [10]any
	dest    []any
	numbers arena.Of[float64] // those that may be unknown
	flags   [2]bool

	into columns // of a row that ReadEach gives
	room []any   // pointers to them
}

// columns are those of positionColumns.
type columns struct {
	time                int64
	latitude, longitude float64
	numbers             [3]database.NullFloat
	flags               [2]database.NullFlag
	texts               [2]database.NullText
}

// reset begins the rows of another device, in the room of those before, which are no
// longer needed.
func (s *rowScanner) reset(device string, most int) {
	s.device = device
	s.numbers.Reuse(3 * most)
}

func (s *rowScanner) scan(row database.Scanner) (Position, error) {
	if s.dest == nil {
		s.flags = [2]bool{false, true}
		for i := range s.values {
			s.dest = append(s.dest, &s.values[i])
		}
		s.dest = append(s.dest, s.more...)
	}
	if err := row.Scan(s.dest...); err != nil {
		return Position{}, err
	}
	return s.position()
}

// position makes a position of the columns, in the order of positionColumns.
func (s *rowScanner) position() (p Position, err error) {
	v := &s.values
	at, isTime := v[0].(int64)
	latitude, isLatitude := v[1].(float64)
	longitude, isLongitude := v[2].(float64)
	if !isTime || !isLatitude || !isLongitude {
		return p, fmt.Errorf("a position has the columns %T, %T and %T", v[0], v[1], v[2])
	}
	p.DeviceID, p.Time, p.Latitude, p.Longitude = s.device, drover.Milli(at), latitude, longitude
	for i, to := range [...]**float64{&p.Heading, &p.SpeedKPH, &p.OdometerMetres} {
		if *to, err = s.number(v[3+i]); err != nil {
			return p, err
		}
	}
	for i, to := range [...]**bool{&p.Ignition, &p.Auxiliary} {
		if *to, err = s.flag(v[6+i]); err != nil {
			return p, err
		}
	}
	if p.DriverID, err = text(v[8]); err != nil {
		return p, err
	}
	suspect, err := text(v[9])
	if suspect != nil {
		p.Suspect = *suspect
	}
	return p, err
}

// gathered reads the next row of many, in the order of positionColumns.
func (s *rowScanner) gathered(g *database.Gathered) (p Position) {
	s.flags[1] = true
	p.DeviceID, p.Time = s.device, drover.Milli(g.Int())
	p.Latitude, p.Longitude = g.Real(), g.Real()
	for _, to := range [...]**float64{&p.Heading, &p.SpeedKPH, &p.OdometerMetres} {
		if v, known := g.Float(); known {
			*to = s.numbers.Keep(v)
		}
	}
	for _, to := range [...]**bool{&p.Ignition, &p.Auxiliary} {
		if is, known := g.Flag(); known && is {
			*to = &s.flags[1]
		} else if known {
			*to = &s.flags[0]
		}
	}
	p.DriverID = g.Text()
	if suspect := g.Text(); suspect != nil {
		p.Suspect = *suspect
	}
	return p
}

// each reads a row that ReadEach gives.
func (s *rowScanner) each(row database.Scanner) (p Position, err error) {
	c := &s.into
	if s.room == nil {
		s.flags = [2]bool{false, true}
		s.room = []any{
			&c.time, &c.latitude, &c.longitude, &c.numbers[0], &c.numbers[1], &c.numbers[2],
			&c.flags[0], &c.flags[1], &c.texts[0], &c.texts[1],
		}
	}
	if err := row.Scan(s.room...); err != nil {
		return p, err
	}
	p.DeviceID, p.Time, p.Latitude, p.Longitude = s.device, drover.Milli(c.time), c.latitude, c.longitude
	for i, to := range [...]**float64{&p.Heading, &p.SpeedKPH, &p.OdometerMetres} {
		if v := c.numbers[i]; v.Valid {
			*to = s.numbers.Keep(v.Float64)
		}
	}
	for i, to := range [...]**bool{&p.Ignition, &p.Auxiliary} {
		if v := c.flags[i]; v.Valid && v.Bool {
			*to = &s.flags[1]
		} else if v.Valid {
			*to = &s.flags[0]
		}
	}
	if c.texts[0].Valid {
		p.DriverID = new(c.texts[0].String)
	}
	p.Suspect = c.texts[1].String
	return p, nil
}

// number is a value that may be unknown.
func (s *rowScanner) number(v any) (*float64, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case float64:
		return s.numbers.Keep(v), nil
	}
	return nil, fmt.Errorf("a number of a position is a %T", v)
}

// flag is a value that may be unknown. SQLite has no flags but whole numbers.
func (s *rowScanner) flag(v any) (*bool, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case bool:
		if v {
			return &s.flags[1], nil
		}
		return &s.flags[0], nil
	case int64:
		return s.flag(v != 0)
	}
	return nil, fmt.Errorf("a flag of a position is a %T", v)
}

// text is a value that may be unknown.
func text(v any) (*string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return &v, nil
	}
	return nil, fmt.Errorf("a text of a position is a %T", v)
}
