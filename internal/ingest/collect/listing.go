package collect

import (
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// The ends of a list of devices or drivers. A vendor that always says that there is more
// is not followed for ever.
const (
	longestList    = 250_000 // devices
	longestDrivers = 100_000
	mostPages      = 10_000
)

// A vendor that lists nothing by mistake, or a part, must not retire a fleet. Where
// more than a few devices are missing at once, and more than a third, they are kept
// until that many full lists in a row have lacked them.
const (
	fewGone   = 5
	listsHeld = 3
)

// listing is the cursor of a job that reads a list, of devices or drivers: where the vendor's list stands, and
// when it was begun. What was not seen since then is gone.
type listing struct {
	Begun   drover.Time `json:"begun"`
	Cursor  string      `json:"cursor"`
	Pages   int         `json:"pages,omitempty"`
	Records int         `json:"records,omitempty"`
	// Held is how many lists in a row, before this one, have lacked too many.
	Held int `json:"held,omitempty"`
}

// listingOf reads the cursor of such a job. Between two lists it keeps
// nothing but what was held.
func listingOf(position string, now drover.Time) (listing, error) {
	var l listing
	if position != "" {
		if err := json.Unmarshal([]byte(position), &l); err != nil {
			return l, fmt.Errorf("read the place in a list: %w", err)
		}
	}
	if l.Pages == 0 && l.Cursor == "" {
		l.Begun = now
	}
	return l, nil
}

func (l listing) encode() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // texts, numbers and times always marshal
	}
	return string(text)
}

// advance returns where a list of up to most records stands behind a page of n. It fails
// where the list does not end.
func (l listing) advance(of store.JobKind, most int, cursor string, more bool, n int) (listing, error) {
	if more && l.Pages > 0 && cursor == l.Cursor {
		return l, provider.Errorf(provider.KindTemporary, "the provider gave the same page of its list of %s again", of)
	}
	l.Cursor = cursor
	l.Pages++
	l.Records += n
	if more && (l.Pages >= mostPages || l.Records >= most) {
		return l, provider.Errorf(provider.KindTemporary, "the provider's list of %s has no end: %d %[1]s on %[3]d pages", of, l.Records, l.Pages)
	}
	return l, nil
}

// withheld reports whether so many cannot be gone, yet.
func (l listing) withheld(gone, active int) bool {
	return gone > fewGone && 3*gone > active && l.Held < listsHeld-1
}

// hold notes in the job, whose list is complete, that some are missing.
func (l listing) hold(s *store.Job, gone, active int, now drover.Time) {
	held := l.Held + 1
	text := fmt.Sprintf("%d of %d %s are missing from the provider's list. They are kept until %d full lists in a row lack them; this was number %d.",
		gone, active, s.Kind, listsHeld, held)
	s.Cursor = listing{Held: held}.encode()
	s.ConsecutiveErrors = held
	s.LastError, s.LastErrorKind, s.LastErrorAt = &text, new(string(provider.KindTemporary)), &now
}
