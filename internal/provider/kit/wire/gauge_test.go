package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func TestGauge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ number, state *float64 }{
		`12.5`:            {new(12.5), nil},
		`" 12.5 "`:        {new(12.5), nil},
		`0`:               {new(0.0), new(0.0)},
		`1`:               {new(1.0), new(1.0)},
		`true`:            {nil, new(1.0)},
		`false`:           {nil, new(0.0)},
		`"Open"`:          {nil, new(1.0)},
		`"CLOSED"`:        {nil, new(0.0)},
		`"NOT_AVAILABLE"`: {},
		`"NaN"`:           {},
		`"Infinity"`:      {},
		`""`:              {},
		`null`:            {},
		`{"value":1}`:     {},
		`[1]`:             {},
	} {
		var g wire.Gauge
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff([]*float64{want.number, want.state}, []*float64{g.Ptr(), g.State()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
