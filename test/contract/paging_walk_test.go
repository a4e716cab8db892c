package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drover-fleet/drover"
)

// TestPagingUnderChange reads every list a page at a time, by several readers at once,
// while records are added and taken away: each record that was there throughout is seen
// exactly once, and none twice, in every order that the list has.
func TestPagingUnderChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		walked := map[string]bool{}
		for _, o := range s.doc().operations() {
			if !slices.Contains(o.parameters("query"), "cursor") || o.operator() { // those of operators are never written at such a pace
				continue
			}
			walked[o.OperationID] = true
			queries := []string{"limit=2"}
			if slices.Contains(o.parameters("query"), "order") {
				queries = append(queries, "limit=2&order=desc")
			}
			for _, sort := range o.values("sort") {
				if sort != "updated_at" || o.OperationID == "listMilestoneUpdates" { // changes come again: TestCopyEqualsTheService
					queries = append(queries, "limit=2&sort="+sort)
				}
			}
			for _, query := range queries {
				t.Run(o.OperationID+"/"+query, func(t *testing.T) { walkUnderChange(t, s, o, query) })
			}
		}
		for name := range (&changes{}).lists() {
			if !walked[name] {
				t.Errorf("%s is no list that is paged", name)
			}
		}
	})
}

// How long a list is read while it changes: until every reader has seen it whole so
// often, but for no more changes than maxChanges, so that a walk always comes to an end.
const (
	listReaders = 2
	wholeWalks  = 2
	minChanges  = 10
	maxChanges  = 40
)

func walkUnderChange(t *testing.T, s *service, o operation, query string) {
	t.Helper()
	c := &changes{t: t, s: s, random: rand.New(rand.NewPCG(1, 2)), stops: map[string]drover.Stop{}}
	l, ok := c.lists()[o.OperationID]
	if !ok {
		t.Fatalf("say in lists how the records of %s change", o.OperationID)
	}
	w := walker{s: s, header: s.authorized(t, wanda), feed: o.feed(), key: l.key}
	if len(w.key) == 0 {
		w.key = []string{"id"}
	}
	path := l.of()
	w.first = withQuery(path, query)
	var passing []string // what is there at first and may be taken away
	for range 9 {
		l.add()
		if l.drop != nil {
			passing = append(passing, l.add())
		}
	}
	steady, err := w.walk(t.Context(), withQuery(path, "limit="+o.most()), func() {})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range passing {
		if steady[id] != 1 {
			t.Fatalf("%s is in the list %d times before anything changes", id, steady[id])
		}
		delete(steady, id)
	}
	w.steady = steady

	readers := w.start(t.Context())
	for n := 0; n < minChanges || n < maxChanges && readers.walks.Load() < listReaders*wholeWalks; n++ {
		passing = append(passing, l.add())
		if l.drop != nil {
			i := c.random.IntN(len(passing))
			l.drop(passing[i])
			passing = slices.Delete(passing, i, i+1)
		}
	}
	if err := readers.stop(); err != nil {
		t.Error(err)
	}
	if l.drop != nil { // the next walk of the same list is not longer for it
		for _, id := range passing {
			l.drop(id)
		}
	}
}

// walker reads a list of work's.
type walker struct {
	s      *service
	header map[string]string
	first  string
	feed   bool
	key    []string
	steady map[string]int // the rows that are there throughout
}

// listReading is several readers of a list at once.
type listReading struct {
	walks  atomic.Int64
	ended  chan struct{}
	faults chan error
}

// start has readers walk the list until they are stopped, and returns once each has
// begun.
func (w *walker) start(ctx context.Context) *listReading {
	r := &listReading{ended: make(chan struct{}), faults: make(chan error, listReaders)}
	begun := make(chan struct{})
	for range listReaders {
		go func() { r.faults <- w.read(ctx, r, begun) }()
	}
	for range listReaders {
		<-begun
	}
	return r
}

// stop lets the readers come to the end of their walk.
func (r *listReading) stop() error {
	close(r.ended)
	var all error
	for range listReaders {
		all = errors.Join(all, <-r.faults)
	}
	return all
}

func (w *walker) read(ctx context.Context, r *listReading, begun chan struct{}) error {
	tell := func() {
		if begun != nil {
			begun <- struct{}{}
			begun = nil
		}
	}
	for {
		seen, err := w.walk(ctx, w.first, tell)
		tell() // where it failed before the first page
		if err == nil {
			err = w.check(seen)
		}
		if err != nil {
			return err
		}
		r.walks.Add(1)
		select {
		case <-r.ended:
			return nil
		default:
		}
	}
}

// check holds what a walk has seen against what was there throughout.
func (w *walker) check(seen map[string]int) error {
	for row := range w.steady {
		if seen[row] == 0 {
			return fmt.Errorf("%s was there throughout and was not seen", row)
		}
	}
	for row, n := range seen {
		if n > 1 {
			return fmt.Errorf("%s was seen %d times", row, n)
		}
	}
	return nil
}

// walk counts the rows of a list by what names them, to its end. It calls back once the
// first page is there.
func (w *walker) walk(ctx context.Context, next string, first func()) (map[string]int, error) {
	seen := map[string]int{}
	for pages := 0; next != ""; pages++ {
		if pages > 2000 {
			return nil, fmt.Errorf("%s has no end", w.first)
		}
		rows, following, err := w.page(ctx, next)
		if err != nil {
			return nil, err
		}
		first()
		for _, row := range rows {
			var name []string
			for _, key := range w.key {
				name = append(name, fmt.Sprint(row[key]))
			}
			seen[strings.Join(name, " ")]++
		}
		if next = following; w.feed && len(rows) == 0 {
			next = "" // a feed has no last page
		}
	}
	return seen, nil
}

func (w *walker) page(ctx context.Context, path string) (rows []map[string]any, next string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.s.server.URL+path, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	for name, value := range w.header {
		req.Header.Set(name, value)
	}
	resp, err := w.s.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	var body struct {
		Data []map[string]any `json:"data"`
	}
	if resp.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("GET %s: status %d", path, resp.StatusCode)
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return nil, "", fmt.Errorf("GET %s: %w", path, err)
	}
	return body.Data, strings.TrimPrefix(strings.Split(resp.Header.Get("Link"), ">")[0], "<"), nil
}
