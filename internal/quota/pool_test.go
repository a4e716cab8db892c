package quota_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/quota"
)

func take(t *testing.T, p *quota.Pool, holder string, n int64) *quota.Place {
	t.Helper()
	place, err := p.Take(t.Context(), holder, n)
	if err != nil {
		t.Fatalf("%s gets nothing: %v", holder, err)
	}
	return place
}

func refused(t *testing.T, p *quota.Pool, holder string, n int64) {
	t.Helper()
	if _, err := p.Take(t.Context(), holder, n); !errors.Is(err, quota.ErrFull) {
		t.Errorf("%s: %v, want that it is full", holder, err)
	}
}

func TestOneWhoIsAloneBorrowsAll(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{Size: 8})
	for range 8 {
		take(t, p, "a", 1)
	}
	refused(t, p, "a", 1)
	if p.Held("a") != 8 {
		t.Errorf("it holds %d", p.Held("a"))
	}
}

func TestReserveIsForThoseBelowTheirShare(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{Size: 8})
	for range 8 {
		take(t, p, "a", 1)
	}
	take(t, p, "b", 1)
	take(t, p, "b", 1)
	refused(t, p, "b", 1) // beyond its share of two
	refused(t, p, "c", 1) // the reserve is given out
}

func TestBorrowedIsGivenBack(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{Size: 4, Share: 2})
	var borrowed []*quota.Place
	for range 4 {
		borrowed = append(borrowed, take(t, p, "a", 1))
	}
	take(t, p, "b", 2)
	borrowed[0].Return()
	borrowed[0].Return() // once counts
	refused(t, p, "a", 1)
	take(t, p, "c", 1)
}

func TestThoseBelowTheirShareGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := quota.New(quota.Config{Size: 1, Share: 1, Queue: 3, Wait: time.Minute})
		first, second := take(t, p, "a", 1), take(t, p, "b", 1)
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		wait := func(holder string) {
			all.Go(func() {
				place, err := p.Take(t.Context(), holder, 1)
				if err != nil {
					t.Errorf("%s: %v", holder, err)
					return
				}
				mu.Lock()
				order = append(order, holder)
				mu.Unlock()
				place.Return()
			})
			synctest.Wait()
		}
		wait("a")
		wait("c")
		second.Return()
		synctest.Wait()
		first.Return()
		all.Wait()
		if fmt.Sprint(order) != "[c a]" {
			t.Errorf("the order is %v", order)
		}
	})
}

func TestQueue(t *testing.T) {
	t.Parallel()
	t.Run("WaitEnds", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := quota.New(quota.Config{Size: 1, Queue: 1, Wait: 100 * time.Millisecond})
			take(t, p, "a", 1)
			begun := time.Now()
			refused(t, p, "a", 1)
			if waited := time.Since(begun); waited != 100*time.Millisecond {
				t.Errorf("waited %s", waited)
			}
		})
	})
	t.Run("CallerLeaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := quota.New(quota.Config{Size: 1, Queue: 1, Wait: time.Hour})
			place := take(t, p, "a", 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := p.Take(ctx, "a", 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			place.Return()
			take(t, p, "a", 1)
		})
	})
	t.Run("FullOfOneHolder", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := quota.New(quota.Config{Size: 1, Share: 1, Queue: 1, Wait: time.Hour})
			place, other := take(t, p, "a", 1), take(t, p, "b", 1)
			away := make(chan error, 1)
			go func() { _, err := p.Take(t.Context(), "a", 1); away <- err }()
			synctest.Wait()
			refused(t, p, "a", 1)
			got := make(chan error, 1)
			go func() { _, err := p.Take(t.Context(), "c", 1); got <- err }()
			if err := <-away; !errors.Is(err, quota.ErrFull) {
				t.Errorf("who waits beyond its share: %v", err)
			}
			other.Return()
			place.Return()
			if err := <-got; err != nil {
				t.Errorf("who is below its share: %v", err)
			}
		})
	})
}

func TestTakeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := quota.New(quota.Config{Size: 3, Share: 1, Queue: 4, Wait: time.Second, TakeBack: true})
		var streams []*quota.Place
		for range 3 {
			streams = append(streams, take(t, p, "a", 1))
		}
		take(t, p, "b", 1)
		for i, s := range streams {
			s.WhenAsked(func() {
				if i != 2 {
					t.Errorf("stream %d was asked for, and not the newest", i)
				}
				go s.Return()
			})
		}
		take(t, p, "c", 1)
	})
}

func TestAtMost(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{Size: 100})
	var got sync.Map
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := p.TakeAtMost(t.Context(), "a", 1, 7)
			got.Store(i, err)
		})
	}
	all.Wait()
	passed := 0
	for _, err := range got.Range {
		if err == nil {
			passed++
		} else if !errors.Is(err.(error), quota.ErrMost) {
			t.Errorf("%v", err)
		}
	}
	if passed != 7 {
		t.Errorf("%d passed, want 7", passed)
	}
}

func TestNoOneBorrowsBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := quota.New(quota.Config{Size: 4, Share: 1, Recent: time.Second, Now: time.Now})
		take(t, p, "a", 1)
		borrowed := take(t, p, "a", 1)
		take(t, p, "b", 1).Return()
		refused(t, p, "a", 1) // b has been there
		borrowed.Return()
		refused(t, p, "a", 1) // what was borrowed is not borrowed again
		take(t, p, "c", 1).Return()
		p.Seen("b")
		time.Sleep(time.Second - 1)
		refused(t, p, "a", 1)
		time.Sleep(time.Nanosecond)
		take(t, p, "a", 1)
		take(t, p, "a", 1)
		take(t, p, "a", 1)
		refused(t, p, "a", 1) // all there is
	})
}

func TestWithoutABound(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{})
	for range 1000 {
		take(t, p, "a", 1)
	}
}

// TestNeverMoreThanThereIs has many take and return at random.
func TestNeverMoreThanThereIs(t *testing.T) {
	t.Parallel()
	const size, share = 40, 10
	p := quota.New(quota.Config{Size: size, Share: share, Queue: 8, Wait: time.Millisecond})
	var mu sync.Mutex
	var used, most int64
	count := func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		used += n
		most = max(most, used)
	}
	var all sync.WaitGroup
	for holder := range 6 {
		for range 8 {
			all.Go(func() {
				for range 300 {
					n := rand.Int64N(6) + 1
					place, err := p.Take(t.Context(), fmt.Sprint(holder), n)
					if err != nil {
						continue
					}
					count(n)
					count(-n)
					place.Return()
				}
			})
		}
	}
	all.Wait()
	if most > size+share {
		t.Errorf("%d were given out, of %d", most, size+share)
	}
	for holder := range 6 {
		if n := p.Held(fmt.Sprint(holder)); n != 0 {
			t.Errorf("%d still holds %d", holder, n)
		}
	}
}

func TestNewestTakesTheOldestPlace(t *testing.T) {
	t.Parallel()
	p := quota.New(quota.Config{Size: 8, TakeBack: true})
	asked := 0
	newest := func() *quota.Place {
		t.Helper()
		place, err := p.TakeNewest(t.Context(), "a", 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	first := newest()
	first.WhenAsked(func() { asked++ })
	second := newest()
	second.WhenAsked(func() { asked += 10 })
	take(t, p, "b", 1)
	newest()
	first.Return() // it counts no longer
	if asked != 1 || p.Held("a") != 2 || p.Held("b") != 1 {
		t.Errorf("asked %d, held %d and %d", asked, p.Held("a"), p.Held("b"))
	}
}
