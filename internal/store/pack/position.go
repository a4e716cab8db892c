package pack

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/memory/arena"
)

// ReadPosition reads a position as it is stored with its device.
func ReadPosition(stored string) (drover.Position, error) {
	var r PositionReader
	return r.Read(stored)
}

// PositionReader reads positions as they are stored with their devices. A map reads
// those of a whole fleet, and collection those of each page, so the form that
// json.Marshal gives them is taken apart by hand, in a tenth of the time; any other
// is left to encoding/json. What one reader reads shares memory.
type PositionReader struct {
	numbers arena.Of[float64]
	texts   arena.Of[string]
	flags   arena.Of[bool]
}

// Read reads a position.
func (r *PositionReader) Read(stored string) (drover.Position, error) {
	t := positionText{room: r, rest: stored, ok: true}
	if p := t.position(); t.ok && t.rest == "" {
		return p, nil
	}
	var p drover.Position
	err := json.Unmarshal([]byte(stored), &p)
	return p, err
}

// positionText is what remains of a stored position; ok is false once it has
// another form than is expected.
type positionText struct {
	room *PositionReader
	rest string
	ok   bool
}

func (t *positionText) position() drover.Position {
	var p drover.Position
	p.Time = t.time(`{"Time":`)
	p.Latitude, _ = t.value(`,"Latitude":`)
	p.Longitude, _ = t.value(`,"Longitude":`)
	p.Heading = t.number(`,"Heading":`)
	p.SpeedKPH = t.number(`,"SpeedKPH":`)
	p.DriverID = t.text(`,"DriverID":`)
	p.Ignition = t.flag(`,"Ignition":`)
	p.Auxiliary = t.flag(`,"Auxiliary":`)
	p.OdometerMetres = t.number(`,"OdometerMetres":`)
	t.skip(`}`)
	return p
}

func (t *positionText) skip(text string) {
	rest, found := strings.CutPrefix(t.rest, text)
	t.rest, t.ok = rest, t.ok && found
}

// null takes a null, where there is one, or reports that there is a value.
func (t *positionText) null() bool {
	rest, found := strings.CutPrefix(t.rest, "null")
	t.rest = rest
	return found || !t.ok
}

func (t *positionText) number(key string) *float64 {
	if n, known := t.value(key); known {
		return t.room.numbers.Keep(n)
	}
	return nil
}

// value takes a number, 0 where it is not known.
func (t *positionText) value(key string) (n float64, known bool) {
	t.skip(key)
	if t.null() {
		return 0, false
	}
	end := endOfValue(t.rest)
	if end < 0 {
		t.ok = false
		return 0, false
	}
	n, err := strconv.ParseFloat(t.rest[:end], 64)
	t.rest, t.ok = t.rest[end:], err == nil
	return n, true
}

// endOfValue is where a number ends. It is near, so that looking at each byte is the
// fastest way.
func endOfValue(text string) int {
	for i := range len(text) {
		if c := text[i]; c == ',' || c == '}' {
			return i
		}
	}
	return -1
}

func (t *positionText) text(key string) *string {
	t.skip(key)
	if t.null() {
		return nil
	}
	t.skip(`"`)
	end := strings.IndexAny(t.rest, `"\`)
	if end < 0 || t.rest[end] == '\\' {
		t.ok = false
		return nil
	}
	s := strings.Clone(t.rest[:end])
	t.rest = t.rest[end+1:]
	return t.room.texts.Keep(s)
}

func (t *positionText) flag(key string) *bool {
	t.skip(key)
	if t.null() {
		return nil
	}
	rest, yes := strings.CutPrefix(t.rest, "true")
	if t.rest = rest; !yes {
		t.skip("false")
	}
	return t.room.flags.Keep(yes)
}

func (t *positionText) time(key string) drover.Time {
	t.skip(key + `"`)
	end := strings.IndexByte(t.rest, '"')
	if end < 0 {
		t.ok = false
		return drover.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, t.rest[:end])
	t.rest, t.ok = t.rest[end+1:], t.ok && err == nil
	return drover.At(at)
}
