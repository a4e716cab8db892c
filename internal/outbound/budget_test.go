package outbound_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// filling is a body of many zeros that notes how many are being read past their
// beginning.
type filling struct {
	io.Reader
	mu    *sync.Mutex
	open  *int
	most  *int
	begun bool
	read  int
}

func (f *filling) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.read += n; f.read > 1<<20 && !f.begun {
		f.begun = true
		f.mu.Lock()
		*f.open++
		*f.most = max(*f.most, *f.open)
		f.mu.Unlock()
		time.Sleep(time.Second) // of the bubble: all others get as far as they can
	}
	return n, err
}

func (f *filling) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun {
		f.begun = false
		*f.open--
	}
	return nil
}

// TestLargeAnswersAreReadAFewAtATime has twenty vendors answer with 4 MiB at once,
// and one with little.
func TestLargeAnswersAreReadAFewAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		open, most := 0, 0
		budget := outbound.NewBudget(128 << 20)
		client := func(size int) *outbound.Client {
			return outbound.New(outbound.Options{Budget: budget, Now: time.Now, Transport: tripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: 200, Header: http.Header{},
					Body: &filling{Reader: bytes.NewReader(make([]byte, size)), mu: &mu, open: &open, most: &most},
				}, nil
			})})
		}
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				resp, err := client(4 << 20).Do(newRequest(t, "GET", vendorURL, nil))
				if err != nil {
					t.Error(err)
					return
				}
				if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != 4<<20 {
					t.Errorf("%d bytes, %v", n, err)
				}
				_ = resp.Body.Close()
			})
		}
		began := time.Now()
		time.Sleep(time.Millisecond)
		resp, err := client(100 << 10).Do(newRequest(t, "GET", vendorURL, nil))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != 100<<10 || time.Since(began) > time.Millisecond {
			t.Errorf("a small answer waited for %v: %d bytes, %v", time.Since(began), n, err)
		}
		_ = resp.Body.Close()
		wait.Wait()
		if most != 4 {
			t.Errorf("%d large answers at once, want 4", most)
		}
	})
}

// answering is a client whose vendor always answers the same.
func answering(budget *outbound.Budget, tenant, text string) *outbound.Client {
	return outbound.New(outbound.Options{
		Budget: budget, Tenant: tenant, Now: time.Now, Attempts: 1,
		Transport: tripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}, nil
		}),
	})
}

type wideRow struct {
	A, B, C, D, E, F, G, H string
	I, J, K, L             *float64
}

// TestSmallAnswerThatBecomesHuge has a vendor answer with a few MiB that would take
// hundreds once they are decoded.
func TestSmallAnswerThatBecomesHuge(t *testing.T) {
	t.Parallel()
	text := "[" + strings.Repeat("{},", 1<<20) + "{}]"
	var rows []wideRow
	err := outbound.JSON(t.Context(), answering(outbound.NewBudget(1<<30), "a", text), newRequest(t, "GET", vendorURL, nil), &rows)
	if err == nil || !strings.Contains(err.Error(), "the provider's answer is too large: decoded it would take more than 128 MiB") {
		t.Errorf("%v", err)
	}
	if rows != nil {
		t.Error("it was decoded")
	}
}

// TestReadingLastsUntilItEnds has pages of two tenants in memory, each of which takes
// a place of its own: those of one are read one after the other, and another has its
// share.
func TestReadingLastsUntilItEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		budget := outbound.NewBudget(32 << 20) // one medium place, and one in reserve
		text := "[" + strings.Repeat("{},", 5000) + "{}]"
		read := func(tenant string) (func(), error) {
			ctx, end := budget.WithReading(t.Context(), tenant)
			var rows []wideRow
			return end, outbound.JSON(ctx, answering(budget, tenant, text), newRequest(t, "GET", vendorURL, nil), &rows)
		}
		end, err := read("a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read("a"); outbound.KindOf(err) != outbound.KindRateLimited || outbound.RetryAt(err).IsZero() {
			t.Errorf("a second page of the same tenant: %v", err)
		}
		if end, err := read("b"); err != nil {
			t.Errorf("a page of another tenant: %v", err)
		} else {
			end()
		}
		end()
		if end, err := read("a"); err != nil {
			t.Errorf("a page after the first was stored: %v", err)
		} else {
			end()
		}
	})
}
