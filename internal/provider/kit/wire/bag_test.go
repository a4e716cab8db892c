package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func TestBag(t *testing.T) {
	t.Parallel()
	var bag wire.Bag
	text := `{"n":1.5,"t":"1.5","w":"NOT_AVAILABLE\u0001","nan":"NaN","o":{"a":1},"l":[1],"z":null}`
	if err := json.Unmarshal([]byte(text), &bag); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		number *float64
		text   string
	}{
		"n": {new(1.5), "1.5"}, "t": {new(1.5), "1.5"}, "w": {nil, "NOT_AVAILABLE\u0001"}, "nan": {nil, "NaN"},
		"o": {nil, ""}, "l": {nil, ""}, "z": {nil, ""}, "absent": {nil, ""},
	}
	for key, want := range tests {
		if diff := cmp.Diff(want.number, bag.Number(key).Ptr()); diff != "" {
			t.Errorf("number %s: %s", key, diff)
		}
		if got := bag.Text(key).String(); got != want.text {
			t.Errorf("text %s = %q, want %q", key, got, want.text)
		}
	}
	if wire.Bag(nil).Number("n").Ptr() != nil {
		t.Error("no bag has a number")
	}
}
