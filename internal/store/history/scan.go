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
	more []any // where the columns that follow go

	values  [10]any
	dest    []any
	numbers arena.Of[float64] // those that may be unknown
	flags   [2]bool
}

// reset begins rows in the room of those before, which are no longer needed.
func (s *rowScanner) reset(most int) { s.numbers.Reuse(3 * most) }

func (s *rowScanner) scan(row database.Scanner) (drover.StoredPosition, error) {
	if s.dest == nil {
		s.flags = [2]bool{false, true}
		for i := range s.values {
			s.dest = append(s.dest, &s.values[i])
		}
		s.dest = append(s.dest, s.more...)
	}
	if err := row.Scan(s.dest...); err != nil {
		return drover.StoredPosition{}, err
	}
	return s.position()
}

// position makes a position of the columns, in the order of positionColumns.
func (s *rowScanner) position() (p drover.StoredPosition, err error) {
	v := &s.values
	at, isTime := v[0].(int64)
	latitude, isLatitude := v[1].(float64)
	longitude, isLongitude := v[2].(float64)
	if !isTime || !isLatitude || !isLongitude {
		return p, fmt.Errorf("a position has the columns %T, %T and %T", v[0], v[1], v[2])
	}
	p.Time, p.Latitude, p.Longitude = drover.Milli(at), latitude, longitude
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
