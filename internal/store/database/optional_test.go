package database_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/store/database"
)

// TestOptional gives destinations what the drivers do, after another value.
func TestOptional(t *testing.T) {
	t.Parallel()
	type values struct {
		Float *float64
		Text  *string
		Flag  *bool
	}
	for name, test := range map[string]struct {
		float, text, flag any
		want              values
		refused           bool
	}{
		"Null":     {},
		"Values":   {float: 2.5, text: "it", flag: false, want: values{new(2.5), new("it"), new(false)}},
		"SQLite's": {float: int64(3), text: []byte{}, flag: int64(1), want: values{new(3.0), new(""), new(true)}},
		"Others":   {float: "3", text: 3.0, flag: "true", want: values{new(7.0), new("before"), new(true)}, refused: true},
	} {
		got := values{new(7.0), new("before"), new(true)}
		for i, err := range []error{
			database.OptionalFloat(&got.Float).Scan(test.float), database.OptionalText(&got.Text).Scan(test.text),
			database.OptionalFlag(&got.Flag).Scan(test.flag),
		} {
			if (err != nil) != test.refused {
				t.Errorf("%s: value %d: %v", name, i, err)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
