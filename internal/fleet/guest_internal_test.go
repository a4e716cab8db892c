package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestGuestSeesNoPorts holds that a guest who names an address sees the same of a port that
// is closed, of one that speaks something else, and of one that is silent, after the same time.
func TestGuestSeesNoPorts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type answer struct {
			trial drover.ConnectionTrial
			took  time.Duration
		}
		try := func(credentials map[string]string, vendor func(ctx context.Context) drover.ConnectionTrial) answer {
			s := &core{
				checkURL: func(context.Context, string) error { return nil },
				providers: map[drover.ProviderName]provider.Info{
					drover.Traccar: {Fields: []provider.Field{{Name: provider.BaseURLField}}},
				},
				try: func(ctx context.Context, _ drover.ProviderName, _ map[string]string) (drover.ConnectionTrial, error) {
					return vendor(ctx), nil
				},
			}
			begun := time.Now()
			trial, err := s.tryForGuest(t.Context(), drover.Principal{Role: drover.RoleMember},
				drover.ConnectionTrialInput{IntegrationName: drover.Traccar, Credentials: credentials})
			if err != nil {
				t.Fatal(err)
			}
			return answer{trial, time.Since(begun)}
		}
		failing := func(words string, after time.Duration) func(ctx context.Context) drover.ConnectionTrial {
			return func(ctx context.Context) drover.ConnectionTrial {
				select {
				case <-time.After(after):
				case <-ctx.Done():
					words = "deadline exceeded"
				}
				return drover.ConnectionTrial{Error: &words, ErrorKind: &words, Devices: len(words)}
			}
		}
		at := map[string]string{provider.BaseURLField: "https://10.0.0.7:9"}
		closed := try(at, failing("connection refused", 0))
		for words, after := range map[string]time.Duration{"EOF": time.Second, "status 404": 3 * time.Second, "silent": time.Hour} {
			if diff := cmp.Diff(closed, try(at, failing(words, after)), cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("%s is seen: %s", words, diff)
			}
		}
		if closed.trial.Error == nil || *closed.trial.Error == "connection refused" {
			t.Errorf("a closed port is seen: %v", closed.trial.Error)
		}
		if vendor := try(nil, failing("wrong password", time.Second)); *vendor.trial.Error != "wrong password" || vendor.took != time.Second {
			t.Errorf("what the vendor itself says is hidden: %+v", vendor)
		}
		works := func(context.Context) drover.ConnectionTrial { return drover.ConnectionTrial{OK: true} }
		if good := try(at, works); !good.trial.OK || good.took != 0 {
			t.Errorf("what works is hidden: %+v", good)
		}
	})
}
