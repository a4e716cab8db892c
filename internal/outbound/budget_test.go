package outbound_test

import (
	"bytes"
	"io"
	"net/http"
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
		budget := outbound.NewBudget()
		client := func(size int) *outbound.Client {
			return outbound.New(outbound.Options{Budget: budget, Now: time.Now, Transport: tripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &filling{Reader: bytes.NewReader(make([]byte, size)), mu: &mu, open: &open, most: &most}}, nil
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
