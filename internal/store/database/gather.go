package database

import (
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"modernc.org/sqlite"
)

// registerGathered gives SQLite the aggregate function gathered, which makes one value of all
// rows. To read a column of a row takes a lock twice, which is most of what reading many
// rows costs; its arguments take none.
var registerGathered = sync.OnceValue(func() error {
	return sqlite.RegisterFunction("gathered", &sqlite.FunctionImpl{
		NArgs: -1, Deterministic: true, VolatileArgs: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &gatherer{}, nil },
	})
})

// gatherer appends the values of rows: a byte for what it is, and the value.
type gatherer struct{ b []byte }

// Kinds of values.
const (
	isNull = iota
	isInt
	isFloat
	isText
)

// Step implements sqlite.AggregateFunction.
func (g *gatherer) Step(_ *sqlite.FunctionContext, row []driver.Value) error {
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			g.b = append(g.b, isNull)
		case int64:
			g.b = binary.LittleEndian.AppendUint64(append(g.b, isInt), uint64(v))
		case float64:
			g.b = binary.LittleEndian.AppendUint64(append(g.b, isFloat), math.Float64bits(v))
		case string:
			g.b = append(binary.AppendUvarint(append(g.b, isText), uint64(len(v))), v...)
		default:
			return fmt.Errorf("a %T cannot be gathered", v)
		}
	}
	return nil
}

// WindowValue implements sqlite.AggregateFunction.
func (g *gatherer) WindowValue(*sqlite.FunctionContext) (driver.Value, error) { return g.b, nil }

// WindowInverse implements sqlite.AggregateFunction.
func (g *gatherer) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("gathered is no function of a window")
}

// Final implements sqlite.AggregateFunction.
func (g *gatherer) Final(*sqlite.FunctionContext) {}

// Gathered reads values that SQLite's function gathered has put together, row by row. Where
// they end early, or one is of another kind than is asked for, Err is set, and what is read
// is empty.
type Gathered struct {
	Rest []byte
	Err  error
}

// Int reads a whole number.
func (g *Gathered) Int() int64 {
	n, some := g.fixed(isInt)
	if !some {
		g.fail()
	}
	return int64(n)
}

// Real reads a number that is never null.
func (g *Gathered) Real() float64 {
	n, some := g.fixed(isFloat)
	if !some {
		g.fail()
	}
	return math.Float64frombits(n)
}

// Float reads a number; false is null.
func (g *Gathered) Float() (float64, bool) {
	n, some := g.fixed(isFloat)
	return math.Float64frombits(n), some
}

// Flag reads a whole number that stands for a flag; known is false for null.
func (g *Gathered) Flag() (is, known bool) {
	n, some := g.fixed(isInt)
	return n != 0, some
}

// Text reads a text; nil is null.
func (g *Gathered) Text() *string {
	if !g.next(isText) {
		return nil
	}
	n, width := binary.Uvarint(g.Rest)
	if width <= 0 || n > uint64(len(g.Rest)-width) {
		g.fail()
		return nil
	}
	text := string(g.Rest[width : width+int(n)])
	g.Rest = g.Rest[width+int(n):]
	return &text
}

func (g *Gathered) fixed(kind byte) (uint64, bool) {
	if !g.next(kind) {
		return 0, false
	}
	if len(g.Rest) < 8 {
		g.fail()
		return 0, false
	}
	n := binary.LittleEndian.Uint64(g.Rest)
	g.Rest = g.Rest[8:]
	return n, true
}

// next takes the kind of the next value, and reports whether there is one.
func (g *Gathered) next(kind byte) bool {
	if len(g.Rest) == 0 || g.Rest[0] != kind && g.Rest[0] != isNull {
		g.fail()
		return false
	}
	is := g.Rest[0] == kind
	g.Rest = g.Rest[1:]
	return is
}

func (g *Gathered) fail() {
	g.Rest, g.Err = nil, errors.New("gathered rows cannot be read")
}
