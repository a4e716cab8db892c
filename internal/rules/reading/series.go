package reading

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/drover-fleet/drover"
)

// MaxSeries bounds the series of a device: no vehicle has so many instruments.
const MaxSeries = 64

// State is what is kept of a series between two values.
type State struct {
	Fold
	// Kept is the newest value of the history.
	Kept *Value
	// Newest is the time of the newest value of all, believed or not.
	Newest int64
	// Shown is what the series shows: the newest value that is believed or, where none
	// ever was, the newest, and why it is not.
	Shown   Value
	Suspect string
}

// errState is a state that no Text has written.
var errState = errors.New("the state of a series cannot be read")

// valueSize is what a value takes in the text of a state.
const valueSize = 16

// ParseState reads what Text has written, beside what the series shows. Of an empty text, that is all
// that is known of it.
func ParseState(text string, shown Value, suspect string) (State, error) {
	s := State{Kept: &shown, Newest: shown.At, Shown: shown, Suspect: suspect}
	if suspect == "" {
		s.Last = &shown
	}
	if text == "" {
		return s, nil
	}
	if len(text)%valueSize != 0 || len(text) < 2*valueSize {
		return s, errState
	}
	data := []byte(text)
	s.Kept = new(readValue(data))
	s.Newest, s.Segment = int64(binary.LittleEndian.Uint64(data[valueSize:])), int(binary.LittleEndian.Uint64(data[valueSize+8:]))
	for data = data[2*valueSize:]; len(data) > 0; data = data[valueSize:] {
		s.Doubt = append(s.Doubt, readValue(data))
	}
	return s, nil
}

// Text is what ParseState cannot tell from what the series shows. It nearly always has the same length: a
// database changes a row in its place.
func (s *State) Text() string {
	data := appendValue(make([]byte, 0, 2*valueSize), *s.Kept)
	data = binary.LittleEndian.AppendUint64(data, uint64(s.Newest))
	data = binary.LittleEndian.AppendUint64(data, uint64(s.Segment))
	for _, v := range s.Doubt {
		data = appendValue(data, v)
	}
	return string(data)
}

func appendValue(to []byte, v Value) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, uint64(v.At)), math.Float64bits(v.Value))
}

func readValue(data []byte) Value {
	return Value{At: int64(binary.LittleEndian.Uint64(data)), Value: math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))}
}

// Add takes a value that is newer than all before it, and reports whether the history
// keeps it.
func (s *State) Add(of drover.ReadingKind, v Value) (kept bool) {
	suspect, _ := s.Judge(of, v)
	s.Newest = v.At
	if suspect == "" || s.Last == nil {
		s.Shown, s.Suspect = v, suspect
	}
	if s.Kept != nil && !Keep(of, *s.Kept, v) {
		return false
	}
	s.Kept = &v
	return true
}

// AddLate puts a value that came late among those of the history around it, which are in
// the order of time, and reports whether the history keeps it. A value of the same time
// is there already.
func AddLate(of drover.ReadingKind, around []Value, v Value) (with []Value, kept bool) {
	i, found := slices.BinarySearchFunc(around, v.At, func(a Value, at int64) int { return int(a.At - at) })
	if found || i > 0 && !Keep(of, around[i-1], v) {
		return around, false
	}
	return slices.Insert(around, i, v), true
}

// LateReach is how far before a value that came late the history may have one by which it
// is not worth a place.
const LateReach = counterStill

// Row is a value of one of a device's series.
type Row = drover.ReadingRow

// Judgement is what is made of a row.
type Judgement struct {
	Suspect string // empty where it is believed
	// First says that it is the first believed one of its series in its span of time.
	First bool
	// Segment is the line of a counter on which a believed value lies.
	Segment int
}

// Judge judges rows of a device's series, oldest first. Those at the beginning are judged
// by little, so that rows before those that are wanted go first; those after them may
// confirm the last. Every is the length of the spans in milliseconds, 0 for none.
func Judge(rows []Row, kinds map[int64]drover.ReadingKind, every int64) []Judgement {
	type series struct {
		Fold
		doubted []int // rows, the newest of which may yet be believed
		span    *int64
	}
	all, out := map[int64]*series{}, make([]Judgement, len(rows))
	for i, r := range rows {
		s := all[r.Series]
		if s == nil {
			s = &series{}
			all[r.Series] = s
		}
		suspect, confirmed := s.Judge(kinds[r.Series], r.ReadingValue)
		out[i].Suspect, out[i].Segment = suspect, s.Segment
		switch suspect {
		case "":
			for _, row := range s.doubted[len(s.doubted)-confirmed:] {
				out[row].Suspect, out[row].Segment = "", s.Segment
			}
			s.doubted = nil
		case Backwards, Jump:
			s.doubted = append(s.doubted, i)
		}
	}
	for i, r := range rows {
		if out[i].Suspect != "" {
			continue
		}
		s, span := all[r.Series], r.At
		if every > 0 {
			span = r.At - mod(r.At, every)
		}
		out[i].First = s.span == nil || *s.span != span
		s.span = &span
	}
	return out
}

// mod is the remainder of whole division, which is not negative.
func mod(a, b int64) int64 { return ((a % b) + b) % b }
