package session_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider/kit/session"
)

func TestKept(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	reads, failure := 0, error(nil)
	kept := session.Kept[int]{
		Read: func(context.Context) (int, error) { reads++; return reads, failure },
		Now:  func() time.Time { return now },
		For:  time.Hour,
	}
	get := func(want int, wantErr error) {
		t.Helper()
		if got, err := kept.Get(t.Context()); got != want || !errors.Is(err, wantErr) {
			t.Errorf("%d, %v, want %d, %v", got, err, want, wantErr)
		}
	}
	get(1, nil)
	now = now.Add(time.Hour - 1)
	get(1, nil)
	now = now.Add(1)
	failure = errors.New("out of order")
	get(0, failure)
	failure = nil
	get(3, nil)
}
