package simulate

import (
	"cmp"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// trace is everything that happened, in its order. Ids are random, so each is
// replaced by the number of its first appearance. What several did at the same
// moment is sorted.
type trace struct {
	mu    sync.Mutex
	notes []string // of the moment
	sum   hash.Hash
	ids   map[string]int
	lines int
	last  []string // all of it, where someone wants to read it
	begun time.Time
	full  bool // keeps all lines
}

func newTrace(begun time.Time, full bool) *trace {
	return &trace{sum: sha256.New(), ids: map[string]int{}, begun: begun, full: full}
}

// add notes what someone does.
func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// flush writes what was noted, once everyone has come to rest.
func (t *trace) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.notes, func(a, b string) int { return cmp.Compare(t.number(a, false), t.number(b, false)) })
	for _, note := range t.notes {
		t.line(note)
	}
	t.notes = t.notes[:0]
}

// write adds a line.
func (t *trace) write(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line(text)
}

func (t *trace) line(text string) {
	line := fmt.Sprintf("%12.6f ", time.Since(t.begun).Seconds()) + t.number(text, true)
	_, _ = t.sum.Write([]byte(line + "\n")) // a hash takes everything
	t.lines++
	if t.full {
		t.last = append(t.last, line)
	}
}

func (t *trace) hash() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return hex.EncodeToString(t.sum.Sum(nil)[:8])
}

const idLength = 36

// number replaces the ids in a text, and gives those that are new a number or hides
// them.
func (t *trace) number(text string, assign bool) string {
	if strings.Count(text, "-") < 4 {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		i := nextID(text)
		if i < 0 {
			break
		}
		id := text[i : i+idLength]
		n, known := t.ids[id]
		if !known && assign {
			n = len(t.ids) + 1
			t.ids[id] = n
		}
		out.WriteString(text[:i] + "#" + strconv.Itoa(n))
		text = text[i+idLength:]
	}
	return out.String() + text
}

// known replaces the ids that have appeared, and hides the others.
func (t *trace) known(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok := t.ids[id]; ok {
		return "#" + strconv.Itoa(n)
	}
	return "#?"
}

// nextID finds a UUID.
func nextID(text string) int {
	for i := 0; i+idLength <= len(text); i++ {
		dash := strings.IndexByte(text[i:], '-')
		if dash < 0 {
			return -1
		}
		if i += dash - 8; i >= 0 && i+idLength <= len(text) && isID(text[i:i+idLength]) {
			return i
		}
		i += 8 // behind the dash, with the loop's own step
	}
	return -1
}

func isID(text string) bool {
	for i := range len(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		c := text[i]
		if dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// statement is what a statement is called in the trace: its words and what it is
// about.
func (t *trace) statement(query string, args []driver.NamedValue) string {
	words := strings.Join(strings.Fields(query), " ")
	if len(words) > 60 {
		words = words[:40] + "…" + strconv.FormatUint(uint64(hashOf(words)), 36)
	}
	var out strings.Builder
	out.WriteString(words)
	for _, a := range args[:min(len(args), 6)] {
		switch v := a.Value.(type) {
		case string:
			if len(v) == idLength {
				v = t.known(v)
			} else if len(v) > 24 {
				v = "…" // longer texts hold ids
			}
			out.WriteString(" " + v)
		case int64, bool, float64:
			fmt.Fprintf(&out, " %v", v)
		}
	}
	return out.String()
}

// call is what a call is called in the trace.
func (t *trace) call(r *http.Request) string {
	label := r.URL.Host + " " + r.URL.RequestURI()
	if id := r.Header.Get("Webhook-Id"); id != "" {
		label += " " + t.known(id)
	}
	return label
}

func hashOf(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	return h.Sum32()
}

// stream is a source of randomness for one part of the world, so that what one part
// draws does not change what another does.
func stream(seed uint64, name string) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(hashOf(name)))) //nolint:gosec // a repeatable sequence is wanted
}
