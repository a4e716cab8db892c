package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

// vendors answers each call to a host, or lets it hang.
type vendors struct {
	hang  map[string]bool
	calls map[string]int
}

func (v *vendors) RoundTrip(req *http.Request) (*http.Response, error) {
	v.calls[req.URL.Host]++
	if v.hang[req.URL.Host] {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// TestOriginThatHangs has an origin let calls hang: after three it is left alone, by
// that tenant and for a while, and asked again by one call.
func TestOriginThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &vendors{hang: map[string]bool{"hung.example": true}, calls: map[string]int{}}
		origins := outbound.NewOrigins(8, time.Now)
		ask := func(tenant, host string) (time.Duration, error) {
			t.Helper()
			c := outbound.New(outbound.Options{Transport: network, Now: time.Now, Origins: origins, Tenant: tenant, Timeout: 30 * time.Second})
			begun := time.Now()
			resp, err := c.Do(newRequest(t, "GET", "https://"+host+"/x", nil))
			if err == nil {
				_ = resp.Body.Close()
			}
			return time.Since(begun), err
		}
		left := func(took time.Duration, err error) {
			t.Helper()
			if err == nil || took != 0 || !strings.Contains(err.Error(), "calls; it is left alone until ") ||
				outbound.KindOf(err) != outbound.KindTemporary {
				t.Errorf("after %s: %v", took, err)
			}
		}
		if _, err := ask("a", "hung.example"); err == nil { // three attempts
			t.Fatal("it answered")
		}
		if network.calls["hung.example"] != 3 {
			t.Fatalf("%d attempts", network.calls["hung.example"])
		}
		left(ask("a", "hung.example"))
		if took, err := ask("a", "sound.example"); err != nil || took != 0 {
			t.Errorf("another origin: %v after %s", err, took)
		}
		before := network.calls["hung.example"]
		if took, _ := ask("b", "hung.example"); took < time.Minute || network.calls["hung.example"] != before+3 {
			t.Errorf("another tenant asked %d times within %s", network.calls["hung.example"]-before, took)
		}
		time.Sleep(time.Minute)
		before = network.calls["hung.example"]
		probed := make(chan error)
		go func() {
			_, err := ask("a", "hung.example")
			probed <- err
		}()
		synctest.Wait()
		left(ask("a", "hung.example")) // while one asks
		if err := <-probed; err == nil || network.calls["hung.example"] != before+1 {
			t.Errorf("%d calls to see, %v", network.calls["hung.example"]-before, err)
		}
		time.Sleep(time.Minute)
		left(ask("a", "hung.example")) // twice as long
		time.Sleep(time.Minute)
		network.hang["hung.example"] = false
		for range 2 {
			if took, err := ask("a", "hung.example"); err != nil || took != 0 {
				t.Errorf("once it answers: %v after %s", err, took)
			}
		}
	})
}

// TestOriginHasAShare has calls of many tenants to one origin hang: calls to another
// find a place, and what finds none is put off.
func TestOriginHasAShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &vendors{hang: map[string]bool{"hung.example": true}, calls: map[string]int{}}
		origins := outbound.NewOrigins(4, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 6)
		ask := func(ctx context.Context, tenant, host string) error {
			c := outbound.New(outbound.Options{Transport: network, Now: time.Now, Origins: origins, Tenant: tenant, Attempts: 1, Timeout: time.Hour})
			req := newRequest(t, "GET", "https://"+host+"/x", nil).WithContext(ctx)
			resp, err := c.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		}
		for i := range 4 {
			go func() { done <- ask(ctx, fmt.Sprint(i), "hung.example") }()
			synctest.Wait()
		}
		err := ask(t.Context(), "late", "hung.example")
		if outbound.KindOf(err) != outbound.KindRateLimited || outbound.RetryAt(err).IsZero() {
			t.Errorf("one call too many: %v", err)
		}
		begun := time.Now()
		if err := ask(t.Context(), "other", "sound.example"); err != nil || time.Since(begun) != 0 {
			t.Errorf("a call to another origin: %v after %s", err, time.Since(begun))
		}
		cancel()
		for range 4 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		if err := ask(t.Context(), "late", "sound.example"); err != nil {
			t.Error(err)
		}
	})
}
